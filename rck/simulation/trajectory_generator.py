"""Trajectory generator: joint paths that bring the tip of an arm to a pose. Programs and the server share it."""

from dataclasses import dataclass, replace
from functools import partial
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, to_euler
from rck.hooks import Answer, ChainSolver, Goal, Plugins, Wants
from rck.kinematics.chain import Chain, chain_between, tip_pose
from rck.kinematics.motion import JointPath, follow, joint_move, line
from rck.kinematics.motion.motion_limits import MotionLimits
from rck.kinematics.solution_choice import largest_moves, nearest_turn
from rck.kinematics.solver_choice import solver_for
from rck.kinematics.tip import default_tip, root_of
from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.steps import Steps, run_steps

if TYPE_CHECKING:
    from rck.simulation.simulation import Simulation

SOLUTIONS = 16
"""Number of solutions to search for if the nearest one leads to a contact."""
PROFILE = "trapezoidal"
"""Default velocity profile."""
LONGEST_MOVE = 3600.0
"""Longest duration that a move may have, in seconds."""


@dataclass(frozen=True, eq=False, slots=True)
class MotionPlan:
    """A path from the present joint positions."""

    path: JointPath
    note: str = ""
    """Warnings for the user."""


@dataclass(frozen=True, slots=True)
class MoveTiming:
    """The timing of a move. Without duration and speed, it is as fast as the limits allow."""

    limits: MotionLimits
    profile: str = PROFILE
    duration: float | None = None
    """In seconds."""
    speed: float = inf
    """Mean speed of the joint that moves farthest, in rad/s or m/s; infinity for none."""

    def duration_of(self, change: Floats) -> float | None:
        """Return the duration of a move by `change`, shape (joints,); None for as fast as possible."""
        if self.duration is not None:
            if not 0.0 < self.duration <= LONGEST_MOVE:
                raise RckError(
                    f"duration of a move must be positive and at most {LONGEST_MOVE:g} s, not {self.duration:g} s"
                )
            return self.duration
        farthest = float(np.abs(change).max(initial=0.0))
        return farthest / self.speed if isfinite(self.speed) and farthest > 0 else None


def plan_joints(here: Floats, goal: Floats, timing: MoveTiming) -> MotionPlan:
    """Return a move of all joints together to `goal`. Shape (joints,) each, in radians and metres."""
    duration = timing.duration_of(goal - here)
    built = joint_move(timing.limits, here, goal, profile=timing.profile, duration=duration)
    return MotionPlan(built.unwrap(), "; ".join(map(str, built.findings)))


@dataclass(frozen=True, eq=False)
class TrajectoryGenerator:
    """Generator of joint paths for the tip of one chain."""

    chain: Chain
    solver: ChainSolver
    world_from_base: Floats
    """Shape (4, 4)."""
    budget: float = 0.02
    """Time that the solver may spend on one search, in seconds."""

    def tip(self, vector: Floats) -> Floats:
        """Return world from tip for a joint vector of the whole robot. Shape (4, 4)."""
        pose: Floats = self.world_from_base @ tip_pose(self.chain, self.chain.of_robot(vector))
        return pose

    def solve(
        self, world_from_tip: Floats, vector: Floats, wants: Wants = "pose", most: int = 1, budget: float | None = None
    ) -> Answer:
        """Return joint vectors that bring the tip to a pose, the nearest to `vector`, of the whole robot, first."""
        goal = Goal(invert(self.world_from_base) @ world_from_tip, wants)
        return self.solver.solve(goal, self.chain.of_robot(vector), most=most, budget=budget or self.budget)

    def plan_line(
        self, world_from_tip: Floats, vector: Floats, timing: MoveTiming, wants: Wants = "pose"
    ) -> MotionPlan:
        """Return a path on which the tip moves straight from where it is at `vector` to a pose."""
        start = self.chain.of_robot(vector)
        path = line(tip_pose(self.chain, start), invert(self.world_from_base) @ world_from_tip)
        built = follow(
            self.solver,
            self.chain,
            [path],
            start,
            timing.limits,
            profile=timing.profile,
            duration=timing.duration_of(np.zeros(0)),
            wants=wants,
        )
        return MotionPlan(built.unwrap())

    def plan(
        self, simulation: "Simulation", world_from_tip: Floats, timing: MoveTiming, wants: Wants = "pose"
    ) -> MotionPlan:
        """Return a joint move that brings the tip to a pose.

        Of several solutions, it takes the nearest that is reached without contact. If every move leads to a contact,
        it takes the nearest solution: the obstacle may be pushed, or move away. The note then names the contact.
        """
        return run_steps(self.plan_in_steps(simulation, world_from_tip, timing, wants))

    def plan_in_steps(
        self, simulation: "Simulation", world_from_tip: Floats, timing: MoveTiming, wants: Wants = "pose"
    ) -> Steps[MotionPlan]:
        """Plan as :meth:`plan` does; the steps are the searches of the solver, which do not use the simulation."""
        vector = np.array(simulation.vector)
        answer: Answer = yield partial(self.solve, world_from_tip, vector, wants)
        if not answer.solved:
            # Solvers may search for the reason only when it is asked for.
            reason: str = yield lambda: answer.reason
            raise RckError(f"{format_pose(world_from_tip)} cannot be reached: {reason}")
        moves = _moves(simulation, self.chain, answer.solutions)
        nearest = moves[0]
        if moves[-1][1] is not None:
            # Only now: the search for many solutions takes longer and ends by the clock, and runs must be repeatable.
            answer = yield partial(self.solve, world_from_tip, vector, wants, SOLUTIONS)
            moves += _moves(simulation, self.chain, answer.solutions)
        joints, contact = moves[-1] if moves[-1][1] is None else nearest
        plan = plan_joints(self.chain.of_robot(simulation.vector), joints, timing)
        if contact is None:
            return plan
        note = f"every joint move to that pose leads to a contact; this one of {contact[0]} and {contact[1]}"
        return replace(plan, note="; ".join(filter(None, (plan.note, note))))


def trajectory_generator(
    plugins: Plugins, robot: Robot, poses: Floats, tip: str = "", base: str = "", budget: float = 0.02
) -> TrajectoryGenerator:
    """Return the generator for a tip, by default the only one, and a base, by default the root of the tip.

    `poses` is world from item, now. Shape (items, 4, 4).
    """
    tip = tip or default_tip(robot)
    base = base or root_of(robot, tip)
    solver = solver_for(plugins, robot, base, tip)
    return TrajectoryGenerator(chain_between(robot, base, tip), solver, world_from_location(robot, base, poses), budget)


def world_from_location(robot: Robot, name: str, poses: Floats) -> Floats:
    """Return the present pose of an item or frame. Shape (4, 4)."""
    frame = robot.frame(name)
    pose: Floats = poses[robot.item_index[frame.item]] @ frame.pose
    return pose


def format_pose(pose: Floats) -> str:
    """Return a pose for messages, in millimetres and degrees."""
    # Adding 0.0 avoids -0.0.
    x, y, z = (round(1000 * float(length), 1) + 0.0 for length in pose[:3, 3])
    roll, pitch, yaw = (round(float(np.degrees(angle)), 1) + 0.0 for angle in to_euler(pose))
    return f"{x} {y} {z} mm, {roll} {pitch} {yaw}°"


def _moves(simulation: "Simulation", chain: Chain, solutions: Floats) -> list[tuple[Floats, tuple[str, str] | None]]:
    """Return solutions with the first contact on the way to each, the nearest first, up to the first without."""
    vector = simulation.vector
    here = chain.of_robot(vector)
    rows = np.array([nearest_turn(chain, row, here) for row in solutions]).reshape(-1, len(here))
    moves: list[tuple[Floats, tuple[str, str] | None]] = []
    for row in rows[np.argsort(largest_moves(chain, rows, here), kind="stable")]:
        change = chain.in_robot(row, vector) - vector
        contact = simulation.contacts.first_contact(change) if simulation.collisions else None
        if contact is None:
            return [*moves, (row, None)]
        mover, other = (simulation.robot.items[number].name for number in contact.items)
        moves.append((row, (mover, other)))
    return moves
