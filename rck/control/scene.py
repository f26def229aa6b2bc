"""What a program that draws the world has to know of it once; where things are comes with every step."""

from base64 import b64encode
from typing import Any

import numpy as np

from rck.control.names import Names
from rck.exporting import shapes_of
from rck.geometry.mesh import triangles
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
                "shapes": [
                    {
                        "points": _text(shape.surface.vertices.astype("<f4")),
                        "corners": _text(triangles(shape.surface).astype("<u4")),
                        "colour": list(shape.colour),
                    }
                    for shape in drawn
                ],
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


def _text(numbers: "np.ndarray[Any, Any]") -> str:
    return b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")
