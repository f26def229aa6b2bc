"""Teaching: positions that a user moves an arm to, written as a program or as events."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.hooks.programs import Command, Grip, Line, MoveJoints, Pause, Program, Say
from rck.kinematics.motion import joint_move, motion_limits
from rck.model.finding import Built, RckError
from rck.model.robot import Robot
from rck.simulation.arms import arm_named
from rck.simulation.events import Event, FollowPath, MoveJoint, UseGripper


@dataclass(frozen=True, eq=False)
class Lesson:
    """What an arm was taught so far. Each step gives a new lesson; going back to the old one takes a step back."""

    arm: str
    steps: tuple[Command, ...] = ()

    def to(self, robot: Robot, vector: ArrayLike) -> "Lesson":
        """Remember where the arm is; `vector` is of all free joints of the robot."""
        chain = arm_named(robot, self.arm).chain
        values = tuple(chain.of_robot(np.asarray(vector, dtype=float)).tolist())
        return Lesson(self.arm, (*self.steps, MoveJoints(self.arm, values)))

    def grip(self, close: bool) -> "Lesson":
        """Remember that the gripper was closed or opened."""
        return Lesson(self.arm, (*self.steps, Grip(self.arm, close)))

    def pause(self, seconds: float) -> "Lesson":
        """Remember to wait."""
        return Lesson(self.arm, (*self.steps, Pause(seconds)))

    def say(self, text: str) -> "Lesson":
        """Remember to say something."""
        return Lesson(self.arm, (*self.steps, Say(text)))


def program_of(lesson: Lesson) -> Program:
    """The lesson as a program that can be run."""
    return Program(tuple(Line(number, "", command) for number, command in enumerate(lesson.steps, start=1)))


def text_of(lesson: Lesson, robot: Robot) -> str:
    """The lesson in the language of commands (`.rckp`), in degrees and millimetres."""
    turning = [robot.joint(name).kind.turns for name in arm_named(robot, lesson.arm).chain.joints]
    return "".join(f"{_line(command, turning)}\n" for command in lesson.steps)


def _line(command: Command, turning: Sequence[bool]) -> str:
    if isinstance(command, MoveJoints):
        numbers = (degrees(x) if turns else 1000 * x for x, turns in zip(command.values, turning, strict=True))
        return " ".join(["move_joints_absolute", command.robot, *(f"{round(x, 6) + 0.0:g}" for x in numbers)])
    if isinstance(command, Grip):
        return f"{'close' if command.close else 'open'}_gripper {command.robot}"
    if isinstance(command, Pause):
        return f"wait {command.seconds:g}"
    if isinstance(command, Say):
        return f'message "{command.text}"'
    raise RckError(f"a lesson has no {type(command).__name__}")


def motions_between(
    robot: Robot, start: ArrayLike, vectors: Sequence[ArrayLike], after: Iterable[Event] = ()
) -> Built[tuple[Event, ...]]:
    """Motions of all free joints from `start` through joint vectors, after what events `after` do with them."""
    limits = motion_limits(robot)
    names = [joint.name for joint in robot.free_joints]
    here: Floats = np.array(start, dtype=float)
    time = 0.0
    for event in after:
        if isinstance(event, MoveJoint):
            here[names.index(event.joint)] += event.change
        elif isinstance(event, FollowPath):
            here[[names.index(name) for name in event.path.joints]] += event.path.end - event.path.start
        time = max(time, event.finish if isinstance(event, MoveJoint | FollowPath) else event.start)
    events: list[Event] = []
    for vector in vectors:
        built = joint_move(limits, here, vector)
        if built.value is None:
            return Built(None, built.findings)
        if built.value.duration > 0:
            events.append(FollowPath(built.value, time))
        time += built.value.duration
        here = np.array(vector, dtype=float)
    return Built(tuple(events))


def events_of(lesson: Lesson, robot: Robot, start: ArrayLike) -> Built[tuple[Event, ...]]:
    """The lesson as events, one after the other, from the joint vector `start` of the robot; or what is out of limits.

    A gripper is given a second to close or open.
    """
    arm = arm_named(robot, lesson.arm)
    limits = motion_limits(robot, arm.chain.joints)
    here: Floats = arm.chain.of_robot(frozen(np.array(start, dtype=float)))
    time = 0.0
    events: list[Event] = []
    for command in lesson.steps:
        if isinstance(command, MoveJoints):
            built = joint_move(limits, here, command.values)
            if built.value is None:
                return Built(None, built.findings)
            if built.value.duration > 0:
                events.append(FollowPath(built.value, time))
            time += built.value.duration
            here = np.array(command.values)
        elif isinstance(command, Grip):
            events.append(UseGripper(arm.gripper, command.close, time))
            time += 1.0
        elif isinstance(command, Pause):
            time += command.seconds
    return Built(tuple(events))
