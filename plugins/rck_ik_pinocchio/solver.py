"""A chain as a model of pinocchio, and damped least squares on its Jacobian, from the seed and from other starts.

What a wrapper has to do: build the library's model from the chain, walk in the library's terms, and answer in RCK's:
solutions within the limits, the nearest first, or a reason and what comes nearest.
"""

from dataclasses import dataclass
from itertools import chain as one_after_another
from time import thread_time
from typing import Any

import numpy as np
import pinocchio as pin

from rck.geometry.arrays import Floats, frozen
from rck.hooks.solving import Answer, Goal
from rck.kernels.bodies import TURNS
from rck.kinematics.answering import missed, nearest_first, question, refused, unusable
from rck.kinematics.chain import Chain, start_box
from rck.kinematics.workspace import spread

_STEPS = 60
_STARTS = 400
_DAMPING = 0.1
"""Over the squared error, as the default solver has it (Chan and Lawrence 1988)."""
_SAME = 1e-4


@dataclass(frozen=True, eq=False)
class PinocchioSolver:
    """One chain. Make one with :func:`pinocchio_solver`."""

    chain: Chain
    model: Any
    """Of pinocchio: a joint for each body of the chain."""
    tip: int
    """The frame of the tip in it."""
    starts: Floats
    """Joint vectors that fill the limits evenly. Shape (starts, joints)."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """At most so many solutions, nearest to the seed first, or why there are none."""
        chain = self.chain
        pose, start = question(chain, goal, seed)
        if problem := unusable(chain, pose, start):
            return refused(chain, problem)
        if goal.wants != "pose":
            return refused(chain, f"this wrapper of pinocchio solves for a whole pose, not for its {goal.wants}")
        # What the library computes in is changed by every call, so each solve has its own.
        data = self.model.createData()
        end = thread_time() + budget
        found: list[Floats] = []
        best, least = np.clip(start, chain.lower, chain.upper), np.inf
        for begin in one_after_another((start,), self.starts):
            vector, error = self._descended(data, begin, pose, goal.tolerance)
            if error < least:
                best, least = vector, error
            if error == 0.0 and all(np.abs(vector - other).max() > _SAME for other in found):
                found.append(vector)
            if len(found) >= most or thread_time() > end:
                break
        if found:
            return Answer(nearest_first(np.array(found), start))
        return missed(chain, goal, best, "pinocchio found no solution within the limits")

    def _descended(self, data: Any, start: Floats, pose: Floats, tolerance: float) -> tuple[Floats, float]:
        """Where a start leads inside the limits, and the error that is left, lengths in reaches; 0 at the goal."""
        chain = self.chain
        base_from_goal = pin.SE3(pose[:3, :3], pose[:3, 3])
        scale = np.array([1 / chain.reach] * 3 + [1.0] * 3)
        vector, error = np.clip(start, chain.lower, chain.upper), np.inf
        for _ in range(_STEPS):
            pin.framesForwardKinematics(self.model, data, vector)
            missing = pin.log6(data.oMf[self.tip].actInv(base_from_goal)).vector
            away, turned = np.linalg.norm(missing[:3]), np.linalg.norm(missing[3:])
            if away <= tolerance / 2 and turned <= tolerance / 2:
                return vector, 0.0
            missing = scale * missing
            error = float(missing @ missing)
            slope = scale[:, None] * pin.computeFrameJacobian(self.model, data, vector, self.tip, pin.LOCAL)
            square = slope.T @ slope + (_DAMPING * error + 1e-14) * np.eye(len(vector))
            step = np.linalg.solve(square, slope.T @ missing)
            step *= min(1.0, 1.0 / float(np.abs(step).max()))
            vector = np.clip(vector + step, chain.lower, chain.upper)
        return vector, error


def pinocchio_solver(chain: Chain) -> PinocchioSolver | None:
    """The solver of a chain in which each joint moves one body, by its own position; None for any other."""
    if not chain.joints or [int(body["joint"]) for body in chain.bodies] != list(range(len(chain.joints))):
        return None
    if any(body["ratio"] != 1.0 or body["offset"] != 0.0 for body in chain.bodies):
        return None
    model, parent = pin.Model(), 0
    for name, body in zip(chain.joints, chain.bodies, strict=True):
        frame = body["parent_from_body"]
        kind = pin.JointModelRZ() if body["motion"] == TURNS else pin.JointModelPZ()
        parent = model.addJoint(parent, kind, pin.SE3(frame[:, :3], frame[:, 3]), name)
    body_from_tip = pin.SE3(chain.body_from_tip[:3, :3], chain.body_from_tip[:3, 3])
    tip = model.addFrame(pin.Frame("tip", parent, body_from_tip, pin.FrameType.OP_FRAME))
    return PinocchioSolver(chain, model, tip, frozen(spread(_STARTS, start_box(chain))))
