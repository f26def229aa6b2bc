"""Joint moves: all joints start and end together, or move one by one."""

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.kinematics.motion.motion_limits import MotionLimits
from rck.kinematics.motion.path import JointPath, joined, path_of, resting
from rck.kinematics.motion.velocity_profiles import fitting_profile, least_duration
from rck.support.finding import Built, Finding, RckError, Severity, errors_of

_STILL = 1e-12
"""Moves shorter than this, in radians or metres, take no time."""


def joint_move(
    limits: MotionLimits,
    start: ArrayLike,
    end: ArrayLike,
    *,
    profile: str = "trapezoidal",
    duration: float | None = None,
) -> Built[JointPath]:
    """Return the fastest move within the velocity and acceleration limits of all joints, synchronized to the slowest.

    A longer `duration`, in seconds, can be requested; one that is too short is extended, with a warning. An end outside
    the joint limits is refused. A linear move starts at full speed, regardless of accelerations.
    """
    check_duration(duration)
    first, last = vector_of(limits, start), vector_of(limits, end)
    distances = np.abs(last - first)
    moving = distances > _STILL
    # Normalize the move of each joint to a distance of one: the slowest joint decides.
    speeds = np.where(moving, limits.speeds / np.where(moving, distances, 1.0), np.inf)
    accelerations = np.where(moving, limits.accelerations / np.where(moving, distances, 1.0), np.inf)
    speed, acceleration = float(speeds.min(initial=np.inf)), float(accelerations.min(initial=np.inf))
    form = fitting_profile(profile, speed, acceleration)
    findings = limits.outside(last)
    if errors_of(findings):
        return Built(None, findings)
    if not moving.any():
        return Built(resting(limits.joints, first, duration or 0.0))
    needed = least_duration(form, speed, acceleration)
    # The fastest move is at its limits exactly, up to rounding.
    if duration is not None and duration < needed * (1 - 1e-9):
        busy = int(np.argmin(speeds if form.peak_speed / speed >= needed * (1 - 1e-9) else accelerations))
        findings = (too_fast(f"joint {limits.joints[busy]}", duration, needed),)
    total = max(needed, duration or 0.0)
    law = form.law
    pieces = law.pieces * (last - first)
    pieces[:, 0] += first
    return Built(path_of(limits.joints, total * law.times, list(pieces)), findings)


def joint_by_joint(
    limits: MotionLimits, start: ArrayLike, end: ArrayLike, *, profile: str = "trapezoidal"
) -> Built[JointPath]:
    """Move one joint after another, starting at the base, each at its own speed."""
    here, goal = vector_of(limits, start), vector_of(limits, end)
    findings = limits.outside(goal)
    if errors_of(findings):
        return Built(None, findings)
    paths = [resting(limits.joints, here)]
    for number in range(len(here)):
        there = here.copy()
        there[number] = goal[number]
        if there[number] != here[number]:
            paths.append(joint_move(limits, here, there, profile=profile).unwrap())
        here = there
    return Built(joined(paths))


def check_duration(duration: float | None) -> None:
    """Raise :class:`RckError` if a duration, in seconds, is not positive and finite."""
    if duration is not None and not 0 < duration < inf:
        raise RckError(f"duration must be positive, not {duration:g} s")


def vector_of(limits: MotionLimits, vector: ArrayLike) -> Floats:
    """Return a joint vector as an array; raise :class:`RckError` unless it has a finite number for each joint."""
    numbers = np.array(vector, dtype=float)
    if numbers.shape != (len(limits.joints),) or not np.isfinite(numbers).all():
        raise RckError(f"the move needs a finite position for each of {', '.join(limits.joints)}")
    return numbers


def too_fast(where: str, asked: float, needed: float) -> Finding:
    """Return the warning for a move that takes longer than requested."""
    message = f"is too slow: the move takes {needed:.4g} s instead of {asked:.4g} s"
    return Finding(903, Severity.WARNING, where, message, "allow more time, or raise the speed and acceleration")
