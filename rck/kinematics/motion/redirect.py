"""A new goal while the joints are moving."""

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.hooks.solving import ChainSolver, Goal
from rck.kinematics.motion.joint_move import joint_move, vector_of
from rck.kinematics.motion.limits import MotionLimits
from rck.kinematics.motion.path import Path, cut, joined, path_of, peaks
from rck.model.finding import Built, Finding, RckError, Severity, errors_of

_LONGER = 1.1
_TRIES = 60
_SLACK = 1 + 1e-3
_BRANCHES = 8
_BUDGET = 0.02
"""Solutions of a pose that are looked for, and the seconds for that."""
_STILL = 1e-9
"""Speeds below this, in rad/s or m/s, are rest."""


def redirected(path: Path, time: float, goal: ArrayLike, limits: MotionLimits) -> Built[Path]:
    """The path up to a moment, in seconds, and from there, without a jerk of speed, to another joint vector.

    The way to the new goal is the quickest polynomial of the fifth degree that keeps the limits; where there is
    none, the joints brake first.
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
        if _keeps(turn, limits):
            return Built(joined([done, turn]))
    brake = _brake(limits, here, speed)
    return Built(joined([done, brake, joint_move(limits, brake.end, end).unwrap()]))


def redirected_to(path: Path, time: float, goal: Goal, solver: ChainSolver, limits: MotionLimits) -> Built[Path]:
    """As :func:`redirected`, to a pose: by the solution that is nearest to where the joints then are.

    The path and the limits are of the joints of the solver. A goal out of reach is refused with the reason (901).
    """
    if not solver.joints == path.joints == limits.joints:
        raise RckError(f"the path, the limits and the solver must be of the same joints: {', '.join(solver.joints)}")
    answer = solver.solve(goal, path.at(time), most=_BRANCHES, budget=_BUDGET)
    if not answer.solved:
        return Built(None, (Finding(901, Severity.ERROR, f"the goal given at {time:.4g} s", answer.reason),))
    return redirected(path, time, answer.solutions[0], limits)


def _quintic(limits: MotionLimits, here: Floats, speed: Floats, bend: Floats, end: Floats, span: float) -> Path:
    """From a place with a speed and an acceleration to rest at another, in so many seconds."""
    way, v, a = end - here, speed * span, bend * span * span
    pieces = [
        here,
        v,
        a / 2,
        10 * way - 6 * v - 1.5 * a,
        -15 * way + 8 * v + 1.5 * a,
        6 * way - 3 * v - 0.5 * a,
    ]
    return path_of(limits.joints, (0.0, span), [pieces])


def _keeps(path: Path, limits: MotionLimits) -> bool:
    speeds, accelerations = peaks(path)
    places = path.at(np.linspace(0.0, path.duration, 33))
    within = (places >= limits.lower - 1e-9).all() and (places <= limits.upper + 1e-9).all()
    return bool(
        within and (speeds <= _SLACK * limits.speeds).all() and (accelerations <= _SLACK * limits.accelerations).all()
    )


def _brake(limits: MotionLimits, here: Floats, speed: Floats) -> Path:
    """All joints come to rest together, as soon as the slowest can."""
    span = float((np.abs(speed) / limits.accelerations).max())
    return path_of(limits.joints, (0.0, span), [[here, span * speed, -span * speed / 2]])
