"""What inverse kinematics is asked and what it answers."""

from typing import Literal, Protocol, TypeAlias

import msgspec
import numpy as np

from rck.geometry.arrays import Floats

Wants: TypeAlias = Literal["pose", "position", "axis"]
"""The whole pose; the position alone; or the position and where the z axis points, the turn about it left free."""


# Made at every call of a solver, of which the quickest take microseconds: structs cost a tenth of dataclasses.
class Goal(msgspec.Struct, frozen=True, eq=False):
    """Where the tip of a chain is to be."""

    pose: Floats
    """Base from tip: in the frame of the item that the chain begins at. Shape (4, 4)."""
    wants: Wants = "pose"
    tolerance: float = 1e-6
    """How far off a solution may be, in metres and in radians."""


class Answer(msgspec.Struct, frozen=True, eq=False):
    """Joint vectors that reach a goal, or why there are none and what comes nearest."""

    solutions: Floats
    """Within the limits, nearest to the seed first. Shape (solutions, joints), in radians or metres."""
    complete: bool = False
    """Whether there are no others, whole turns of a joint left aside."""
    reason: str = ""
    """Why there is no solution; empty where there is one."""
    nearest: Floats | None = None
    """Without a solution: the joint vector, within the limits, that comes nearest. Shape (joints,)."""
    nearest_pose: Floats | None = None
    """Where that one brings the tip, base from tip. Shape (4, 4)."""
    away: float = 0.0
    """How far the nearest pose is from the goal, in metres."""
    turned: float = 0.0
    """How far it is turned against the goal, in radians; 0 where the goal leaves that free."""

    @property
    def solved(self) -> bool:
        """Whether there is a solution."""
        return len(self.solutions) > 0


class ChainSolver(Protocol):
    """Inverse kinematics of one chain."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip: what its joint vectors have a number for."""

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """At most so many solutions, looked for during `budget` seconds of processor time; never an exception.

        The seed, shape (joints,), is where the joints stand, by default as in the robot.
        """


def no_solutions(joints: int) -> Floats:
    """The `solutions` of an answer that has none. Shape (0, joints)."""
    return np.empty((0, joints))
