"""The dialogs that choose a solver, a collision backend, a physics engine or a viewer, and set its options."""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from rck.editor.dialogs.basic import ListChoice, ListDialog
from rck.editor.engines import Engine
from rck.editor.widgets.option_editor import OptionEditor
from rck.hooks import CollisionBackend, Option, Physics, Plugins, Solver, Viewer
from rck.model.quantities import Units

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


class EngineDialog(ListDialog):
    """The available engines for a role; returns a name, which is empty for the default."""

    def __init__(self, role: Role, plugins: Plugins, chosen: str) -> None:
        choices = [ListChoice("", "-", _DEFAULTS[role])] if role in _DEFAULTS else []
        choices += [ListChoice(engine.name, engine.name, engine.summary) for engine in plugins.all(KINDS[role])]
        super().__init__(TITLES[role], choices, None if role == "viewer" else chosen)


def options_of(role: Role, plugins: Plugins, name: str) -> Sequence[Option]:
    """Return the options of an engine; none for the default of the role."""
    return next((engine.options for engine in plugins.all(KINDS[role]) if engine.name == name), ())


class EngineOptionsDialog(ModalScreen[Engine]):
    """The options of an engine; returns the engine with the values."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "done", "Done")]
    DEFAULT_CSS = """
    EngineOptionsDialog { align: center middle; }
    EngineOptionsDialog #engine-options { width: 70; max-width: 90%; height: auto; max-height: 80%; }
    """

    def __init__(self, engine: Engine, options: Sequence[Option], units: Units) -> None:
        super().__init__()
        self._engine = engine
        self._options = options
        self._units = units

    def compose(self) -> ComposeResult:
        """Add the option editor."""
        with Vertical(id="list-box") as box:
            box.border_title = f"Options of {self._engine.name}"
            box.border_subtitle = "Enter: edit · Escape: use these values"
            yield OptionEditor(id="engine-options")

    def on_mount(self) -> None:
        """Show the present values."""
        self._show()
        self.query_one(OptionEditor).table.focus()

    def _show(self) -> None:
        self.query_one(OptionEditor).use(self._options, self._engine.given, self._units)

    @on(OptionEditor.Changed)
    def _set(self, event: OptionEditor.Changed) -> None:
        event.stop()
        self._engine = self._engine.with_setting(event.name, event.value)
        self._show()

    def action_done(self) -> None:
        """Return the engine."""
        self.dismiss(self._engine)
