"""Executor of instructions: each is carried out in a simulation and gets a reply.

.. code-block:: python

    executor = InstructionExecutor(simulation, plugins)
    executor.robot_speed("puma", 0.3)
    if not executor.move_joints_relative("puma", radians([-70, -10, 10, 30, -20, -10])):
        print(executor.last.text)
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.hooks import Plugins
from rck.hooks.actions import Action, DefineGrasp, MoveJoints, MoveTool, SetSpeed, UseGripper
from rck.kinematics.chain import tip_pose
from rck.kinematics.motion import JointPath, motion_limits
from rck.simulation.action_types import Execution, InstructionReply
from rck.simulation.actions import action_type
from rck.simulation.arms import Arm, arms_of
from rck.simulation.events import Event, FollowPath
from rck.simulation.simulation import EMERGENCY, STEP, Simulation
from rck.simulation.trajectory_generator import (
    PROFILE,
    MoveTiming,
    TrajectoryGenerator,
    format_pose,
    trajectory_generator,
)
from rck.support.finding import RckError
from rck.support.names import entry_named

SEARCH = 0.2
"""Time that a solver may search for a pose, in seconds."""
PATIENCE = 10.0
"""A motion that is blocked, or held for ever, is cancelled with an error after this time, in seconds."""


class InstructionExecutor:
    """A simulation that carries out instructions one after the other. Time passes during each."""

    def __init__(
        self,
        simulation: Simulation,
        plugins: Plugins,
        *,
        seconds: float = STEP,
        profile: str = PROFILE,
        after_step: Callable[[], None] | None = None,
    ) -> None:
        """Take the time step in seconds, the velocity profile of moves, and a function to call after each step."""
        self.simulation = simulation
        self.seconds = seconds
        self.last = InstructionReply(True)
        self.speeds: dict[str, float] = {}
        """Speeds of arms that programs have set, in rad/s or m/s."""
        self.grasps: dict[str, DefineGrasp] = {}
        """Grasps that programs have defined, by object."""
        self._plugins = plugins
        self._profile = profile
        self._after_step = after_step

    def move_joints_relative(self, robot: str, values: ArrayLike) -> InstructionReply:
        """Change the joint positions of an arm, in radians and metres."""
        return self.execute(MoveJoints(robot, tuple(np.asarray(values, dtype=float).tolist()), relative=True))

    def move_joints_absolute(self, robot: str, values: ArrayLike) -> InstructionReply:
        """Move the joints of an arm to positions, in radians and metres."""
        return self.execute(MoveJoints(robot, tuple(np.asarray(values, dtype=float).tolist())))

    def move_end_effector(self, robot: str, pose: Floats) -> InstructionReply:
        """Move the tool of an arm to a pose in the world, shape (4, 4), by a joint move."""
        return self.execute(MoveTool(robot, pose))

    def move_straight_line(self, robot: str, pose: Floats) -> InstructionReply:
        """Move the tool of an arm to a pose in the world in a straight line."""
        return self.execute(MoveTool(robot, pose, straight=True))

    def close_gripper(self, robot: str, wanted: str = "") -> InstructionReply:
        """Grip the wanted object, or any object between the fingers."""
        return self.execute(UseGripper(robot, close=True, object=wanted))

    def open_gripper(self, robot: str) -> InstructionReply:
        """Open the gripper of an arm."""
        return self.execute(UseGripper(robot, close=False))

    def robot_speed(self, robot: str, speed: float) -> InstructionReply:
        """Set the speed of the joint that moves farthest, in rad/s or m/s; infinity removes the restriction."""
        return self.execute(SetSpeed(robot, speed))

    def execute(self, instruction: Action) -> InstructionReply:
        """Carry out an instruction completely; errors are replies, not exceptions."""
        execution = self.carry_out(instruction)
        while True:
            try:
                self.let_pass(next(execution))
            except StopIteration as end:
                reply: InstructionReply = end.value
                return reply

    def carry_out(self, instruction: Action) -> Execution:
        """Carry out an instruction step by step: yield the seconds to simulate before the next call."""
        try:
            self.last = yield from action_type(instruction).execute(self, instruction)
        except RckError as error:
            self.last = InstructionReply(False, str(error))
        return self.last

    def let_pass(self, seconds: float) -> None:
        """Simulate for a time."""
        self.simulation.step(seconds)
        if self._after_step is not None:
            self._after_step()

    def wait_out(self) -> Execution:
        """Let all motions in progress come to their end."""
        while not (self.simulation.finished or self.simulation.stuck):
            yield self.seconds
        return InstructionReply(not self.simulation.stuck, "stuck" if self.simulation.stuck else "done")

    def give_up(self, why: str) -> None:
        """Cancel all pending events and motions in progress."""
        for event in (*self.simulation.pending, *(running.event for running in self.simulation.running)):
            self.simulation.give_up(event, why)

    def schedule(self, action: Action) -> Execution:
        """Add an event that starts now, and wait until it is over."""
        simulation = self.simulation
        event = simulation.add(Event(simulation.time, action))
        held = 0.0
        while True:
            try:
                yield self.seconds
            except GeneratorExit:
                simulation.give_up(event, "interrupted")
                raise
            outcome = next((outcome for outcome in reversed(simulation.outcomes) if outcome.event is event), None)
            if outcome is not None:
                return InstructionReply(outcome.done, outcome.why or "done")
            if simulation.emergency:
                return InstructionReply(False, EMERGENCY)
            running = next((running for running in simulation.running if running.event is event), None)
            if running is None:
                continue
            held = held + self.seconds if simulation.stuck and simulation.holding(running) else 0.0
            if held >= PATIENCE or (running.blocked and running.blockings[-1].seconds >= PATIENCE):
                why = f"gave up after {PATIENCE:g} s: {simulation.obstacle(running)}"
                simulation.give_up(event, why)
                return InstructionReply(False, why)

    def follow(self, path: JointPath) -> Execution:
        """Follow a path, and wait until it is over."""
        if path.duration == 0.0:
            return InstructionReply(True)
        return (yield from self.schedule(FollowPath(path)))

    def status(self) -> str:
        """Return the poses of the tools of all arms, in millimetres and degrees."""
        arms = {id(arm): arm for arm in arms_of(self.simulation.robot).values()}
        poses = [f"{arm.name} at {format_pose(self.tool_pose(arm))}" for arm in arms.values()]
        return "; ".join(poses) or "there is no arm"

    def tool_pose(self, arm: Arm) -> Floats:
        """Return world from the tool of an arm. Shape (4, 4)."""
        simulation = self.simulation
        world_from_base = simulation.kinematics.poses[simulation.robot.item_index[arm.chain.base]]
        pose: Floats = world_from_base @ tip_pose(arm.chain, arm.chain.of_robot(simulation.vector))
        return pose

    def timing(self, arm: Arm) -> MoveTiming:
        """Return limits and velocity profile for a move of an arm."""
        limits = motion_limits(self.simulation.robot, arm.chain.joints)
        speed = self.speeds.get(arm.name)
        if speed is not None:
            speeds = np.minimum(limits.speeds, speed)
            limits = motion_limits(self.simulation.robot, arm.chain.joints, speeds=speeds)
        return MoveTiming(limits, self._profile)

    def trajectory_generator(self, arm: Arm) -> TrajectoryGenerator:
        """Return the trajectory generator of an arm."""
        simulation, chain = self.simulation, arm.chain
        return trajectory_generator(
            self._plugins, simulation.robot, simulation.kinematics.poses, chain.tip, chain.base, SEARCH
        )

    def first_item_of(self, name: str) -> int:
        """Return the index of the first item of an object."""
        objects = {thing.name: thing.items[0] for thing in self.simulation.kinematics.objects}
        return entry_named(name, objects, "object")
