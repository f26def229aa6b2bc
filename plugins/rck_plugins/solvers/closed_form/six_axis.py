"""Six-axis arms: with a spherical wrist and a revolute or prismatic third joint, or with three parallel axes."""

from dataclasses import dataclass

import numpy as np
from numpy import asarray, empty, float64

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.hooks.ik_types import Answer, Goal, no_solutions
from rck.kernels import ik_closed_form
from rck.kernels.ik_closed_form import EXACT_TOLERANCE, UNDECIDED, find_undecided, finish_near, solve_exact
from rck.kernels.parallel import run_in_chunks
from rck.kinematics.chain import Chain
from rck.kinematics.ik_answers import UnreachableAnswer, nearest_first
from rck.kinematics.numeric_solver import STARTS_IN_BATCH, NumericSolver, numeric_solver
from rck_plugins.solvers.closed_form.nominal_arm import (
    PASS,
    Axes,
    across,
    axes_at_zero,
    distance_to,
    meeting_point,
    parallel,
)

_ROOM = (ik_closed_form.ROOM, 6)
_NONE = frozen(no_solutions(6))
_SMALLEST_CHUNK = 100
_WIDER = 1e-6
_EXACT = 1e-10
"""Arms whose axes deviate from the nominal ones by less than this, in radians and reaches, are exact."""


@dataclass(frozen=True, eq=False)
class SixAxisSolver:
    """A solver that finds every solution of one arm."""

    numeric: NumericSolver
    """For goals that leave a degree of freedom, and to explain failures."""
    arm: Floats
    """The nominal arm, with nearly parallel axes made parallel, as in `rck.kernels.ik_closed_form`."""
    exact: bool
    """True if the nominal arm is the arm itself."""

    @property
    def chain(self) -> Chain:
        """The chain of the arm."""
        return self.numeric.chain

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return up to `most` solutions, nearest to the seed first, or the reason for a failure."""
        start = self.chain.reference if seed is None else asarray(seed, float64, order="C")
        pose = asarray(goal.pose, float64, order="C")
        if goal.wants != "pose" or pose.shape != (4, 4) or start.shape != (6,):
            return self.numeric.solve(goal, seed, most=most, budget=budget)
        if self.exact and goal.tolerance >= EXACT_TOLERANCE:
            rows = empty(_ROOM)
            count = solve_exact.unchecked(self.arm, pose, goal.tolerance, start, rows)
            if count > 0:
                return Answer(rows[:count], True) if count <= most else Answer(rows[:most])
            if UNDECIDED < count < 0:
                near = rows[:-count]
                count = finish_near(self.chain.bodies, self.arm, pose, goal.tolerance, near)
                if count:
                    # Only within the tolerance: rows of other branches are as good, so these are not all.
                    return Answer(nearest_first(near[:count], start)[:most])
            if count == 0:
                return UnreachableAnswer(_NONE, pending=[lambda: self.numeric.explain(goal, seed, budget=budget)])
        found = np.empty((8, 6))
        hits = ik_closed_form.solve_six_axes.unchecked(self.chain.bodies, self.arm, pose, goal.tolerance, start, found)
        count = hits % ik_closed_form.FREE
        if hits == ik_closed_form.NO_SEED or count == 0:
            # The real arm may have a branch that the nominal one lacks; otherwise explain the failure.
            return self.numeric.solve(goal, seed, most=most, budget=budget)
        return Answer(found[: min(count, most)], complete=hits < ik_closed_form.FREE and count <= most)

    def solve_many(
        self,
        poses: Floats,
        seeds: Floats | None = None,
        *,
        tolerance: float = 1e-6,
        starts: int = STARTS_IN_BATCH,
        threads: int | None = None,
    ) -> tuple[Floats, Bools]:
        """Return the nearest solution for each pose, or a vector within the limits, and True for each that is solved.

        An exact arm is not searched for goals that it certainly cannot reach.
        """
        goals, begin = self._arrays(poses, seeds)
        found, counts = self.all_solutions(goals, begin, tolerance=tolerance, threads=threads)
        vectors, solved = found[:, 0].copy(), counts > 0
        missed = np.flatnonzero(~solved)
        vectors[missed] = np.clip(begin[missed], self.chain.lower, self.chain.upper)
        if self.exact and tolerance >= EXACT_TOLERANCE:
            undecided = np.empty(len(missed), bool)
            find_undecided(self.arm, goals[missed], tolerance, begin[missed], undecided)
            missed = missed[undecided]
        if len(missed):
            # The real arm may have branches that the nominal one lacks; otherwise find the closest vectors.
            vectors[missed], solved[missed] = self.numeric.solve_many(
                goals[missed], begin[missed], tolerance=tolerance, starts=starts, threads=threads
            )
        return vectors, solved

    def _arrays(self, poses: Floats, seeds: Floats | None) -> tuple[Floats, Floats]:
        """Return goals and seeds, by default the current joint vector, as contiguous arrays."""
        goals = np.asarray(poses, np.float64, order="C")
        begin = np.tile(self.chain.reference, (len(goals), 1)) if seeds is None else seeds
        return goals, np.asarray(begin, np.float64, order="C")

    def all_solutions(
        self, poses: Floats, seeds: Floats | None = None, *, tolerance: float = 1e-6, threads: int | None = None
    ) -> tuple[Floats, Ints]:
        """Return all solutions for each pose, shape (goals, 4, 4), and their numbers. Shapes (goals, 8, 6), (goals,).

        Runs on all cores. Rows beyond the number of solutions are undefined.
        """
        goals, begin = self._arrays(poses, seeds)
        chain = self.chain
        found, counts = np.empty((len(goals), 8, 6)), np.empty(len(goals), np.int64)

        def work(part: slice) -> None:
            ik_closed_form.solve_six_axes_batch(
                chain.bodies, self.arm, goals[part], tolerance, begin[part], found[part], counts[part]
            )

        run_in_chunks(work, len(goals), smallest=_SMALLEST_CHUNK, threads=threads)
        return found, counts


def recognise(chain: Chain) -> SixAxisSolver | None:
    """Return the solver of the chain if it belongs to one of the families."""
    axes = axes_at_zero(chain) if len(chain.joints) == 6 else None
    if axes is None or parallel(axes, 0, 1):
        return None
    centre = meeting_point(axes, 4, 5, chain.reach)
    if centre is None:
        return None
    meets = meeting_point(axes, 3, 4, chain.reach) is not None and distance_to(axes, 3, centre) < PASS * chain.reach
    directions = axes.directions.copy()
    if chain.turning.tolist() == [1, 1, 0, 1, 1, 1] and meets and across(axes, 1, 2):
        family = ik_closed_form.SLIDING_FOREARM
        directions[2] -= directions[1] * (directions[1] @ directions[2])
        directions[2] /= np.linalg.norm(directions[2])
    elif chain.turning.all() and parallel(axes, 1, 2) and parallel(axes, 2, 3):
        family = ik_closed_form.THREE_PARALLEL
    elif chain.turning.all() and parallel(axes, 1, 2) and meets:
        family = ik_closed_form.SPHERICAL_WRIST
    else:
        return None
    parallels = {ik_closed_form.THREE_PARALLEL: (2, 3), ik_closed_form.SPHERICAL_WRIST: (2,)}.get(family, ())
    for number in parallels:
        directions[number] = np.sign(directions[1] @ directions[number]) * directions[1]
    meeting = (4, 5) if family == ik_closed_form.THREE_PARALLEL else (3, 4, 5)
    off = max(distance_to(axes, number, centre) for number in meeting)
    lean = float(np.abs(directions - axes.directions).max())
    ik_closed_form.solve_six_axes.compile()
    solve_exact.compile()
    finish_near.compile()
    numeric = numeric_solver(chain)
    arm = np.zeros((ik_closed_form.ROWS, 6))
    arm[ik_closed_form.BOUNDS : ik_closed_form.BOUNDS + 5] = numeric.bounds
    arm[ik_closed_form.SENSES : ik_closed_form.SENSES + 2] = axes.senses
    arm[ik_closed_form.AXES : ik_closed_form.AXES + 3] = directions.T
    arm[ik_closed_form.POINTS : ik_closed_form.POINTS + 3] = axes.points.T
    arm[ik_closed_form.TIP_FROM_ZERO : ik_closed_form.TIP_FROM_ZERO + 3, :4] = axes.tip_from_base[:3]
    arm[ik_closed_form.BODY_FROM_TIP : ik_closed_form.BODY_FROM_TIP + 3, :4] = chain.body_from_tip[:3]
    exact = max(off / chain.reach, lean) < _EXACT
    arm[ik_closed_form.RANGES : ik_closed_form.RANGES + 2] = _ranges(chain, axes) if exact else [[-np.inf], [np.inf]]
    arm[ik_closed_form.FACTS] = (*centre, family, chain.reach, exact)
    return SixAxisSolver(numeric, frozen(arm), exact)


def _ranges(chain: Chain, axes: Axes) -> Floats:
    """Return the lowest and highest joint positions, slightly widened. Shape (2, 6)."""
    ends = axes.senses[0] * np.array([chain.lower, chain.upper]) + axes.senses[1]
    ranges: Floats = np.sort(ends, axis=0) + np.array([[-_WIDER], [_WIDER]])
    return ranges
