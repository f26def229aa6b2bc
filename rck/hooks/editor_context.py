"""The context that the editor passes to the functions of plugins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.job import Job

Tone = Literal["done", "info", "error"]


@dataclass(frozen=True, eq=False, slots=True)
class EditorContext:
    """The state of the editor when a function of a plugin is called, and what the function asks the editor to do.

    All values are immutable, so that the function can run outside the thread of the interface.
    """

    document: Any
    """The document, a :class:`rck.language.document.Document`."""
    robot: Robot | None = None
    """The robot as the screen shows it; None while the assembly has errors."""
    selection: tuple[str, ...] = ()
    """Names of the selected objects: `base`, `shoulder/axis`, `base.top`."""
    tool: str = ""
    """The tip of the arm: the tool that the Move screen moves, or the first one; empty without a tip."""
    screen: str = "build"
    """The name of the visible screen: build, move, simulate, import, plugins, or that of a plugin's screen."""
    job: Job = field(default_factory=Job)
    """Cancelled when the editor no longer waits for the function."""
    may_run: bool = True
    """False for functions that only show something; they run no commands."""
    commands: list[str] = field(default_factory=list)
    """The commands of `do`, in order."""
    messages: list[tuple[str, Tone]] = field(default_factory=list)
    """The messages of `notify`, each with its tone."""

    @property
    def positions(self) -> Mapping[str, float]:
        """The positions of the free joints by name, in radians and metres; empty without a robot."""
        if self.robot is None:
            return {}
        names = (joint.name for joint in self.robot.free_joints)
        return dict(zip(names, self.robot.positions.tolist(), strict=True))

    def do(self, command: str) -> None:
        """Run a command when the function has returned; if it raises an exception, none of its commands runs.

        Several commands run in order, all or none.
        """
        if not self.may_run:
            raise RckError("a function that shows something cannot run commands; use a button or an action")
        self.commands.append(command)

    def notify(self, message: str, tone: Tone = "info") -> None:
        """Show a message below the command line when the function has returned."""
        self.messages.append((message, tone))
