"""Closed forms of six-axis arms: every branch of the nominal arm, each finished on the true one.

Two families, both with parallel axes 2 and 3 (Pieper 1968; Paul and Zhang 1986; Hawkins 2013 for the second):
axes 4, 5 and 6 meet in the wrist centre, or axis 4 is parallel too and axes 5 and 6 meet. An arm whose axes are off
by what calibration finds has no closed form; it has the branches of its nominal arm, a few steps away.
"""

from math import ceil, floor

import numpy as np
from numba import boolean, types

from rck.kernels.bodies import Table
from rck.kernels.fk import BODIES, VECTOR, VECTORS
from rck.kernels.ik import POSE, descend, deviation, is_new
from rck.kernels.ik_chain import walk
from rck.kernels.ik_subproblems import (
    ANY_ANGLE,
    NO_ANGLES,
    TWO_ANGLES,
    Vector,
    angle_between,
    angles_to_distance,
    angles_to_height,
    cross,
    dot,
    minus,
    plus,
    turned,
)
from rck.kernels.kernel import Floats, Ints, helper, kernel, read_only

SPHERICAL_WRIST = 0
THREE_PARALLEL = 1

_FINISHING_STEPS = 18
_TWO_PI = 2.0 * np.pi
_SLACK = 1e-9


@helper
def row(table: Floats, number: int) -> Vector:
    """A row of an array of shape (rows, 3)."""
    return table[number, 0], table[number, 1], table[number, 2]


@helper
def rotated(matrix: Floats, v: Vector) -> Vector:
    """The vector turned by a pose."""
    return (
        matrix[0, 0] * v[0] + matrix[0, 1] * v[1] + matrix[0, 2] * v[2],
        matrix[1, 0] * v[0] + matrix[1, 1] * v[1] + matrix[1, 2] * v[2],
        matrix[2, 0] * v[0] + matrix[2, 1] * v[1] + matrix[2, 2] * v[2],
    )


@helper
def rotated_back(matrix: Floats, v: Vector) -> Vector:
    """The vector turned by the inverse of a pose."""
    return (
        matrix[0, 0] * v[0] + matrix[1, 0] * v[1] + matrix[2, 0] * v[2],
        matrix[0, 1] * v[0] + matrix[1, 1] * v[1] + matrix[2, 1] * v[2],
        matrix[0, 2] * v[0] + matrix[1, 2] * v[1] + matrix[2, 2] * v[2],
    )


@helper
def across(axis: Vector) -> Vector:
    """Some vector at right angles to the axis, not short."""
    if abs(axis[0]) < 0.7:
        return cross(axis, (1.0, 0.0, 0.0))
    return cross(axis, (0.0, 1.0, 0.0))


@helper
def wrist_angles(
    axes: Floats, motion: Floats, a1: float, a2: float, a3: float, seed: Floats, branches: Floats, count: int
) -> tuple[int, bool]:
    """Add the two branches of a wrist whose axes meet, for positions of the first three joints."""
    h1, h2, h3, h4, h5, h6 = row(axes, 0), row(axes, 1), row(axes, 2), row(axes, 3), row(axes, 4), row(axes, 5)
    v = across(h6)
    # What the wrist has to do with axis 6 and with a vector across it.
    axis = turned(h3, -a3, turned(h2, -a2, turned(h1, -a1, rotated(motion, h6))))
    other = turned(h3, -a3, turned(h2, -a2, turned(h1, -a1, rotated(motion, v))))
    hits, first, second = angles_to_height(h4, h5, h6, dot(h4, axis))
    if hits != TWO_ANGLES:
        return count, False
    free = False
    for which in range(2):
        a5 = first if which == 0 else second
        fixed, a4 = angle_between(h4, turned(h5, a5, h6), axis)
        if not fixed:
            a4, free = seed[3], True
        _, a6 = angle_between(h6, v, turned(h5, -a5, turned(h4, -a4, other)))
        branches[count, 0], branches[count, 1], branches[count, 2] = a1, a2, a3
        branches[count, 3], branches[count, 4], branches[count, 5] = a4, a5, a6
        count += 1
    return count, free


@helper
def elbow_angles(
    axes: Floats, points: Floats, end: Vector, target: Vector
) -> tuple[int, tuple[float, float], tuple[float, float]]:
    """Positions of joints 2 and 3, two of each, that bring the point `end` to `target`; their axes are parallel."""
    h2, h3, p2, p3 = row(axes, 1), row(axes, 2), row(points, 1), row(points, 2)
    wanted = minus(target, p2)
    height = dot(h2, wanted)
    # Both axes leave heights alone, so that only what lies across them counts.
    flat = minus(wanted, (height * h2[0], height * h2[1], height * h2[2]))
    arm = minus(end, p3)
    rise = dot(h3, arm)
    forearm = minus(arm, (rise * h3[0], rise * h3[1], rise * h3[2]))
    upper = minus(p3, p2)
    lift = dot(h2, upper)
    upper = minus(upper, (lift * h2[0], lift * h2[1], lift * h2[2]))
    distance = dot(flat, flat) ** 0.5
    hits, first, second = angles_to_distance(h3, forearm, (-upper[0], -upper[1], -upper[2]), distance)
    if hits == NO_ANGLES:
        return 0, (0.0, 0.0), (0.0, 0.0)
    _, one = angle_between(h2, plus(upper, turned(h3, first, forearm)), flat)
    _, two = angle_between(h2, plus(upper, turned(h3, second, forearm)), flat)
    return 2, (one, two), (first, second)


@helper
def spherical_wrist(
    axes: Floats, points: Floats, centre: Vector, motion: Floats, seed: Floats, branches: Floats
) -> tuple[int, bool]:
    """Write the branches of an arm whose last three axes meet at `centre`; how many, and whether a joint is free."""
    h1, h2, p1 = row(axes, 0), row(axes, 1), row(points, 0)
    wrist = minus(plus(rotated(motion, centre), (motion[0, 3], motion[1, 3], motion[2, 3])), p1)
    hits, first, second = angles_to_height(h2, h1, wrist, dot(h2, minus(centre, p1)))
    if hits == NO_ANGLES:
        return 0, False
    free = False
    count = 0
    for shoulder in range(2):
        a1 = -first if shoulder == 0 else -second
        if hits == ANY_ANGLE:
            a1, free = seed[0], True
        bends, swings, folds = elbow_angles(axes, points, centre, plus(p1, turned(h1, -a1, wrist)))
        for elbow in range(bends):
            count, loose = wrist_angles(axes, motion, a1, swings[elbow], folds[elbow], seed, branches, count)
            free = free or loose
    return count, free


@helper
def three_parallel(
    axes: Floats, points: Floats, centre: Vector, motion: Floats, seed: Floats, branches: Floats
) -> tuple[int, bool]:
    """Write the branches of an arm with axes 2, 3, 4 parallel and axes 5, 6 meeting at `centre`."""
    h1, h2, h3, h4, h5, h6 = row(axes, 0), row(axes, 1), row(axes, 2), row(axes, 3), row(axes, 4), row(axes, 5)
    p1, p4 = row(points, 0), row(points, 3)
    sense3, sense4 = dot(h2, h3), dot(h2, h4)
    wrist = minus(plus(rotated(motion, centre), (motion[0, 3], motion[1, 3], motion[2, 3])), p1)
    hits, first, second = angles_to_height(h2, h1, wrist, dot(h2, minus(centre, p1)))
    if hits == NO_ANGLES:
        return 0, False
    free = False
    count = 0
    v = across(h2)
    for shoulder in range(2):
        a1 = -first if shoulder == 0 else -second
        if hits == ANY_ANGLE:
            a1, free = seed[0], True
        target = plus(p1, turned(h1, -a1, wrist))
        axis = turned(h1, -a1, rotated(motion, h6))
        turns, low, high = angles_to_height(h2, h5, h6, dot(h2, axis))
        if turns != TWO_ANGLES:
            continue
        for flip in range(2):
            a5 = low if flip == 0 else high
            # Axis 2 as the last link sees it: turning about 2, 3 and 4 does not change it.
            fixed, back = angle_between(h6, turned(h5, -a5, h2), rotated_back(motion, turned(h1, a1, h2)))
            a6 = -back
            if not fixed:
                a6, free = seed[5], True
            # What joints 2, 3 and 4 do together to a vector across their axes.
            seen = rotated(motion, turned(h6, -a6, turned(h5, -a5, v)))
            _, together = angle_between(h2, v, turned(h1, -a1, seen))
            hand = turned(h2, together, minus(centre, p4))
            bends, swings, folds = elbow_angles(axes, points, p4, minus(target, hand))
            for elbow in range(bends):
                a2, a3 = swings[elbow], folds[elbow]
                branches[count, 0], branches[count, 1], branches[count, 2] = a1, a2, a3
                branches[count, 3] = sense4 * (together - a2 - sense3 * a3)
                branches[count, 4], branches[count, 5] = a5, a6
                count += 1
    return count, free


@helper
def folded(vector: Floats, seed: Floats, lower: Floats, upper: Floats) -> bool:
    """Take each joint by whole turns as near to the seed as its limits let it; false where they let it nowhere."""
    for j in range(len(vector)):
        # A limit that is met to the last digit but a few is met.
        low, high = lower[j] - _SLACK, upper[j] + _SLACK
        angle = vector[j] + _TWO_PI * floor((seed[j] - vector[j]) / _TWO_PI + 0.5)
        if angle > high:
            angle -= _TWO_PI * ceil((angle - high) / _TWO_PI)
        if angle < low:
            angle += _TWO_PI * ceil((low - angle) / _TWO_PI)
        if angle > high:
            return False
        vector[j] = min(max(angle, lower[j]), upper[j])
    return True


@helper
def add_in_order(vector: Floats, seed: Floats, found: Floats, count: int) -> None:
    """Put a solution among the `count` that are there, the one whose busiest joint moves least coming first."""
    moves = busiest(vector, seed)
    place = count
    while place > 0 and busiest(found[place - 1], seed) > moves:
        for j in range(6):
            found[place, j] = found[place - 1, j]
        place -= 1
    for j in range(6):
        found[place, j] = vector[j]


@helper
def busiest(vector: Floats, seed: Floats) -> float:
    """How far the joint that moves most is from the seed, in radians."""
    most = 0.0
    for j in range(6):
        most = max(most, abs(vector[j] - seed[j]))
    return most


@helper
def six_axes(
    bodies: Table,
    tip: Floats,
    bounds: Floats,
    axes: Floats,
    points: Floats,
    centre: Floats,
    tip_from_zero: Floats,
    family: int,
    senses: Floats,
    goal: Floats,
    reach: float,
    tolerance: float,
    seed: Floats,
    found: Floats,
    room: Floats,
) -> tuple[int, bool]:
    """As :func:`solve_six_axes`, in room of shape (40, 6) that the caller gives."""
    motion, start, endless, begin = room[25:28, :4], room[28], room[29:31], room[31]
    branches = room[32:40]
    places, directions, error, pose = room[0:3], room[3:6], room[14], room[15:18, :4]
    for i in range(3):
        for j in range(4):
            motion[i, j] = 0.0
            for k in range(3):
                motion[i, j] += goal[i, k] * tip_from_zero[k, j]
        motion[i, 3] += goal[i, 3]
    for j in range(6):
        start[j] = senses[0, j] * seed[j] + senses[1, j]
        endless[0, j], endless[1, j] = -np.inf, np.inf
    point = (centre[0], centre[1], centre[2])
    if family == SPHERICAL_WRIST:
        branch_count, free = spherical_wrist(axes, points, point, motion, start, branches)
    else:
        branch_count, free = three_parallel(axes, points, point, motion, start, branches)
    count = 0
    for number in range(branch_count):
        vector = branches[number]
        for j in range(6):
            vector[j] = senses[0, j] * (vector[j] - senses[1, j])
            begin[j] = vector[j]
        walk(bodies, tip, vector, places, directions, pose)
        away, angle = deviation(pose, goal, POSE, reach, error)
        there = away * reach <= tolerance and angle <= tolerance
        if not there:
            there, _ = descend(
                bodies, tip, endless[0], endless[1], goal, POSE, reach, tolerance, _FINISHING_STEPS, vector, room
            )
        if there and not is_new(vector, found, count, bounds[4]):
            # Two branches that lie close together have run into one: look on the other side of where this began.
            for j in range(6):
                vector[j] = 2.0 * begin[j] - vector[j]
            there, _ = descend(
                bodies, tip, endless[0], endless[1], goal, POSE, reach, tolerance, _FINISHING_STEPS, vector, room
            )
        if there and folded(vector, seed, bounds[0], bounds[1]) and is_new(vector, found, count, bounds[4]):
            add_in_order(vector, seed, found, count)
            count += 1
    return count, free


_ARM = (BODIES, VECTORS, VECTORS, VECTORS, VECTORS, VECTOR, VECTORS, types.int64, VECTORS)
"""The arm, as the first nine arguments of both kernels."""


@kernel(
    types.Tuple((types.int64, boolean))(*_ARM, VECTORS, types.float64, types.float64, VECTOR, types.float64[:, ::1])
)
def solve_six_axes(
    bodies: Table,
    tip: Floats,
    bounds: Floats,
    axes: Floats,
    points: Floats,
    centre: Floats,
    tip_from_zero: Floats,
    family: int,
    senses: Floats,
    goal: Floats,
    reach: float,
    tolerance: float,
    seed: Floats,
    found: Floats,
) -> tuple[int, bool]:
    """Write every solution within the limits into `found`, shape (8, 6); how many, and whether a joint was free.

    The one nearest to the seed comes first. `axes` and `points`, shape (6, 3), are those of the nominal arm with
    all joints at zero, in the base's frame; `centre` is where axes 5 and 6 meet; `tip_from_zero` is the inverse of
    the tip's pose at zero. Joint positions are `senses[0] * vector + senses[1]`. A joint that is free, at a
    singularity, stays at the seed.
    """
    room = np.empty((40, 6))
    return six_axes(
        bodies, tip, bounds, axes, points, centre, tip_from_zero, family, senses, goal, reach, tolerance, seed, found,
        room,
    )  # fmt: skip


@kernel(
    types.void(
        *_ARM,
        read_only(types.float64, 3),
        types.float64,
        types.float64,
        VECTORS,
        types.float64[:, :, ::1],
        types.int64[::1],
    )
)
def solve_six_axes_batch(
    bodies: Table,
    tip: Floats,
    bounds: Floats,
    axes: Floats,
    points: Floats,
    centre: Floats,
    tip_from_zero: Floats,
    family: int,
    senses: Floats,
    goals: Floats,
    reach: float,
    tolerance: float,
    seeds: Floats,
    found: Floats,
    counts: Ints,
) -> None:
    """As :func:`solve_six_axes` for each goal, into `found`, shape (goals, 8, 6), and `counts`, shape (goals,)."""
    room = np.empty((40, 6))
    for number in range(len(goals)):
        counts[number], _ = six_axes(
            bodies, tip, bounds, axes, points, centre, tip_from_zero, family, senses, goals[number], reach, tolerance,
            seeds[number], found[number], room,
        )  # fmt: skip
