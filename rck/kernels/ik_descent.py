"""One descent of numeric inverse kinematics: damped least squares within the limits, from one start.

The step is that of Levenberg and Marquardt with the damping of Chan and Lawrence 1988 (proportional to the remaining
error). Joints that push against a limit are held.

A chain is a table of BODY records, each the parent of the next, all of them moving, with the tip on the last. Lengths
are divided by `reach`, so that small and large arms weigh metres against radians alike.
"""

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from rck.kernels.body_tables import Table
from rck.kernels.ik_chain import place_axes, tip_jacobian
from rck.kernels.kernel import Floats, helper

# What a goal specifies.
POSE = 0
POSITION = 1
AXIS = 2

# The rows of the working memory of a descent, made by `make_workspace`.
_POINTS = 0  # three rows: points on the joint axes
_DIRECTIONS = 3  # three rows: directions of the joint axes
_SLOPE = 6  # six rows: the Jacobian of the tip
STEP = 12  # unused outside a descent
_HELD = 13  # joints that push against a limit
_ERROR = 14  # the difference between pose and goal
_POSE = 15  # three rows of four: the pose of the tip
_NORMAL = 18  # a row for each joint: the matrix of the step
CALLER_ROWS = _NORMAL
"""Plus the number of joints: the first row for the caller's use."""

_LOOK_BACK = 6
"""Every this many steps, the error must have fallen to `_FALL` of its value."""
_FALL = 0.5
_DAMPING = 0.1
"""Ratio of damping to squared error."""
_LEAST_DAMPING = 1e-14
_LONGEST_STEP = 1.0
"""The most that any joint moves in one step, in radians or reaches."""


class ChainGoal(NamedTuple):
    """A chain and the goals to solve for."""

    bodies: Table
    tip: Floats
    """The tip in the last body's frame. Shape (3, 4) at least."""
    wants: int
    """POSE, POSITION or AXIS."""
    reach: float
    """In metres."""
    tolerance: float
    """In metres and radians."""


@helper
def make_workspace(bodies: int, joints: int, more: int) -> Floats:
    """Allocate working memory for the descents of a chain, followed by `more` rows for the caller."""
    return np.empty((CALLER_ROWS + joints + more, max(bodies, joints, 6)))


@helper
def deviation(pose: Floats, goal: Floats, wants: int, reach: float, error: Floats) -> tuple[float, float]:
    """Write the difference between pose and goal, shape (6,); return its two lengths, in reaches and radians.

    For an axis, the rotation is the shortest one that brings z to z. Poses have shape (3, 4) at least.
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
        # The skew-symmetric part of goal * pose^T, summed over the columns of both.
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
        # Half a turn has no unique axis: any will do to leave this point.
        x, y, z, stretch = pose[0, 0], pose[1, 0], pose[2, 0], angle
    error[3], error[4], error[5] = stretch * x, stretch * y, stretch * z
    return away, angle


@helper
def deviation_at(chain: ChainGoal, vector: Floats, goal: Floats, workspace: Floats) -> tuple[float, float]:
    """Return the :func:`deviation` of the tip at a joint vector."""
    pose = workspace[_POSE : _POSE + 3, :4]
    points, axes = workspace[_POINTS : _POINTS + 3], workspace[_DIRECTIONS : _DIRECTIONS + 3]
    place_axes(chain.bodies, chain.tip, vector, points, axes, pose)
    return deviation(pose, goal, chain.wants, chain.reach, workspace[_ERROR, :6])


@helper
def damped_step(slope: Floats, error: Floats, damping: float, held: Floats, normal: Floats, step: Floats) -> None:
    """Write the step (J^T J + damping)^-1 J^T error of the joints that are not held, by Cholesky factorization.

    `slope`, the Jacobian, has shape (6, joints); `normal`, working memory, (joints, joints); `step` (joints,).
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
    chain: ChainGoal,
    lower: Floats,
    upper: Floats,
    goal: Floats,
    most_steps: int,
    vector: Floats,
    workspace: Floats,
) -> tuple[bool, float]:
    """Move `vector` towards the goal, within the limits; return True if it arrives, and the remaining squared error.

    `workspace` is that of :func:`make_workspace`.
    """
    wants, reach, tolerance = chain.wants, chain.reach, chain.tolerance
    count = len(vector)
    points, axes = workspace[_POINTS : _POINTS + 3], workspace[_DIRECTIONS : _DIRECTIONS + 3]
    pose, error = workspace[_POSE : _POSE + 3, :4], workspace[_ERROR, :6]
    slope, step, held = workspace[_SLOPE : _SLOPE + 6, :count], workspace[STEP, :count], workspace[_HELD, :count]
    normal = workspace[_NORMAL : _NORMAL + count, :count]
    before = np.inf
    squared = np.inf
    for number in range(most_steps):
        place_axes(chain.bodies, chain.tip, vector, points, axes, pose)
        away, angle = deviation(pose, goal, wants, reach, error)
        squared = away * away + angle * angle
        if away * reach <= tolerance and angle <= tolerance:
            return True, squared
        if number % _LOOK_BACK == 0:
            if squared > _FALL * before:
                return False, squared
            before = squared
        tip_jacobian(chain.bodies, points, axes, pose, reach, slope)
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
