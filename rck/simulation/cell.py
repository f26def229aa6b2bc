"""The instructions of robot programs, each of which answers done or an error.

.. code-block:: python

    cell = Cell(simulation, plugins)
    cell.robot_speed("puma", 0.3)
    if not cell.move_joints_relative("puma", radians([-70, -10, 10, 30, -20, -10])):
        print(cell.last.text)
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from math import degrees, isfinite
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, to_euler
from rck.hooks import Goal, Plugins, Wants, world_from
from rck.hooks.programs import (
    DefineGrasp,
    Grip,
    Instruction,
    LookThrough,
    MoveJoints,
    MoveToGrasp,
    MoveTool,
    Pause,
    RunFile,
    Say,
    SetSensor,
    SetSpeed,
)
from rck.kinematics.chain import tip_pose
from rck.kinematics.motion import Path, follow, joint_by_joint, joint_move, line, motion_limits
from rck.kinematics.motion.limits import MotionLimits
from rck.kinematics.solver import solver_for
from rck.model.finding import Built, RckError
from rck.model.names import entry_named
from rck.simulation.arms import SOLUTIONS, Arm, arm_named, arms_of, nearest_way
from rck.simulation.events import (
    Announce,
    Condition,
    Event,
    FollowPath,
    SwitchCamera,
    SwitchSensor,
    UseGripper,
    WaitFor,
)
from rck.simulation.simulation import EMERGENCY, STEP, Simulation

FULL = 6
"""Joints that an arm must have to reach any pose."""
SEARCH = 0.2
"""How long a solver may look for a pose, in seconds."""
PATIENCE = 10.0
"""A motion that is held up for so long, in seconds, is given up with an error."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to an instruction; it is true where the instruction was done."""

    done: bool
    text: str = "done"

    def __bool__(self) -> bool:
        return self.done


Going: TypeAlias = Generator[float, None, Reply]
"""An instruction under way: it tells how many seconds should pass before it is asked again, and at last its answer."""


class Cell:
    """A simulation that obeys instructions one after the other. Time passes while one is carried out."""

    def __init__(
        self,
        simulation: Simulation,
        plugins: Plugins,
        *,
        seconds: float = STEP,
        profile: str = "trapezoidal",
        after_step: Callable[[], None] | None = None,
    ) -> None:
        """Take a simulation, the step in seconds, how moves gather speed, and what to do after each step."""
        self.simulation = simulation
        self.last = Reply(True)
        self._plugins = plugins
        self._seconds = seconds
        self._profile = profile
        self._after_step = after_step
        self._speeds: dict[str, float] = {}
        self._grasps: dict[str, DefineGrasp] = {}

    def move_joints_relative(self, robot: str, values: ArrayLike) -> Reply:
        """Change the joints of an arm by so much, in radians and metres."""
        return self.execute(MoveJoints(robot, tuple(np.asarray(values, dtype=float).tolist()), relative=True))

    def move_joints_absolute(self, robot: str, values: ArrayLike) -> Reply:
        """Move the joints of an arm to positions, in radians and metres."""
        return self.execute(MoveJoints(robot, tuple(np.asarray(values, dtype=float).tolist())))

    def move_end_effector(self, robot: str, pose: Floats) -> Reply:
        """Bring the tool of an arm to a pose in the world, shape (4, 4), moving all joints together."""
        return self.execute(MoveTool(robot, pose))

    def move_straight_line(self, robot: str, pose: Floats) -> Reply:
        """Bring the tool of an arm to a pose in the world in a straight line."""
        return self.execute(MoveTool(robot, pose, straight=True))

    def close_gripper(self, robot: str, wanted: str = "") -> Reply:
        """Take what is between the fingers."""
        return self.execute(Grip(robot, close=True, object=wanted))

    def open_gripper(self, robot: str) -> Reply:
        """Let go."""
        return self.execute(Grip(robot, close=False))

    def robot_speed(self, robot: str, speed: float) -> Reply:
        """Let the joint that has farthest to go move at so many rad/s, or m/s; 0 for as fast as joints can."""
        return self.execute(SetSpeed(robot, speed))

    def execute(self, instruction: Instruction) -> Reply:
        """Carry an instruction out, to its end; errors are answers, not exceptions."""
        going = self.carry_out(instruction)
        while True:
            try:
                self.let_pass(next(going))
            except StopIteration as end:
                reply: Reply = end.value
                return reply

    def carry_out(self, instruction: Instruction) -> Going:
        """Carry an instruction out bit by bit: how many seconds should pass each time, and at last its answer."""
        try:
            self.last = yield from self._execute(instruction)
        except RckError as error:
            self.last = Reply(False, str(error))
        return self.last

    def let_pass(self, seconds: float) -> None:
        """Let time pass."""
        self.simulation.step(seconds)
        if self._after_step is not None:
            self._after_step()

    def wait_out(self) -> Going:
        """Let what is under way come to its end, whoever set it going."""
        while not (self.simulation.finished or self.simulation.stuck):
            yield self._seconds
        return Reply(not self.simulation.stuck, "done" if not self.simulation.stuck else "stuck")

    def give_up(self, why: str) -> None:
        """End all that is under way or to come."""
        for event in (*self.simulation.pending, *(running.event for running in self.simulation.running)):
            self.simulation.give_up(event, why)

    def _execute(self, instruction: Instruction) -> Going:
        now, robot = self.simulation.time, self.simulation.robot
        if isinstance(instruction, MoveJoints):
            return (yield from self._move(arm_named(robot, instruction.robot), instruction))
        if isinstance(instruction, MoveTool):
            return (yield from self._move_tool(arm_named(robot, instruction.robot), instruction))
        if isinstance(instruction, Grip):
            arm = arm_named(robot, instruction.robot)
            if not arm.gripper:
                return Reply(False, f"robot {arm.name} has no gripper")
            return (yield from self._do(UseGripper(arm.gripper, instruction.close, now, instruction.object)))
        if isinstance(instruction, DefineGrasp):
            self._object(instruction.object)
            self._grasps[instruction.object] = instruction
            return Reply(True)
        if isinstance(instruction, MoveToGrasp):
            return (yield from self._move_to_grasp(arm_named(robot, instruction.robot), instruction.object))
        if isinstance(instruction, SetSpeed):
            return self._set_speed(arm_named(robot, instruction.robot).name, instruction.speed)
        if isinstance(instruction, Say):
            return (yield from self._do(Announce(instruction.text or self.status(), now)))
        if isinstance(instruction, LookThrough):
            return (yield from self._do(SwitchCamera(instruction.camera, now)))
        if isinstance(instruction, SetSensor):
            return (yield from self._do(SwitchSensor(instruction.sensor, instruction.on, now)))
        if isinstance(instruction, RunFile):
            return Reply(False, f"{instruction.file} is read only from a program that is in a file itself")
        return (yield from self._pause(instruction))

    @property
    def settings(self) -> tuple[Mapping[str, float], Mapping[str, DefineGrasp]]:
        """The speeds that arms were told to keep, and the grasps that were defined."""
        return self._speeds, self._grasps

    @settings.setter
    def settings(self, settings: tuple[Mapping[str, float], Mapping[str, DefineGrasp]]) -> None:
        self._speeds, self._grasps = dict(settings[0]), dict(settings[1])

    def status(self) -> str:
        """Where the tools of the arms are, in millimetres and degrees, as people read it."""
        arms = {id(arm): arm for arm in arms_of(self.simulation.robot).values()}
        return "; ".join(f"{arm.name} at {_place(self.tool_pose(arm))}" for arm in arms.values()) or "there is no arm"

    def tool_pose(self, arm: Arm) -> Floats:
        """World from the tool of an arm, now. Shape (4, 4)."""
        pose: Floats = self._world_from_base(arm) @ tip_pose(arm.chain, self._joints(arm))
        return pose

    def _world_from_base(self, arm: Arm) -> Floats:
        pose: Floats = self.simulation.stage.poses[self.simulation.robot.item_index[arm.chain.base]]
        return pose

    def _joints(self, arm: Arm) -> Floats:
        return arm.chain.of_robot(self.simulation.vector)

    def _set_speed(self, arm: str, speed: float) -> Reply:
        if not speed > 0:
            return Reply(False, f"speed of {arm} must be positive, not {speed:g} rad/s; `full` is as fast as it can")
        self._speeds.pop(arm, None)
        if isfinite(speed):
            self._speeds[arm] = speed
        return Reply(True)

    def _limits(self, arm: Arm) -> MotionLimits:
        limits = motion_limits(self.simulation.robot, arm.chain.joints)
        asked = self._speeds.get(arm.name)
        if asked is None:
            return limits
        return motion_limits(self.simulation.robot, arm.chain.joints, speeds=np.minimum(limits.speeds, asked))

    def _move(self, arm: Arm, instruction: MoveJoints) -> Going:
        here = self._joints(arm)
        given = np.array(instruction.values)
        if given.shape != here.shape:
            names = ", ".join(arm.chain.joints)
            return Reply(False, f"robot {arm.name} takes {len(here)} joint values, not {len(given)}: {names}")
        goal = here + given if instruction.relative else given
        if instruction.one_by_one:
            path = joint_by_joint(self._limits(arm), here, goal, profile=self._profile)
        else:
            path = joint_move(self._limits(arm), here, goal, profile=self._profile)
        return (yield from self._follow(path))

    def _move_tool(self, arm: Arm, instruction: MoveTool) -> Going:
        here = self._joints(arm)
        world_from_tip = instruction.pose
        wants: Wants = "pose"
        if instruction.keep_orientation:
            world_from_tip = self.tool_pose(arm).copy()
            world_from_tip[:3, 3] = instruction.pose[:3, 3]
            # An arm of fewer joints cannot keep it.
            wants = "pose" if len(here) >= FULL else "position"
        goal = invert(self._world_from_base(arm)) @ world_from_tip
        solver = solver_for(self._plugins, self.simulation.robot, arm.chain.base, arm.chain.tip)
        if instruction.straight:
            straight = line(tip_pose(arm.chain, here), goal)
            path = follow(solver, arm.chain, [straight], here, self._limits(arm), profile=self._profile, wants=wants)
            return (yield from self._follow(path))
        answer = solver.solve(Goal(goal, wants), here, budget=SEARCH)
        if not answer.solved:
            return Reply(False, f"{_place(world_from_tip)} cannot be reached: {answer.reason}")
        way = nearest_way(
            self.simulation,
            arm.chain,
            answer.solutions,
            lambda: solver.solve(Goal(goal, wants), here, most=SOLUTIONS, budget=SEARCH).solutions,
        )
        return (yield from self._follow(joint_move(self._limits(arm), here, way.joints, profile=self._profile)))

    def _object(self, name: str) -> int:
        """The first item of an object."""
        objects = {thing.name: thing.items[0] for thing in self.simulation.stage.objects}
        return entry_named(name, objects, "object")

    def _move_to_grasp(self, arm: Arm, name: str) -> Going:
        """Open the hand as far as the grasp asks for, and bring it there."""
        simulation = self.simulation
        hand = simulation.grasping.hands.get(arm.gripper)
        if hand is None:
            return Reply(False, f"robot {arm.name} has no gripper")
        held = simulation.grasping.held_by(hand.name)
        if held:
            return Reply(False, f"{hand.name} holds {', '.join(held)} already")
        item = self._object(name)
        if name not in self._grasps:
            return Reply(False, f"say first, with define_grasp, how {name} is to be taken")
        grasp = self._grasps[name]
        opened = yield from self._do(UseGripper(hand.name, False, simulation.time, opening=grasp.opening))
        if not opened:
            return opened
        hand_from_tool = invert(world_from(simulation.view, hand.mount)) @ self.tool_pose(arm)
        there = simulation.stage.poses[item] @ grasp.pose @ hand_from_tool
        return (yield from self._move_tool(arm, MoveTool(arm.name, there)))

    def _follow(self, path: Built[Path]) -> Going:
        if path.value is None:
            return Reply(False, "; ".join(f"{finding.where}: {finding.message}" for finding in path.findings))
        if path.value.duration == 0.0:
            return Reply(True)
        return (yield from self._do(FollowPath(path.value, self.simulation.time)))

    def _pause(self, instruction: Pause) -> Going:
        if instruction.relation:
            condition = Condition(instruction.sensor, instruction.channel, instruction.relation, instruction.value)
            if condition.sensor not in self.simulation.sensors:
                known = ", ".join(self.simulation.sensors) or "none"
                return Reply(False, f"there is no sensor {condition.sensor}; sensors: {known}")
            return (yield from self._do(WaitFor(condition, self.simulation.time, instruction.seconds or None)))
        until = self.simulation.time + instruction.seconds
        while self.simulation.time < until - 1e-9:
            yield min(self._seconds, until - self.simulation.time)
        return Reply(True)

    def _do(self, event: Event) -> Going:
        """Put an event into the list and let time pass until it is done, or cannot be."""
        simulation = self.simulation
        event = simulation.add(event)
        while True:
            try:
                yield self._seconds
            except GeneratorExit:
                simulation.give_up(event, "broken off")
                raise
            outcome = next((one for one in reversed(simulation.outcomes) if one.event is event), None)
            if outcome is not None:
                return Reply(outcome.done, outcome.why or "done")
            if simulation.emergency:
                return Reply(False, EMERGENCY)
            running = [one for one in simulation.running if one.event is event]
            if running and running[0].blocked and running[0].blockings[-1].seconds >= PATIENCE:
                mover, other = running[0].blocked
                why = f"blocked for {PATIENCE:g} s: {mover} meets {other}"
                simulation.give_up(event, why)
                return Reply(False, why)


def _place(pose: Floats) -> str:
    # Adding nought makes minus nought nought.
    x, y, z = (round(1000 * float(length), 1) + 0.0 for length in pose[:3, 3])
    roll, pitch, yaw = (round(degrees(angle), 1) + 0.0 for angle in to_euler(pose))
    return f"{x} {y} {z} mm, {roll} {pitch} {yaw}°"
