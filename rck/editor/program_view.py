"""The program that the Simulate screen plays: its text with breakpoints, and the state of each line."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from rck.hooks import Plugins
from rck.hooks.actions import MoveJoints
from rck.model import RckError
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.program_runner import Executed, ProgramMemory, ProgramRunner, compile_text, read_program
from rck.simulation.simulation import Simulation
from rck.support.files import write_atomically


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """A line of the text, with its state."""

    number: int
    text: str
    stops: bool
    """True if there is a breakpoint before it."""
    state: str


class ProgramView(ProgramRunner):
    """A program with its text, which can be edited while the program stands still."""

    def __init__(self, path: Path, simulation: Simulation, plugins: Plugins) -> None:
        """Read a program for a simulation."""
        self.name = path.name
        self.one_line = False
        """True if to halt after the line in progress."""
        self._path = path
        self._plugins = plugins
        super().__init__(InstructionExecutor(simulation, plugins), read_program(path, simulation.robot, plugins))
        self._lines = path.read_text(encoding="utf-8").splitlines()

    def restart(self, simulation: Simulation) -> None:
        """Return to the first line, in a simulation that has just begun."""
        self.begin(InstructionExecutor(simulation, self._plugins))
        self.one_line = False

    def carry_on(self) -> list[Executed]:
        """Carry out lines until one needs simulated time; return the lines that are over."""
        done: list[Executed] = []
        while not self.finished and self.proceed() is None:
            done.append(self.executed[-1])
            if self.halts:
                break
        return done

    @property
    def halts(self) -> bool:
        """True if it is between lines and must not continue by itself."""
        return super().halts or (self.one_line and not self.in_line)

    def break_at(self, row: int) -> None:
        """Set or remove the breakpoint before a row of :attr:`rows`."""
        self.breakpoints ^= {self.rows[row].number}

    def go_to(self, row: int) -> None:
        """Make a row, or the first instruction after it, the next line."""
        self.continue_at(self.rows[row].number)

    def edit(self, row: int, *lines: str) -> None:
        """Replace a row by other lines, or by none; an error leaves the program unchanged."""
        text = [*self._lines[:row], *lines, *self._lines[row + 1 :]]
        program = compile_text("\n".join(text), self._path, self.executor.simulation.robot, self._plugins)
        self._lines = text
        self.replace_program(program)

    def insert(self, row: int, line: str) -> None:
        """Insert a line after a row."""
        self.edit(row, *self._lines[row : row + 1], line)

    def save(self, path: Path) -> None:
        """Write the text."""
        write_atomically(path, "".join(f"{line}\n" for line in self._lines).encode())

    def encode_memory(self) -> object:
        """Return the progress for a state file."""
        if self.in_line:
            raise RckError(f"{self.name} is in the middle of a line: halt after the line (s), then save")
        return msgspec.to_builtins(self.memory())

    def go_back(self, memory: ProgramMemory) -> None:
        """Return to an earlier progress, after the simulation did; a line that was in progress begins again.

        A relative move would be made twice: the rest of such a line continues instead.
        """
        self.cancel_line()
        self.recall(memory)
        line = self.line
        if line is not None and isinstance(line.instruction, MoveJoints) and line.instruction.relative:
            self.wait_for_line()
        else:
            self.executor.give_up("the line begins again")

    @property
    def place(self) -> str:
        """The position in the program, in words."""
        if self.line is None:
            return "done"
        return f"in line {self.line.number}" if self.in_line else f"halted before line {self.line.number}"

    @property
    def rows(self) -> list[ProgramRow]:
        """The lines of the text, with their states."""
        replies = {done.line.number: done.reply for done in self.executed}
        coming = None if self.line is None else self.line.number
        rows = []
        for number, text in enumerate(self._lines, start=1):
            state = ""
            if number in replies:
                state = "done" if replies[number] else replies[number].text
            if number == coming and (self.in_line or not state or state == "done"):
                state = "doing" if self.in_line else "next"
            rows.append(ProgramRow(number, text, number in self.breakpoints, state))
        return rows
