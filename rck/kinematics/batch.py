"""Inverse kinematics for many goals at once, with progress."""

from typing import Protocol, runtime_checkable

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.hooks.ik_types import ChainSolver, Goal
from rck.support.job import Job

_BATCH = 2000
"""Goals between two progress reports."""
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
        """Return a joint vector for each pose, shape (goals, 4, 4), and True for each that is reached."""


def solve_batch(
    solver: ChainSolver,
    poses: Floats,
    seeds: Floats | None = None,
    *,
    tolerance: float = 1e-6,
    starts: int = 400,
    threads: int | None = None,
    job: Job | None = None,
) -> tuple[Floats, Bools]:
    """Return a joint vector for each pose, base from tip, shape (goals, 4, 4), and True for each that is reached.

    Shapes (goals, joints) and (goals,). A search gives up on a goal after this many `starts`; a solver that takes goals
    one by one has 5 ms for each.
    """
    goals = np.asarray(poses, dtype=float)
    vectors, solved = np.zeros((len(goals), len(solver.joints))), np.zeros(len(goals), bool)
    for first in range(0, len(goals), _BATCH):
        part = slice(first, first + _BATCH)
        begin = None if seeds is None else seeds[part]
        if isinstance(solver, BatchSolver):
            vectors[part], solved[part] = solver.solve_many(
                goals[part], begin, tolerance=tolerance, starts=starts, threads=threads
            )
        else:
            vectors[part], solved[part] = _one_by_one(solver, goals[part], begin, tolerance)
        if job is not None:
            job.progress(min(first + _BATCH, len(goals)) / len(goals), "goals")
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
