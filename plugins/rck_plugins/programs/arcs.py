"""Programs of ARCS, the Amsterdam Robot Controller and Simulator (Koning 1991, section 4.4).

A program is a sequence of words on any number of lines. `p` is a joint move and `c` a straight move of the tool, each
with a position in millimetres, an orientation in degrees and a number of steps, as in `c 1324 0 700 0 90 0 20`.
`g` closes the gripper, `u` opens it, `f NAME` runs another file, `s` reports the pose of the tool, and `q` ends.
Positions are relative to the base of the robot. The report does not define the three angles; here they are rotations
about x, y and z. In the example of the report, `0 90 0`, the tool then points along x.
"""

from collections.abc import Iterator
from contextlib import suppress
from math import isfinite, radians

from rck.geometry.transforms import from_euler
from rck.hooks import Program, ProgramLanguage, hookimpl
from rck.hooks.actions import Action, Announce, MoveTool, ProgramLine, RunFile, UseGripper
from rck.model import Robot
from rck.simulation.arms import Arm, arm_named, arms_of
from rck.support.finding import RckError

_NUMBERS = 7


@hookimpl
def rck_program_languages() -> list[ProgramLanguage]:
    """Return the ARCS language."""
    return [ProgramLanguage("arcs", "p and c X Y Z O A T STEPS, g, u, f FILE, s, q", (".arcs",), read)]


def read(text: str, robot: Robot) -> Program:
    """Return the program for the first arm of a scene; an error names the line."""
    arms = arms_of(robot)
    arm = next(iter(arms.values())) if arms else arm_named(robot, "")
    words = ((number, word) for number, line in enumerate(text.splitlines(), start=1) for word in line.split())
    lines = []
    for number, word in words:
        letter, source = word.lower(), word
        action: Action
        if letter == "q":
            break
        if letter in ("p", "c"):
            values = [_number(words, number, word) for _ in range(_NUMBERS)]
            source = " ".join([word, *map("{:g}".format, values)])
            action = _move(robot, arm, values, straight=letter == "c")
        elif letter in ("g", "u"):
            action = UseGripper(arm.name, close=letter == "g")
        elif letter == "s":
            action = Announce()
        elif letter == "f":
            _, name = next(words, (number, ""))
            if not name:
                raise RckError(f"line {number}: f needs the name of a file, and the program ends")
            source = f"{word} {name}"
            action = RunFile(name)
        else:
            raise RckError(f"line {number}: {word!r} is not an ARCS command; known: p c g u f s q")
        lines.append(ProgramLine(number, source, action))
    return Program(tuple(lines))


def _number(words: Iterator[tuple[int, str]], number: int, command: str) -> float:
    line, word = next(words, (number, ""))
    with suppress(ValueError):
        if isfinite(value := float(word)):
            return value
    found = f"not {word!r}" if word else "and the program ends"
    raise RckError(f"line {line}: {command} takes {_NUMBERS} numbers, X Y Z O A T STEPS, {found}")


def _move(robot: Robot, arm: Arm, values: list[float], straight: bool) -> MoveTool:
    base_from_tool = from_euler([radians(angle) for angle in values[3:6]])
    base_from_tool[:3, 3] = [coordinate / 1000 for coordinate in values[:3]]
    base = robot.item(robot.joint(arm.chain.joints[0]).base)
    return MoveTool(arm.name, base.pose @ base_from_tool, straight)
