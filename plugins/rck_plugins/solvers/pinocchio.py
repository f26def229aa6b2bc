"""Inverse kinematics on pinocchio's model and Jacobian: an example of wrapping a library as a solver.

A wrapper builds the library's model from the chain, descends with the library's functions, and returns solutions within
the limits, the nearest first, or a reason and the closest pose.
"""

from dataclasses import dataclass
from importlib import import_module
from itertools import chain as concatenate
from time import thread_time
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.hooks import ChainSolver, Need, Solver, hookimpl
from rck.hooks.ik_types import Answer, Goal
from rck.kernels.body_tables import TURNS
from rck.kinematics.chain import Chain, chain_between, start_box
from rck.kinematics.ik_answers import nearest_first, read_goal, report_miss
from rck.kinematics.workspace import spread
from rck.model import RckError, Robot

_STEPS = 60
_STARTS = 400
_DAMPING = 0.1
"""Ratio to the squared error, as in the default solver (Chan and Lawrence 1988)."""
_SAME = 1e-4


@dataclass(frozen=True, eq=False)
class PinocchioSolver:
    """A solver of one chain. Make one with :func:`pinocchio_solver`."""

    chain: Chain
    pin: Any
    """The library."""
    model: Any
    """The model of pinocchio, with a joint for each body of the chain."""
    tip: int
    """The frame of the tip in the model."""
    starts: Floats
    """Joint vectors that fill the limits evenly. Shape (starts, joints)."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return up to `most` solutions, nearest to the seed first, or the reason for a failure."""
        chain = self.chain
        request = read_goal(chain, goal, seed, poses_only="this wrapper of pinocchio")
        if isinstance(request, Answer):
            return request
        pose, start = request
        # The working memory of the library changes with every call, so each solve has its own.
        data = self.model.createData()
        end = thread_time() + budget
        found: list[Floats] = []
        best, least = np.clip(start, chain.lower, chain.upper), np.inf
        for begin in concatenate((start,), self.starts):
            vector, error = self._descend(data, begin, pose, goal.tolerance)
            if error < least:
                best, least = vector, error
            if error == 0.0 and all(np.abs(vector - other).max() > _SAME for other in found):
                found.append(vector)
            if len(found) >= most or thread_time() > end:
                break
        if found:
            return Answer(nearest_first(np.array(found), start))
        return report_miss(chain, goal, best, "pinocchio found no solution within the limits")

    def _descend(self, data: Any, start: Floats, pose: Floats, tolerance: float) -> tuple[Floats, float]:
        """Descend from a start within the limits; return the joint vector and the remaining error, 0 at the goal."""
        chain, pin = self.chain, self.pin
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
    """Build the solver of a chain without mimic joints; return None for any other."""
    pin = import_module("pinocchio")
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
    return PinocchioSolver(chain, pin, model, tip, frozen(spread(_STARTS, start_box(chain))))


def _make(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    try:
        return pinocchio_solver(chain_between(robot, base, tip))
    except ImportError as error:
        raise RckError(f"solver pinocchio needs pinocchio: pip install 'rck[pinocchio]' ({error})") from None


@hookimpl
def rck_solvers() -> list[Solver]:
    """Return the solver that uses pinocchio."""
    summary = "damped least squares on the library pinocchio; needs the extra pinocchio"
    return [Solver("pinocchio", summary, _make, needs=(Need("pinocchio", "pip install 'rck[pinocchio]'"),))]
