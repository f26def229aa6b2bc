"""Inverse kinematics of chains in loops: descents over the free joints, with the Jacobian of the closed mechanism."""

from time import thread_time

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rotation_vector
from rck.hooks.ik_types import Answer, Goal
from rck.kinematics.chain import Chain, poses_at, start_box
from rck.kinematics.dexterity import chain_jacobian
from rck.kinematics.ik_answers import nearest_first, read_goal, report_miss

_STEPS = 40
_LONGEST = 0.3
"""The longest step of a joint, in radians or metres."""
_LEAST_STARTS = 8
_MOST_STARTS = 400
_SAME = 1e-4
_DAMPING = 1e-12


class ClosedChainSolver:
    """Inverse kinematics of one chain whose tip is moved by loops; every solution closes them."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._box = start_box(chain)

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints that move the tip."""
        return self._chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return up to `most` solutions, nearest to the seed first, or the reason for a failure.

        The search makes at least a few starts, however short the budget.
        """
        chain = self._chain
        read = read_goal(chain, goal, seed)
        if isinstance(read, Answer):
            return read
        pose, start = read
        end = thread_time() + budget
        generator = np.random.default_rng(1)
        found: list[Floats] = []
        best, least = start, np.inf
        for number in range(_MOST_STARTS):
            if number >= _LEAST_STARTS and thread_time() > end:
                break
            begin = start if number == 0 else generator.uniform(self._box[0], self._box[1], len(start))
            vector, error, closed = self._descend(goal, pose, begin)
            if closed and error < least:
                best, least = vector, error
            if closed and error <= 1.0 and not any(np.abs(vector - one).max() < _SAME for one in found):
                found.append(vector)
                if len(found) >= most:
                    break
        if found:
            return Answer(nearest_first(np.array(found), start))
        return report_miss(chain, goal, best, f"no position of the loops brings {chain.tip} there")

    def _descend(self, goal: Goal, pose: Floats, start: Floats) -> tuple[Floats, float, bool]:
        """Descend from a start; return the vector, its error in tolerances, and whether its loops close."""
        chain = self._chain
        vector = np.clip(start, chain.lower, chain.upper)
        error, miss = self._miss(goal, pose, vector)
        if not np.isfinite(error):
            return vector, error, False
        damping = _DAMPING
        for _ in range(_STEPS):
            if error <= 0.01:
                break
            slope = self._rows(goal, pose, chain_jacobian(chain, vector))
            normal = slope.T @ slope
            normal[np.diag_indices_from(normal)] += damping * max(float(np.trace(normal)), 1e-12) + 1e-30
            step = np.linalg.solve(normal, slope.T @ miss)
            step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))
            trial = np.clip(vector + step, chain.lower, chain.upper)
            new_error, new_miss = self._miss(goal, pose, trial)
            if new_error < error and self._closes(trial):
                vector, error, miss = trial, new_error, new_miss
                damping = max(0.1 * damping, _DAMPING)
            else:
                damping = max(10.0 * damping, 1e-6)
                if damping > 1e6:
                    break
        return vector, error, self._closes(vector)

    def _closes(self, vector: Floats) -> bool:
        closure = self._chain.closure
        assert closure is not None
        return bool(closure.closes(self._chain.in_robot(vector)[None])[0])

    def _miss(self, goal: Goal, pose: Floats, vector: Floats) -> tuple[float, Floats]:
        """Return the error in tolerances, infinite where loops stay open, and the equations."""
        _, (tip,) = poses_at(self._chain, vector[None])
        if not np.isfinite(tip).all():
            return np.inf, np.zeros(0)
        away = pose[:3, 3] - tip[:3, 3]
        if goal.wants == "position":
            turned = np.zeros(0)
        elif goal.wants == "axis":
            turned = np.cross(tip[:3, 2], pose[:3, 2])
            if tip[:3, 2] @ pose[:3, 2] < 0.0:
                turned = turned / max(float(np.linalg.norm(turned)), 1e-9)
        else:
            turned = rotation_vector(pose[:3, :3] @ tip[:3, :3].T)
        worst = max(float(np.linalg.norm(away)), float(np.linalg.norm(turned)))
        return worst / goal.tolerance, np.concatenate([away, turned])

    def _rows(self, goal: Goal, pose: Floats, slope: Floats) -> Floats:
        if goal.wants == "position":
            return slope[:3]
        if goal.wants == "axis":
            # Rotation about the axis is free.
            across = np.eye(3) - np.outer(pose[:3, 2], pose[:3, 2])
            return np.concatenate([slope[:3], across @ slope[3:]])
        return slope
