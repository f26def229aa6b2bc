"""Runner of programs: single steps, breakpoints, editing, and continuing at any line; reading programs from files."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from rck.geometry.arrays import frozen
from rck.hooks import Plugins, ProgramLanguage
from rck.hooks.actions import DefineGrasp, Program, ProgramLine, RunFile
from rck.model.robot import Robot
from rck.simulation.action_types import Execution, InstructionReply
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.plugin_actions import compile_with_actions, use_plugin_actions
from rck.support.finding import RckError


@dataclass(frozen=True, eq=False, slots=True)
class Executed:
    """A line that was carried out, and its reply."""

    line: ProgramLine
    reply: InstructionReply
    finished: float
    """In simulated seconds."""


class ProgramMemory(msgspec.Struct, frozen=True):
    """The progress of a program, as it is stored in state files."""

    line: int | None
    """Number of the next line; None at the end."""
    executed: list[tuple[int, bool, str, float]]
    """For each line that was carried out: its index, whether it was done, the reply, and the time."""
    speeds: dict[str, float]
    grasps: dict[str, tuple[list[list[float]], float]]


class ProgramRunner:
    """A program in progress. Stop it before or after any line, edit it, and continue."""

    def __init__(self, executor: InstructionExecutor, program: Program, breakpoints: Iterable[int] = ()) -> None:
        """Take the program and the numbers of the lines before which it stops."""
        self.program = program
        self.breakpoints = set(breakpoints)
        self.begin(executor)

    def begin(self, executor: InstructionExecutor) -> None:
        """Return to the first line, with another executor."""
        self.executor = executor
        self.executed: list[Executed] = []
        self._next = 0
        self._execution: Execution | None = None

    @property
    def line(self) -> ProgramLine | None:
        """The next line, or the line in progress; None at the end."""
        return self.program.lines[self._next] if self._next < len(self.program.lines) else None

    @property
    def finished(self) -> bool:
        """True if the program is at its end."""
        return self.line is None

    @property
    def in_line(self) -> bool:
        """True if a line is in progress."""
        return self._execution is not None

    @property
    def halts(self) -> bool:
        """True if it is between lines and must not continue by itself: at the end, an error or a breakpoint."""
        if self.in_line:
            return False
        failed = bool(self.executed) and not self.executed[-1].reply
        return self.line is None or failed or self.line.number in self.breakpoints

    def step(self) -> Executed | None:
        """Carry out one line. After an error the line stays the next one: edit it, or continue after it."""
        if self.line is None:
            return None
        while (seconds := self.proceed()) is not None:
            self.executor.let_pass(seconds)
        return self.executed[-1]

    def run(self) -> Executed | None:
        """Carry out lines up to the end, an error or a breakpoint; return the last one."""
        last = None
        while self.line is not None and (last is None or not self.halts):
            last = self.step()
        return last

    def proceed(self) -> float | None:
        """Continue the line: return the seconds to simulate before the next call, or None if the line is over."""
        line = self.line
        if line is None:
            return None
        if self._execution is None:
            self._execution = self.executor.carry_out(line.instruction)
        try:
            return next(self._execution)
        except StopIteration as end:
            self._execution = None
            self.executed.append(Executed(line, end.value, self.executor.simulation.time))
            if end.value:
                self._next += 1
            return None

    def wait_for_line(self) -> None:
        """Treat the next line as in progress: let its motions come to their end instead of starting it."""
        self._execution = self.executor.wait_out()

    def cancel_line(self) -> None:
        """Cancel the line in progress; it is the next line again."""
        if self._execution is not None:
            self._execution.close()
            self._execution = None

    def continue_at(self, number: int) -> None:
        """Make the line of that number, or the first one after it, the next line."""
        indexes = [index for index, line in enumerate(self.program.lines) if line.number >= number]
        if not indexes:
            raise RckError(f"the program has no line {number} or later")
        self.cancel_line()
        self._next = indexes[0]

    def memory(self) -> ProgramMemory:
        """Return the progress, for :meth:`recall`."""
        return ProgramMemory(
            self.line.number if self.line is not None else None,
            [
                (self.program.lines.index(done.line), done.reply.done, done.reply.text, done.finished)
                for done in self.executed
                if done.line in self.program.lines
            ],
            dict(self.executor.speeds),
            {name: (grasp.pose.tolist(), grasp.opening) for name, grasp in self.executor.grasps.items()},
        )

    def recall(self, memory: ProgramMemory) -> None:
        """Continue from the progress of the same program."""
        lines = self.program.lines
        self._next = len(lines)
        if memory.line is not None:
            self.continue_at(memory.line)
        self.executed = [
            Executed(lines[index], InstructionReply(done, text), finished)
            for index, done, text, finished in memory.executed
        ]
        self.executor.speeds = dict(memory.speeds)
        self.executor.grasps = {
            name: DefineGrasp(name, frozen(np.array(pose)), opening) for name, (pose, opening) in memory.grasps.items()
        }

    def replace_program(self, program: Program) -> None:
        """Replace the program; the new one continues at the line with the same number."""
        number = self.line.number if self.line is not None else None
        self.cancel_line()
        self.program = program
        later = [index for index, line in enumerate(program.lines) if number is not None and line.number >= number]
        self._next = later[0] if later else len(program.lines)


def language_of(path: Path, plugins: Plugins) -> ProgramLanguage | None:
    """Return the language for the ending of a file."""
    return next((each for each in plugins.all(ProgramLanguage) if path.suffix.lower() in each.endings), None)


def read_program(path: Path, robot: Robot, plugins: Plugins) -> Program:
    """Read a program in the language of its ending; errors name file and line."""
    return _read(path, robot, plugins, ())


def compile_text(text: str, path: Path, robot: Robot, plugins: Plugins) -> Program:
    """Compile a text as the contents of a program file."""
    return _compile(text, path, robot, plugins, ())


def _read(path: Path, robot: Robot, plugins: Plugins, within: tuple[Path, ...]) -> Program:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RckError(f"{path.name} is not a UTF-8 text") from None
    except OSError as error:
        raise RckError(f"{path}: {error.strerror}") from None
    try:
        return _compile(text, path, robot, plugins, within)
    except RckError as error:
        raise RckError(f"{path.name}, {error}") from None


def _compile(text: str, path: Path, robot: Robot, plugins: Plugins, within: tuple[Path, ...]) -> Program:
    language = language_of(path, plugins)
    if language is None:
        known = ", ".join(ending for each in plugins.all(ProgramLanguage) for ending in each.endings)
        raise RckError(f"no program language has the ending {path.suffix!r}; known: {known or 'none'}")
    within = (*within, path.resolve())
    lines: list[ProgramLine] = []
    use_plugin_actions(plugins)
    for line in compile_with_actions(language.compile, text, robot).lines:
        if not isinstance(line.instruction, RunFile):
            lines.append(line)
            continue
        other = path.parent / line.instruction.file
        if other.resolve() in within:
            raise RckError(f"line {line.number}: {other.name} is already being read: a program cannot run itself")
        try:
            inner = _read(other, robot, plugins, within).lines
        except RckError as error:
            raise RckError(f"line {line.number}: {error}") from None
        lines += [replace(each, number=line.number, text=f"{line.text}: {each.text}") for each in inner]
    return Program(tuple(lines))
