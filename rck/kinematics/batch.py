"""Many goals at once, on all cores, with progress."""

from typing import Protocol, runtime_checkable

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.hooks.job import Job
from rck.hooks.solving import ChainSolver, Goal

_AT_A_TIME = 2000
"""Goals between two tellings of progress."""
_BUDGET = 0.005


@runtime_checkable
class BatchSolver(Protocol):
    """A solver that takes many goals at once."""

    def solve_many(
        self,
        poses: Floats,
        seeds: Floats | None = None,
        *,
        tolerance: float = 1e-6,
        starts: int = 400,
        threads: int | None = None,
    ) -> tuple[Floats, Bools]:
        """A joint vector for each pose, shape (goals, 4, 4), and whether it reaches it."""


def solve_batch(
    solver: ChainSolver,
    poses: Floats,
    seeds: Floats | None = None,
    *,
    tolerance: float = 1e-6,
    starts: int = 400,
    job: Job | None = None,
) -> tuple[Floats, Bools]:
    """A joint vector for each pose, base from tip, shape (goals, 4, 4), and whether it gets there.

    Shapes (goals, joints) and (goals,). A solver that searches gives a goal up after as many `starts`; one that takes
    goals one by one has 5 ms for each.
    """
    goals = np.asarray(poses, dtype=float)
    vectors, solved = np.zeros((len(goals), len(solver.joints))), np.zeros(len(goals), bool)
    for first in range(0, len(goals), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        begin = None if seeds is None else seeds[part]
        if isinstance(solver, BatchSolver):
            vectors[part], solved[part] = solver.solve_many(goals[part], begin, tolerance=tolerance, starts=starts)
        else:
            vectors[part], solved[part] = _one_by_one(solver, goals[part], begin, tolerance)
        if job is not None:
            job.progress(min(first + _AT_A_TIME, len(goals)) / len(goals), "goals")
    return vectors, solved


def _one_by_one(solver: ChainSolver, goals: Floats, seeds: Floats | None, tolerance: float) -> tuple[Floats, Bools]:
    vectors, solved = np.zeros((len(goals), len(solver.joints))), np.zeros(len(goals), bool)
    for number, goal in enumerate(goals):
        seed = None if seeds is None else seeds[number]
        answer = solver.solve(Goal(goal, tolerance=tolerance), seed, budget=_BUDGET)
        solved[number] = answer.solved
        best = answer.solutions[0] if answer.solved else answer.nearest
        if best is not None:
            vectors[number] = best
    return vectors, solved
