"""Whether fingers can take an object: its axes, its width, its distance, its weight."""

from math import degrees

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert
from rck.hooks import Mount, Surroundings, Values, world_from

WIDEST = 0.1
"""Taken for the opening of hands of which neither opening nor stroke is known, in metres."""

_ROUND = np.linspace(0.0, np.pi, 12, endpoint=False)


def holds_between_two(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Why a hand with two fingers cannot take an item; nothing where it can."""
    return _refusal(world, mount, values, item, np.array([[1.0, 0.0, 0.0]]))


def holds_between_three(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Why a hand with three fingers cannot take an item; nothing where it can."""
    across = np.stack([np.cos(_ROUND), np.sin(_ROUND), np.zeros_like(_ROUND)], axis=1)
    return _refusal(world, mount, values, item, across)


def _refusal(world: Surroundings, mount: Mount, values: Values, item: str, across: Floats) -> str:
    """Why not; `across` are the directions in the frame of the hand in which the item must be narrow, shape (N, 3)."""
    solid = world.robot.item(item)
    if not solid.mobile:
        return "it cannot be moved"
    if values.get("payload") and solid.mass > values["payload"]:
        return f"its {solid.mass:.3g} kg are more than the {values['payload']:.3g} kg that the hand carries"
    if not solid.subitems:
        return "it has no shape"
    vertices = np.concatenate([subitem.shape.vertices for subitem in solid.subitems])
    hand_from_item = invert(world_from(world, mount)) @ world.poses[world.robot.item_index[item]]
    off = float(np.arccos(np.clip(np.abs(hand_from_item[2, :3]).max(), 0.0, 1.0)))
    if off > values["angle"] + 1e-9:
        return f"the hand is {degrees(off):.1f}° off its axes; at most {degrees(values['angle']):.1f}° will do"
    heights = apply(hand_from_item, vertices) @ across.T
    width = float((heights.max(axis=0) - heights.min(axis=0)).max())
    opening = values.get("opening") or values.get("stroke") or WIDEST
    if width > opening + 1e-9:
        return f"it is {1000 * width:.1f} mm wide, but the hand opens {1000 * opening:.1f} mm"
    away = _away(invert(hand_from_item)[:3, 3], vertices)
    if away > values["distance"] + 1e-9:
        return f"it is {1000 * away:.1f} mm from the hand; at most {1000 * values['distance']:.1f} mm will do"
    return ""


def _away(point: Floats, vertices: Floats) -> float:
    """How far a point is from the box, along the axes, that holds the vertices, in metres; 0 inside."""
    beyond = np.maximum(vertices.min(axis=0) - point, point - vertices.max(axis=0))
    return float(np.linalg.norm(np.maximum(beyond, 0.0)))
