"""Jogging: a small step of the tool along or about an axis, and the joint positions that make it."""

from dataclasses import dataclass
from math import radians
from typing import Literal

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import AXES, invert, rotation_about, translation
from rck.hooks import ChainSolver, Plugins
from rck.hooks.solving import Goal, Wants
from rck.model import RckError, Robot

Within = Literal["world", "tool"]
_BUDGET = 0.002
"""Seconds to search for a step; to find out why there is none takes about as long again."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far the tool is to go."""

    axis: str
    """x, y or z."""
    amount: float
    """Millimetres, or degrees where it turns."""
    turns: bool = False
    within: Within = "world"


def stepped(pose: Floats, step: Step) -> Floats:
    """The pose after a step; a tool that turns in the world turns about its own origin. Shape (4, 4)."""
    axis = AXES[step.axis]
    if step.turns:
        turn = rotation_about(axis, radians(step.amount))
    else:
        turn = translation([0.001 * step.amount * one for one in axis])
    if step.within == "tool":
        moved: Floats = pose @ turn
        return moved
    here = translation(pose[:3, 3])
    turned: Floats = here @ turn @ invert(here) @ pose
    return turned


class Jogger:
    """Finds joint positions for steps of a tool."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._made: tuple[Robot, str, str, str, ChainSolver] | None = None
        """The robot, tool and name that a solver was made for, the base of its chain, and the solver."""

    def jogged(self, resting: Robot, moved: Robot, tool: str, step: Step, by: str = "") -> dict[str, float]:
        """The positions of the joints after a step, in radians or metres; :class:`RckError` where there are none.

        `moved` is the robot as it stands before the step; `resting` the same robot before the motion began, which a
        solver is made for once. `by` names the solver; without it, it is the best one that there is.
        """
        base, solver = self._solver(resting, tool, by)
        pose = invert(moved.item(base).pose) @ stepped(moved.world_from(tool), step)
        seed = np.array([moved.joint(name).position for name in solver.joints])
        wishes = _wishes(step, len(solver.joints))
        reason = ""
        for wants in wishes:
            answer = solver.solve(Goal(pose, wants, tolerance=1e-5), seed, budget=_BUDGET / len(wishes))
            if answer.solved:
                return dict(zip(solver.joints, answer.solutions[0].tolist(), strict=True))
            # Of the least that was asked: an arm of two joints keeps hardly any direction.
            reason = answer.reason
        raise RckError(reason or "the tool cannot go there")

    def _solver(self, robot: Robot, tool: str, by: str) -> tuple[str, ChainSolver]:
        from rck.kinematics.solver import solver_for
        from rck.kinematics.tip import root_of

        if self._made is None or self._made[0] is not robot or self._made[1:3] != (tool, by):
            base = root_of(robot, tool)
            self._made = (robot, tool, by, base, solver_for(self._plugins, robot, base, tool, by or None))
        return self._made[3], self._made[4]


def _wishes(step: Step, joints: int) -> tuple[Wants, ...]:
    """What is asked of a step, the most first: an arm of few joints cannot go everywhere without turning its tool."""
    return ("pose",) if step.turns or joints >= 6 else ("pose", "axis", "position")
