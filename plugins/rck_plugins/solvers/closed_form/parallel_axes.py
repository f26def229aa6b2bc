"""Arms whose joints all turn about, or slide along, one direction: SCARA and planar arms.

Seen along that direction, up to two revolute joints position a point and a third sets the heading; a prismatic joint
sets the height.
"""

from dataclasses import dataclass
from itertools import product
from math import acos, atan2, cos, hypot, pi, sin

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.ik_types import Answer, Goal
from rck.kinematics.chain import Chain
from rck.kinematics.ik_answers import read_goal
from rck.kinematics.numeric_solver import NumericSolver, numeric_solver
from rck_plugins.solvers.closed_form.nominal_arm import Axes, answer_miss, axes_at_zero, filter_solutions

_EXACT = 1e-9
"""Chains whose axes deviate by more than this, in radians, are left to other solvers."""
_TOUCH = 1e-9
"""Links shorter than this, in metres, have no direction."""


@dataclass(frozen=True, eq=False)
class ParallelSolver:
    """A solver that finds every solution of one arm."""

    numeric: NumericSolver
    """For goals that leave a degree of freedom, and to explain failures."""
    senses: Floats
    """Arrays of :class:`rck_plugins.solvers.closed_form.nominal_arm.Axes`."""
    turns: Floats
    """1 for each revolute joint that turns like the first one, or -1. Shape (revolute joints,)."""
    points: Floats
    """The axes at zero, then the tip, seen along the axes. Shape (revolute joints + 1, 2), in metres."""
    turn_at_zero: Floats
    """Rotation of the tip's frame at zero, seen along the axes. Shape (3, 3)."""
    height: float
    """Height of the tip at zero, in metres."""
    flat_from_base: Floats
    """Rotation to the frame whose z axis is the direction of the axes. Shape (3, 3)."""
    slides: float
    """1 if the prismatic joint moves along that z axis, -1 if against it, 0 without one."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.numeric.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return up to `most` solutions, nearest to the seed first, or the reason for a failure."""
        chain = self.numeric.chain
        request = read_goal(chain, goal, seed)
        if isinstance(request, Answer):
            return request
        pose, start = request
        if len(self.turns) == 3 and goal.wants != "pose":
            # The heading is free, so there are infinitely many solutions.
            return self.numeric.solve(goal, seed, most=most, budget=budget)
        position = self.flat_from_base @ pose[:3, 3]
        angles = self._angles(position, self.flat_from_base @ pose[:3, :3])
        branches = [self._vector(row, float(position[2])) for row in angles]
        found = filter_solutions(chain, branches, goal, start)
        if not len(found):
            return answer_miss(self.numeric, branches, goal, seed, budget)
        return Answer(found[:most], complete=len(found) <= most)

    def _angles(self, position: Floats, turn: Floats) -> list[list[float]]:
        """Return the angles of the joints, in the direction of the first one, that move the tip to a position."""
        count = len(self.turns)
        links = np.diff(self.points, axis=0)
        lengths = [hypot(*link) for link in links]
        directions = [atan2(link[1], link[0]) for link in links]
        target = position[:2] - self.points[0]
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
        # The principal angle; whole turns are added later.
        positions[turning] = self.turns * [(angle + pi) % (2 * pi) - pi for angle in angles]
        positions[~turning] = self.slides * (height - self.height)
        vector: Floats = self.senses[0] * (positions - self.senses[1])
        return vector


def _two_links(one: float, other: float, x: float, y: float) -> list[tuple[float, float]]:
    """Return the headings of two links that reach from the origin to a point, with the elbow on either side.

    Out of reach, both come as near as the links allow.
    """
    distance = hypot(x, y)
    toward = atan2(y, x)
    found = []
    for side in (1.0, -1.0):
        cosine = (one * one + distance * distance - other * other) / (2 * one * distance) if distance > 0 else 0.0
        first = toward + side * acos(min(max(cosine, -1.0), 1.0))
        found.append((first, atan2(y - one * sin(first), x - one * cos(first))))
    return found


def recognise(chain: Chain) -> ParallelSolver | None:
    """Return the solver of the chain if all its joints turn about or slide along one direction."""
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
