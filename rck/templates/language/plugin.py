"""A language of robot programs: `turn ANGLE ...` in degrees, `wait SECONDS` and `say WORDS`, one to a line."""

from math import isfinite, radians

from rck.hooks import Program, ProgramLanguage, hookimpl
from rck.hooks.programs import Line, MoveJoints, Pause, Say
from rck.model import RckError, Robot


@hookimpl
def rck_program_languages() -> list[ProgramLanguage]:
    """What this plugin adds."""
    return [ProgramLanguage("my-plugin", "turn, wait and say", (".turns",), read)]


def read(text: str, robot: Robot) -> Program:
    """The program; the first line that cannot be read is an error that names it."""
    lines = enumerate(text.splitlines(), start=1)
    return Program(tuple(read_line(number, line.strip()) for number, line in lines if line.strip()))


def read_line(number: int, text: str) -> Line:
    """One line. The only arm of a scene needs no name: turns are of that one."""
    verb, *words = text.split()
    if verb == "say":
        return Line(number, text, Say(" ".join(words)))
    values = numbers(number, words)
    if verb == "turn" and values:
        return Line(number, text, MoveJoints("", tuple(map(radians, values))))
    if verb == "wait" and len(values) == 1 and values[0] >= 0:
        return Line(number, text, Pause(values[0]))
    raise RckError(f"line {number}: {text!r} is none of turn ANGLE ..., wait SECONDS, say WORDS")


def numbers(number: int, words: list[str]) -> list[float]:
    """Words as finite numbers."""
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = [float("nan")]
    if not all(map(isfinite, values)):
        raise RckError(f"line {number}: {' '.join(words)!r} are not numbers")
    return values
