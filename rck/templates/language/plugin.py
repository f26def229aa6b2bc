"""Language for robot programs: `turn ANGLE ...` in degrees, `wait SECONDS` and `say WORDS`, one per line."""

from math import isfinite, radians

from rck.hooks import Program, ProgramLanguage, hookimpl
from rck.hooks.actions import Announce, MoveJoints, ProgramLine, Wait
from rck.model import RckError, Robot


@hookimpl
def rck_program_languages() -> list[ProgramLanguage]:
    """Return the language."""
    return [ProgramLanguage("my-plugin", "turn, wait and say", (".turns",), read)]


def read(text: str, robot: Robot) -> Program:
    """Compile a program; the first invalid line is an error with its number."""
    lines = enumerate(text.splitlines(), start=1)
    return Program(tuple(read_line(number, line.strip()) for number, line in lines if line.strip()))


def read_line(number: int, text: str) -> ProgramLine:
    """Compile one line. An empty name stands for the only arm of the scene."""
    verb, *words = text.split()
    if verb == "say":
        return ProgramLine(number, text, Announce(" ".join(words)))
    values = numbers(number, words)
    if verb == "turn" and values:
        return ProgramLine(number, text, MoveJoints("", tuple(map(radians, values))))
    if verb == "wait" and len(values) == 1 and values[0] >= 0:
        return ProgramLine(number, text, Wait(values[0]))
    raise RckError(f"line {number}: {text!r} is not turn ANGLE ..., wait SECONDS or say WORDS")


def numbers(number: int, words: list[str]) -> list[float]:
    """Convert words to finite numbers."""
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = [float("nan")]
    if not all(map(isfinite, values)):
        raise RckError(f"line {number}: {' '.join(words)!r} are not numbers")
    return values
