"""The axes of a chain with all joints at zero, their relative position, and the check of candidate solutions."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import invert
from rck.hooks.ik_types import Answer, Goal, no_solutions
from rck.kinematics.chain import Chain, axes_at, tip_pose
from rck.kinematics.ik_answers import UnreachableAnswer, deviation, nearest_first
from rck.kinematics.numeric_solver import NumericSolver
from rck.kinematics.solution_choice import nearest_turn

LEAN = 0.02
"""Axes that deviate by less than this, in radians, are nominally parallel; calibration finds some milliradians."""
PASS = 0.005
"""Axes closer than this fraction of the reach nominally intersect."""
_SLACK = 1e-9
"""Tolerance for rounding at limits and between equal vectors."""


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes at zero, in the base frame, one row for each joint."""

    directions: Floats
    """Shape (joints, 3)."""
    points: Floats
    """A point on each. Shape (joints, 3), in metres."""
    tip_from_base: Floats
    """The inverse of the tip's pose at zero. Shape (4, 4)."""
    senses: Floats
    """The position of a joint is ``senses[0] * vector + senses[1]``; the first row is 1 or -1. Shape (2, joints)."""


def axes_at_zero(chain: Chain) -> Axes | None:
    """Return the axes of a chain without mimic joints; None for any other."""
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
    """Return True if two axes are nominally parallel or antiparallel."""
    return float(np.linalg.norm(np.cross(axes.directions[one], axes.directions[other]))) < LEAN


def across(axes: Axes, one: int, other: int) -> bool:
    """Return True if two axes are nominally perpendicular."""
    return abs(float(axes.directions[one] @ axes.directions[other])) < LEAN


def meeting_point(axes: Axes, one: int, other: int, reach: float) -> Floats | None:
    """Return the midpoint between two axes where they are closest, if they nominally intersect. Shape (3,)."""
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
    """Return the distance of a point from an axis, in metres."""
    return float(np.linalg.norm(np.cross(point - axes.points[number], axes.directions[number])))


def filter_solutions(chain: Chain, vectors: Iterable[Floats], goal: Goal, start: Floats) -> Floats:
    """Return the vectors that reach the goal within the limits, without duplicates and nearest to the start.

    Each is moved by whole turns. Shape (solutions, joints), the nearest first.
    """
    found: list[Floats] = []
    for vector in vectors:
        row = nearest_turn(chain, vector, start)
        away, turned = deviation(tip_pose(chain, row), goal.pose, goal.wants)
        within = (row >= chain.lower - _SLACK).all() and (row <= chain.upper + _SLACK).all()
        new = all(np.abs(row - other).max() > _SLACK for other in found)
        if within and new and away <= goal.tolerance and turned <= goal.tolerance:
            found.append(np.clip(row, chain.lower, chain.upper))
    return nearest_first(np.array(found).reshape(-1, len(start)), start)


def answer_miss(
    numeric: NumericSolver, branches: Iterable[Floats], goal: Goal, seed: Floats | None, budget: float
) -> Answer:
    """Return the answer to a goal for which no branch is a solution; the branches are those that come nearest.

    A solution that is only within the tolerance is a short descent away from one of them. Otherwise there is none.
    """
    chain = numeric.chain
    start = chain.reference if seed is None else seed
    for branch in branches:
        row = np.clip(nearest_turn(chain, branch, start), chain.lower, chain.upper)
        solution = numeric.descend(goal, row)
        if solution is not None:
            return Answer(solution[None])
    return UnreachableAnswer(
        no_solutions(len(chain.joints)), pending=[lambda: numeric.explain(goal, seed, budget=budget)]
    )
