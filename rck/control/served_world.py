"""World that clients share: a simulation, its motions, and all commands that change it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from rck.control.client_motions import ClientMotion, ClientMotions
from rck.control.description import WORLD, Description, Names, describe
from rck.control.messages import JointTrajectory
from rck.control.objects import with_object, without_object
from rck.control.trajectories import path_from
from rck.geometry.arrays import Floats
from rck.hooks import Plugins, Wants
from rck.hooks.actions import Action, MoveJoint, UseGripper
from rck.model.item import Item
from rck.model.joint_positions import joint_positions
from rck.model.robot import Robot
from rck.simulation.events import Event, FollowPath
from rck.simulation.simulation import Simulation
from rck.simulation.trajectory_generator import (
    SOLUTIONS,
    MotionPlan,
    MoveTiming,
    TrajectoryGenerator,
    plan_joints,
    trajectory_generator,
    world_from_location,
)
from rck.support.finding import RckError

SPEEDS = (0.01, 100.0)
"""Smallest and largest real-time factor."""
LONGEST_STEP = 60.0
"""Longest step that a client may request, in seconds."""


@dataclass(frozen=True, slots=True)
class JointMeasurement:
    """State of a joint, in rad, rad/s and N m, or in m, m/s and N."""

    position: float
    velocity: float
    effort: float | None
    """Effort of its motor; None without physics."""


@dataclass(frozen=True, eq=False, slots=True)
class ToolGoal:
    """Goal of a tip."""

    pose: Floats
    """Pose in the frame. Shape (4, 4)."""
    frame: str = ""
    """Item or frame; empty for the world."""
    tip: str = ""
    base: str = ""
    wants: Wants = "pose"


class ServedWorld:
    """Simulation that several clients share, without sockets. No method blocks."""

    paused = False
    speed = 1.0
    """Real-time factor."""
    rests_sensors = True
    """True if sensors without subscribers are switched off."""

    def __init__(self, simulation: Simulation, plugins: Plugins) -> None:
        self.plugins = plugins
        self.simulation = simulation
        self.names = Names(simulation.robot)
        self.motions = ClientMotions()
        self.changes = 0
        """Counter of changes."""
        self.added: dict[str, Mapping[str, Any]] = {}
        """Requests of spawned objects, by name."""
        self.removed: list[str] = []
        """Names of initial objects that were removed."""
        self._initial = simulation
        self._state = simulation.save()
        self._arms: dict[tuple[str, str], TrajectoryGenerator] = {}
        self._description: Description | None = None
        self._closed_by: dict[str, str] = {}
        """Owner who closed each gripper; empty after it was opened."""
        self._changed: list[ClientMotion] = []
        self.sent_until = -np.inf
        """Simulated time up to which sensor readings were published."""

    @classmethod
    def of(cls, robot: Robot, plugins: Plugins, *, collisions: bool = True) -> "ServedWorld":
        """Create a world of robots and objects."""
        return cls(Simulation(robot, plugins=plugins, collisions=collisions), plugins)

    @property
    def robot(self) -> Robot:
        """All robots and objects in their initial state."""
        return self.simulation.robot

    @property
    def description(self) -> Description:
        """The URDF of all robots and objects."""
        if self._description is None:
            self._description = describe(self.robot, self.plugins)
        return self._description

    @property
    def time(self) -> float:
        """Simulated time, in seconds."""
        return self.simulation.time

    @property
    def positions(self) -> Mapping[str, float]:
        """Position of every movable joint by RCK's name, in radians and metres."""
        return joint_positions(self.robot, self.simulation.vector)

    @property
    def measured(self) -> Mapping[str, JointMeasurement]:
        """Position, velocity and effort of every movable joint by RCK's name.

        With physics, these are the values of the physics engine, which differ slightly from the commanded ones.
        """
        simulation, forces = self.simulation, self.simulation.forces
        positions = joint_positions(self.robot, simulation.view.vector)
        free = [joint.name for joint in self.robot.free_joints]
        velocities = dict(zip(free, simulation.joint_velocities.tolist(), strict=True))
        efforts = {} if forces is None else dict(zip(free, forces.world.efforts.tolist(), strict=True))
        for joint in self.robot.joints:
            if joint.mimic is not None and joint.kind.moves:
                velocities[joint.name] = joint.mimic.ratio * velocities[joint.mimic.joint]
        # A mimic joint has no motor.
        passive = None if forces is None else 0.0
        return {
            name: JointMeasurement(position, velocities[name], efforts.get(name, passive))
            for name, position in positions.items()
        }

    def take_changed_motions(self) -> list[ClientMotion]:
        """Return the motions whose state has changed since the last call."""
        changed, self._changed = self._changed, []
        return changed

    # Time

    def warm_up(self) -> None:
        """Run everything that is slow the first time, without changing the state."""
        simulation = self.simulation
        state = simulation.save()
        for joint in self.robot.free_joints[:1]:
            simulation.add(Event(simulation.time, MoveJoint(joint.name, 0.0, 0.02)))
        simulation.step(0.01)
        simulation.restore(state)
        with suppress(RckError):
            # The robot may have no tool.
            arm = self.arm()
            vector = simulation.vector
            arm.solve(arm.tip(vector), vector, most=SOLUTIONS)

    def step(self, seconds: float) -> None:
        """Advance simulated time, in seconds."""
        check_step(seconds)
        self.advance(seconds)
        self._changed += self.motions.refresh(self.simulation)
        self.tidy()
        self.changes += 1

    def advance(self, seconds: float) -> None:
        """Advance the simulation."""
        self.simulation.step(seconds)

    def tidy(self) -> None:
        """Remove outcomes, notices and findings, which clients have got, so that they do not accumulate."""
        self.simulation.outcomes.clear()
        self.simulation.notices.clear()
        self.simulation.findings.clear()

    def pause(self, paused: bool) -> None:
        """Pause or resume simulated time."""
        self.paused = paused
        self.changes += 1

    def set_speed(self, speed: float) -> None:
        """Set the real-time factor."""
        slowest, fastest = SPEEDS
        if not slowest <= speed <= fastest:
            raise RckError(f"real-time factor must be from {slowest:g} to {fastest:g}, not {speed:g}")
        self.speed = speed

    def reset(self) -> None:
        """Restore the initial state, including its objects."""
        self.simulation = self._initial
        self.simulation.restore(self._state)
        self.forget_clients("the world was reset")

    def reinitialise(self) -> bool:
        """End an emergency stop; return True if there was one."""
        stopped = self.simulation.emergency
        self.simulation.reinitialise()
        self.changes += 1
        return stopped

    def forget_clients(self, why: str) -> None:
        """Forget motions, objects and grasps of clients after the simulation was reset."""
        self._changed += self.motions.forget(why)
        self.added, self.removed = {}, []
        self._closed_by.clear()
        self._update_names()

    # Motions

    def follow(self, owner: str, plan: MotionPlan) -> ClientMotion:
        """Start a motion along a path."""
        return self._start_motion(owner, FollowPath(plan.path))

    def plan_trajectory(self, trajectory: JointTrajectory) -> MotionPlan:
        """Return the motion plan of a trajectory message."""
        return MotionPlan(*path_from(trajectory, self.names, self.positions))

    def plan_joints(
        self, goals: Mapping[str, float], *, relative: bool = False, duration: float | None = None, speed: float = inf
    ) -> MotionPlan:
        """Return a synchronous move of joints, with a duration or a speed of the joint that moves farthest."""
        own = {self.names.joint(name): value for name, value in goals.items()}
        here = np.array([self.positions[name] for name in own])
        there = np.array(list(own.values()), dtype=float) + (here if relative else 0.0)
        return plan_joints(here, there, self._timing(tuple(own), duration, speed))

    def plan_tool(self, goal: ToolGoal, *, duration: float | None = None, speed: float = inf) -> MotionPlan:
        """Return a joint move that brings a tip to its goal."""
        arm = self.arm(goal.tip, goal.base)
        timing = self._timing(arm.chain.joints, duration, speed)
        return arm.plan(self.simulation, self.target(goal), timing, goal.wants)

    def plan_line(self, goal: ToolGoal, *, duration: float | None = None) -> Callable[[], MotionPlan]:
        """Return a function that plans a straight move of a tip; it reads nothing that changes in the meantime."""
        chain = self.arm(goal.tip, goal.base).chain
        # Solvers are not thread-safe, so create a new one.
        arm = trajectory_generator(self.plugins, self.robot, self.simulation.view.poses, chain.tip, chain.base)
        target = self.target(goal)
        vector = np.array(self.simulation.vector)
        timing = self._timing(chain.joints, duration)
        return lambda: arm.plan_line(target, vector, timing, goal.wants)

    def grip(self, owner: str, gripper: str, close: bool, item: str = "") -> ClientMotion:
        """Close or open a gripper."""
        name = self.names.gripper(gripper)
        motion = self._start_motion(owner, UseGripper(name, close, item))
        self._closed_by[name] = owner if close else ""
        return motion

    def open_all_of(self, owner: str) -> None:
        """Open the grippers that an owner has closed, except those that another owner moves."""
        for gripper, closer in self._closed_by.items():
            if closer == owner:
                with suppress(RckError):
                    self.grip(owner, gripper, False)

    def stop(self, number: int, why: str) -> None:
        """Stop a motion."""
        self._changed.append(self.motions.end(self.simulation, number, why))

    def stop_all_of(self, owner: str, why: str) -> list[int]:
        """Stop all motions of an owner; return their numbers."""
        numbers = self.motions.owned_by(owner)
        for number in numbers:
            self.stop(number, why)
        return numbers

    def place(self, positions: Mapping[str, float]) -> None:
        """Set joints to measured positions at once; motions of these joints end."""
        own = {self.names.joint(name): value for name, value in positions.items()}
        columns = [joint.name for joint in self.robot.free_joints]
        vector = np.array(self.simulation.vector)
        for name, value in own.items():
            if name in columns:
                vector[columns.index(name)] = value
        if not np.isfinite(vector).all():
            raise RckError("positions must be finite numbers")
        self.simulation.place(vector)
        self.changes += 1

    # Objects

    def spawn(self, item: Item, request: Mapping[str, Any]) -> None:
        """Add an object; store the request for state files."""
        self.simulation = with_object(self.simulation, self.plugins, item)
        self.added[item.name] = request
        self._update_names()

    def remove(self, name: str) -> None:
        """Remove an object."""
        self.simulation = without_object(self.simulation, self.plugins, name)
        if self.added.pop(name, None) is None:
            self.removed.append(name)
        self._update_names()

    # Queries

    def arm(self, tip: str = "", base: str = "") -> TrajectoryGenerator:
        """Return the trajectory generator of a tip."""
        key = (self.names.place(tip) if tip else "", self.names.place(base) if base else "")
        poses = self.simulation.view.poses
        if key not in self._arms:
            self._arms[key] = trajectory_generator(self.plugins, self.robot, poses, *key)
        arm = self._arms[key]
        # The base of the arm may have moved.
        return replace(arm, world_from_base=world_from_location(self.robot, arm.chain.base, poses))

    def target(self, goal: ToolGoal) -> Floats:
        """Return the goal of a tip in the world. Shape (4, 4)."""
        return self.world_from(goal.frame) @ goal.pose

    def world_from(self, frame: str) -> Floats:
        """Return the pose of an item or frame; an empty name or `world` is the world itself. Shape (4, 4)."""
        if frame in ("", WORLD):
            return np.eye(4)
        return world_from_location(self.robot, self.names.place(frame), self.simulation.view.poses)

    def contacts(self) -> Sequence[tuple[str, str]]:
        """Return the pairs of items in contact, by their ROS names."""
        pairs = [tuple(self.names.links(pair)) for pair in self.simulation.view.touching()]
        return sorted((first, second) for first, second in pairs)

    def _timing(self, joints: Sequence[str], duration: float | None, speed: float = inf) -> MoveTiming:
        return MoveTiming(self.names.limits(tuple(joints)), duration=duration, speed=speed)

    def _start_motion(self, owner: str, action: Action) -> ClientMotion:
        motion, replaced = self.motions.begin(self.simulation, owner, action)
        self._changed += [*replaced, motion]
        return motion

    def _update_names(self) -> None:
        self.names = Names(self.simulation.robot)
        self._arms.clear()
        self._description = None
        self.changes += 1


def check_step(seconds: float) -> None:
    """Refuse a step that is not positive or too long."""
    if not 0.0 < seconds <= LONGEST_STEP:
        raise RckError(f"time step must be positive and at most {LONGEST_STEP:g} s, not {seconds:g} s")
