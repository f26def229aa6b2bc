"""Six turning joints: arms with a spherical wrist, and arms with three parallel axes."""

from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.hooks.solving import Answer, Goal
from rck.kernels import ik_closed
from rck.kernels.bodies import Table
from rck.kernels.parallel import run_in_chunks
from rck.kinematics.chain import Chain
from rck.kinematics.numeric import STARTS_IN_BATCH, NumericSolver, numeric_solver
from rck_ik_closed.nominal import PASS, axes_at_zero, distance_to, meeting_point, parallel

Arm: TypeAlias = tuple[Table, Floats, Floats, Floats, Floats, Floats, Floats, int, Floats]
"""The first nine arguments of the kernels of `rck.kernels.ik_closed`."""

_SMALLEST_CHUNK = 100


@dataclass(frozen=True, eq=False)
class SixAxisSolver:
    """Every solution of one arm."""

    numeric: NumericSolver
    """For goals that leave something free, and to say why there is no solution."""
    arrays: Arm
    """The nominal arm, in which what is nearly parallel is parallel, and the true one, as the kernels take them."""

    @property
    def chain(self) -> Chain:
        """The arm."""
        return self.numeric.chain

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """At most so many solutions, nearest to the seed first, or why there are none."""
        chain = self.numeric.chain
        start = chain.reference if seed is None else np.asarray(seed, np.float64, order="C")
        pose = np.asarray(goal.pose, np.float64, order="C")
        # A goal that is not finite has no solutions, so that only the seed must be looked at.
        usable = pose.shape == (4, 4) and start.shape == (6,) and isfinite(start.sum())
        if goal.wants != "pose" or not usable:
            return self.numeric.solve(goal, seed, most=most, budget=budget)
        found = np.empty((8, 6))
        count, free = ik_closed.solve_six_axes.unchecked(*self.arrays, pose, chain.reach, goal.tolerance, start, found)
        if count == 0:
            # A branch of the true arm that its nominal arm does not have, or a reason.
            return self.numeric.solve(goal, seed, most=most, budget=budget)
        return Answer(found[: min(count, most)], complete=not free and count <= most)

    def solve_many(
        self,
        poses: Floats,
        seeds: Floats | None = None,
        *,
        tolerance: float = 1e-6,
        starts: int = STARTS_IN_BATCH,
        threads: int | None = None,
    ) -> tuple[Floats, Bools]:
        """The nearest solution for each pose, and whether there is one, as the numeric solver answers a batch."""
        found, counts = self.all_solutions(poses, seeds, tolerance=tolerance, threads=threads)
        vectors, solved = found[:, 0].copy(), counts > 0
        missed = ~solved
        if missed.any():
            # Branches of the true arm that its nominal arm does not have, or what comes nearest.
            begin = None if seeds is None else np.asarray(seeds)[missed]
            vectors[missed], solved[missed] = self.numeric.solve_many(
                np.asarray(poses)[missed], begin, tolerance=tolerance, starts=starts, threads=threads
            )
        return vectors, solved

    def all_solutions(
        self, poses: Floats, seeds: Floats | None = None, *, tolerance: float = 1e-6, threads: int | None = None
    ) -> tuple[Floats, Ints]:
        """All solutions for each pose, shape (goals, 4, 4), and how many; on all cores. Shapes (goals, 8, 6), (goals,).

        Rows beyond the number of solutions mean nothing.
        """
        goals = np.asarray(poses, np.float64, order="C")
        chain = self.chain
        begin = np.tile(chain.reference, (len(goals), 1)) if seeds is None else np.asarray(seeds, np.float64, order="C")
        found, counts = np.empty((len(goals), 8, 6)), np.empty(len(goals), np.int64)

        def work(part: slice) -> None:
            ik_closed.solve_six_axes_batch(
                *self.arrays, goals[part], chain.reach, tolerance, begin[part], found[part], counts[part]
            )

        run_in_chunks(work, len(goals), smallest=_SMALLEST_CHUNK, threads=threads)
        return found, counts


def recognise(chain: Chain) -> SixAxisSolver | None:
    """The solver of the chain, if it is of one of the families."""
    if len(chain.joints) != 6 or not chain.turning.all():
        return None
    axes = axes_at_zero(chain)
    if axes is None or not parallel(axes, 1, 2) or parallel(axes, 0, 1):
        return None
    centre = meeting_point(axes, 4, 5, chain.reach)
    if centre is None:
        return None
    if parallel(axes, 2, 3):
        family = ik_closed.THREE_PARALLEL
    elif meeting_point(axes, 3, 4, chain.reach) is not None and distance_to(axes, 3, centre) < PASS * chain.reach:
        family = ik_closed.SPHERICAL_WRIST
    else:
        return None
    directions = axes.directions.copy()
    for number in (2, 3) if family == ik_closed.THREE_PARALLEL else (2,):
        directions[number] = np.sign(directions[1] @ directions[number]) * directions[1]
    ik_closed.solve_six_axes.compile()
    numeric = numeric_solver(chain)
    arrays = (
        chain.bodies,
        chain.body_from_tip,
        numeric.bounds,
        frozen(directions),
        axes.points,
        frozen(centre),
        axes.tip_from_base,
        family,
        axes.senses,
    )
    return SixAxisSolver(numeric, arrays)
