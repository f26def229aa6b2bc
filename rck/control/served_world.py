"""World that clients share: a simulation, its motions, and all commands that change it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from rck.control.client_motions import ClientMotion, ClientMotions
from rck.control.description import WORLD, Description, Names, describe
from rck.control.messages import JointTrajectory
from rck.control.objects import with_object, without_object
from rck.control.trajectories import START_TOLERANCE, path_from
from rck.geometry.arrays import Floats
from rck.hooks import Answer, Plugins, Wants
from rck.hooks.actions import Action, MoveJoint, UseGripper
from rck.model.closure import closure_of
from rck.model.item import Item
from rck.model.joint_positions import joint_positions
from rck.model.robot import Robot
from rck.simulation.events import Event, FollowPath
from rck.simulation.plugin_actions import parse_action
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
from rck.support.lru_cache import LruCache
from rck.support.steps import Steps

SPEEDS = (0.01, 100.0)
"""Smallest and largest real-time factor."""
LONGEST_STEP = 60.0
"""Longest step that a client may request, in seconds."""
MOST_OBJECTS = 1000
"""Largest number of objects that clients can add."""
_ARMS = 64
"""Number of tips and bases whose solvers are kept."""
_LONG_TRAJECTORY = 300
"""Number of points from which a trajectory is prepared in another thread."""
_TRIES = 5
"""Number of times that a request is tried while other clients add and remove objects."""
_AT_REST = 1e-9
"""Largest movement of a joint at rest, in radians or metres."""


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
    """Simulation that several clients share, without sockets.

    Slow methods are in steps, so that a server can run them in another thread while it serves other clients. Only one
    thread may run steps: solvers are not thread-safe.
    """

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
        self._arms: LruCache[tuple[str, str], TrajectoryGenerator] = LruCache(_ARMS)
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
        if closure := closure_of(self.robot):
            here = np.array([positions[joint.name] for joint in closure.joints])
            rates = closure.slopes(here) @ simulation.joint_velocities
            velocities = dict(zip((joint.name for joint in closure.joints), rates.tolist(), strict=True))
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
        simulation.step(0.01, inspected=False)
        simulation.restore(state)
        with suppress(RckError):
            # The robot may have no tool.
            arm = self.arm()
            vector = simulation.vector
            arm.solve(arm.tip(vector), vector, most=SOLUTIONS)
        self.contacts()

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

    def reset(self) -> tuple[str, ...]:
        """Restore the initial state, including its objects; return what plugins report about the run."""
        reported = self.simulation.report_end()
        self.simulation = self._initial
        self.simulation.restore(self._state)
        self.forget_clients("the world was reset")
        return reported

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

    def plan_trajectory(self, trajectory: JointTrajectory) -> Steps[MotionPlan]:
        """Return the motion plan of a trajectory message; refuse a long one if its joints move in the meantime."""
        names, here = self.names, self.positions
        if len(trajectory.points) < _LONG_TRAJECTORY:
            return MotionPlan(*path_from(trajectory, names, here))
        plan: MotionPlan = yield lambda: MotionPlan(*path_from(trajectory, names, here))
        now = self.positions
        if any(abs(now.get(name, inf) - here[name]) > START_TOLERANCE for name in plan.path.joints):
            raise RckError(
                "the joints moved while the trajectory was prepared; stop them first, or send less than "
                f"{_LONG_TRAJECTORY} points at once"
            )
        return plan

    def plan_joints(
        self, goals: Mapping[str, float], *, relative: bool = False, duration: float | None = None, speed: float = inf
    ) -> MotionPlan:
        """Return a synchronous move of joints, with a duration or a speed of the joint that moves farthest."""
        own = {self.names.joint(name): value for name, value in goals.items()}
        here = np.array([self.positions[name] for name in own])
        there = np.array(list(own.values()), dtype=float) + (here if relative else 0.0)
        return plan_joints(here, there, self._timing(tuple(own), duration, speed))

    def plan_tool(self, goal: ToolGoal, *, duration: float | None = None, speed: float = inf) -> Steps[MotionPlan]:
        """Return a joint move that brings a tip to its goal."""
        for _ in range(_TRIES):
            simulation = self.simulation
            arm = self.arm(goal.tip, goal.base)
            timing = self._timing(arm.chain.joints, duration, speed)
            plan = yield from arm.plan_in_steps(simulation, self.target(goal), timing, goal.wants)
            if self.simulation is simulation:
                return plan
        raise _changed()

    def plan_line(self, goal: ToolGoal, *, duration: float | None = None) -> Steps[MotionPlan]:
        """Return a straight move of a tip to its goal; refuse if the arm moves during the planning."""
        arm, target = self.arm(goal.tip, goal.base), self.target(goal)
        vector = np.array(self.simulation.vector)
        timing = self._timing(arm.chain.joints, duration)
        plan: MotionPlan = yield partial(arm.plan_line, target, vector, timing, goal.wants)
        if abs(self.simulation.vector - vector)[list(arm.chain.columns)].max(initial=0.0) > _AT_REST:
            raise RckError("the arm moved during the planning of its line; call again when it is at rest")
        return plan

    def solve(self, goal: ToolGoal, most: int, budget: float) -> Steps[tuple[TrajectoryGenerator, Answer]]:
        """Return the arm and the joint positions for a goal; `budget` is in seconds of processor time."""
        arm = self.arm(goal.tip, goal.base)
        target, vector = self.target(goal), np.array(self.simulation.vector)
        answer: Answer = yield partial(arm.solve, target, vector, goal.wants, most, budget)
        return arm, answer

    def grip(self, owner: str, gripper: str, close: bool, item: str = "") -> ClientMotion:
        """Close or open a gripper."""
        name = self.names.gripper(gripper)
        motion = self._start_motion(owner, UseGripper(name, close, item))
        self._closed_by[name] = owner if close else ""
        return motion

    def act(self, owner: str, line: str) -> ClientMotion:
        """Carry out the action of a plugin that a line such as `beep 3` names."""
        return self._start_motion(owner, parse_action(line, self.robot))

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

    def spawn(self, item: Item, request: Mapping[str, Any]) -> Steps[None]:
        """Add an object; store the request for state files."""
        if len(self.added) >= MOST_OBJECTS:
            raise RckError(f"too many objects; clients can add {MOST_OBJECTS}; remove some with /remove")
        yield from self._change_objects(lambda simulation: with_object(simulation, self.plugins, item))
        self.added[item.name] = request

    def remove(self, name: str) -> Steps[None]:
        """Remove an object."""
        yield from self._change_objects(lambda simulation: without_object(simulation, self.plugins, name))
        if self.added.pop(name, None) is None:
            self.removed.append(name)

    def _change_objects(self, change: Callable[[Simulation], Steps[Simulation]]) -> Steps[None]:
        """Replace the simulation by one with other objects; try again if another client was faster."""
        for _ in range(_TRIES):
            simulation = self.simulation
            new = yield from change(simulation)
            if self.simulation is simulation:
                self.simulation = new
                self._update_names()
                return
        raise _changed()

    # Queries

    def arm(self, tip: str = "", base: str = "") -> TrajectoryGenerator:
        """Return the trajectory generator of a tip."""
        key = (self.names.place(tip) if tip else "", self.names.place(base) if base else "")
        poses = self.simulation.view.poses
        arm = self._arms.get(key, lambda: trajectory_generator(self.plugins, self.robot, poses, *key))
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
        self._arms = LruCache(_ARMS)
        self._description = None
        self.changes += 1


def _changed() -> RckError:
    return RckError("other clients add and remove objects all the time; call again")


def check_step(seconds: float) -> None:
    """Refuse a step that is not positive or too long."""
    if not 0.0 < seconds <= LONGEST_STEP:
        raise RckError(f"time step must be positive and at most {LONGEST_STEP:g} s, not {seconds:g} s")
