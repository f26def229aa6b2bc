"""Choice of a solver for a chain; solutions of third-party solvers are checked by forward kinematics."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.hooks import Answer, ChainSolver, Goal, Plugins, Solver
from rck.hooks.manager import PluginFailure
from rck.hooks.options import make_solver
from rck.kinematics.batch import BatchSolver, solve_batch
from rck.kinematics.chain import Chain, chain_between, poses_at
from rck.kinematics.closed_chain_solver import ClosedChainSolver
from rck.kinematics.ik_answers import deviation
from rck.model.robot import Robot
from rck.support.finding import Finding, RckError, Severity
from rck.support.units import amount

T = TypeVar("T")
DEFAULT = "numeric"
"""The solver that handles every chain."""

_SLACK = 1e-9
_ALLOWANCE = 1.01
"""Factor on the tolerance: solvers may measure rotations differently."""


def solver_for(
    plugins: Plugins,
    robot: Robot,
    base: str,
    tip: str,
    name: str | None = None,
    given: Mapping[str, str] | None = None,
) -> ChainSolver:
    """Return the solver of that name for the chain from base to tip, each an item or frame; by default the best one.

    `given` are options of the named solver. The best is the first that finds all solutions, then the default, then any
    other. If it fails, the next is used, and the findings of the plugins say so.
    """
    chain = chain_between(robot, base, tip)
    if not chain.joints:
        raise RckError(f"no free joint moves {tip} relative to {base}")
    if chain.closure is not None:
        if name not in (None, DEFAULT):
            raise RckError(f"solver {name} does not support the loops between {base} and {tip}; use {DEFAULT}")
        return ClosedChainSolver(chain)
    if name is not None:
        named = solver_named(plugins, name)
        made = make_solver(named, robot, base, tip, given)
        if made is None:
            raise RckError(f"solver {name} does not support the chain from {base} to {tip}")
        return _verify(made, chain, named, plugins)
    return _next_solver(iter(sorted(plugins.all(Solver), key=_rank)), chain, plugins)


def _next_solver(waiting: Iterator[Solver], chain: Chain, plugins: Plugins, failed: str = "") -> ChainSolver:
    """Return the next solver that supports the chain. `failed` is the name of the one that it replaces."""
    for solver in waiting:
        try:
            made = make_solver(solver, chain.robot, chain.base, chain.tip)
            verified = None if made is None else _verify(made, chain, solver, plugins)
        except PluginFailure:
            failed = solver.name
            continue
        if verified is None:
            continue
        if failed:
            message = f"{solver.name} is used instead of the solver {failed}, which failed"
            plugins.add_finding(Finding(602, Severity.WARNING, f"chain from {chain.base} to {chain.tip}", message))
        if plugins.is_own(solver):
            return verified
        return _Replaceable(verified, partial(_next_solver, waiting, chain, plugins, solver.name))
    raise RckError("no solver supports this chain; enable the plugin solver-numeric")


def solver_named(plugins: Plugins, name: str) -> Solver:
    """Return the solver of that name; raise :class:`RckError` if it is unknown or a requirement is missing."""
    return plugins.choose(name, plugins.all(Solver), "solver")


def _rank(solver: Solver) -> int:
    if solver.finds_all:
        return 0
    return 1 if solver.name == DEFAULT else 2


def _verify(inner: ChainSolver, chain: Chain, solver: Solver, plugins: Plugins) -> ChainSolver:
    """Wrap a third-party solver, so that a wrong solution disables its plugin. Bundled solvers are returned as is."""
    if plugins.is_own(solver):
        return inner
    with plugins.guard(solver):
        if tuple(inner.joints) != chain.joints:
            wanted = ", ".join(chain.joints)
            raise ValueError(f"solver {solver.name} has the joints {', '.join(inner.joints)}, but the chain {wanted}")
    kind = _VerifiedBatch if isinstance(inner, BatchSolver) else _Verified
    return kind(inner, chain, solver, plugins)


class _Replaceable:
    """A solver that is replaced by the next one when it fails."""

    def __init__(self, solver: ChainSolver, replacement: Callable[[], ChainSolver]) -> None:
        self._solver = solver
        self._replacement: Callable[[], ChainSolver] | None = replacement

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self._solver.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Solve with this solver, or the next one if it fails."""
        return self._try(lambda: self._solver.solve(goal, seed, most=most, budget=budget))

    def solve_many(
        self,
        poses: Floats,
        seeds: Floats | None = None,
        *,
        tolerance: float = 1e-6,
        starts: int = 400,
        threads: int | None = None,
    ) -> tuple[Floats, Bools]:
        """Solve many goals with this solver, or the next one if it fails."""
        return self._try(
            lambda: solve_batch(self._solver, poses, seeds, tolerance=tolerance, starts=starts, threads=threads)
        )

    def _try(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except PluginFailure:
            if self._replacement is None:
                raise
            self._solver, self._replacement = self._replacement(), None
            return call()


class _Verified:
    """A solver of a plugin whose solutions are checked by forward kinematics."""

    def __init__(self, inner: ChainSolver, chain: Chain, solver: Solver, plugins: Plugins) -> None:
        self._inner = inner
        self._chain = chain
        self._solver = solver
        self._plugins = plugins

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self._chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Solve and check the solutions."""
        answer = self._inner.solve(goal, seed, most=most, budget=budget)
        self._check(answer.solutions, [goal] * len(answer.solutions))
        return answer

    def _check(self, solutions: Floats, goals: list[Goal]) -> None:
        """Raise if solutions, shape (solutions, joints), miss their goals or violate the limits."""
        chain = self._chain
        if not len(solutions):
            return
        _, poses = poses_at(chain, np.asarray(solutions, dtype=float))
        with self._plugins.guard(self._solver):
            for row, pose, goal in zip(solutions, poses, goals, strict=True):
                away, turned = deviation(pose, goal.pose, goal.wants)
                if not max(away, turned) <= _ALLOWANCE * goal.tolerance + _SLACK:
                    off = f"{amount(1000 * away)} mm and {amount(float(np.degrees(turned)))}° away from the goal"
                    raise ValueError(f"solver {self._solver.name} returned a solution that is {off}")
                if (row < chain.lower - _SLACK).any() or (row > chain.upper + _SLACK).any():
                    raise ValueError(f"solver {self._solver.name} returned a solution outside the joint limits")


class _VerifiedBatch(_Verified):
    """A checked solver that takes many goals at once."""

    def solve_many(
        self,
        poses: Floats,
        seeds: Floats | None = None,
        *,
        tolerance: float = 1e-6,
        starts: int = 400,
        threads: int | None = None,
    ) -> tuple[Floats, Bools]:
        """Solve many goals and check the solutions."""
        inner = self._inner
        assert isinstance(inner, BatchSolver)
        vectors, solved = inner.solve_many(poses, seeds, tolerance=tolerance, starts=starts, threads=threads)
        self._check(vectors[solved], [Goal(pose, tolerance=tolerance) for pose in poses[solved]])
        return vectors, solved
