"""Check of a motion before it is written: joint limits and collisions."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rck.cli.arm_options import ArmSelection
from rck.collision import pairs_to_test
from rck.collision.backend import FirstContact
from rck.collision.scene import HullScene
from rck.geometry.arrays import Floats
from rck.kinematics import motion
from rck.model import Finding, Severity
from rck.support.finding import Built

_CHORD = 1e-4
"""Largest distance of the tested motion from the path, in radians or metres."""
_ROUNDING = 1e-3
"""Share by which a path may exceed velocity limits."""


def checked_path(
    arm: ArmSelection, path: motion.JointPath, limits: motion.MotionLimits, *, collisions: bool
) -> Built[motion.JointPath]:
    """Return a path, or why it must not be written: it exceeds limits or collides.

    Items that are in contact at the start are no obstacles to each other, with a warning.
    """
    times = motion.chord_times(path, _CHORD)
    vectors = path.at(times)
    errors = _limit_errors(path, limits, vectors)
    if errors or not collisions:
        return Built(None if errors else path, tuple(errors))
    whole = arm.chain.in_robot(vectors, arm.rest)
    scene = HullScene(arm.chain.robot)
    touching = scene.touching(whole[0])
    warnings = [_start_warning(pair) for pair in _moved_apart(arm, touching)]
    if touching:
        scene = HullScene(arm.chain.robot, pairs_to_test(arm.chain.robot, touching))
    for number, (start, end) in enumerate(pairwise(whole)):
        contact = scene.sweep(start, end)
        if contact is not None:
            time = times[number] + contact.share * (times[number + 1] - times[number])
            return Built(None, (*warnings, _collision(time, contact)))
    return Built(path, tuple(warnings))


def _limit_errors(path: motion.JointPath, limits: motion.MotionLimits, vectors: Floats) -> list[Finding]:
    # A path may start outside the limits if it leads back.
    start = vectors[0]
    wide = replace(limits, lower=np.minimum(limits.lower, start), upper=np.maximum(limits.upper, start))
    errors = [*wide.outside(vectors.min(axis=0)), *wide.outside(vectors.max(axis=0))]
    speeds, _ = motion.peaks(path)
    for number in np.flatnonzero(speeds > (1.0 + _ROUNDING) * limits.speeds).tolist():
        top, limit = (limits.text(number, values[number]) for values in (speeds, limits.speeds))
        message = f"would move at {top}/s, above its limit of {limit}/s"
        errors.append(Finding(904, Severity.ERROR, f"joint {path.joints[number]}", message, "allow more time"))
    return errors


def _moved_apart(arm: ArmSelection, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of items of which the arm moves one and not the other."""
    moved = set().union(*(arm.chain.robot.moved_by(joint) for joint in arm.chain.joints))
    return [pair for pair in pairs if (pair[0] in moved) or (pair[1] in moved)]


def _start_warning(pair: tuple[str, str]) -> Finding:
    message = f"is in contact with {pair[1]} at the start; ignored as an obstacle"
    return Finding(913, Severity.WARNING, pair[0], message, "start from a pose without contacts")


def _collision(time: float, contact: FirstContact) -> Finding:
    one, other = contact.items
    message = f"collides with {other} after {time:.3f} s"
    return Finding(905, Severity.ERROR, one, message, "add a goal on the way around, or move the obstacle")
