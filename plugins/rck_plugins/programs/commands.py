"""Robot programs with one command per line: `command arguments`, `#` for comments; millimetres, degrees, seconds."""

import shlex
from collections.abc import Callable, Mapping
from math import inf, radians
from typing import TypeAlias, cast, get_args

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler
from rck.hooks import Program, ProgramLanguage, hookimpl
from rck.hooks.actions import (
    Action,
    Announce,
    Condition,
    DefineGrasp,
    MoveJoints,
    MoveToGrasp,
    MoveTool,
    ProgramLine,
    Relation,
    SetSpeed,
    SwitchCamera,
    SwitchSensor,
    UseGripper,
    Wait,
    WaitFor,
)
from rck.model import Robot
from rck.simulation.arms import arm_named
from rck.support.finding import RckError
from rck.support.names import entry_named

Reader: TypeAlias = Callable[[list[str], Robot], Action]


@hookimpl
def rck_program_languages() -> list[ProgramLanguage]:
    """Return the command language of programs."""
    return [ProgramLanguage("commands", "move_end_effector ROBOT ..., close_gripper ROBOT, ...", (".rckp",), read)]


def read(text: str, robot: Robot) -> Program:
    """Return the program; an error names the first line that cannot be read."""
    lines = []
    for number, source in enumerate(text.splitlines(), start=1):
        try:
            words = shlex.split(source, comments=True)
            if words:
                lines.append(ProgramLine(number, source.strip(), _read_command(words, robot)))
        except (RckError, ValueError) as error:
            raise RckError(f"line {number}: {error}") from None
    return Program(tuple(lines))


def _read_command(words: list[str], robot: Robot) -> Action:
    verb, *arguments = words
    usage, reader = entry_named(verb, COMMANDS, "command")
    try:
        return reader(arguments, robot)
    except (IndexError, ValueError) as error:
        raise RckError(f"{verb} takes {usage} ({error})") from None


def _move_joints(relative: bool = False, one_by_one: bool = False) -> Reader:
    def read_arguments(words: list[str], robot: Robot) -> Action:
        joints = arm_named(robot, words[0]).chain.joints
        numbers = zip(joints, _numbers(words[1:], (len(joints),)), strict=True)
        values = tuple(radians(x) if robot.joint(name).kind.turns else x / 1000 for name, x in numbers)
        return MoveJoints(words[0], values, relative, one_by_one)

    return read_arguments


def _move_tool(straight: bool) -> Reader:
    def read_arguments(words: list[str], robot: Robot) -> Action:
        arm_named(robot, words[0])
        numbers = _numbers(words[1:], (3, 6))
        return MoveTool(words[0], _pose(numbers), straight, keep_orientation=len(numbers) == 3)

    return read_arguments


def _use_gripper(close: bool) -> Reader:
    def read_arguments(words: list[str], robot: Robot) -> Action:
        _check_count(words, 1 + close)
        arm_named(robot, words[0])
        return UseGripper(words[0], close, words[1] if len(words) > 1 else "")

    return read_arguments


def _define_grasp(words: list[str], robot: Robot) -> Action:
    numbers = _numbers(words[1:], (6, 7))
    opening = numbers[6] / 1000 if len(numbers) > 6 else 0.0
    return DefineGrasp(robot.item(words[0]).name, _pose(numbers[:6]), opening)


def _move_to_grasp(words: list[str], robot: Robot) -> Action:
    _check_count(words, 2)
    arm_named(robot, words[0])
    return MoveToGrasp(words[0], robot.item(words[1]).name)


def _set_speed(words: list[str], robot: Robot) -> Action:
    arm_named(robot, words[0])
    if words[1:] == ["full"]:
        return SetSpeed(words[0], inf)
    (speed,) = _numbers(words[1:], (1,))
    if not speed > 0:
        raise ValueError(f"the speed must be positive, not {speed:g}")
    return SetSpeed(words[0], speed)


def _switch_sensor(words: list[str], robot: Robot) -> Action:
    _check_count(words, 2)
    if words[1] not in ("on", "off"):
        raise ValueError(f"not {' '.join(words)}")
    return SwitchSensor(words[0], words[1] == "on")


def _wait(words: list[str], robot: Robot) -> Action:
    if len(words) == 1:
        return Wait(_numbers(words, (1,))[0])
    sensor, _, channel = words[0].rpartition(".")
    if words[1] not in get_args(Relation) or not sensor:
        raise ValueError(f"not {' '.join(words)}")
    value, *patience = _numbers(words[2:], (1, 2))
    condition = Condition(sensor, channel, cast(Relation, words[1]), value)
    # A patience of 0 waits for ever.
    return WaitFor(condition, patience[0] or None if patience else None)


def _pose(numbers: list[float]) -> Floats:
    """Return the pose of x, y, z in millimetres and optionally roll, pitch, yaw in degrees. Shape (4, 4)."""
    pose = from_euler([radians(angle) for angle in numbers[3:]]) if len(numbers) > 3 else np.eye(4)
    pose[:3, 3] = np.array(numbers[:3]) / 1000
    return pose


def _check_count(words: list[str], most: int) -> None:
    if len(words) > most:
        raise ValueError(f"not {len(words)} words")


def _numbers(words: list[str], counts: tuple[int, ...]) -> list[float]:
    if len(words) not in counts:
        raise ValueError(f"not {len(words)} numbers")
    numbers = [float(word) for word in words]
    if not np.isfinite(numbers).all():
        raise ValueError("a number is not finite")
    return numbers


COMMANDS: Mapping[str, tuple[str, Reader]] = {
    "move_joints_relative": ("ROBOT and a change per joint, in degrees or mm", _move_joints(relative=True)),
    "move_joints_absolute": ("ROBOT and a position per joint, in degrees or mm", _move_joints()),
    "move_joint_by_joint": ("ROBOT and a position per joint, in degrees or mm", _move_joints(one_by_one=True)),
    "move_end_effector": ("ROBOT X Y Z in mm, and optionally ROLL PITCH YAW in degrees", _move_tool(straight=False)),
    "move_straight_line": ("ROBOT X Y Z in mm, and optionally ROLL PITCH YAW in degrees", _move_tool(straight=True)),
    "close_gripper": ("ROBOT, and optionally the object to grip", _use_gripper(close=True)),
    "open_gripper": ("ROBOT", _use_gripper(close=False)),
    "define_grasp": ("OBJECT X Y Z ROLL PITCH YAW in its frame, and optionally the opening in mm", _define_grasp),
    "move_to_grasp": ("ROBOT and OBJECT", _move_to_grasp),
    "robot_speed": ("ROBOT and the speed of the joint that moves farthest, in rad/s, or full", _set_speed),
    "message": ("a text", lambda words, robot: Announce(" ".join(words))),
    "status": ("no arguments", lambda words, robot: Announce()),
    "camera": ("the name of a camera", lambda words, robot: SwitchCamera(words[0])),
    "sensor": ("NAME and on or off", _switch_sensor),
    "wait": ("seconds, or SENSOR.CHANNEL < VALUE and optionally the longest time in seconds", _wait),
}
"""Each command: its arguments, and the function that reads them."""
