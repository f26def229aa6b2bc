"""Ways of a tip through space: straight lines, arcs, and lines whose corners are rounded."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import acos, atan2, cos, pi
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import rotation_about, rotation_angle, to_quaternion
from rck.model.finding import RckError

_SHORT = 1e-9
"""Lengths below this, in metres, and angles, in radians, are none."""
_STEPS = 128
"""Into which the length of a corner is measured."""


class Part(Protocol):
    """A smooth piece of a way. Poses are base from tip, shape (4, 4); shares go from 0 to 1."""

    @property
    def length(self) -> float:
        """How far the tip moves, in metres."""

    @property
    def turn(self) -> float:
        """How far it turns, in radians."""

    def pose_at(self, share: float) -> Floats:
        """The pose when a share of the piece is done. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class Line:
    """Straight from pose to pose, turning evenly about one axis."""

    start: Floats
    end: Floats

    @property
    def length(self) -> float:
        """How far the tip moves, in metres."""
        return float(np.linalg.norm(self.end[:3, 3] - self.start[:3, 3]))

    @property
    def turn(self) -> float:
        """How far it turns, in radians."""
        return rotation_angle(self.start[:3, :3].T @ self.end[:3, :3])

    def pose_at(self, share: float) -> Floats:
        """The pose when a share of the line is done. Shape (4, 4)."""
        return between(self.start, self.end, share)


@dataclass(frozen=True, eq=False)
class Arc:
    """Part of a circle from pose to pose, turning evenly about one axis on the way."""

    start: Floats
    end: Floats
    centre: Floats
    """Shape (3,), in metres."""
    axis: Floats
    """The circle's axis, of length one: the tip goes round it right-handed. Shape (3,)."""
    angle: float
    """How far round, in radians."""

    @property
    def length(self) -> float:
        """How far the tip moves, in metres."""
        return self.angle * float(np.linalg.norm(self.start[:3, 3] - self.centre))

    @property
    def turn(self) -> float:
        """How far it turns, in radians."""
        return rotation_angle(self.start[:3, :3].T @ self.end[:3, :3])

    def pose_at(self, share: float) -> Floats:
        """The pose when a share of the arc is done. Shape (4, 4)."""
        pose = between(self.start, self.end, share)
        round_it = rotation_about(self.axis, share * self.angle, self.centre)
        pose[:3, 3] = round_it[:3, :3] @ self.start[:3, 3] + round_it[:3, 3]
        return pose


@dataclass(frozen=True, eq=False)
class Corner:
    """A parabola that leaves one line and joins another, as if drawn from the corner between them."""

    start: Floats
    corner: Floats
    end: Floats

    @cached_property
    def _done(self) -> Floats:
        """How far the tip has come at even steps of the parabola's own parameter, which are not even in length."""
        places = np.array([self._drawn(share)[:3, 3] for share in np.linspace(0, 1, _STEPS + 1)])
        ways = np.linalg.norm(np.diff(places, axis=0), axis=1)
        return np.concatenate([(0.0,), np.cumsum(ways)])

    @property
    def length(self) -> float:
        """How far the tip moves, in metres."""
        return float(self._done[-1])

    @property
    def turn(self) -> float:
        """How far it turns, in radians."""
        return Line(self.start, self.corner).turn + Line(self.corner, self.end).turn

    def pose_at(self, share: float) -> Floats:
        """The pose when a share of the corner is done. Shape (4, 4)."""
        return self._drawn(float(np.interp(share * self._done[-1], self._done, np.linspace(0, 1, _STEPS + 1))))

    def _drawn(self, share: float) -> Floats:
        # De Casteljau's construction, for the places and for the turns.
        return between(between(self.start, self.corner, share), between(self.corner, self.end, share), share)


@dataclass(frozen=True, eq=False)
class Curve:
    """Pieces one after another, with no sharp corner between them."""

    parts: tuple[Part, ...]

    @property
    def start(self) -> Floats:
        """The first pose. Shape (4, 4)."""
        return self.parts[0].pose_at(0.0)

    @property
    def end(self) -> Floats:
        """The last pose. Shape (4, 4)."""
        return self.parts[-1].pose_at(1.0)


def line(start: Floats, end: Floats) -> Curve:
    """The straight line from pose to pose."""
    return Curve((Line(frozen(np.array(start, dtype=float)), frozen(np.array(end, dtype=float))),))


def arc(start: Floats, through: ArrayLike, end: Floats) -> Curve:
    """The arc from pose to pose through a point, shape (3,); a line where the three places lie on one."""
    first, last = np.array(start, dtype=float), np.array(end, dtype=float)
    a, b, c = first[:3, 3], np.asarray(through, dtype=float), last[:3, 3]
    normal = np.cross(b - a, c - a)
    size = float(np.linalg.norm(normal))
    if size <= _SHORT * max(float(np.linalg.norm(c - a)), _SHORT):
        between_ends = float((b - a) @ (c - a))
        if not 0.0 <= between_ends <= float((c - a) @ (c - a)):
            raise RckError("no arc goes through that point: it lies on the line of the ends, but not between them")
        return line(first, last)
    # The circle through three points: its centre is as far from each of them.
    sides = (b - a) @ (b - a) * (c - a) - (c - a) @ (c - a) * (b - a)
    centre = a + np.cross(sides, normal) / (2 * size * size)
    axis = normal / size
    out = a - centre
    angle = atan2(float(axis @ np.cross(out, c - centre)), float(out @ (c - centre))) % (2 * pi)
    return Curve((Arc(frozen(first), frozen(last), frozen(centre), frozen(axis), angle),))


def rounded(poses: Sequence[Floats], smoothing: float) -> tuple[Curve, ...]:
    """Straight lines from pose to pose, each corner rounded within `smoothing` metres of it; 0 stops at each.

    Corners are rounded less where the lines are short: no more than half of a line goes into one.
    """
    if smoothing < 0 or len(poses) < 2:
        raise RckError("a way takes two poses at least, and a smoothing of its corners that is not negative")
    stops = [np.array(pose, dtype=float) for pose in poses]
    if smoothing == 0:
        return tuple(line(a, b) for a, b in pairwise(stops))
    curves: list[Curve] = []
    parts: list[Part] = []
    here = stops[0]
    for before, corner, after in zip(stops, stops[1:], stops[2:], strict=False):
        near = _cut_off(before, corner, after, smoothing)
        if near is None:
            # No way round: stop at the corner.
            curves.append(Curve((*parts, Line(here, corner))))
            parts, here = [], corner
            continue
        enter, leave = between(corner, before, near[0]), between(corner, after, near[1])
        parts += [Line(here, enter), Corner(enter, corner, leave)]
        here = leave
    parts.append(Line(here, stops[-1]))
    return (*curves, Curve(tuple(parts)))


def _cut_off(before: Floats, corner: Floats, after: Floats, smoothing: float) -> tuple[float, float] | None:
    """The shares of the two lines that a corner takes; None where there is none to round."""
    back, on = before[:3, 3] - corner[:3, 3], after[:3, 3] - corner[:3, 3]
    in_length, out_length = float(np.linalg.norm(back)), float(np.linalg.norm(on))
    if min(in_length, out_length) <= _SHORT:
        return None
    cosine = float(np.clip(back @ on / (in_length * out_length), -1.0, 1.0))
    if cosine > 1 - 1e-6:
        # The way goes back where it came from.
        return None
    # The parabola passes the corner at half the height of the triangle that it is drawn in.
    height = cos(acos(cosine) / 2)
    cut = min(2 * smoothing / height if height > 1e-9 else in_length, in_length / 2, out_length / 2)
    return cut / in_length, cut / out_length


def between(start: Floats, end: Floats, share: float) -> Floats:
    """A pose between two: straight from place to place, turned about one axis. Shape (4, 4)."""
    pose = np.eye(4)
    w, *xyz = to_quaternion(start[:3, :3].T @ end[:3, :3])
    sine = float(np.linalg.norm(xyz))
    turn = rotation_about(np.array(xyz) / sine, share * 2 * atan2(sine, w)) if sine > 1e-12 else np.eye(4)
    pose[:3, :3] = start[:3, :3] @ turn[:3, :3]
    pose[:3, 3] = (1 - share) * start[:3, 3] + share * end[:3, 3]
    return pose
