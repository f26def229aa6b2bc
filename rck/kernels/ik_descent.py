"""One descent of numeric inverse kinematics: damped least squares inside the limits, from one start.

The step is that of Levenberg and Marquardt with the damping of Chan and Lawrence 1988 (proportional to the error
that is left), joints that push against a limit held still.

A chain is a table of BODY records, each the parent of the next, all of them moving, and the tip on the last.
Lengths are divided by `reach`, so that a small arm weighs metres against radians as a large one does.
"""

from math import atan2, sqrt

import numpy as np

from rck.kernels.bodies import Table
from rck.kernels.ik_chain import columns, walk
from rck.kernels.kernel import Floats, helper

# What a goal asks for.
POSE = 0
POSITION = 1
AXIS = 2

# The rows of the room that a descent works in, which `room_for` makes.
_POINTS = 0  # three rows: where the axes of the joints are
_DIRECTIONS = 3  # three rows: which way they point
_SLOPE = 6  # six rows: how the tip moves with each joint
STEP = 12  # free outside of a descent
_HELD = 13  # which joints push against a limit
_ERROR = 14  # what is missing from the pose to the goal
_PLACE = 15  # three rows of four: the pose of the tip
_NORMAL = 18  # a row for each joint: the matrix of the step
BEHIND = _NORMAL
"""With the number of joints: the first row that is the caller's."""

_LOOK_BACK = 6
"""Every so many steps the error must have fallen to `_FALL` of what it was."""
_FALL = 0.5
_DAMPING = 0.1
"""Damping over the squared error."""
_LEAST_DAMPING = 1e-14
_LONGEST_STEP = 1.0
"""The most that any joint moves in one step, in radians or reaches."""


@helper
def room_for(bodies: int, joints: int, more: int) -> Floats:
    """Room for the descents of a chain of so many bodies and joints, and behind it so many rows more for the caller."""
    return np.empty((BEHIND + joints + more, max(bodies, joints, 6)))


@helper
def deviation(pose: Floats, goal: Floats, wants: int, reach: float, error: Floats) -> tuple[float, float]:
    """Write what is missing from the pose to the goal, shape (6,); its two lengths, in reaches and radians.

    For an axis, the turn is the shortest one that brings z to z. Poses have shape (3, 4) at least.
    """
    for i in range(3):
        error[i] = (goal[i, 3] - pose[i, 3]) / reach
        error[3 + i] = 0.0
    away = sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
    if wants == POSITION:
        return away, 0.0
    x = y = z = 0.0
    if wants == AXIS:
        x = pose[1, 2] * goal[2, 2] - pose[2, 2] * goal[1, 2]
        y = pose[2, 2] * goal[0, 2] - pose[0, 2] * goal[2, 2]
        z = pose[0, 2] * goal[1, 2] - pose[1, 2] * goal[0, 2]
        cosine = pose[0, 2] * goal[0, 2] + pose[1, 2] * goal[1, 2] + pose[2, 2] * goal[2, 2]
    else:
        trace = 0.0
        # The part of goal * pose^T that is not symmetric, summed over the columns of both.
        for j in range(3):
            x += goal[2, j] * pose[1, j] - goal[1, j] * pose[2, j]
            y += goal[0, j] * pose[2, j] - goal[2, j] * pose[0, j]
            z += goal[1, j] * pose[0, j] - goal[0, j] * pose[1, j]
            trace += goal[0, j] * pose[0, j] + goal[1, j] * pose[1, j] + goal[2, j] * pose[2, j]
        x, y, z = 0.5 * x, 0.5 * y, 0.5 * z
        cosine = 0.5 * (trace - 1.0)
    sine = sqrt(x * x + y * y + z * z)
    angle = atan2(sine, cosine)
    if sine > 1e-9:
        stretch = angle / sine
    elif cosine > 0.0:
        stretch = 1.0
    else:
        # Half a turn has no direction to speak of: any will do to leave this spot.
        x, y, z, stretch = pose[0, 0], pose[1, 0], pose[2, 0], angle
    error[3], error[4], error[5] = stretch * x, stretch * y, stretch * z
    return away, angle


@helper
def deviation_at(
    bodies: Table, tip: Floats, vector: Floats, goal: Floats, wants: int, reach: float, room: Floats
) -> tuple[float, float]:
    """As :func:`deviation` for the pose of the tip at a joint vector, in the room of a descent."""
    pose = room[_PLACE : _PLACE + 3, :4]
    walk(bodies, tip, vector, room[_POINTS : _POINTS + 3], room[_DIRECTIONS : _DIRECTIONS + 3], pose)
    return deviation(pose, goal, wants, reach, room[_ERROR, :6])


@helper
def damped_step(slope: Floats, error: Floats, damping: float, held: Floats, normal: Floats, step: Floats) -> None:
    """Write the step (J^T J + damping)^-1 J^T error of the joints that are not held, by Cholesky's method.

    `slope` has shape (6, joints), `normal` is room of shape (joints, joints), `step` of shape (joints,).
    """
    count = len(step)
    for i in range(count):
        if held[i] != 0.0:
            for j in range(i + 1):
                normal[i, j] = 0.0
            normal[i, i] = 1.0
            step[i] = 0.0
            continue
        for j in range(i + 1):
            total = 0.0
            if held[j] == 0.0:
                for k in range(6):
                    total += slope[k, i] * slope[k, j]
            normal[i, j] = total
        normal[i, i] += damping
        total = 0.0
        for k in range(6):
            total += slope[k, i] * error[k]
        step[i] = total
    for i in range(count):
        for j in range(i + 1):
            total = normal[i, j]
            for k in range(j):
                total -= normal[i, k] * normal[j, k]
            if i == j:
                normal[i, i] = sqrt(max(total, 1e-300))
            else:
                normal[i, j] = total / normal[j, j]
    for i in range(count):
        total = step[i]
        for k in range(i):
            total -= normal[i, k] * step[k]
        step[i] = total / normal[i, i]
    for i in range(count - 1, -1, -1):
        total = step[i]
        for k in range(i + 1, count):
            total -= normal[k, i] * step[k]
        step[i] = total / normal[i, i]


@helper
def descend(
    bodies: Table,
    tip: Floats,
    lower: Floats,
    upper: Floats,
    goal: Floats,
    wants: int,
    reach: float,
    tolerance: float,
    most_steps: int,
    vector: Floats,
    room: Floats,
) -> tuple[bool, float]:
    """Lead `vector` to the goal, inside the limits; whether it got there, and the squared error that is left.

    `room` is for scratch: what `room_for` gives.
    """
    count = len(vector)
    points, axes, pose = room[_POINTS : _POINTS + 3], room[_DIRECTIONS : _DIRECTIONS + 3], room[_PLACE : _PLACE + 3, :4]
    slope, error = room[_SLOPE : _SLOPE + 6, :count], room[_ERROR, :6]
    step, held, normal = room[STEP, :count], room[_HELD, :count], room[_NORMAL : _NORMAL + count, :count]
    before = np.inf
    squared = np.inf
    for number in range(most_steps):
        walk(bodies, tip, vector, points, axes, pose)
        away, angle = deviation(pose, goal, wants, reach, error)
        squared = away * away + angle * angle
        if away * reach <= tolerance and angle <= tolerance:
            return True, squared
        if number % _LOOK_BACK == 0:
            if squared > _FALL * before:
                return False, squared
            before = squared
        columns(bodies, points, axes, pose, reach, slope)
        if wants == POSITION:
            for i in range(3, 6):
                for j in range(count):
                    slope[i, j] = 0.0
        elif wants == AXIS:
            for j in range(count):
                along = slope[3, j] * goal[0, 2] + slope[4, j] * goal[1, 2] + slope[5, j] * goal[2, 2]
                for i in range(3):
                    slope[3 + i, j] -= along * goal[i, 2]
        for j in range(count):
            pull = 0.0
            for i in range(6):
                pull += slope[i, j] * error[i]
            pressed = (vector[j] <= lower[j] and pull < 0.0) or (vector[j] >= upper[j] and pull > 0.0)
            held[j] = 1.0 if pressed else 0.0
        damped_step(slope, error, _DAMPING * squared + _LEAST_DAMPING, held, normal, step)
        longest = 0.0
        for j in range(count):
            longest = max(longest, abs(step[j]))
        shorter = min(1.0, _LONGEST_STEP / longest) if longest > 0.0 else 1.0
        for j in range(count):
            vector[j] = min(max(vector[j] + shorter * step[j], lower[j]), upper[j])
    return False, squared
