"""Time scaling of a path by reachability analysis: slow down only where joints cannot keep up.

Between two samples of a path, let x be the square of its rate at the first sample, and u half the slope of that square.
A joint's acceleration is slope * u + bend * x: every limit, at the first sample and at the second, is a pair of
straight lines in u and x (Pham and Pham 2018).
"""

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.motion.motion_limits import MotionLimits

_STILL = 1e-9
"""Joints that move by less than this over the whole path, in radians or metres, count as fixed."""


def limit_rates(shares: Floats, slopes: Floats, bends: Floats, desired: Floats, limits: MotionLimits) -> Floats:
    """Return the highest rates, in 1/s, at fractions of a path, that are at most `desired` and within the limits.

    `slopes` and `bends` are the first and second derivatives of the joint vectors by the fraction, shape (shares,
    joints). Shape (shares,).
    """
    twice = 2 * np.diff(shares)
    by_push = np.hstack([slopes[:-1], slopes[1:] + twice[:, None] * bends[1:]])
    by_rate = np.hstack([bends[:-1], bends[1:]])
    accelerations = np.tile(limits.accelerations, 2)
    moved = np.abs(by_push) > _STILL
    safe = np.where(moved, by_push, 1.0)
    # Each line allows u from -widths - leans * x to widths - leans * x.
    widths = np.where(moved, accelerations / np.abs(safe), np.inf)
    leans = np.where(moved, by_rate / safe, 0.0)
    by_speed = (limits.speeds / np.maximum(np.abs(slopes), 1e-300)).min(axis=1)
    most: Floats = np.minimum(desired, by_speed) ** 2
    alone = np.where(moved, np.inf, accelerations / np.maximum(np.abs(by_rate), 1e-300))
    most[:-1] = np.minimum(most[:-1], np.minimum(alone.min(axis=1), _feasible(widths, leans)))
    # Backward pass: rates from which the next rate can be reached by braking.
    for number in range(len(twice) - 1, -1, -1):
        most[number] = min(most[number], _brakeable(most[number + 1], twice[number], widths[number], leans[number]))
    # Forward pass: rates that can be reached by accelerating.
    for number, width in enumerate(twice):
        push = float((widths[number] - leans[number] * most[number]).min())
        most[number + 1] = min(most[number + 1], max(most[number] + width * push, 0.0))
    return np.sqrt(most)


def _feasible(widths: Floats, leans: Floats) -> Floats:
    """Return the highest x for which some u satisfies all lines between two samples. Shape (samples - 1,)."""
    apart = leans[:, :, None] - leans[:, None, :]
    sums = widths[:, :, None] + widths[:, None, :]
    highest: Floats = np.where(apart > 0, sums / np.where(apart > 0, apart, 1), np.inf).min(axis=(1, 2))
    return highest


def _brakeable(after: float, twice: float, widths: Floats, leans: Floats) -> float:
    """Return the highest x from which x at the next sample can be reduced to `after`, and stay positive."""
    falls = 1 - twice * leans
    down = np.where(falls > 0, (after + twice * widths) / np.where(falls > 0, falls, 1), np.inf)
    held = np.where(falls < 0, twice * widths / np.where(falls < 0, -falls, 1), np.inf)
    return float(min(down.min(), held.min()))
