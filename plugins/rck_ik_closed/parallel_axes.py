"""Joints that all turn about, or slide along, one direction: SCARA arms and planar arms.

Looked at along that direction, up to two turning joints place a point and a third gives the heading; a sliding
joint gives the height.
"""

from dataclasses import dataclass
from itertools import product
from math import acos, atan2, cos, hypot, pi, sin

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.solving import Answer, Goal
from rck.kinematics.answering import question, refused, unusable
from rck.kinematics.chain import Chain
from rck.kinematics.numeric import NumericSolver, numeric_solver
from rck_ik_closed.candidates import reaching
from rck_ik_closed.nominal import Axes, axes_at_zero

_EXACT = 1e-9
"""Axes that lean more than this, in radians, are left to other solvers."""
_TOUCH = 1e-9
"""How far beyond a stretched arm, as a share of it, a goal may lie because of rounding."""


@dataclass(frozen=True, eq=False)
class ParallelSolver:
    """Every solution of one arm."""

    numeric: NumericSolver
    """For goals that leave something free, and to say why there is no solution."""
    senses: Floats
    """As in :class:`rck_ik_closed.nominal.Axes`."""
    turns: Floats
    """1 or -1 for each turning joint: whether it turns as the first one does. Shape (turning joints,)."""
    points: Floats
    """Its axis at zero, then the tip, seen along the axes. Shape (turning joints + 1, 2), in metres."""
    turn_at_zero: Floats
    """How the tip's frame is turned at zero, seen along the axes. Shape (3, 3)."""
    height: float
    """Of the tip at zero, in metres."""
    flat_from_base: Floats
    """The frame whose z axis is the direction of the axes. Shape (3, 3)."""
    slides: float
    """1 or -1: whether the sliding joint moves along that z axis or against it; 0 without one."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.numeric.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """At most so many solutions, nearest to the seed first, or why there are none."""
        chain = self.numeric.chain
        pose, start = question(chain, goal, seed)
        if problem := unusable(chain, pose, start):
            return refused(chain, problem)
        if len(self.turns) == 3 and goal.wants != "pose":
            # The heading is free: any of endlessly many will do.
            return self.numeric.solve(goal, seed, most=most, budget=budget)
        place = self.flat_from_base @ pose[:3, 3]
        ways = self._angles(place, self.flat_from_base @ pose[:3, :3])
        found = reaching(chain, (self._vector(angles, float(place[2])) for angles in ways), goal, start)
        if not len(found):
            return self.numeric.solve(goal, seed, most=most, budget=budget)
        return Answer(found[:most], complete=len(found) <= most)

    def _angles(self, place: Floats, turn: Floats) -> list[list[float]]:
        """The turns of the joints, in the sense of the first one, that bring the tip there."""
        count = len(self.turns)
        links = np.diff(self.points, axis=0)
        lengths = [hypot(*link) for link in links]
        directions = [atan2(link[1], link[0]) for link in links]
        target = place[:2] - self.points[0]
        if count == 1:
            return [[atan2(target[1], target[0]) - directions[0]]]
        total = 0.0
        if count == 3:
            since_zero = turn @ self.turn_at_zero.T
            total = atan2(since_zero[1, 0] - since_zero[0, 1], since_zero[0, 0] + since_zero[1, 1])
            last = directions[2] + total
            target = target - lengths[2] * np.array((cos(last), sin(last)))
        found = []
        for first, second in _two_links(lengths[0], lengths[1], float(target[0]), float(target[1])):
            one = first - directions[0]
            two = second - directions[1] - one
            found.append([one, two] if count == 2 else [one, two, total - one - two])
        return found

    def _vector(self, angles: list[float], height: float) -> Floats:
        positions = np.zeros(len(self.joints))
        turning = self.numeric.chain.turning > 0
        # The principal turn: whole turns are settled afterwards.
        positions[turning] = self.turns * [(angle + pi) % (2 * pi) - pi for angle in angles]
        positions[~turning] = self.slides * (height - self.height)
        vector: Floats = self.senses[0] * (positions - self.senses[1])
        return vector


def _two_links(one: float, other: float, x: float, y: float) -> list[tuple[float, float]]:
    """The headings of two links that together reach from the origin to a point: elbow on either side."""
    distance = hypot(x, y)
    if one * other == 0.0 or distance > (one + other) * (1 + _TOUCH) or distance < abs(one - other) - _TOUCH * one:
        return []
    toward = atan2(y, x)
    found = []
    for side in (1.0, -1.0):
        cosine = (one * one + distance * distance - other * other) / (2 * one * distance) if distance > 0 else 0.0
        first = toward + side * acos(min(max(cosine, -1.0), 1.0))
        found.append((first, atan2(y - one * sin(first), x - one * cos(first))))
    return found


def recognise(chain: Chain) -> ParallelSolver | None:
    """The solver of the chain, if all its joints turn about or slide along one direction."""
    axes = axes_at_zero(chain) if chain.joints else None
    turning = np.flatnonzero(chain.turning)
    sliding = np.flatnonzero(chain.turning == 0)
    if axes is None or not 1 <= len(turning) <= 3 or len(sliding) > 1 or not _all_parallel(axes):
        return None
    z = axes.directions[turning[0]]
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    flat = np.array([x, np.cross(z, x), z])
    tip = np.linalg.inv(axes.tip_from_base)
    points = np.vstack([axes.points[turning], tip[:3, 3]]) @ flat.T
    lengths = np.linalg.norm(np.diff(points[:, :2], axis=0), axis=1)
    if not (lengths[: min(len(turning), 2)] > _TOUCH).all():
        return None
    return ParallelSolver(
        numeric_solver(chain),
        axes.senses,
        np.sign(axes.directions[turning] @ z),
        points[:, :2],
        flat @ tip[:3, :3],
        float(points[-1, 2]),
        flat,
        float(np.sign(axes.directions[sliding[0]] @ z)) if len(sliding) else 0.0,
    )


def _all_parallel(axes: Axes) -> bool:
    pairs = product(axes.directions[:1], axes.directions[1:])
    return all(float(np.linalg.norm(np.cross(one, other))) < _EXACT for one, other in pairs)
