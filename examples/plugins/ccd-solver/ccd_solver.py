"""Inverse kinematics by cyclic coordinate descent: each joint in turn moves to its best position.

The best position of one joint has a closed form (L. Wang and C. Chen, "A combined optimization method for solving the
inverse kinematics problem of mechanical manipulators", 1991).
"""

from dataclasses import dataclass
from time import thread_time

import numpy as np

from rck.geometry import Floats
from rck.hooks import Answer, ChainSolver, Goal, Solver, hookimpl
from rck.kinematics import Chain, chain_between, tip_pose
from rck.kinematics.chain import axes_at
from rck.kinematics.ik_answers import deviation, read_goal, report_miss
from rck.model import Robot

COLUMNS = {"pose": [0, 1, 2], "axis": [2], "position": []}
"""The axes of the tip that must have the directions of the goal."""


@hookimpl
def rck_solvers() -> list[Solver]:
    """Return the solver."""
    return [Solver("ccd", "cyclic coordinate descent", make)]


def make(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    """Return a solver for a chain of joints that move independently; None for any other."""
    chain = chain_between(robot, base, tip)
    if not chain.joints or len(chain.joints) != len(chain.bodies):
        return None
    kinds = {joint.name: joint.kind for joint in robot.joints}
    return CoordinateDescent(chain, tuple(kinds[name].turns for name in chain.joints))


@dataclass(frozen=True, eq=False)
class CoordinateDescent:
    """Solver for one chain."""

    chain: Chain
    turns: tuple[bool, ...]
    """For each joint, True if it turns and False if it slides."""

    @property
    def joints(self) -> tuple[str, ...]:
        """Free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return the solution that is reached from the seed, if there is one within the budget."""
        chain = self.chain
        request = read_goal(chain, goal, seed)
        if isinstance(request, Answer):
            return request
        vector = np.clip(request[1], chain.lower, chain.upper)
        end = thread_time() + budget
        while True:
            pose = tip_pose(chain, vector)
            away, turned = deviation(pose, goal.pose, goal.wants)
            if away <= goal.tolerance and turned <= goal.tolerance:
                return Answer(vector[None])
            if thread_time() > end:
                return report_miss(chain, goal, vector, "no solution was found within the time limit")
            for number in range(len(vector)):
                vector = self._improved(vector, number, goal)

    def _improved(self, vector: Floats, number: int, goal: Goal) -> Floats:
        """Return the vector with the best position of one joint."""
        points, axes = axes_at(self.chain, vector)
        tip, point, axis = tip_pose(self.chain, vector), points[number], axes[number]
        present, wanted = tip[:3, 3] - point, goal.pose[:3, 3] - point
        if not self.turns[number]:
            step = float((wanted - present) @ axis)
        else:
            columns = COLUMNS[goal.wants]
            # Lengths and directions are weighted alike if lengths are relative to the reach.
            scale = max(float(wanted @ wanted), float(present @ present), 1e-12)
            pairs = [(present / scale, wanted)]
            pairs += [(tip[:3, column], goal.pose[:3, column]) for column in columns]
            along = sum(float(one @ axis) * float(other @ axis) for one, other in pairs)
            cosine = sum(float(one @ other) for one, other in pairs) - along
            sine = sum(float(axis @ np.cross(one, other)) for one, other in pairs)
            step = float(np.arctan2(sine, cosine))
        better = vector.copy()
        better[number] = np.clip(vector[number] + step, self.chain.lower[number], self.chain.upper[number])
        return better
