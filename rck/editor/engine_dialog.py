"""Choosing what works behind the screens, a solver, a collision back end, physics, or a viewer to look with."""

from collections.abc import Iterable
from typing import ClassVar, Literal, TypeAlias

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from rck.hooks import CollisionBackend, Physics, Plugins, Solver, Viewer

Role: TypeAlias = Literal["solver", "collision", "physics", "viewer"]
KINDS: dict[Role, type[Solver] | type[CollisionBackend] | type[Physics] | type[Viewer]] = {
    "solver": Solver,
    "collision": CollisionBackend,
    "physics": Physics,
    "viewer": Viewer,
}
QUESTIONS: dict[Role, str] = {
    "solver": "What finds the joint positions on the Move screen",
    "collision": "What finds out what touches on the Move screen",
    "physics": "The forces of the Simulate screen",
    "viewer": "Look at the robot with",
}
_WITHOUT: dict[Role, str] = {"solver": "the best one for each arm", "physics": "none: things move as they are told"}


class EngineDialog(ModalScreen[str]):
    """What there is for a role, the plugins' included; answers with a name, which is empty for none."""

    DEFAULT_CSS = """
    EngineDialog { align: center middle; }
    EngineDialog #engines { width: 90%; max-width: 100; height: auto; max-height: 80%; border: round $primary; }
    EngineDialog OptionList { height: auto; border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave")]

    def __init__(self, role: Role, plugins: Plugins, chosen: str) -> None:
        super().__init__()
        self._role = role
        self._choices = [("", _WITHOUT[role])] if role in _WITHOUT else []
        self._choices += [(one.name, one.summary) for one in plugins.all(KINDS[role])]
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """One line for each."""
        with Vertical(id="engines") as box:
            box.border_title = QUESTIONS[self._role]
            box.border_subtitle = "Enter chooses · Escape leaves"
            yield OptionList(*self._lines(), id="engine-list", compact=True)

    def _lines(self) -> Iterable[Option]:
        for name, summary in self._choices:
            mark = "● " if name == self._chosen and self._role != "viewer" else "  "
            yield Option(Text.assemble(mark, (f"{name or '-':14} ", "bold"), (summary, "dim")))

    def on_mount(self) -> None:
        """What is used now has the cursor."""
        names = [name for name, _ in self._choices]
        self.query_one(OptionList).highlighted = names.index(self._chosen) if self._chosen in names else 0

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index][0])
