"""How fast a way may be gone where joints cannot keep up, and only there: reachability analysis of its speed.

Between two samples of a way, let x be the square of the rate at which its share grows at the first, and u half the
slope of that square. A joint's acceleration is slope * u + bend * x: every limit, at the first sample and at the
second, is a pair of straight lines in u and x (Pham and Pham 2018).
"""

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.motion.limits import MotionLimits

_STILL = 1e-9
"""Joints that move less than this, in radians or metres over the whole way, stand."""


def slowed(shares: Floats, slopes: Floats, bends: Floats, wished: Floats, limits: MotionLimits) -> Floats:
    """The highest rates, in 1/s, at shares of a way that are no higher than wished and keep the limits.

    `slopes` and `bends` are the first and second derivatives of the joint vectors by the share, shape (shares,
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
    most: Floats = np.minimum(wished, by_speed) ** 2
    alone = np.where(moved, np.inf, accelerations / np.maximum(np.abs(by_rate), 1e-300))
    most[:-1] = np.minimum(most[:-1], np.minimum(alone.min(axis=1), _agreeing(widths, leans)))
    # From the end: what can still be braked to what comes after.
    for number in range(len(twice) - 1, -1, -1):
        most[number] = min(most[number], _braked(most[number + 1], twice[number], widths[number], leans[number]))
    # From the beginning: as much as can be gathered.
    for number, width in enumerate(twice):
        push = float((widths[number] - leans[number] * most[number]).min())
        most[number + 1] = min(most[number + 1], max(most[number] + width * push, 0.0))
    return np.sqrt(most)


def _agreeing(widths: Floats, leans: Floats) -> Floats:
    """The highest x at which some u suits all lines, between each two samples. Shape (samples - 1,)."""
    apart = leans[:, :, None] - leans[:, None, :]
    sums = widths[:, :, None] + widths[:, None, :]
    highest: Floats = np.where(apart > 0, sums / np.where(apart > 0, apart, 1), np.inf).min(axis=(1, 2))
    return highest


def _braked(after: float, twice: float, widths: Floats, leans: Floats) -> float:
    """The highest x from which x at the next sample can be brought to `after`, and not below zero."""
    falls = 1 - twice * leans
    down = np.where(falls > 0, (after + twice * widths) / np.where(falls > 0, falls, 1), np.inf)
    held = np.where(falls < 0, twice * widths / np.where(falls < 0, -falls, 1), np.inf)
    return float(min(down.min(), held.min()))
