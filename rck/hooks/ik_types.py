"""Goals and answers of inverse kinematics."""

from typing import Literal, Protocol, TypeAlias

import msgspec
import numpy as np

from rck.geometry.arrays import Floats

Wants: TypeAlias = Literal["pose", "position", "axis"]
"""The whole pose; the position only; or the position and the direction of the z axis, with free rotation about it."""


# Created at every call of a solver, some of which take microseconds: structs cost a tenth of dataclasses.
class Goal(msgspec.Struct, frozen=True, eq=False):
    """Target pose of the tip of a chain."""

    pose: Floats
    """Base from tip, in the frame of the base item. Shape (4, 4)."""
    wants: Wants = "pose"
    tolerance: float = 1e-6
    """Maximum error of a solution, in metres and in radians."""


class Answer(msgspec.Struct, frozen=True, eq=False):
    """Solutions of a goal, or the reason why there are none and the nearest pose."""

    solutions: Floats
    """Joint vectors within the limits, nearest to the seed first. Shape (solutions, joints), in radians or metres."""
    complete: bool = False
    """True if these are all solutions, except for whole turns of a joint."""
    reason: str = ""
    """The reason why there is no solution; empty if there is one."""
    nearest: Floats | None = None
    """The nearest joint vector within the limits, if there is no solution. Shape (joints,)."""
    nearest_pose: Floats | None = None
    """Pose of the tip at `nearest`, base from tip. Shape (4, 4)."""
    away: float = 0.0
    """Distance of the nearest pose from the goal, in metres."""
    turned: float = 0.0
    """Rotation of the nearest pose against the goal, in radians; 0 if the goal leaves it free."""

    @property
    def solved(self) -> bool:
        """True if there is a solution."""
        return len(self.solutions) > 0


class ChainSolver(Protocol):
    """Inverse kinematics of one chain."""

    @property
    def joints(self) -> tuple[str, ...]:
        """Free joints of the chain from base to tip, in the order of the joint vectors."""

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return up to `most` solutions, searched for `budget` seconds of processor time; raise no exception.

        The seed, shape (joints,), defaults to the positions of the robot.
        """


def no_solutions(joints: int) -> Floats:
    """Return the empty `solutions` of an answer. Shape (0, joints)."""
    return np.empty((0, joints))
