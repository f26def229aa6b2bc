"""Reading programs: `command arguments`, one to a line, `#` before remarks; millimetres, degrees and seconds."""

import shlex
from collections.abc import Callable, Mapping
from math import inf, radians
from typing import cast, get_args

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler
from rck.hooks.programs import (
    DefineGrasp,
    Grip,
    Instruction,
    Line,
    LookThrough,
    MoveJoints,
    MoveToGrasp,
    MoveTool,
    Pause,
    Program,
    Relation,
    Say,
    SetSensor,
    SetSpeed,
)
from rck.model.finding import RckError
from rck.model.names import entry_named
from rck.model.robot import Robot
from rck.simulation.arms import arm_named


def read(text: str, robot: Robot) -> Program:
    """The program; the first line that cannot be read is an error that names it."""
    lines = []
    for number, source in enumerate(text.splitlines(), start=1):
        try:
            words = shlex.split(source, comments=True)
            if words:
                lines.append(Line(number, source.strip(), _instruction(words, robot)))
        except (RckError, ValueError) as error:
            raise RckError(f"line {number}: {error}") from None
    return Program(tuple(lines))


def _instruction(words: list[str], robot: Robot) -> Instruction:
    verb, *arguments = words
    usage, make = entry_named(verb, COMMANDS, "command")
    try:
        return make(arguments, robot)
    except (IndexError, ValueError) as error:
        raise RckError(f"{verb} takes {usage} ({error})") from None


def _joints(relative: bool, one_by_one: bool = False) -> Callable[[list[str], Robot], Instruction]:
    def make(words: list[str], robot: Robot) -> Instruction:
        arm = arm_named(robot, words[0])
        numbers = _numbers(words[1:], (len(arm.chain.joints),))
        turning = [robot.joint(name).kind.turns for name in arm.chain.joints]
        values = [radians(x) if turns else x / 1000 for x, turns in zip(numbers, turning, strict=True)]
        return MoveJoints(words[0], tuple(values), relative, one_by_one)

    return make


def _tool(straight: bool) -> Callable[[list[str], Robot], Instruction]:
    def make(words: list[str], robot: Robot) -> Instruction:
        arm_named(robot, words[0])
        numbers = _numbers(words[1:], (3, 6))
        return MoveTool(words[0], pose_of(numbers), straight, keep_orientation=len(numbers) == 3)

    return make


def pose_of(numbers: list[float]) -> Floats:
    """The pose of x, y, z in millimetres and, unless left out, roll, pitch, yaw in degrees. Shape (4, 4)."""
    pose = from_euler([radians(angle) for angle in numbers[3:]]) if len(numbers) > 3 else np.eye(4)
    pose[:3, 3] = np.array(numbers[:3]) / 1000
    return pose


def _grip(close: bool) -> Callable[[list[str], Robot], Instruction]:
    def make(words: list[str], robot: Robot) -> Instruction:
        if len(words) > 1 + close:
            raise ValueError(f"not {len(words)} words")
        arm_named(robot, words[0])
        return Grip(words[0], close, words[1] if len(words) > 1 else "")

    return make


def _grasp(words: list[str], robot: Robot) -> Instruction:
    numbers = _numbers(words[1:], (6, 7))
    opening = numbers[6] / 1000 if len(numbers) > 6 else 0.0
    return DefineGrasp(robot.item(words[0]).name, pose_of(numbers[:6]), opening)


def _to_grasp(words: list[str], robot: Robot) -> Instruction:
    if len(words) != 2:
        raise ValueError(f"not {len(words)} words")
    arm_named(robot, words[0])
    return MoveToGrasp(words[0], robot.item(words[1]).name)


def _speed(words: list[str], robot: Robot) -> Instruction:
    arm_named(robot, words[0])
    if words[1:] == ["full"]:
        return SetSpeed(words[0], inf)
    (speed,) = _numbers(words[1:], (1,))
    if not speed > 0:
        raise ValueError(f"the speed must be positive, not {speed:g}")
    return SetSpeed(words[0], speed)


def _sensor(words: list[str], robot: Robot) -> Instruction:
    if words[1] not in ("on", "off") or len(words) > 2:
        raise ValueError(f"not {' '.join(words)}")
    return SetSensor(words[0], words[1] == "on")


def _wait(words: list[str], robot: Robot) -> Instruction:
    if len(words) == 1:
        return Pause(_numbers(words, (1,))[0])
    sensor, _, channel = words[0].rpartition(".")
    if words[1] not in get_args(Relation) or not sensor:
        raise ValueError(f"not {' '.join(words)}")
    numbers = _numbers(words[2:], (1, 2))
    relation = cast(Relation, words[1])
    return Pause(numbers[1] if len(numbers) > 1 else 0.0, sensor, channel, relation, numbers[0])


def _numbers(words: list[str], counts: tuple[int, ...]) -> list[float]:
    if len(words) not in counts:
        raise ValueError(f"not {len(words)} numbers")
    numbers = [float(word) for word in words]
    if not np.isfinite(numbers).all():
        raise ValueError("a number is not finite")
    return numbers


COMMANDS: Mapping[str, tuple[str, Callable[[list[str], Robot], Instruction]]] = {
    "move_joints_relative": ("ROBOT and a change per joint, in degrees or mm", _joints(relative=True)),
    "move_joints_absolute": ("ROBOT and a position per joint, in degrees or mm", _joints(relative=False)),
    "move_joint_by_joint": ("ROBOT and a position per joint", _joints(relative=False, one_by_one=True)),
    "move_end_effector": ("ROBOT X Y Z in mm, and ROLL PITCH YAW in degrees or the present ones", _tool(False)),
    "move_straight_line": ("ROBOT X Y Z in mm, and ROLL PITCH YAW in degrees or the present ones", _tool(True)),
    "close_gripper": ("ROBOT, and the object to take or nothing", _grip(close=True)),
    "open_gripper": ("ROBOT", _grip(close=False)),
    "define_grasp": ("OBJECT X Y Z ROLL PITCH YAW in its frame, and how far the hand opens or nothing", _grasp),
    "move_to_grasp": ("ROBOT and OBJECT", _to_grasp),
    "robot_speed": ("ROBOT and the speed of the joint that goes farthest, in rad/s, or full", _speed),
    "message": ("a text", lambda words, robot: Say(" ".join(words))),
    "status": ("nothing", lambda words, robot: Say()),
    "camera": ("the name of a camera", lambda words, robot: LookThrough(words[0])),
    "sensor": ("NAME and on or off", _sensor),
    "wait": ("seconds, or SENSOR.CHANNEL < VALUE and, perhaps, for how many seconds at most", _wait),
}
"""Each command: what it takes, and how it is read."""
