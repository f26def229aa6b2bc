"""Curves of a tip in space: straight lines, arcs, and lines with blended corners."""

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
from rck.support.finding import RckError

_SHORT = 1e-9
"""Lengths in metres, and angles in radians, below this count as zero."""
_STEPS = 128
"""Steps for measuring the length of a corner."""


class CurveSegment(Protocol):
    """A smooth segment of a curve. Poses are base from tip, shape (4, 4); fractions are from 0 to 1."""

    @property
    def length(self) -> float:
        """Length of the curve, in metres."""

    @property
    def turn(self) -> float:
        """Rotation of the tip, in radians."""

    def pose_at(self, share: float) -> Floats:
        """Return the pose at a fraction of the segment. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class LineSegment:
    """A straight line between two poses, with uniform rotation about one axis."""

    start: Floats
    end: Floats

    @property
    def length(self) -> float:
        """Length of the curve, in metres."""
        return float(np.linalg.norm(self.end[:3, 3] - self.start[:3, 3]))

    @property
    def turn(self) -> float:
        """Rotation of the tip, in radians."""
        return rotation_angle(self.start[:3, :3].T @ self.end[:3, :3])

    def pose_at(self, share: float) -> Floats:
        """Return the pose at a fraction of the line. Shape (4, 4)."""
        return between(self.start, self.end, share)


@dataclass(frozen=True, eq=False)
class Arc:
    """A circular arc between two poses, with uniform rotation about one axis."""

    start: Floats
    end: Floats
    centre: Floats
    """Shape (3,), in metres."""
    axis: Floats
    """Unit vector of the circle's axis: the tip moves right-handed around it. Shape (3,)."""
    angle: float
    """Angle of the arc, in radians."""

    @property
    def length(self) -> float:
        """Length of the curve, in metres."""
        return self.angle * float(np.linalg.norm(self.start[:3, 3] - self.centre))

    @property
    def turn(self) -> float:
        """Rotation of the tip, in radians."""
        return rotation_angle(self.start[:3, :3].T @ self.end[:3, :3])

    def pose_at(self, share: float) -> Floats:
        """Return the pose at a fraction of the arc. Shape (4, 4)."""
        pose = between(self.start, self.end, share)
        swing = rotation_about(self.axis, share * self.angle, self.centre)
        pose[:3, 3] = swing[:3, :3] @ self.start[:3, 3] + swing[:3, 3]
        return pose


@dataclass(frozen=True, eq=False)
class Corner:
    """A parabolic blend between two lines that meet in a corner."""

    start: Floats
    corner: Floats
    end: Floats

    @cached_property
    def _lengths(self) -> Floats:
        """Arc length at uniform steps of the parabola's parameter, which are not uniform in length."""
        points = np.array([self._parabola(share)[:3, 3] for share in np.linspace(0, 1, _STEPS + 1)])
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        return np.concatenate([(0.0,), np.cumsum(steps)])

    @property
    def length(self) -> float:
        """Length of the curve, in metres."""
        return float(self._lengths[-1])

    @property
    def turn(self) -> float:
        """Rotation of the tip, in radians."""
        return LineSegment(self.start, self.corner).turn + LineSegment(self.corner, self.end).turn

    def pose_at(self, share: float) -> Floats:
        """Return the pose at a fraction of the corner. Shape (4, 4)."""
        return self._parabola(float(np.interp(share * self._lengths[-1], self._lengths, np.linspace(0, 1, _STEPS + 1))))

    def _parabola(self, share: float) -> Floats:
        # De Casteljau's construction, for positions and rotations.
        return between(between(self.start, self.corner, share), between(self.corner, self.end, share), share)


@dataclass(frozen=True, eq=False)
class ToolCurve:
    """A sequence of segments without sharp corners between them."""

    parts: tuple[CurveSegment, ...]

    @property
    def start(self) -> Floats:
        """The first pose. Shape (4, 4)."""
        return self.parts[0].pose_at(0.0)

    @property
    def end(self) -> Floats:
        """The last pose. Shape (4, 4)."""
        return self.parts[-1].pose_at(1.0)


def line(start: Floats, end: Floats) -> ToolCurve:
    """Return the straight line between two poses."""
    return ToolCurve((LineSegment(frozen(np.array(start, dtype=float)), frozen(np.array(end, dtype=float))),))


def arc(start: Floats, through: ArrayLike, end: Floats) -> ToolCurve:
    """Return the arc between two poses through a point, shape (3,); a line if the three points are collinear."""
    first, last = np.array(start, dtype=float), np.array(end, dtype=float)
    a, b, c = first[:3, 3], np.asarray(through, dtype=float), last[:3, 3]
    normal = np.cross(b - a, c - a)
    size = float(np.linalg.norm(normal))
    if size <= _SHORT * max(float(np.linalg.norm(c - a)), _SHORT):
        between_ends = float((b - a) @ (c - a))
        if not 0.0 <= between_ends <= float((c - a) @ (c - a)):
            raise RckError("there is no arc through that point: it is collinear with the ends, but not between them")
        return line(first, last)
    # The centre of the circle through three points.
    sides = (b - a) @ (b - a) * (c - a) - (c - a) @ (c - a) * (b - a)
    centre = a + np.cross(sides, normal) / (2 * size * size)
    axis = normal / size
    out = a - centre
    angle = atan2(float(axis @ np.cross(out, c - centre)), float(out @ (c - centre))) % (2 * pi)
    return ToolCurve((Arc(frozen(first), frozen(last), frozen(centre), frozen(axis), angle),))


def rounded(poses: Sequence[Floats], smoothing: float) -> tuple[ToolCurve, ...]:
    """Return straight lines through poses, with corners blended within `smoothing` metres; 0 stops at each.

    Corners of short lines are blended less: a corner uses at most half of a line.
    """
    if smoothing < 0 or len(poses) < 2:
        raise RckError("a path needs at least two poses, and a blend radius that is not negative")
    stops = [np.array(pose, dtype=float) for pose in poses]
    if smoothing == 0:
        return tuple(line(a, b) for a, b in pairwise(stops))
    curves: list[ToolCurve] = []
    parts: list[CurveSegment] = []
    here = stops[0]
    for before, corner, after in zip(stops, stops[1:], stops[2:], strict=False):
        near = _blend_shares(before, corner, after, smoothing)
        if near is None:
            # The corner cannot be blended: stop there.
            curves.append(ToolCurve((*parts, LineSegment(here, corner))))
            parts, here = [], corner
            continue
        enter, leave = between(corner, before, near[0]), between(corner, after, near[1])
        parts += [LineSegment(here, enter), Corner(enter, corner, leave)]
        here = leave
    parts.append(LineSegment(here, stops[-1]))
    return (*curves, ToolCurve(tuple(parts)))


def _blend_shares(before: Floats, corner: Floats, after: Floats, smoothing: float) -> tuple[float, float] | None:
    """Return the fractions of the two lines that a corner uses; None if it cannot be blended."""
    back, on = before[:3, 3] - corner[:3, 3], after[:3, 3] - corner[:3, 3]
    in_length, out_length = float(np.linalg.norm(back)), float(np.linalg.norm(on))
    if min(in_length, out_length) <= _SHORT:
        return None
    cosine = float(np.clip(back @ on / (in_length * out_length), -1.0, 1.0))
    if cosine > 1 - 1e-6:
        # The path reverses direction.
        return None
    # The parabola passes the corner at half the height of its control triangle.
    height = cos(acos(cosine) / 2)
    cut = min(2 * smoothing / height if height > 1e-9 else in_length, in_length / 2, out_length / 2)
    return cut / in_length, cut / out_length


def between(start: Floats, end: Floats, share: float) -> Floats:
    """Interpolate between two poses: linear in position, about one axis in rotation. Shape (4, 4)."""
    pose = np.eye(4)
    w, *xyz = to_quaternion(start[:3, :3].T @ end[:3, :3])
    sine = float(np.linalg.norm(xyz))
    turn = rotation_about(np.array(xyz) / sine, share * 2 * atan2(sine, w)) if sine > 1e-12 else np.eye(4)
    pose[:3, :3] = start[:3, :3] @ turn[:3, :3]
    pose[:3, 3] = (1 - share) * start[:3, 3] + share * end[:3, 3]
    return pose
