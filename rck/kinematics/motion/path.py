"""A path: where joints are at each moment, as a value that is played, drawn and written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import perm

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.model.finding import RckError

DEGREE = 5
"""The highest power of time in a piece of a path."""

_SAME = 1e-6
"""Where one path ends and the next begins, joints may differ by this much, in radians or metres."""
_MOMENT = 1e-9
"""Pieces shorter than this, in seconds, have no speed to speak of."""
_PER_PIECE = 33
"""Moments of each piece that are looked at for the highest speed: it is then right to a thousandth."""
_SHARES, _POWERS = np.linspace(0.0, 1.0, _PER_PIECE)[:, None], np.arange(DEGREE + 1)
_ONCE = _POWERS[1:] * _SHARES ** (_POWERS[1:] - 1)
_TWICE = _POWERS[2:] * _POWERS[1:-1] * _SHARES ** (_POWERS[2:] - 2)
"""What the coefficients of a piece count for in its first and second derivatives at so many places."""


@dataclass(frozen=True, eq=False)
class Path:
    """The motion of some joints over time, in pieces, each a polynomial of time."""

    joints: tuple[str, ...]
    """The joints that move, in the order of the joint vectors."""
    times: Floats
    """When each piece begins, and when the last one ends: from 0, rising. Shape (pieces + 1,), in seconds."""
    pieces: Floats
    """The coefficients of 1, u, ... u^5, where u goes from 0 to 1 in each piece. Shape (pieces, 6, joints)."""

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
        """The joint vector at a time, in seconds; at rest before the start and after the end. Shape (joints,).

        For times of shape (times,), all the joint vectors. Shape (times, joints).
        """
        return self._derivative(np.clip(np.asarray(time, dtype=float), 0.0, self.duration), 0)

    def speed_at(self, time: ArrayLike) -> Floats:
        """The speed of each joint, in rad/s or m/s, as :meth:`at`."""
        return self._derivative(np.asarray(time, dtype=float), 1)

    def acceleration_at(self, time: ArrayLike) -> Floats:
        """The acceleration of each joint, in rad/s2 or m/s2, as :meth:`at`."""
        return self._derivative(np.asarray(time, dtype=float), 2)

    def _derivative(self, time: Floats, order: int) -> Floats:
        number = np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.pieces) - 1)
        span = self.times[number + 1] - self.times[number]
        # A piece that takes no time stands for where it begins.
        span = np.where(span > 0, span, 1.0)
        u = (time - self.times[number]) / span
        powers = np.zeros((*u.shape, DEGREE + 1))
        for power in range(order, DEGREE + 1):
            powers[..., power] = perm(power, order) * u ** (power - order)
        values: Floats = np.einsum("...d,...dj->...j", powers, self.pieces[number]) / span[..., None] ** order
        if order:
            values[(time < 0) | (time > self.duration)] = 0.0
        return values


def path_of(joints: Sequence[str], times: ArrayLike, pieces: Sequence[Sequence[Floats]]) -> Path:
    """A path from the coefficients of its pieces, of which the highest that are zero may be left out."""
    full = np.zeros((len(pieces), DEGREE + 1, len(joints)))
    for number, piece in enumerate(pieces):
        full[number, : len(piece)] = piece
    return Path(tuple(joints), frozen(np.array(times, dtype=float)), frozen(full))


def resting(joints: Sequence[str], vector: ArrayLike, duration: float = 0.0) -> Path:
    """Standing still for so many seconds."""
    return path_of(joints, (0.0, duration), [[np.asarray(vector, dtype=float)]])


def playback(joints: Sequence[str], times: ArrayLike, vectors: ArrayLike) -> Path:
    """Stored joint vectors, shape (frames, joints), at their times, with straight ways between."""
    moments, frames = np.array(times, dtype=float), np.array(vectors, dtype=float)
    if frames.ndim != 2 or frames.shape != (len(moments), len(joints)) or not len(frames):
        raise RckError(f"a playback takes {len(joints)} positions for each of its {len(moments)} times")
    if not (np.isfinite(frames).all() and np.isfinite(moments).all() and (np.diff(moments) > 0).all()):
        raise RckError("a playback takes finite positions at times that rise")
    if len(frames) == 1:
        return resting(joints, frames[0])
    return path_of(joints, moments - moments[0], [[a, b - a] for a, b in pairwise(frames)])


def joined(paths: Sequence[Path]) -> Path:
    """The paths one after another; each must begin where the one before ends."""
    if not paths:
        raise RckError("there is no path to follow")
    begin, times, pieces = 0.0, [np.zeros(1)], []
    for before, after in pairwise(paths):
        if before.joints != after.joints:
            raise RckError("paths of different joints cannot follow one another")
        gap = float(np.abs(before.end - after.start).max(initial=0.0))
        if gap > _SAME:
            raise RckError(f"a path begins {gap:.3g} away from where the one before it ends")
    for path in paths:
        times.append(begin + path.times[1:])
        pieces.append(path.pieces)
        begin += path.duration
    return Path(paths[0].joints, frozen(np.concatenate(times)), frozen(np.concatenate(pieces)))


def stretched(path: Path, factor: float) -> Path:
    """The same way in `factor` times the time."""
    return replace(path, times=frozen(factor * path.times))


def cut(path: Path, time: float) -> Path:
    """The path up to a moment, in seconds."""
    end = min(max(time, 0.0), path.duration)
    last = int(np.clip(np.searchsorted(path.times, end, side="left") - 1, 0, len(path.pieces) - 1))
    span = path.times[last + 1] - path.times[last]
    share = (end - path.times[last]) / span if span > 0 else 1.0
    pieces = path.pieces[: last + 1].copy()
    # What was u in the whole piece is share * u in its beginning.
    pieces[last] *= share ** np.arange(DEGREE + 1)[:, None]
    return Path(path.joints, frozen(np.append(path.times[: last + 1], end)), frozen(pieces))


def peaks(path: Path) -> tuple[Floats, Floats]:
    """The highest speed and acceleration of each joint within the pieces. Shapes (joints,)."""
    speeds, accelerations = np.zeros(len(path.joints)), np.zeros(len(path.joints))
    for span, piece in zip(np.diff(path.times), path.pieces, strict=True):
        if span > _MOMENT:
            speeds = np.maximum(speeds, np.abs(_ONCE @ piece[1:]).max(axis=0) / span)
            accelerations = np.maximum(accelerations, np.abs(_TWICE @ piece[2:]).max(axis=0) / span**2)
    return speeds, accelerations
