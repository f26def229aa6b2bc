"""Whether the answers of solvers that did not come with RCK are right: forward kinematics tells."""

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.hooks import Answer, ChainSolver, Goal, Plugins, Solver
from rck.kinematics.batch import BatchSolver
from rck.kinematics.chain import Chain, poses_at
from rck.kinematics.deviation import deviation
from rck.model.units import amount

_SLACK = 1e-9
_MORE = 1.01
"""So much of the tolerance is allowed: solvers may measure turns in another way."""


def verified(made: ChainSolver, chain: Chain, solver: Solver, plugins: Plugins) -> ChainSolver:
    """The same solver for a chain; an answer that is wrong costs its plugin and names it. RCK's own are as they are."""
    if plugins.is_own(solver):
        return made
    with plugins.guard(solver):
        if tuple(made.joints) != chain.joints:
            wanted = ", ".join(chain.joints)
            raise ValueError(f"solver {solver.name} has the joints {', '.join(made.joints)}, but the chain {wanted}")
    kind = _VerifiedBatch if isinstance(made, BatchSolver) else _Verified
    return kind(made, chain, solver, plugins)


class _Verified:
    """Looks at every solution."""

    def __init__(self, made: ChainSolver, chain: Chain, solver: Solver, plugins: Plugins) -> None:
        self._made = made
        self._chain = chain
        self._solver = solver
        self._plugins = plugins

    @property
    def joints(self) -> tuple[str, ...]:
        """Those of the chain."""
        return self._chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """What the solver answers."""
        answer = self._made.solve(goal, seed, most=most, budget=budget)
        self._look(answer.solutions, [goal] * len(answer.solutions))
        return answer

    def _look(self, solutions: Floats, goals: list[Goal]) -> None:
        """Refuse solutions, shape (solutions, joints), that miss their goals or leave the limits."""
        chain = self._chain
        if not len(solutions):
            return
        _, poses = poses_at(chain, np.asarray(solutions, dtype=float))
        with self._plugins.guard(self._solver):
            for row, pose, goal in zip(solutions, poses, goals, strict=True):
                away, turned = deviation(pose, goal.pose, goal.wants)
                if not max(away, turned) <= _MORE * goal.tolerance + _SLACK:
                    off = f"{amount(1000 * away)} mm and {amount(float(np.degrees(turned)))}° off the goal"
                    raise ValueError(f"solver {self._solver.name} gave a solution that is {off}")
                if (row < chain.lower - _SLACK).any() or (row > chain.upper + _SLACK).any():
                    raise ValueError(f"solver {self._solver.name} gave a solution beyond the limits of the joints")


class _VerifiedBatch(_Verified):
    """Of a solver that takes many goals at once."""

    def solve_many(
        self,
        poses: Floats,
        seeds: Floats | None = None,
        *,
        tolerance: float = 1e-6,
        starts: int = 400,
        threads: int | None = None,
    ) -> tuple[Floats, Bools]:
        """What the solver answers."""
        made = self._made
        assert isinstance(made, BatchSolver)
        vectors, solved = made.solve_many(poses, seeds, tolerance=tolerance, starts=starts, threads=threads)
        self._look(vectors[solved], [Goal(pose, tolerance=tolerance) for pose in poses[solved]])
        return vectors, solved
