"""Running a program line by line: single steps, breakpoints, halt, edit, and go on at any line."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from rck.geometry.arrays import frozen
from rck.hooks import Plugins, ProgramLanguage
from rck.hooks.programs import DefineGrasp, Line, Program, RunFile
from rck.model.finding import RckError
from rck.model.robot import Robot
from rck.simulation.cell import Cell, Going, Reply


@dataclass(frozen=True, eq=False, slots=True)
class Executed:
    """A line that was carried out, and its answer."""

    line: Line
    reply: Reply
    finished: float
    """In simulated seconds."""


class Memory(msgspec.Struct, frozen=True):
    """How far a program has come, as a file can hold it."""

    line: int | None
    """The number of the line that comes next; None at the end."""
    executed: list[tuple[int, bool, str, float]]
    """The lines that were carried out, by their place; whether they were done, the answer, and when."""
    speeds: dict[str, float]
    grasps: dict[str, tuple[list[list[float]], float]]


class ProgramRun:
    """A program on its way through a cell."""

    def __init__(self, cell: Cell, program: Program, breakpoints: Iterable[int] = ()) -> None:
        """Take the cell, the program and the numbers of lines to halt before."""
        self.cell = cell
        self.program = program
        self.breakpoints = set(breakpoints)
        self.executed: list[Executed] = []
        self._next = 0
        self._going: Going | None = None

    @property
    def line(self) -> Line | None:
        """The line that comes next; None at the end."""
        return self.program.lines[self._next] if self._next < len(self.program.lines) else None

    @property
    def finished(self) -> bool:
        """Whether the program is at its end."""
        return self.line is None

    def step(self) -> Executed | None:
        """Carry out one line. After an error the line stays the next one: it can be edited, or gone past."""
        if self.line is None:
            return None
        while (seconds := self.proceed()) is not None:
            self.cell.let_pass(seconds)
        return self.executed[-1]

    def proceed(self) -> float | None:
        """Carry the next line on: the seconds that should pass before it is asked again; None when the line is done."""
        line = self.line
        if line is None:
            return None
        if self._going is None:
            self._going = self.cell.carry_out(line.instruction)
        try:
            return next(self._going)
        except StopIteration as end:
            self._going = None
            self.executed.append(Executed(line, end.value, self.cell.simulation.time))
            if end.value:
                self._next += 1
            return None

    @property
    def under_way(self) -> bool:
        """Whether the next line has begun."""
        return self._going is not None

    def take_up(self) -> None:
        """The next line is under way already: let what was set going come to its end instead of beginning it."""
        self._going = self.cell.wait_out()

    def begin_line_again(self) -> None:
        """What the line that has begun has set going is given up; it begins anew."""
        if self._going is not None:
            self._going.close()
            self._going = None

    def run(self) -> Executed | None:
        """Carry out lines up to the end, an error, or a breakpoint; the last one that was."""
        last = None
        while self.line is not None and not (last is not None and self.line.number in self.breakpoints):
            last = self.step()
            if last is not None and not last.reply:
                break
        return last

    def go_to(self, number: int) -> None:
        """Let the line of that number, or the first after it, come next."""
        places = [place for place, line in enumerate(self.program.lines) if line.number >= number]
        if not places:
            raise RckError(f"the program has no line {number} or later")
        self.begin_line_again()
        self._next = places[0]

    def memory(self) -> Memory:
        """How far it has come, to go on from later."""
        speeds, grasps = self.cell.settings
        return Memory(
            self.line.number if self.line is not None else None,
            [
                (self.program.lines.index(one.line), one.reply.done, one.reply.text, one.finished)
                for one in self.executed
                if one.line in self.program.lines
            ],
            dict(speeds),
            {name: (grasp.pose.tolist(), grasp.opening) for name, grasp in grasps.items()},
        )

    def recall(self, memory: Memory) -> None:
        """Go on from where the same program had come to."""
        lines = self.program.lines
        self._next = len(lines)
        if memory.line is not None:
            self.go_to(memory.line)
        self.executed = [
            Executed(lines[place], Reply(done, text), finished) for place, done, text, finished in memory.executed
        ]
        grasps = {name: DefineGrasp(name, frozen(np.array(pose)), gap) for name, (pose, gap) in memory.grasps.items()}
        self.cell.settings = memory.speeds, grasps

    def edit(self, program: Program) -> None:
        """Put another text in place of the program; it goes on at the line of the number that it was at."""
        number = self.line.number if self.line is not None else None
        self.begin_line_again()
        self.program = program
        later = [place for place, line in enumerate(program.lines) if number is not None and line.number >= number]
        self._next = later[0] if later else len(program.lines)


def language_of(path: Path, plugins: Plugins) -> ProgramLanguage | None:
    """The language that the ending of a file says."""
    return next((one for one in plugins.all(ProgramLanguage) if path.suffix.lower() in one.endings), None)


def read_program(path: Path, robot: Robot, plugins: Plugins) -> Program:
    """The program in a file, in the language that its ending says; errors name file and line."""
    return _read(path, robot, plugins, ())


def compile_text(text: str, path: Path, robot: Robot, plugins: Plugins) -> Program:
    """As :func:`read_program`, with another text than the file has."""
    return _compile(text, path, robot, plugins, ())


def _read(path: Path, robot: Robot, plugins: Plugins, within: tuple[Path, ...]) -> Program:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RckError(f"{path.name} is not a text in UTF-8") from None
    except OSError as error:
        raise RckError(f"{path}: {error.strerror}") from None
    try:
        return _compile(text, path, robot, plugins, within)
    except RckError as error:
        raise RckError(f"{path.name}, {error}") from None


def _compile(text: str, path: Path, robot: Robot, plugins: Plugins, within: tuple[Path, ...]) -> Program:
    language = language_of(path, plugins)
    if language is None:
        known = ", ".join(ending for one in plugins.all(ProgramLanguage) for ending in one.endings)
        raise RckError(f"no language for programs has the ending {path.suffix!r}; known: {known or 'none'}")
    within = (*within, path.resolve())
    lines: list[Line] = []
    for line in language.compile(text, robot).lines:
        if not isinstance(line.instruction, RunFile):
            lines.append(line)
            continue
        other = path.parent / line.instruction.file
        if other.resolve() in within:
            raise RckError(f"line {line.number}: {other.name} is being read already: a program cannot run itself")
        try:
            # Its lines stand where it is named.
            inner = _read(other, robot, plugins, within).lines
        except RckError as error:
            raise RckError(f"line {line.number}: {error}") from None
        lines += [replace(one, number=line.number, text=f"{line.text}: {one.text}") for one in inner]
    return Program(tuple(lines))
