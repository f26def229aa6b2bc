"""Cartesian and cylindrical arms: sliding joints, and at most one that turns.

Three sliding joints, none in the plane of the others, reach a point in one way. A joint that turns about the
direction of one of two sliding joints, before the other, makes a cylinder: two ways, the second pulled in beyond
the axis.
"""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.solving import Answer, Goal
from rck.kinematics.answering import question, refused, unusable
from rck.kinematics.chain import Chain
from rck.kinematics.numeric import NumericSolver, numeric_solver
from rck_ik_closed.candidates import reaching
from rck_ik_closed.nominal import Axes, axes_at_zero

_EXACT = 1e-9
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class SlidingSolver:
    """Every solution of one arm."""

    numeric: NumericSolver
    """To say why there is no solution."""
    axes: Axes

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.numeric.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """At most so many solutions, nearest to the seed first, or why there are none."""
        chain, (sense, offset) = self.numeric.chain, self.axes.senses
        pose, start = question(chain, goal, seed)
        if problem := unusable(chain, pose, start):
            return refused(chain, problem)
        ways = self._positions(pose[:3, 3])
        found = reaching(chain, (sense * (positions - offset) for positions in ways), goal, start)
        if not len(found):
            return self.numeric.solve(goal, seed, most=most, budget=budget)
        return Answer(found[:most], complete=len(found) <= most)

    def _positions(self, place: Floats) -> list[Floats]:
        """The positions of the joints that bring the tip to a place in the base's frame, shape (3,)."""
        turning = np.flatnonzero(self.numeric.chain.turning)
        directions = self.axes.directions
        tip = np.linalg.inv(self.axes.tip_from_base)[:3, 3]
        if not len(turning):
            return [np.linalg.solve(directions.T, place - tip).astype(float)]
        number = int(turning[0])
        axis, point = directions[number], self.axes.points[number]
        out = next(n for n in range(3) if n != number and not _parallel(directions[n], axis))
        along = next(n for n in range(3) if n not in (number, out))
        height = float(axis @ (place - tip))
        rise = height / float(axis @ directions[along])
        # Seen along the axis: the tip at zero, pushed out until it is as far from the axis as the goal.
        flat = np.eye(3) - np.outer(axis, axis)
        here, way, there = flat @ (tip - point), directions[out], flat @ (place - point)
        middle = -float(here @ way)
        squared = float(there @ there - here @ here) + middle * middle
        if squared < -_SLACK:
            return []
        found = []
        for side in (1.0, -1.0):
            positions = np.zeros(3)
            positions[out] = middle + side * np.sqrt(max(squared, 0.0))
            positions[along] = rise
            reached = here + positions[out] * way
            positions[number] = np.arctan2(axis @ np.cross(reached, there), reached @ there)
            found.append(positions)
        return found


def recognise(chain: Chain) -> SlidingSolver | None:
    """The solver of the chain, if it is Cartesian or cylindrical."""
    axes = axes_at_zero(chain) if len(chain.joints) == 3 else None
    if axes is None:
        return None
    turning = np.flatnonzero(chain.turning)
    if not len(turning):
        serves = abs(float(np.linalg.det(axes.directions))) > 1e-3
    else:
        serves = len(turning) == 1 and _is_cylindrical(axes, int(turning[0]))
    return SlidingSolver(numeric_solver(chain), axes) if serves else None


def _is_cylindrical(axes: Axes, number: int) -> bool:
    """Whether one sliding joint goes along the turning axis, and the other, after it, at right angles to it."""
    axis = axes.directions[number]
    others = [n for n in range(3) if n != number]
    out = [n for n in others if abs(float(axes.directions[n] @ axis)) < _EXACT]
    along = [n for n in others if _parallel(axes.directions[n], axis)]
    return len(out) == 1 and len(along) == 1 and out[0] > number


def _parallel(one: Floats, other: Floats) -> bool:
    return float(np.linalg.norm(np.cross(one, other))) < _EXACT
