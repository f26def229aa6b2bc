"""Cartesian and cylindrical arms: prismatic joints, and at most one revolute joint.

Three prismatic joints with independent directions have one solution. A joint that turns about the direction of one of
two prismatic joints, before the other, makes a cylindrical arm. It has two solutions, the second retracted beyond the
axis.
"""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.ik_types import Answer, Goal
from rck.kinematics.chain import Chain
from rck.kinematics.ik_answers import read_goal
from rck.kinematics.numeric_solver import NumericSolver, numeric_solver
from rck_plugins.solvers.closed_form.nominal_arm import Axes, answer_miss, axes_at_zero, filter_solutions

_EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class SlidingSolver:
    """A solver that finds every solution of one arm."""

    numeric: NumericSolver
    """To explain failures."""
    axes: Axes

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.numeric.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return up to `most` solutions, nearest to the seed first, or the reason for a failure."""
        chain, (sense, offset) = self.numeric.chain, self.axes.senses
        request = read_goal(chain, goal, seed)
        if isinstance(request, Answer):
            return request
        pose, start = request
        branches = [sense * (positions - offset) for positions in self._positions(pose[:3, 3])]
        found = filter_solutions(chain, branches, goal, start)
        if not len(found):
            return answer_miss(self.numeric, branches, goal, seed, budget)
        return Answer(found[:most], complete=len(found) <= most)

    def _positions(self, target: Floats) -> list[Floats]:
        """Return the joint positions that move the tip to a point in the base frame, shape (3,)."""
        turning = np.flatnonzero(self.numeric.chain.turning)
        directions = self.axes.directions
        tip = np.linalg.inv(self.axes.tip_from_base)[:3, 3]
        if not len(turning):
            return [np.linalg.solve(directions.T, target - tip).astype(float)]
        number = int(turning[0])
        axis, point = directions[number], self.axes.points[number]
        out = next(n for n in range(3) if n != number and not _parallel(directions[n], axis))
        along = next(n for n in range(3) if n not in (number, out))
        height = float(axis @ (target - tip))
        rise = height / float(axis @ directions[along])
        # Seen along the axis: extend the tip at zero until it is as far from the axis as the goal.
        flat = np.eye(3) - np.outer(axis, axis)
        here, outward, there = flat @ (tip - point), directions[out], flat @ (target - point)
        middle = -float(here @ outward)
        squared = float(there @ there - here @ here) + middle * middle
        found = []
        for side in (1.0, -1.0):
            positions = np.zeros(3)
            positions[out] = middle + side * np.sqrt(max(squared, 0.0))
            positions[along] = rise
            reached = here + positions[out] * outward
            positions[number] = np.arctan2(axis @ np.cross(reached, there), reached @ there)
            found.append(positions)
        return found


def recognise(chain: Chain) -> SlidingSolver | None:
    """Return the solver of the chain if it is Cartesian or cylindrical."""
    axes = axes_at_zero(chain) if len(chain.joints) == 3 else None
    if axes is None:
        return None
    turning = np.flatnonzero(chain.turning)
    if not len(turning):
        is_supported = abs(float(np.linalg.det(axes.directions))) > 1e-3
    else:
        is_supported = len(turning) == 1 and _is_cylindrical(axes, int(turning[0]))
    return SlidingSolver(numeric_solver(chain), axes) if is_supported else None


def _is_cylindrical(axes: Axes, number: int) -> bool:
    """Return True if one prismatic joint is along the revolute axis, and the other, after it, perpendicular to it."""
    axis = axes.directions[number]
    others = [n for n in range(3) if n != number]
    out = [n for n in others if abs(float(axes.directions[n] @ axis)) < _EXACT]
    along = [n for n in others if _parallel(axes.directions[n], axis)]
    return len(out) == 1 and len(along) == 1 and out[0] > number


def _parallel(one: Floats, other: Floats) -> bool:
    return float(np.linalg.norm(np.cross(one, other))) < _EXACT
