"""Newton-Raphson: the Jacobian of six joints, factored into L and U, once a step.

It converges in a few steps from a seed that is near, and knows no other way: from far away, or past a singularity,
it answers that it did not get there. It is here to compare with, and as an example of a small solver.
"""

from dataclasses import dataclass
from time import thread_time

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rotation_vector
from rck.hooks.solving import Answer, Goal
from rck.kinematics.answering import missed, question, refused, unusable
from rck.kinematics.chain import Chain, tip_pose
from rck.kinematics.choice import nearest_turn
from rck.kinematics.deviation import deviation
from rck.kinematics.dexterity import chain_jacobian

_STEPS = 50


@dataclass(frozen=True, eq=False)
class NewtonRaphson:
    """One arm of six joints."""

    chain: Chain

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """The solution that Newton's method leads to from the seed, if it is within the limits."""
        chain = self.chain
        pose, start = question(chain, goal, seed)
        if problem := unusable(chain, pose, start):
            return refused(chain, problem)
        if goal.wants != "pose":
            return refused(chain, f"Newton's method needs six equations; a goal of {goal.wants} has fewer")
        end = thread_time() + budget
        vector, nearest, least = start.copy(), np.clip(start, chain.lower, chain.upper), np.inf
        for _ in range(_STEPS):
            reached = tip_pose(chain, vector)
            away, turned = deviation(reached, pose, "pose")
            inside = _inside(chain, nearest_turn(chain, vector, start))
            if away <= goal.tolerance and turned <= goal.tolerance:
                if inside is None:
                    break
                return Answer(inside[None])
            if inside is not None and away / chain.reach + turned < least:
                nearest, least = inside, away / chain.reach + turned
            if thread_time() > end:
                break
            try:
                vector = vector + np.linalg.solve(chain_jacobian(chain, vector), _missing(reached, pose))
            except np.linalg.LinAlgError:
                break
        return missed(
            chain, goal, nearest, "Newton's method did not lead from the seed to a solution within the limits"
        )


def _missing(reached: Floats, pose: Floats) -> Floats:
    """The way and the turn from a pose to another, the turn as axis times angle. Shape (6,)."""
    turn = rotation_vector(pose[:3, :3] @ reached[:3, :3].T)
    return np.concatenate([pose[:3, 3] - reached[:3, 3], turn])


def _inside(chain: Chain, vector: Floats) -> Floats | None:
    """The vector, if it keeps the limits."""
    return vector if ((vector >= chain.lower) & (vector <= chain.upper)).all() else None
