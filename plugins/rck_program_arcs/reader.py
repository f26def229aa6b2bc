"""Reading ARCS programs (Koning 1991, section 4.4): words in any number of lines.

`p` is a point-to-point move and `c` a straight one, each with a position in millimetres, an orientation in degrees and
a number of steps, as in `c 1324 0 700 0 90 0 20`; `g` grips, `u` lets go, `f NAME` runs another file, `s` tells where
the robot is, `q` ends.
Positions are those of the robot's own base. The three angles are turns about x, y and z: the report does not say; its
example, `0 90 0`, then points the tool along x.
"""

from collections.abc import Iterator
from math import radians

from rck.geometry.transforms import from_euler
from rck.hooks.programs import Grip, Line, MoveTool, Program, RunFile, Say
from rck.model.finding import RckError
from rck.model.robot import Robot
from rck.simulation.arms import Arm, arm_named

_NUMBERS = 7


def read(text: str, robot: Robot) -> Program:
    """The program for the only arm of a scene, or the first; what is no ARCS is an error that names the line."""
    arm = _first_arm(robot)
    words = _words(text)
    lines = []
    for number, word in words:
        letter = word.lower()
        if letter == "q":
            break
        if letter in ("p", "c"):
            values = [_number(words, number, word) for _ in range(_NUMBERS)]
            lines.append(Line(number, " ".join([word, *map("{:g}".format, values)]), _move(robot, arm, letter, values)))
        elif letter in ("g", "u"):
            lines.append(Line(number, word, Grip(arm.name, close=letter == "g")))
        elif letter == "s":
            lines.append(Line(number, word, Say()))
        elif letter == "f":
            _, name = next(words, (number, ""))
            if not name:
                raise RckError(f"line {number}: f takes the name of a file, and the program ends")
            lines.append(Line(number, f"{word} {name}", RunFile(name)))
        else:
            raise RckError(f"line {number}: {word!r} is no command of ARCS; known: p c g u f s q")
    return Program(tuple(lines))


def _first_arm(robot: Robot) -> Arm:
    from rck.simulation.arms import arms_of

    arms = arms_of(robot)
    return next(iter(arms.values())) if arms else arm_named(robot, "")


def _words(text: str) -> Iterator[tuple[int, str]]:
    return ((number, word) for number, line in enumerate(text.splitlines(), start=1) for word in line.split())


def _number(words: Iterator[tuple[int, str]], number: int, command: str) -> float:
    line, word = next(words, (number, ""))
    try:
        return float(word)
    except ValueError:
        found = f"not {word!r}" if word else "and the program ends"
        raise RckError(f"line {line}: {command} takes {_NUMBERS} numbers, X Y Z O A T STEPS, {found}") from None


def _move(robot: Robot, arm: Arm, letter: str, values: list[float]) -> MoveTool:
    base_from_tool = from_euler([radians(angle) for angle in values[3:6]])
    base_from_tool[:3, 3] = [coordinate / 1000 for coordinate in values[:3]]
    base = robot.item(robot.joint(arm.chain.joints[0]).base)
    return MoveTool(arm.name, base.pose @ base_from_tool, straight=letter == "c")
