"""The solver for any chain: a search with the kernel of `rck.kernels.ik`, and an explanation if it fails."""

from dataclasses import dataclass
from math import hypot
from time import thread_time

import numpy as np

from rck.geometry.arrays import Bools, Floats, frozen
from rck.hooks.ik_types import Answer, Goal
from rck.kernels import ik
from rck.kernels.ik_descent import AXIS, POSE, POSITION
from rck.kernels.parallel import run_in_chunks
from rck.kinematics.chain import Chain, start_box
from rck.kinematics.ik_answers import goal_arrays, goal_problem, limit_violations, nearest_first, refuse, report_miss

WANTS = {"pose": POSE, "position": POSITION, "axis": AXIS}

_STARTS_BETWEEN_CHECKS = 12
"""Starts, of some 20 microseconds each, between two checks of the time."""
_STARTS_TO_EXPLAIN = 24
_FAR = 10.0
"""Goals farther away than this many reaches are replaced by a nearer goal in the same direction, for precision."""
STARTS_IN_BATCH = 400
"""Starts after which a goal of a batch is given up."""
_SMALLEST_CHUNK = 50


@dataclass(frozen=True, eq=False)
class NumericSolver:
    """Inverse kinematics of one chain by search. Make one with :func:`numeric_solver`."""

    chain: Chain
    bounds: Floats
    """Limits, the box of starts, and flags of revolute joints, as in `rck.kernels.ik.solve`. Shape (5, joints)."""
    without_limits: Floats
    """The same for a chain without joint limits."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return up to `most` solutions, nearest to the seed first, or the reason for a failure."""
        chain = self.chain
        pose, start = goal_arrays(chain, goal, seed)
        if pose.shape != (4, 4) or start.shape != chain.reference.shape:
            return refuse(chain, goal_problem(chain, pose, start))
        # CPU time of this thread: other processes do not count.
        end = thread_time() + budget
        found, best = np.empty((max(most, 1), len(start))), np.empty(len(start))
        first, count, least = 0, 0, np.inf
        # The seed alone is enough for most calls; after that, the time is checked now and then.
        starts = 1 if most == 1 else _STARTS_BETWEEN_CHECKS
        while True:
            count, least = ik.solve.unchecked(
                chain.bodies, chain.body_from_tip, self.bounds, pose, WANTS[goal.wants], chain.reach, goal.tolerance,
                start, first, starts, found, count, best, least,
            )  # fmt: skip
            if count == len(found) or count == ik.UNUSABLE or thread_time() > end:
                break
            first += starts
            starts = _STARTS_BETWEEN_CHECKS
        if count == ik.UNUSABLE:
            return refuse(chain, goal_problem(chain, pose, start))
        if count == 0:
            return self._refusal(goal, pose, best)
        return Answer(found if count == 1 == len(found) else nearest_first(found[:count], start))

    def descend(self, goal: Goal, start: Floats) -> Floats | None:
        """Return the solution that one descent from a start within the limits leads to, if it leads to one."""
        chain, pose = self.chain, np.asarray(goal.pose, np.float64, order="C")
        found, best = np.empty((1, len(start))), np.empty(len(start))
        count, _ = ik.solve(
            chain.bodies, chain.body_from_tip, self.bounds, pose, WANTS[goal.wants], chain.reach, goal.tolerance,
            start, 0, 1, found, 0, best, np.inf,
        )  # fmt: skip
        return found[0] if count == 1 else None

    def explain(self, goal: Goal, seed: Floats | None = None, *, budget: float = 0.005) -> Answer:
        """Return the answer to a goal that is known to be unreachable: the reason, and the closest pose."""
        answer = self.solve(goal, seed, budget=budget)
        if not answer.solved:
            return answer
        # Within rounding of the tolerance, the search may still find a solution.
        return report_miss(self.chain, goal, answer.solutions[0], f"the target is out of reach of {self.chain.tip}")

    def solve_many(
        self,
        poses: Floats,
        seeds: Floats | None = None,
        *,
        tolerance: float = 1e-6,
        starts: int = STARTS_IN_BATCH,
        threads: int | None = None,
    ) -> tuple[Floats, Bools]:
        """Return a joint vector for each pose, shape (goals, 4, 4), and True for each that is reached; uses all cores.

        Shapes (goals, joints) and (goals,). Without a solution, the vector is the closest one of all `starts`.
        """
        chain = self.chain
        goals = np.asarray(poses, np.float64, order="C")
        begin = np.tile(chain.reference, (len(goals), 1)) if seeds is None else np.asarray(seeds, np.float64, order="C")
        vectors, solved = np.empty_like(begin), np.zeros(len(goals), bool)

        def work(part: slice) -> None:
            ik.solve_batch(
                chain.bodies, chain.body_from_tip, self.bounds, goals[part], POSE, chain.reach, tolerance,
                begin[part], starts, vectors[part], solved[part],
            )  # fmt: skip

        run_in_chunks(work, len(goals), smallest=_SMALLEST_CHUNK, threads=threads)
        return vectors, solved

    def _refusal(self, goal: Goal, pose: Floats, best: Floats) -> Answer:
        chain = self.chain
        found, other = np.empty((1, len(best))), np.empty(len(best))
        count, _ = ik.solve(
            chain.bodies, chain.body_from_tip, self.without_limits, pose, WANTS[goal.wants], chain.reach,
            goal.tolerance, best, 0, _STARTS_TO_EXPLAIN, found, 0, other, np.inf,
        )  # fmt: skip
        why = limit_violations(chain, found[0]) if count else f"the target is out of reach of {chain.tip}"
        return report_miss(chain, goal, self._closest(goal, pose, best), why)

    def _closest(self, goal: Goal, pose: Floats, best: Floats) -> Floats:
        """Return the joint vector closest to a goal: the best one found or, for a distant goal, one towards it."""
        chain = self.chain
        away = hypot(*pose[:3, 3])
        if away <= _FAR * chain.reach:
            return best
        drawn, found, nearest = pose.copy(), np.empty((1, len(best))), np.empty(len(best))
        drawn[:3, 3] *= _FAR * chain.reach / away
        count, _ = ik.solve(
            chain.bodies, chain.body_from_tip, self.bounds, drawn, WANTS[goal.wants], chain.reach, goal.tolerance,
            chain.reference, 0, _STARTS_TO_EXPLAIN, found, 0, nearest, np.inf,
        )  # fmt: skip
        return best if count else nearest


def numeric_solver(chain: Chain) -> NumericSolver:
    """Build the solver of a chain with at least one joint."""
    # Compile before any time budget, of milliseconds, starts.
    ik.solve.compile()
    bounds = np.vstack([chain.lower, chain.upper, start_box(chain), chain.turning])
    free = bounds.copy()
    free[0], free[1] = -np.inf, np.inf
    return NumericSolver(chain, frozen(bounds), frozen(free))
