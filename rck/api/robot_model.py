"""A robot, as Python programs use it: kinematics, collision checks, simulation, export and pictures."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from rck.api.arm_model import ArmModel, goal_for
from rck.collision.backend import Contact
from rck.collision.scene import HullScene, scene_as_built
from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert
from rck.hooks import Plugins, discover
from rck.hooks.actions import Action
from rck.kinematics.chain import chain_between
from rck.kinematics.loads import Load, carrying_frame, worst_loads
from rck.kinematics.motion import motion_limits
from rck.kinematics.solver_choice import solver_for
from rck.kinematics.tip import default_tip, root_of
from rck.kinematics.workspace import Workspace, workspace
from rck.model import Finding, RckError, Robot
from rck.model.forward_kinematics import forward, forward_frames, jacobian
from rck.model.robot_arrays import RobotArrays, robot_arrays
from rck.rendering.camera import Camera
from rck.simulation.event_table import read_events
from rck.simulation.events import Event
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.motor_loads import physics_maker
from rck.simulation.simulation import Simulation

FilePath: TypeAlias = str | PathLike[str]
TimedActions: TypeAlias = Iterable[tuple[float, Action]]
"""Pairs of a start time, in seconds, and an action."""
Positions: TypeAlias = ArrayLike | Mapping[str, float]
"""A joint vector, shape (joints,), or positions by joint name; joints that a mapping omits keep their position."""


class RobotModel:
    """A robot, ready for kinematics, collision checks, simulation and export. Get one from :func:`load`."""

    def __init__(
        self,
        robot: Robot,
        plugins: Plugins | None = None,
        findings: Iterable[Finding] = (),
        cameras: Mapping[str, Camera] | None = None,
        shown: Robot | None = None,
    ) -> None:
        self.robot = robot
        """The model itself: items, joints, frames, devices."""
        self.shown = shown or robot
        """The robot as pictures show it: that of an imported file is at its pose `home`, if it has one."""
        self.plugins = plugins or discover()
        self.findings = tuple(findings)
        """Problems that were found while the file was read."""
        self.cameras: Mapping[str, Camera] = cameras or {}
        """The saved views of an assembly, for camera events."""

    def __repr__(self) -> str:
        return f"RobotModel({self.name!r}, {len(self.robot.items)} items, {len(self.joints)} joints)"

    @cached_property
    def _arrays(self) -> RobotArrays:
        return robot_arrays(self.robot)

    @cached_property
    def scene(self) -> HullScene:
        """The collision scene: contacts, distances and swept motions, for many queries. Use it from one thread."""
        return scene_as_built(self.robot)

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.robot.name

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move independently, in the order of joint vectors."""
        return self._arrays.joint_names

    @property
    def limits(self) -> Floats:
        """Lower and upper joint limits, infinite where there is none. Shape (joints, 2), in radians or metres."""
        return np.stack([self._arrays.lower, self._arrays.upper], axis=1)

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the rigid bodies."""
        return tuple(item.name for item in self.robot.items)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames, such as tools and flanges."""
        return tuple(frame.name for frame in self.robot.frames)

    @property
    def tip(self) -> str:
        """The frame or item that kinematics refers to by default: the tool, else the flange, else the last item."""
        return default_tip(self.robot)

    def positions(self, q: Positions | None = None) -> Floats:
        """Return a joint vector, shape (joints,): `q`, or the present positions of the robot."""
        if q is None:
            return np.array(self._arrays.reference)
        if not isinstance(q, Mapping):
            return np.asarray(q, dtype=float)
        vector = np.array(self._arrays.reference)
        for joint, position in q.items():
            self.robot.free_joint(joint)
            vector[self.joints.index(joint)] = position
        return vector

    @overload
    def fk(self, q: Positions | None = None) -> dict[str, Floats]: ...
    @overload
    def fk(self, q: Positions | None, at: str) -> Floats: ...
    @overload
    def fk(self, q: Positions | None = None, *, at: str) -> Floats: ...
    def fk(self, q: Positions | None = None, at: str | None = None) -> Floats | dict[str, Floats]:
        """Return the pose of an item or frame in the world, shape (4, 4), or of all of them by name."""
        vector = self.positions(q)
        poses: dict[str, Floats] = dict(zip(self.items, forward(self._arrays, vector), strict=True))
        poses |= zip(self.frames, forward_frames(self._arrays, vector), strict=True)
        if at is None:
            return poses
        # Refuses an unknown name, with a suggestion.
        self.robot.frame(at)
        return poses[at]

    def ik(
        self,
        target: ArrayLike,
        q: Positions | None = None,
        *,
        tip: str | None = None,
        base: str | None = None,
        solver: str | None = None,
        most: int = 1,
        seconds: float = 0.2,
    ) -> Floats:
        """Return joint vectors that bring the tip to a target in the world. Shape (solutions, joints).

        The target is a pose, shape (4, 4), or a position, shape (3,), which leaves the orientation free. Solutions are
        within the joint limits and sorted by distance from `q`; joints outside the arm keep their position in `q`.
        Raises :class:`RckError` with the reason if the target is not reachable.
        """
        arm = self.arm(tip, base, solver)
        rest = self.positions(q)
        wanted = goal_for(target, invert(self.fk(rest, arm.base)))
        answer = arm.solver.solve(wanted, arm.chain.of_robot(rest), most=most, budget=seconds)
        if not answer.solved:
            raise RckError(f"{arm.tip} cannot reach the target: {answer.reason}")
        return arm.chain.in_robot(answer.solutions, rest)

    def arm(self, tip: str | None = None, base: str | None = None, solver: str | None = None) -> ArmModel:
        """Return the chain of joints between a base and a tip, with a solver: for motions and single chains."""
        tip = tip or self.tip
        base = base or root_of(self.robot, tip)
        chain = chain_between(self.robot, base, tip)
        return ArmModel(
            chain, solver_for(self.plugins, self.robot, base, tip, solver), motion_limits(self.robot, chain.joints)
        )

    def jacobian(self, q: Positions | None = None, at: str | None = None) -> Floats:
        """Return the Jacobian of an item or frame (default: the tip) in the world. Shape (6, joints).

        Rows 0 to 2 are the linear velocity of its origin, rows 3 to 5 the angular velocity.
        """
        place = self.robot.frame(at or self.tip)
        return jacobian(self._arrays, self.positions(q), place.item, place.pose[:3, 3])

    def contacts(self, q: Positions | None = None) -> list[Contact]:
        """Return the contacts between items, with position, normal and depth; empty if there is no collision."""
        return self.scene.contacts(self.positions(q))

    def reach(
        self, *, tip: str | None = None, base: str | None = None, samples: int = 20_000, collisions: bool = True
    ) -> Workspace:
        """Return the workspace map of the tip; its `reach` is the largest distance from the first axis of the arm."""
        arm = self.arm(tip, base)
        touches = self.scene.touches_batch if collisions else None
        return workspace(arm.chain, arm.solver, samples=samples, touches=touches)

    def loads(self, payload: float = 0.0, at: str | None = None) -> tuple[Load, ...]:
        """Return the largest static load of each joint against gravity, with a payload in kg carried by a frame."""
        frame = carrying_frame(self.robot, at) if payload or at else None
        return tuple(worst_loads(self.robot, payload, frame))

    def simulation(
        self, events: FilePath | TimedActions = (), *, collisions: bool = True, physics: str | None = None
    ) -> Simulation:
        """Return a simulation at time 0, to step it, to add events and to look at its state.

        `events` is an event file, or pairs of a start time and an action from `rck.actions`.
        """
        if isinstance(events, str | PathLike):
            timed = read_events(Path(events), self.robot, self.plugins)
        else:
            timed = tuple(Event(start, action) for start, action in events)
        return Simulation(
            self.robot,
            timed,
            plugins=self.plugins,
            collisions=collisions,
            physics=None if physics is None else physics_maker(self.plugins, physics, {}),
            cameras=self.cameras,
        )

    def executor(self, *, collisions: bool = True, physics: str | None = None) -> InstructionExecutor:
        """Return an executor of program instructions, in a simulation of its own."""
        return InstructionExecutor(self.simulation(collisions=collisions, physics=physics), self.plugins)
