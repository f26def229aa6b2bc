"""Inverse kinematics with SciPy's least squares, from the seed and then from random starts."""

from dataclasses import dataclass
from time import thread_time

import numpy as np
from scipy.optimize import least_squares

from rck.geometry import Floats
from rck.hooks import Answer, ChainSolver, Goal, Solver, hookimpl
from rck.kinematics import Chain, chain_between, tip_pose
from rck.kinematics.ik_answers import deviation, read_goal, report_miss
from rck.model import Robot


@hookimpl
def rck_solvers() -> list[Solver]:
    """Return the solver."""
    return [Solver("my-plugin", "SciPy's least squares", make)]


def make(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    """Return a solver for the chain; None if it has no free joints."""
    chain = chain_between(robot, base, tip)
    return LeastSquares(chain) if chain.joints else None


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Solver for one chain."""

    chain: Chain

    @property
    def joints(self) -> tuple[str, ...]:
        """Free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return one solution, if one is found within the budget."""
        chain = self.chain
        request = read_goal(chain, goal, seed)
        if isinstance(request, Answer):
            return request
        _, start = request
        lower, upper = np.maximum(chain.lower, start - np.pi), np.minimum(chain.upper, start + np.pi)
        random = np.random.default_rng(1)
        end = thread_time() + budget
        nearest, least = np.clip(start, chain.lower, chain.upper), np.inf
        while True:
            begin = np.clip(start, lower, upper)
            found = least_squares(self._missing, begin, args=(goal,), bounds=(lower - 1e-9, upper + 1e-9), xtol=1e-15)
            vector = np.clip(found.x, chain.lower, chain.upper)
            away, turned = deviation(tip_pose(chain, vector), goal.pose, goal.wants)
            if away <= goal.tolerance and turned <= goal.tolerance:
                return Answer(vector[None])
            if away + turned < least:
                nearest, least = vector, away + turned
            if thread_time() > end:
                return report_miss(chain, goal, nearest, "no solution was found within the time limit")
            start = random.uniform(lower, upper)

    def _missing(self, vector: Floats, goal: Goal) -> Floats:
        """Return the error of the tip against the goal; the size depends on `goal.wants`."""
        reached = tip_pose(self.chain, vector)
        position = reached[:3, 3] - goal.pose[:3, 3]
        columns = {"pose": [0, 1, 2], "axis": [2], "position": []}[goal.wants]
        return np.concatenate([position, (reached[:3, columns] - goal.pose[:3, columns]).ravel()])
