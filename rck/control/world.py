"""The world that clients share: a simulation, its motions, and every command that changes it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rck.control.arms import Arm, arm_of, require, world_from_place
from rck.control.description import Description, describe
from rck.control.messages import JointTrajectory
from rck.control.motions import ClientMotion, ClientMotions
from rck.control.names import WORLD, Names
from rck.control.populate import with_object, without_object
from rck.control.trajectories import path_from
from rck.geometry.arrays import Floats
from rck.hooks import Plugins, Wants
from rck.kinematics.chain import tip_pose
from rck.kinematics.motion import Path, joint_move
from rck.model.finding import RckError
from rck.model.item import Item
from rck.model.motion import joint_positions
from rck.model.robot import Robot
from rck.simulation.arms import SOLUTIONS, nearest_way
from rck.simulation.events import FollowPath, MoveJoint, UseGripper
from rck.simulation.simulation import Simulation

SPEEDS = (0.01, 100.0)
"""The slowest and the fastest that a world may run, against real time."""
LONGEST_STEP = 60.0
"""What a client may ask to be simulated at one go, in seconds."""
LONGEST_MOVE = 3600.0


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """A motion of joints that was worked out from where they stood, and what is to be told of it."""

    path: Path
    note: str = ""


@dataclass(frozen=True, slots=True)
class JointMeasurement:
    """What is known of a joint at a moment. rad, rad/s and N m, or m, m/s and N."""

    position: float
    velocity: float
    effort: float | None
    """What its motor gives; None without physics."""


@dataclass(frozen=True, eq=False, slots=True)
class ToolGoal:
    """Where a tip is to be."""

    pose: Floats
    """In the frame. Shape (4, 4)."""
    frame: str = ""
    """An item or frame; the world by default."""
    tip: str = ""
    base: str = ""
    wants: Wants = "pose"


class ServedWorld:
    """A simulation that several clients change. Nothing here waits, and nothing here knows of sockets."""

    paused = False
    speed = 1.0
    """How many simulated seconds pass in a real one."""
    rests_sensors = True
    """Whether sensors that no client listens to are switched off."""

    def __init__(self, simulation: Simulation, plugins: Plugins) -> None:
        self.plugins = plugins
        self.simulation = simulation
        self.names = Names(simulation.robot)
        self.motions = ClientMotions()
        self.changes = 0
        """Goes up whenever something is no longer as it was."""
        self.added: dict[str, Mapping[str, Any]] = {}
        """What was spawned, with the requests that did it, by name."""
        self.removed: list[str] = []
        """What was there at the beginning and is gone."""
        self._begin = simulation
        self._state = simulation.save()
        self._arms: dict[tuple[str, str], Arm] = {}
        self._description: Description | None = None
        self._closed_by: dict[str, str] = {}
        """Who closed each gripper; nobody where it was opened again."""
        self._told: list[ClientMotion] = []
        self.sent_until = -np.inf
        """Up to when, in simulated time, clients have been sent what sensors read."""

    @classmethod
    def of(cls, robot: Robot, plugins: Plugins, *, collisions: bool = True) -> "ServedWorld":
        """A world of robots and objects that begins now."""
        return cls(Simulation(robot, plugins=plugins, collisions=collisions), plugins)

    @property
    def robot(self) -> Robot:
        """All robots and objects as they were at the start."""
        return self.simulation.robot

    @property
    def description(self) -> Description:
        """The robots and objects for other programs."""
        if self._description is None:
            self._description = describe(self.robot, self.plugins)
        return self._description

    @property
    def time(self) -> float:
        """Simulated time, in seconds."""
        return self.simulation.time

    @property
    def positions(self) -> Mapping[str, float]:
        """Where every joint that moves stands, by its own name, in radians and metres."""
        return joint_positions(self.robot, self.simulation.vector)

    @property
    def measured(self) -> Mapping[str, JointMeasurement]:
        """Position, velocity and effort of every joint that moves, by its own name.

        Under physics they are those of the physics engine, which only comes close to where motions lead the joints.
        """
        simulation, forces = self.simulation, self.simulation.forces
        positions = joint_positions(self.robot, simulation.view.vector)
        free = [joint.name for joint in self.robot.free_joints]
        velocities = dict(zip(free, simulation.joint_velocities.tolist(), strict=True))
        efforts = {} if forces is None else dict(zip(free, forces.world.efforts.tolist(), strict=True))
        for joint in self.robot.joints:
            if joint.mimic is not None and joint.kind.moves:
                velocities[joint.name] = joint.mimic.ratio * velocities[joint.mimic.joint]
        # A joint that follows another has no motor.
        passive = None if forces is None else 0.0
        return {
            name: JointMeasurement(position, velocities[name], efforts.get(name, passive))
            for name, position in positions.items()
        }

    def news(self) -> list[ClientMotion]:
        """What became of motions since this was last asked."""
        told, self._told = self._told, []
        return told

    # Time

    def warm_up(self) -> None:
        """Do once what takes long the first time, while nobody waits; everything stays as it is."""
        simulation = self.simulation
        state = simulation.save()
        for joint in self.robot.free_joints[:1]:
            simulation.add(MoveJoint(joint.name, 0.0, simulation.time, simulation.time + 0.02))
        simulation.step(0.01)
        simulation.restore(state)
        with suppress(RckError):
            # A robot need not have a tool.
            arm = self.arm()
            vector = simulation.vector
            here = arm.world_from_base @ tip_pose(arm.chain, arm.chain.of_robot(vector))
            arm.solve(here, vector, most=SOLUTIONS)

    def step(self, seconds: float) -> None:
        """Let simulated time pass."""
        check_step(seconds)
        self.advance(seconds)
        self._told += self.motions.refresh(self.simulation)
        self.tidy()
        self.changes += 1

    def advance(self, seconds: float) -> None:
        """Let the simulation go on."""
        self.simulation.step(seconds)

    def tidy(self) -> None:
        """Forget what the simulation noted in a step: clients have been told, and it would pile up."""
        self.simulation.outcomes.clear()
        self.simulation.notices.clear()
        self.simulation.findings.clear()

    def pause(self, paused: bool) -> None:
        """Stop the clock, or let it run."""
        self.paused = paused
        self.changes += 1

    def set_speed(self, speed: float) -> None:
        """Run faster or slower than real time."""
        slowest, fastest = SPEEDS
        if not slowest <= speed <= fastest:
            raise RckError(f"a world runs at {slowest:g} to {fastest:g} times real time, not {speed:g}")
        self.speed = speed

    def reset(self) -> None:
        """Everything as it was at the beginning; objects that were added are gone, and those removed are back."""
        self.simulation = self._begin
        self.simulation.restore(self._state)
        self.put_back("the world was reset")

    def reinitialise(self) -> bool:
        """End an emergency stop; whether there was one."""
        stopped = self.simulation.emergency
        self.simulation.reinitialise()
        self.changes += 1
        return stopped

    def put_back(self, why: str) -> None:
        """The simulation is at its beginning again: forget what clients did to it."""
        self._told += self.motions.forget(why)
        self.added, self.removed = {}, []
        self._closed_by.clear()
        self._renamed()

    # Motions

    def follow(self, owner: str, plan: Plan) -> ClientMotion:
        """Set joints going along a path."""
        return self._begin_motion(owner, FollowPath(plan.path, self.time))

    def plan_trajectory(self, trajectory: JointTrajectory) -> Plan:
        """The path of a trajectory that a client sent."""
        return Plan(*path_from(trajectory, self.names, self.positions))

    def plan_joints(
        self, goals: Mapping[str, float], *, relative: bool = False, duration: float | None = None, speed: float = 0.0
    ) -> Plan:
        """All named joints to positions, or by so much, together; in a time, or at a speed of the one farthest off."""
        own = {self.names.joint(name): value for name, value in goals.items()}
        limits = self.names.limits(tuple(own))
        here = np.array([self.positions[name] for name in own])
        there = np.array(list(own.values()), dtype=float) + (here if relative else 0.0)
        built = joint_move(limits, here, there, duration=_duration(duration, speed, there - here))
        return Plan(built.unwrap(), "; ".join(map(str, built.findings)))

    def plan_tool(self, goal: ToolGoal, *, duration: float | None = None, speed: float = 0.0) -> Plan:
        """The tip to where it is to be, by the joints."""
        arm = self.arm(goal.tip, goal.base)
        target = self.target(goal)
        vector = self.simulation.vector
        limits = self.names.limits(arm.chain.joints)
        here = arm.chain.of_robot(vector)
        way = nearest_way(
            self.simulation,
            arm.chain,
            require(arm.solve(target, vector, goal.wants)),
            lambda: arm.solve(target, vector, goal.wants, most=SOLUTIONS).solutions,
        )
        built = joint_move(limits, here, way.joints, duration=_duration(duration, speed, way.joints - here))
        notes = list(map(str, built.findings))
        if way.meets is not None:
            mover, other = way.meets
            notes.append(f"every way of the joints to that pose meets something; on this one, {mover} meets {other}")
        return Plan(built.unwrap(), "; ".join(notes))

    def plan_line(self, goal: ToolGoal, *, duration: float | None = None) -> Callable[[], Plan]:
        """What works out the joints for a straight line of the tip; it looks at nothing that changes meanwhile."""
        known = self.arm(goal.tip, goal.base)
        # A solver of its own: others may ask theirs at the same time.
        poses = self.simulation.view.poses
        arm = arm_of(self.plugins, self.robot, known.chain.tip, known.chain.base, poses)
        target = self.target(goal)
        vector = np.array(self.simulation.vector)
        limits = self.names.limits(arm.chain.joints)
        seconds = _duration(duration, 0.0, vector)
        return lambda: Plan(arm.straight(target, vector, limits, seconds, goal.wants))

    def grip(self, owner: str, gripper: str, close: bool, wanted: str = "") -> ClientMotion:
        """Close or open a gripper."""
        name = self.names.gripper(gripper)
        motion = self._begin_motion(owner, UseGripper(name, close, self.time, wanted))
        self._closed_by[name] = owner if close else ""
        return motion

    def open_all_of(self, owner: str) -> None:
        """Open the grippers that an owner has closed; one that somebody else moves now is left to them."""
        for gripper, closer in self._closed_by.items():
            if closer == owner:
                with suppress(RckError):
                    self.grip(owner, gripper, False)

    def stop(self, number: int, why: str) -> None:
        """End a motion where it is."""
        self._told.append(self.motions.end(self.simulation, number, why))

    def stop_all_of(self, owner: str, why: str) -> list[int]:
        """End all motions of one owner."""
        numbers = self.motions.owned_by(owner)
        for number in numbers:
            self.stop(number, why)
        return numbers

    def place(self, positions: Mapping[str, float]) -> None:
        """Put joints elsewhere at once: somebody has measured them. Motions of theirs end."""
        own = {self.names.joint(name): value for name, value in positions.items()}
        columns = [joint.name for joint in self.robot.free_joints]
        vector = np.array(self.simulation.vector)
        for name, value in own.items():
            if name in columns:
                vector[columns.index(name)] = value
        if not np.isfinite(vector).all():
            raise RckError("positions are finite numbers")
        self.simulation.place(vector)
        self.changes += 1

    # Objects

    def spawn(self, item: Item, request: Mapping[str, Any]) -> None:
        """Add an object; the request is kept, to be made again by a world that goes on from this one."""
        self.simulation = with_object(self.simulation, self.plugins, item)
        self.added[item.name] = request
        self._renamed()

    def remove(self, name: str) -> None:
        """Take an object away."""
        self.simulation = without_object(self.simulation, self.plugins, name)
        if self.added.pop(name, None) is None:
            self.removed.append(name)
        self._renamed()

    # Questions

    def arm(self, tip: str = "", base: str = "") -> Arm:
        """The arm that carries a tip."""
        key = (self.names.place(tip) if tip else "", self.names.place(base) if base else "")
        poses = self.simulation.view.poses
        if key not in self._arms:
            self._arms[key] = arm_of(self.plugins, self.robot, *key, poses)
        arm = self._arms[key]
        # What an arm stands on may have moved.
        return replace(arm, world_from_base=world_from_place(self.robot, arm.chain.base, poses))

    def target(self, goal: ToolGoal) -> Floats:
        """Where a tip is to be in the world. Shape (4, 4)."""
        return self.world_from(goal.frame) @ goal.pose

    def world_from(self, frame: str) -> Floats:
        """Where an item or frame is; no name, or `world`, is the world itself. Shape (4, 4)."""
        if frame in ("", WORLD):
            return np.eye(4)
        return world_from_place(self.robot, self.names.place(frame), self.simulation.view.poses)

    def touching(self) -> Sequence[tuple[str, str]]:
        """The pairs of items that touch now, under the names that they have outside."""
        found = [tuple(self.names.links(pair)) for pair in self.simulation.view.touching()]
        return sorted((one, other) for one, other in found)

    def _begin_motion(self, owner: str, event: FollowPath | UseGripper) -> ClientMotion:
        motion, replaced = self.motions.begin(self.simulation, owner, event)
        self._told += [*replaced, motion]
        return motion

    def _renamed(self) -> None:
        self.names = Names(self.simulation.robot)
        self._arms.clear()
        self._description = None
        self.changes += 1


def check_step(seconds: float) -> None:
    """Refuse a step, in seconds, that takes no time or too much."""
    if not 0.0 < seconds <= LONGEST_STEP:
        raise RckError(f"a step takes more than no time and at most {LONGEST_STEP:g} s, not {seconds:g} s")


def _duration(duration: float | None, speed: float, ways: Floats) -> float | None:
    """How long a move is to take: as asked, or as long as the joint farthest off needs at a speed."""
    if duration is not None:
        if not 0.0 < duration <= LONGEST_MOVE:
            raise RckError(f"a move takes more than no time and at most {LONGEST_MOVE:g} s, not {duration:g} s")
        return duration
    farthest = float(np.abs(ways).max(initial=0.0))
    return farthest / speed if speed > 0 and farthest > 0 else None
