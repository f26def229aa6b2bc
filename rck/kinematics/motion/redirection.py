"""New goals for joints in motion."""

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.hooks.ik_types import ChainSolver, Goal
from rck.kinematics.motion.joint_move import joint_move, vector_of
from rck.kinematics.motion.motion_limits import MotionLimits
from rck.kinematics.motion.path import JointPath, cut, joined, path_of, peaks
from rck.support.finding import Built, Finding, RckError, Severity, errors_of

_LONGER = 1.1
_TRIES = 60
_SLACK = 1 + 1e-3
_BRANCHES = 8
_BUDGET = 0.02
"""Number of solutions of a pose to search for, and the time for it in seconds."""
_STILL = 1e-9
"""Velocities below this, in rad/s or m/s, count as rest."""


def redirected(path: JointPath, time: float, goal: ArrayLike, limits: MotionLimits) -> Built[JointPath]:
    """Redirect a path at a time, in seconds, to another joint vector, with continuous velocity.

    The motion to the new goal is the fastest quintic polynomial within the limits; otherwise the joints brake
    first.
    """
    end = vector_of(limits, goal)
    findings = limits.outside(end)
    if errors_of(findings):
        return Built(None, findings)
    done = cut(path, time)
    here, speed = path.at(done.duration), path.speed_at(done.duration)
    bend = np.clip(path.acceleration_at(done.duration), -limits.accelerations, limits.accelerations)
    if np.abs(speed).max(initial=0.0) < _STILL:
        return Built(joined([done, joint_move(limits, here, end).unwrap()]))
    least = max(float((np.abs(end - here) / limits.speeds).max()), float((np.abs(speed) / limits.accelerations).max()))
    for number in range(_TRIES):
        turn = _quintic(limits, here, speed, bend, end, least * _LONGER**number)
        if _is_within_limits(turn, limits):
            return Built(joined([done, turn]))
    brake = _brake(limits, here, speed)
    return Built(joined([done, brake, joint_move(limits, brake.end, end).unwrap()]))


def redirected_to(
    path: JointPath, time: float, goal: Goal, solver: ChainSolver, limits: MotionLimits
) -> Built[JointPath]:
    """Redirect a path to a pose, as :func:`redirected` does, with the solution nearest to the joints at that time.

    The path and the limits are those of the joints of the solver. A goal out of reach is refused with a reason (901).
    """
    if not solver.joints == path.joints == limits.joints:
        raise RckError(f"the path, the limits and the solver must have the same joints: {', '.join(solver.joints)}")
    answer = solver.solve(goal, path.at(time), most=_BRANCHES, budget=_BUDGET)
    if not answer.solved:
        return Built(None, (Finding(901, Severity.ERROR, f"the goal given at {time:.4g} s", answer.reason),))
    return redirected(path, time, answer.solutions[0], limits)


def _quintic(limits: MotionLimits, here: Floats, speed: Floats, bend: Floats, end: Floats, span: float) -> JointPath:
    """Return the quintic from a position, velocity and acceleration to rest at `end`, with a duration in seconds."""
    change, v, a = end - here, speed * span, bend * span * span
    pieces = [
        here,
        v,
        a / 2,
        10 * change - 6 * v - 1.5 * a,
        -15 * change + 8 * v + 1.5 * a,
        6 * change - 3 * v - 0.5 * a,
    ]
    return path_of(limits.joints, (0.0, span), [pieces])


def _is_within_limits(path: JointPath, limits: MotionLimits) -> bool:
    speeds, accelerations = peaks(path)
    positions = path.at(np.linspace(0.0, path.duration, 33))
    within = (positions >= limits.lower - 1e-9).all() and (positions <= limits.upper + 1e-9).all()
    return bool(
        within and (speeds <= _SLACK * limits.speeds).all() and (accelerations <= _SLACK * limits.accelerations).all()
    )


def _brake(limits: MotionLimits, here: Floats, speed: Floats) -> JointPath:
    """Bring all joints to rest together, as fast as the slowest allows."""
    span = float((np.abs(speed) / limits.accelerations).max())
    return path_of(limits.joints, (0.0, span), [[here, span * speed, -span * speed / 2]])
