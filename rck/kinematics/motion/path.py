"""Joint trajectories: positions of joints over time, as piecewise polynomials."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, perm, sqrt

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.support.finding import RckError

DEGREE = 5
"""The degree of the polynomials."""

_SAME = 1e-6
"""Largest gap between the end of a path and the start of the next, in radians or metres."""
_SHORTEST = 1e-9
"""Segments shorter than this, in seconds, are ignored in peak velocities."""
_PER_PIECE = 33
"""Samples of each segment for peak velocities, which are then accurate to a thousandth."""
_BLOCK = 256
"""Segments that are sampled at once."""
_SHARES, _POWERS = np.linspace(0.0, 1.0, _PER_PIECE)[:, None], np.arange(DEGREE + 1)
_ONCE = _POWERS[1:] * _SHARES ** (_POWERS[1:] - 1)
_TWICE = _POWERS[2:] * _POWERS[1:-1] * _SHARES ** (_POWERS[2:] - 2)
"""Factors of the coefficients of a segment in its first and second derivatives at the samples."""


@dataclass(frozen=True, eq=False)
class JointPath:
    """The motion of some joints over time, in segments, each a polynomial of time."""

    joints: tuple[str, ...]
    """The joints that move, in the order of the joint vectors."""
    times: Floats
    """Start time of each segment and end time of the last, increasing from 0. Shape (pieces + 1,), in seconds."""
    pieces: Floats
    """The coefficients of 1, u, ... u^5, where u is from 0 to 1 in each segment. Shape (pieces, 6, joints)."""

    @property
    def duration(self) -> float:
        """In seconds."""
        return float(self.times[-1])

    @property
    def start(self) -> Floats:
        """The joint vector at the beginning. Shape (joints,), in radians or metres."""
        return self.at(0.0)

    @property
    def end(self) -> Floats:
        """The joint vector at the end. Shape (joints,), in radians or metres."""
        return self.at(self.duration)

    def at(self, time: ArrayLike) -> Floats:
        """Return the joint vector at a time, in seconds; at rest before the start and after the end. Shape (joints,).

        Times of shape (times,) give joint vectors of shape (times, joints).
        """
        return self._derivative(np.clip(np.asarray(time, dtype=float), 0.0, self.duration), 0)

    def speed_at(self, time: ArrayLike) -> Floats:
        """Return the velocity of each joint, in rad/s or m/s, in the shape of :meth:`at`."""
        return self._derivative(np.asarray(time, dtype=float), 1)

    def acceleration_at(self, time: ArrayLike) -> Floats:
        """Return the acceleration of each joint, in rad/s2 or m/s2, in the shape of :meth:`at`."""
        return self._derivative(np.asarray(time, dtype=float), 2)

    def _derivative(self, time: Floats, order: int) -> Floats:
        number = np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.pieces) - 1)
        span = self.times[number + 1] - self.times[number]
        # A segment without duration stays at its start.
        span = np.where(span > 0, span, 1.0)
        u = (time - self.times[number]) / span
        powers = np.zeros((*u.shape, DEGREE + 1))
        for power in range(order, DEGREE + 1):
            powers[..., power] = perm(power, order) * u ** (power - order)
        values: Floats = np.einsum("...d,...dj->...j", powers, self.pieces[number]) / span[..., None] ** order
        if order:
            values[(time < 0) | (time > self.duration)] = 0.0
        return values


def path_of(joints: Sequence[str], times: ArrayLike, pieces: Sequence[Sequence[Floats]]) -> JointPath:
    """Build a path from the coefficients of its segments; high coefficients that are zero may be omitted."""
    full = np.zeros((len(pieces), DEGREE + 1, len(joints)))
    for number, piece in enumerate(pieces):
        full[number, : len(piece)] = piece
    return JointPath(tuple(joints), frozen(np.array(times, dtype=float)), frozen(full))


def resting(joints: Sequence[str], vector: ArrayLike, duration: float = 0.0) -> JointPath:
    """Return a path at rest, with a duration in seconds."""
    return path_of(joints, (0.0, duration), [[np.asarray(vector, dtype=float)]])


def playback(joints: Sequence[str], times: ArrayLike, vectors: ArrayLike) -> JointPath:
    """Build a path from stored joint vectors, shape (frames, joints), with linear interpolation."""
    moments, frames = np.array(times, dtype=float), np.array(vectors, dtype=float)
    if frames.ndim != 2 or frames.shape != (len(moments), len(joints)) or not len(frames):
        raise RckError(f"a playback needs {len(joints)} positions for each of its {len(moments)} times")
    if not (np.isfinite(frames).all() and np.isfinite(moments).all() and (np.diff(moments) > 0).all()):
        raise RckError("a playback needs finite positions at increasing times")
    if len(frames) == 1:
        return resting(joints, frames[0])
    return path_of(joints, moments - moments[0], [[a, b - a] for a, b in pairwise(frames)])


def joined(paths: Sequence[JointPath]) -> JointPath:
    """Concatenate paths; each must start at the end of the previous one."""
    if not paths:
        raise RckError("there are no paths to concatenate")
    begin, times, pieces = 0.0, [np.zeros(1)], []
    for before, after in pairwise(paths):
        if before.joints != after.joints:
            raise RckError("paths of different joints cannot be concatenated")
        gap = float(np.abs(before.end - after.start).max(initial=0.0))
        if gap > _SAME:
            raise RckError(f"a path starts {gap:.3g} away from the end of the previous one")
    for path in paths:
        times.append(begin + path.times[1:])
        pieces.append(path.pieces)
        begin += path.duration
    return JointPath(paths[0].joints, frozen(np.concatenate(times)), frozen(np.concatenate(pieces)))


def stretched(path: JointPath, factor: float) -> JointPath:
    """Return the path with `factor` times the duration."""
    return replace(path, times=frozen(factor * path.times))


def cut(path: JointPath, time: float) -> JointPath:
    """Return the path up to a time, in seconds."""
    end = min(max(time, 0.0), path.duration)
    last = int(np.clip(np.searchsorted(path.times, end, side="left") - 1, 0, len(path.pieces) - 1))
    span = path.times[last + 1] - path.times[last]
    share = (end - path.times[last]) / span if span > 0 else 1.0
    pieces = path.pieces[: last + 1].copy()
    # The parameter u of the whole segment is share * u in the remaining part.
    pieces[last] *= share ** np.arange(DEGREE + 1)[:, None]
    return JointPath(path.joints, frozen(np.append(path.times[: last + 1], end)), frozen(pieces))


def _cubic_peaks(pieces: Floats, spans: Floats) -> tuple[Floats, Floats]:
    """Return the peaks of cubic segments, which are at their ends or where the acceleration is zero."""
    once, twice, thrice = pieces[:, 1], 2.0 * pieces[:, 2], 6.0 * pieces[:, 3]
    turn = np.clip(np.divide(-twice, thrice, out=np.zeros_like(twice), where=thrice != 0.0), 0.0, 1.0)
    speeds = [once, once + twice + thrice / 2, once + (twice + thrice * turn / 2) * turn]
    accelerations = [twice, twice + thrice]
    return (
        np.max([(np.abs(values) / spans).max(axis=0) for values in speeds], axis=0),
        np.max([(np.abs(values) / spans**2).max(axis=0) for values in accelerations], axis=0),
    )


def chord_times(path: JointPath, tolerance: float) -> Floats:
    """Return times, in seconds, between which the path is straight within a tolerance in radians or metres.

    The times include the ends of the segments. Shape (times,).
    """
    times = [path.times[:1]]
    for start, end, piece in zip(path.times[:-1], path.times[1:], path.pieces, strict=True):
        # A function is within h^2/8 of the maximum of its second derivative of its chord over h.
        bend = float(np.abs(_TWICE @ piece[2:]).max(initial=0.0))
        count = max(1, ceil(sqrt(bend / (8.0 * tolerance))))
        times.append(np.linspace(start, end, count + 1)[1:])
    return np.concatenate(times)


def peaks(path: JointPath) -> tuple[Floats, Floats]:
    """Return the peak velocity and acceleration of each joint within the segments. Shapes (joints,)."""
    speeds, accelerations = np.zeros(len(path.joints)), np.zeros(len(path.joints))
    spans = np.diff(path.times)
    long = np.flatnonzero(spans > _SHORTEST)
    if len(long) and not path.pieces[:, 4:].any():
        return _cubic_peaks(path.pieces[long], spans[long, None])
    # In blocks, so that the samples of long trajectories do not fill the memory.
    for start in range(0, len(long), _BLOCK):
        rows = long[start : start + _BLOCK]
        pieces, lengths = path.pieces[rows], spans[rows, None]
        once, twice = np.abs(_ONCE @ pieces[:, 1:]).max(axis=1), np.abs(_TWICE @ pieces[:, 2:]).max(axis=1)
        speeds = np.maximum(speeds, (once / lengths).max(axis=0))
        accelerations = np.maximum(accelerations, (twice / lengths**2).max(axis=0))
    return speeds, accelerations
