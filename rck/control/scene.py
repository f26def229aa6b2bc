"""What a program that draws the world has to know of it once; where things are comes with every step."""

from typing import Any

import numpy as np

from rck.control.names import Names
from rck.exporting import shapes_of
from rck.exporting.web import surface_text
from rck.model.robot import Robot


def scene_data(robot: Robot, names: Names) -> dict[str, Any]:
    """Items with their surfaces, as 32-bit floats and integers in base 64, and joints with their limits."""
    shapes = shapes_of(robot)
    items = []
    for item, seen in zip(robot.items, shapes.of_item, strict=True):
        drawn = [shape for shape in seen if shape.seen and len(shape.surface.face_vertices)]
        items.append(
            {
                "name": item.name,
                "mass": item.mass,
                "mobile": item.mobile,
                "shapes": [{**surface_text(shape.surface), "colour": list(shape.colour)} for shape in drawn],
            }
        )
    joints = [
        {
            "name": names.outside[joint.name],
            "turns": joint.kind.turns,
            "lower": None if joint.limits is None else joint.limits.lower,
            "upper": None if joint.limits is None else joint.limits.upper,
        }
        for joint in robot.free_joints
    ]
    frames = [
        {"name": frame.name, "item": robot.item_index[frame.item], "pose": np.asarray(frame.pose)[:3].ravel().tolist()}
        for frame in robot.frames
    ]
    return {"name": robot.name, "items": items, "joints": joints, "frames": frames}
