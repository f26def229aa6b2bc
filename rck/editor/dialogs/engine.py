"""The dialog that chooses a solver, a collision backend, a physics engine or a viewer."""

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
TITLES: dict[Role, str] = {
    "solver": "IK solver of the Move screen",
    "collision": "Collision backend of the Move screen",
    "physics": "Physics engine of the Simulate screen",
    "viewer": "Open the robot in",
}
_DEFAULTS: dict[Role, str] = {
    "solver": "automatic: the best one for each arm",
    "physics": "none: kinematic motion only",
}


class EngineDialog(ModalScreen[str]):
    """The available engines for a role; returns a name, which is empty for the default."""

    DEFAULT_CSS = """
    EngineDialog { align: center middle; }
    EngineDialog #engines { width: 90%; max-width: 100; height: auto; max-height: 80%; border: round $primary; }
    EngineDialog OptionList { height: auto; border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, role: Role, plugins: Plugins, chosen: str) -> None:
        super().__init__()
        self._role = role
        self._choices = [("", _DEFAULTS[role])] if role in _DEFAULTS else []
        self._choices += [(engine.name, engine.summary) for engine in plugins.all(KINDS[role])]
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """Add one line for each engine."""
        with Vertical(id="engines") as box:
            box.border_title = TITLES[self._role]
            box.border_subtitle = "Enter: choose · Escape: cancel"
            yield OptionList(*self._lines(), id="engine-list", compact=True)

    def _lines(self) -> Iterable[Option]:
        for name, summary in self._choices:
            mark = "● " if name == self._chosen and self._role != "viewer" else "  "
            yield Option(Text.assemble(mark, (f"{name or '-':14} ", "bold"), (summary, "dim")))

    def on_mount(self) -> None:
        """Highlight the current engine."""
        names = [name for name, _ in self._choices]
        self.query_one(OptionList).highlighted = names.index(self._chosen) if self._chosen in names else 0

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index][0])
