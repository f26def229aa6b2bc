"""A program that the Simulate screen plays: its text, line by line, with breakpoints, and how far it has come."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from rck.hooks import Plugins
from rck.hooks.programs import MoveJoints
from rck.model import RckError, Robot
from rck.model.files import write_atomically
from rck.simulation.cell import Cell
from rck.simulation.programs import Executed, Memory, ProgramRun, compile_text, read_program
from rck.simulation.simulation import Simulation


@dataclass(frozen=True, slots=True)
class ScriptRow:
    """A line of the text, and what became of it."""

    number: int
    text: str
    stops: bool
    """Whether it halts before this line."""
    state: str


class Script:
    """Change its text while it stands still; it goes on at the line of the number that it was at."""

    def __init__(self, path: Path, robot: Robot, plugins: Plugins) -> None:
        """Read a program for a robot."""
        self.name = path.name
        self.one_line = False
        """Whether to halt after the line that is being carried out."""
        self._path = path
        self._robot = robot
        self._plugins = plugins
        self._program = read_program(path, robot, plugins)
        self._lines = path.read_text(encoding="utf-8").splitlines()
        self._breakpoints: set[int] = set()
        self.run: ProgramRun

    def begin(self, simulation: Simulation) -> None:
        """Go back to the first line, in a simulation that has just begun."""
        self.run = ProgramRun(Cell(simulation, self._plugins), self._program, self._breakpoints)
        self.one_line = False

    def carry_on(self) -> list[Executed]:
        """Carry lines on without letting time pass: those that are done now. Halts as it should; see :meth:`halts`."""
        done: list[Executed] = []
        while not self.run.finished and self.run.proceed() is None:
            done.append(self.run.executed[-1])
            if self.halts:
                break
        return done

    @property
    def halts(self) -> bool:
        """Whether it stands before a line and is not to go on by itself."""
        run = self.run
        if run.under_way:
            return False
        failed = bool(run.executed) and not run.executed[-1].reply
        return run.line is None or failed or self.one_line or run.line.number in self._breakpoints

    def break_at(self, place: int) -> None:
        """Halt before a row of :attr:`rows`, or no longer."""
        self._breakpoints ^= {self.rows[place].number}
        self.run.breakpoints = self._breakpoints

    def go_to(self, place: int) -> None:
        """Let a row, or the first after it that does something, come next."""
        self.run.go_to(self.rows[place].number)

    def edit(self, place: int, *lines: str) -> None:
        """Put other lines, or none, in the place of a row; what cannot be read is refused and nothing changes."""
        text = [*self._lines[:place], *lines, *self._lines[place + 1 :]]
        program = compile_text("\n".join(text), self._path, self._robot, self._plugins)
        self._lines, self._program = text, program
        self.run.edit(program)

    def insert(self, place: int, line: str) -> None:
        """Put a line after a row."""
        self.edit(place, *self._lines[place : place + 1], line)

    def save(self, path: Path) -> None:
        """Write the text."""
        write_atomically(path, "".join(f"{line}\n" for line in self._lines).encode())

    def memory(self) -> object:
        """How far it has come, as a file of states holds it."""
        if self.run.under_way:
            raise RckError(f"{self.name} is in the middle of a line: let it halt after the line (s), then save")
        return msgspec.to_builtins(self.run.memory())

    def recall(self, memory: object) -> None:
        """Go on from where it had come to."""
        self.run.recall(msgspec.convert(memory, Memory))

    def go_back(self, memory: Memory) -> None:
        """Go back to a moment to which the simulation was put back; a line that was under way begins again there.

        A change of joints by so much would be made twice: of such a line the rest is let go on by itself.
        """
        self.run.begin_line_again()
        self.run.recall(memory)
        line = self.run.line
        if line is not None and isinstance(line.instruction, MoveJoints) and line.instruction.relative:
            self.run.take_up()
        else:
            self.run.cell.give_up("the line begins again")

    @property
    def place(self) -> str:
        """Where it is, in words."""
        line = self.run.line
        if line is None:
            return "done"
        return f"in line {line.number}" if self.run.under_way else f"halted before line {line.number}"

    @property
    def rows(self) -> list[ScriptRow]:
        """The text with what became of each line."""
        run = self.run
        replies = {one.line.number: one.reply for one in run.executed}
        coming = run.line.number if run.line is not None else None
        rows = []
        for number, text in enumerate(self._lines, start=1):
            state = ""
            if number in replies:
                state = "done" if replies[number] else replies[number].text
            if number == coming and (run.under_way or not state or state == "done"):
                state = "doing" if run.under_way else "next"
            rows.append(ScriptRow(number, text, number in self._breakpoints, state))
        return rows
