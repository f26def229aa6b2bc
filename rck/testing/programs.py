"""What every language of robot programs must do: run :func:`check_language` on yours, with a program and its robot."""

from contextlib import suppress

import numpy as np

from rck.hooks.kinds import ProgramLanguage
from rck.hooks.programs import Line, Program
from rck.model.finding import RckError
from rck.model.robot import Robot


def check_language(language: ProgramLanguage, text: str, robot: Robot, *, damages: int = 40, seed: int = 1) -> None:
    """A program has commands that know their lines, the same each time; however damaged, it is read or refused."""
    program = language.compile(text, robot)
    assert isinstance(program, Program), f"it returned {type(program).__name__}, not Program"
    assert program.lines, "the program has no commands"
    numbers = [line.number for line in program.lines]
    assert numbers == sorted(numbers), f"the lines are out of order: {numbers}"
    assert 1 <= numbers[0] <= numbers[-1] <= len(text.splitlines()), f"there are no such lines: {numbers}"
    again = language.compile(text, robot)
    assert list(map(_told, again.lines)) == list(map(_told, program.lines)), "the second time it was another program"
    random = np.random.default_rng(seed)
    words = ["", "nan", "1e999", "-1", "no-such-word", "\x00", "'", '"', "#", "\n"]
    for number in range(damages):
        at = int(random.integers(len(text)))
        other = words[number % len(words)]
        damaged = text[:at] if number % 3 == 0 else text[:at] + other + text[at + int(random.integers(4)) :]
        with suppress(RckError):
            assert isinstance(language.compile(damaged, robot), Program)


def _told(line: Line) -> tuple[int, str, str]:
    return line.number, line.text, repr(line.instruction)
