"""Moves of a tool: which joints bring it where it is asked to be."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert
from rck.hooks import Answer, ChainSolver, Goal, Plugins, Wants
from rck.kinematics.chain import Chain, chain_between, tip_pose
from rck.kinematics.solver import solver_for
from rck.kinematics.tip import default_tip, root_of
from rck.model.finding import RckError
from rck.model.robot import Robot

if TYPE_CHECKING:
    from rck.kinematics.motion import MotionLimits, Path

MOST_SOLUTIONS = 64
"""That a client may ask a solver for."""
LONGEST_SEARCH = 0.2
"""What a client may ask a solver to spend, in seconds."""


@dataclass(frozen=True, eq=False)
class Arm:
    """A tip, what carries it, and what solves its kinematics."""

    chain: Chain
    solver: ChainSolver
    world_from_base: Floats
    """Shape (4, 4)."""

    def solve(
        self, world_from_tip: Floats, vector: Floats, wants: Wants = "pose", most: int = 1, budget: float = 0.02
    ) -> Answer:
        """Joint vectors that bring the tip to a pose, the nearest to `vector`, of the whole robot, first."""
        goal = Goal(invert(self.world_from_base) @ world_from_tip, wants)
        return self.solver.solve(goal, self.chain.of_robot(vector), most=most, budget=min(budget, LONGEST_SEARCH))

    def straight(
        self, world_from_tip: Floats, vector: Floats, limits: "MotionLimits", duration: float | None, wants: Wants
    ) -> "Path":
        """The path of the joints while the tip goes straight to a pose."""
        from rck.kinematics.motion import follow, line

        start = self.chain.of_robot(vector)
        way = line(tip_pose(self.chain, start), invert(self.world_from_base) @ world_from_tip)
        return follow(self.solver, self.chain, [way], start, limits, duration=duration, wants=wants).unwrap()


def arm_of(plugins: Plugins, robot: Robot, tip: str, base: str, poses: Floats) -> Arm:
    """The arm that carries a tip; without names, the only tip there is and what carries all.

    `poses` is world from item, now. Shape (items, 4, 4).
    """
    tip = tip or default_tip(robot)
    base = base or root_of(robot, tip)
    chain = chain_between(robot, base, tip)
    return Arm(chain, solver_for(plugins, robot, base, tip), world_from_place(robot, base, poses))


def world_from_place(robot: Robot, name: str, poses: Floats) -> Floats:
    """Where an item or frame is now. Shape (4, 4)."""
    place = robot.place(name)
    pose: Floats = poses[robot.item_index[place.item]] @ place.pose
    return pose


def require(answer: Answer) -> Floats:
    """The solutions; their absence is an error that says why. Shape (solutions, joints)."""
    if not answer.solved:
        raise RckError(f"not reachable: {answer.reason}")
    return answer.solutions
