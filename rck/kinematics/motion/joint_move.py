"""All joints from one joint vector to another, beginning and ending together."""

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.kinematics.motion.limits import MotionLimits
from rck.kinematics.motion.path import Path, joined, path_of, resting
from rck.kinematics.motion.profiles import fitting_profile, least_duration
from rck.model.finding import Built, Finding, RckError, Severity, errors_of

_STILL = 1e-12
"""Ways shorter than this, in radians or metres, take no time."""


def joint_move(
    limits: MotionLimits,
    start: ArrayLike,
    end: ArrayLike,
    *,
    profile: str = "trapezoidal",
    duration: float | None = None,
) -> Built[Path]:
    """The quickest move that keeps the speeds and accelerations of all joints; each waits for the slowest.

    A longer `duration`, in seconds, may be asked for; one that is too short is stretched, with a warning. An end
    beyond the limits of a joint is refused. A linear move has speed at once, whatever the accelerations.
    """
    check_duration(duration)
    first, last = vector_of(limits, start), vector_of(limits, end)
    ways = np.abs(last - first)
    moving = ways > _STILL
    # As if the way of all joints were one: the slowest decides.
    speeds = np.where(moving, limits.speeds / np.where(moving, ways, 1.0), np.inf)
    gathers = np.where(moving, limits.accelerations / np.where(moving, ways, 1.0), np.inf)
    speed, acceleration = float(speeds.min(initial=np.inf)), float(gathers.min(initial=np.inf))
    form = fitting_profile(profile, speed, acceleration)
    findings = limits.outside(last)
    if errors_of(findings):
        return Built(None, findings)
    if not moving.any():
        return Built(resting(limits.joints, first, duration or 0.0))
    needed = least_duration(form, speed, acceleration)
    # A move that takes its full time meets its limits exactly, up to the last digits.
    if duration is not None and duration < needed * (1 - 1e-9):
        busy = int(np.argmin(speeds if form.peak_speed / speed >= needed * (1 - 1e-9) else gathers))
        findings = (too_fast(f"joint {limits.joints[busy]}", duration, needed),)
    total = max(needed, duration or 0.0)
    law = form.law
    pieces = law.pieces * (last - first)
    pieces[:, 0] += first
    return Built(path_of(limits.joints, total * law.times, list(pieces)), findings)


def joint_by_joint(
    limits: MotionLimits, start: ArrayLike, end: ArrayLike, *, profile: str = "trapezoidal"
) -> Built[Path]:
    """One joint after another, from the base on, each at its own speed."""
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
    """Refuse a duration, in seconds, that no move can have."""
    if duration is not None and not 0 < duration < inf:
        raise RckError(f"a move cannot take {duration:g} s; give a duration above zero")


def vector_of(limits: MotionLimits, vector: ArrayLike) -> Floats:
    """A joint vector that has a finite number for each joint."""
    numbers = np.array(vector, dtype=float)
    if numbers.shape != (len(limits.joints),) or not np.isfinite(numbers).all():
        raise RckError(f"the move takes a finite position for each of {', '.join(limits.joints)}")
    return numbers


def too_fast(where: str, asked: float, needed: float) -> Finding:
    """The warning about a move that takes longer than was asked for."""
    message = f"cannot be that quick: the move takes {needed:.4g} s instead of {asked:.4g} s"
    return Finding(903, Severity.WARNING, where, message, "allow more time, or raise the speed and acceleration")
