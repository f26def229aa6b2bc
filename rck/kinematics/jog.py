"""Jogging: small steps of a tool along or about an axis, and the joint positions that produce them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import radians
from typing import Literal

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import AXES, invert, rotation_about, translation
from rck.hooks import ChainSolver, Plugins
from rck.hooks.ik_types import Goal, Wants
from rck.kinematics.solver_choice import solver_for
from rck.kinematics.tip import root_of
from rck.model import RckError, Robot

JogFrame = Literal["world", "tool"]
_BUDGET = 0.002
"""Seconds to search for a solution; explaining a failure takes about as long again."""


@dataclass(frozen=True, slots=True)
class JogStep:
    """A step of the tool along or about an axis."""

    axis: str
    """x, y or z."""
    amount: float
    """Millimetres, or degrees for a rotation."""
    turns: bool = False
    frame: JogFrame = "world"


def step_pose(pose: Floats, step: JogStep) -> Floats:
    """Return the pose after a step; a rotation in the world frame is about the tool's origin. Shape (4, 4)."""
    axis = AXES[step.axis]
    if step.turns:
        motion = rotation_about(axis, radians(step.amount))
    else:
        motion = translation([0.001 * step.amount * component for component in axis])
    moved: Floats
    if step.frame == "tool":
        moved = pose @ motion
    else:
        origin = translation(pose[:3, 3])
        moved = origin @ motion @ invert(origin) @ pose
    return moved


class Jogger:
    """An IK solver for steps of a tool; keeps the chain solver of the last robot and tool."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._cached: tuple[Robot, str, str, Mapping[str, str], str, ChainSolver] | None = None
        """Robot, tool, solver name and options, base of the chain, and the chain solver."""

    def solve(
        self,
        resting: Robot,
        moved: Robot,
        tool: str,
        step: JogStep,
        solver: str = "",
        given: Mapping[str, str] | None = None,
    ) -> dict[str, float]:
        """Return the joint positions after a step, in radians or metres; raise :class:`RckError` if there are none.

        `moved` is the robot before the step; `resting` the same robot before the motion began, for which the chain
        solver is created once. `solver` names an IK solver, with the options `given`; empty for the best one.
        """
        base, chain_solver = self._chain_solver(resting, tool, solver, given or {})
        pose = invert(moved.item(base).pose) @ step_pose(moved.world_from(tool), step)
        seed = np.array([moved.joint(name).position for name in chain_solver.joints])
        # An arm with few joints cannot move everywhere without rotating its tool: relax the goal step by step.
        goals: tuple[Wants, ...] = ("pose", "axis", "position")
        if step.turns or len(chain_solver.joints) >= 6:
            goals = ("pose",)
        reason = ""
        for wants in goals:
            answer = chain_solver.solve(Goal(pose, wants, tolerance=1e-5), seed, budget=_BUDGET / len(goals))
            if answer.solved:
                return dict(zip(chain_solver.joints, answer.solutions[0].tolist(), strict=True))
            reason = answer.reason
        raise RckError(reason or "the tool cannot reach this pose")

    def _chain_solver(self, robot: Robot, tool: str, solver: str, given: Mapping[str, str]) -> tuple[str, ChainSolver]:
        if self._cached is None or self._cached[0] is not robot or self._cached[1:4] != (tool, solver, given):
            base = root_of(robot, tool)
            made = solver_for(self._plugins, robot, base, tool, solver or None, given)
            self._cached = (robot, tool, solver, given, base, made)
        return self._cached[4:]
