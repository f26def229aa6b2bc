"""Finger grippers: two parallel fingers, and three fingers that close around an axis."""

from functools import partial
from math import degrees

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert
from rck.hooks import Gripper, Mount, Option, Surroundings, Values, hookimpl, world_from

_DEFAULT_OPENING = 0.1
"""The opening of grippers with neither opening nor stroke, in metres."""
_OPTIONS = (
    Option("opening", "largest width between the fingers", "length"),
    Option("stroke", "relative travel of the fingers, used if the opening is unknown", "length"),
    Option("payload", "heaviest object in kg; 0 for no limit", "number", 0.0),
    Option("angle", "largest misalignment with the object's axes", "angle", "15 deg"),
    Option("distance", "largest distance from the grasp point to the object", "length", "10 mm"),
)


def _refusal(across: Floats, world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Return why the fingers cannot hold an item; empty if they can.

    `across` are the directions, in the frame of the gripper, in which the item must fit between the fingers.
    Shape (N, 3).
    """
    body = world.robot.item(item)
    if not body.mobile:
        return "it is not a loose object"
    if values.get("payload") and body.mass > values["payload"]:
        return f"its mass of {body.mass:.3g} kg exceeds the payload of {values['payload']:.3g} kg"
    if not body.subitems:
        return "it has no shape"
    vertices = np.concatenate([subitem.shape.vertices for subitem in body.subitems])
    gripper_from_item = invert(world_from(world, mount)) @ world.poses[world.robot.item_index[item]]
    misalignment = float(np.arccos(np.clip(np.abs(gripper_from_item[2, :3]).max(), 0.0, 1.0)))
    if misalignment > values["angle"] + 1e-9:
        return (
            f"the gripper is {degrees(misalignment):.1f}° off the object's axes; "
            f"the limit is {degrees(values['angle']):.1f}°"
        )
    heights = apply(gripper_from_item, vertices) @ across.T
    width = float((heights.max(axis=0) - heights.min(axis=0)).max())
    opening = values.get("opening") or values.get("stroke") or _DEFAULT_OPENING
    if width > opening + 1e-9:
        return f"it is {1000 * width:.1f} mm wide; the gripper opens to {1000 * opening:.1f} mm"
    distance = _distance_to_box(invert(gripper_from_item)[:3, 3], vertices)
    if distance > values["distance"] + 1e-9:
        return f"it is {1000 * distance:.1f} mm away; the limit is {1000 * values['distance']:.1f} mm"
    return ""


def _distance_to_box(point: Floats, vertices: Floats) -> float:
    """Return the distance of a point from the axis-aligned bounding box of vertices, in metres; 0 inside."""
    beyond = np.maximum(vertices.min(axis=0) - point, point - vertices.max(axis=0))
    return float(np.linalg.norm(np.maximum(beyond, 0.0)))


@hookimpl
def rck_grippers() -> list[Gripper]:
    """Return the grippers with two and with three fingers."""
    x = np.array([[1.0, 0.0, 0.0]])
    angles = np.linspace(0.0, np.pi, 12, endpoint=False)
    around_z = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    return [
        Gripper("parallel-gripper", "two fingers that close in parallel, along x", partial(_refusal, x), _OPTIONS),
        Gripper("three-finger-gripper", "three fingers that close around z", partial(_refusal, around_z), _OPTIONS),
    ]
