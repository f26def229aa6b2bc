"""The axes of a chain with all joints at zero, and how they lie to each other."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import invert
from rck.kinematics.chain import Chain, axes_at, tip_pose

LEAN = 0.02
"""Axes that lean less than this, in radians, are nominally parallel: calibration finds some milliradians."""
PASS = 0.005
"""Axes that pass nearer than this share of the reach nominally meet."""


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes at zero, in the base's frame, one row for each joint."""

    directions: Floats
    """Shape (joints, 3)."""
    points: Floats
    """A point on each. Shape (joints, 3), in metres."""
    tip_from_base: Floats
    """The inverse of the tip's pose at zero. Shape (4, 4)."""
    senses: Floats
    """A joint stands at ``senses[0] * vector + senses[1]``; the first row is 1 or -1. Shape (2, joints)."""


def axes_at_zero(chain: Chain) -> Axes | None:
    """The axes of a chain in which each joint moves one body, by its own position; None for any other."""
    leads = [int(body["joint"]) for body in chain.bodies]
    ratios = np.array([body["ratio"] for body in chain.bodies])
    if leads != list(range(len(chain.joints))) or not (np.abs(ratios) == 1.0).all():
        return None
    offsets = np.array([body["offset"] for body in chain.bodies])
    # The vector that puts every joint at position zero.
    vector = -ratios * offsets
    points, directions = axes_at(chain, vector)
    return Axes(
        frozen(directions), frozen(points), frozen(invert(tip_pose(chain, vector))), frozen(np.array([ratios, offsets]))
    )


def parallel(axes: Axes, one: int, other: int) -> bool:
    """Whether two axes are nominally parallel, in either sense."""
    return float(np.linalg.norm(np.cross(axes.directions[one], axes.directions[other]))) < LEAN


def across(axes: Axes, one: int, other: int) -> bool:
    """Whether two axes are nominally at right angles."""
    return abs(float(axes.directions[one] @ axes.directions[other])) < LEAN


def meeting_point(axes: Axes, one: int, other: int, reach: float) -> Floats | None:
    """The point half way between two axes where they pass each other, if they nominally meet there. Shape (3,)."""
    first, second = axes.directions[one], axes.directions[other]
    normal = np.cross(first, second)
    size = float(normal @ normal)
    if size < LEAN**2:
        return None
    between = axes.points[other] - axes.points[one]
    if abs(between @ normal) / np.sqrt(size) > PASS * reach:
        return None
    on_first = axes.points[one] + first * float(np.cross(between, second) @ normal) / size
    on_second = axes.points[other] + second * float(np.cross(between, first) @ normal) / size
    middle: Floats = (on_first + on_second) / 2
    return middle


def distance_to(axes: Axes, number: int, point: Floats) -> float:
    """How far a point is from an axis, in metres."""
    return float(np.linalg.norm(np.cross(point - axes.points[number], axes.directions[number])))
