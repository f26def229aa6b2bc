"""Features of the editor that plugins add: actions, overlays, screens, themes and start templates."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from textual.app import SystemCommand
from textual.binding import Binding

from rck.editor.overlay_layers import OverlayLayer, make_layer
from rck.editor.plugin_calls import PluginCalls, Timed
from rck.editor.plugin_keys import Keyed, assign_keys, binding_id
from rck.editor.screens import PluginScreenSpec
from rck.editor.start_templates import START_TEMPLATES
from rck.editor.themes import textual_theme
from rck.hooks import EditorAction, EditorContext, EditorScreen, Overlay, StartTemplate, Theme
from rck.kinematics.tip import arm_tips
from rck.model import RckError
from rck.support.names import did_you_mean

if TYPE_CHECKING:
    from rck.editor.app import RckApp

T = TypeVar("T")
_RUNS: dict[type, str] = {EditorAction: "plugin_action", Overlay: "plugin_overlay", EditorScreen: "go"}
"""The action of the application that a key runs."""


class PluginFeatures:
    """The additions of plugins to the editor."""

    def __init__(self, app: "RckApp", shown: Iterable[str] | None = None) -> None:
        """Take the contributions of the plugins; `shown` names the overlays to show, by default those of the start."""
        self._app = app
        self.workbench = app.workbench
        plugins = self._plugins = app.workbench.session.plugins
        self.calls = PluginCalls(plugins)
        self.actions = {action.name: action for action in plugins.all(EditorAction)}
        self.overlays = {overlay.name: overlay for overlay in plugins.all(Overlay)}
        self.screens = {
            name: spec.declared for name, spec in app.screen_specs.items() if isinstance(spec, PluginScreenSpec)
        }
        self.templates = {one.name: one for one in (*START_TEMPLATES, *plugins.all(StartTemplate))}
        at_start = {name for name, overlay in self.overlays.items() if overlay.shown}
        self._shown = at_start if shown is None else self.overlays.keys() & set(shown)
        self._requested: set[str] = set()
        """The overlays to draw again."""
        self._drawing = False
        self._keys: Mapping[str, str] = {}
        """The keys by binding id."""

    @property
    def _keyed(self) -> tuple[Keyed, ...]:
        return (*self.actions.values(), *self.overlays.values(), *self.screens.values())

    @property
    def binding_ids(self) -> list[str]:
        """The ids of the bindings that `keys.yaml` can change."""
        return list(map(binding_id, self._keyed))

    def bindings(self, chosen: Mapping[str, str], used_keys: Callable[[], Mapping[str, str]]) -> Iterator[Binding]:
        """Yield the key bindings of actions, overlays and screens; a key that is used is refused and reported.

        `chosen` are the user's keys by binding id, and `used_keys` returns RCK's keys and what they do.
        """
        keys = assign_keys(self._keyed, chosen, used_keys)
        self._keys = keys.granted
        for one, why in keys.refused:
            self._plugins.warn(one, why)
        for one in self._keyed:
            if key := self._keys.get(binding_id(one)):
                action = f"{_RUNS[type(one)]}({one.name!r})"
                is_action = isinstance(one, EditorAction)
                yield Binding(key, action, _capital(one.name), show=is_action, id=binding_id(one), tooltip=one.summary)

    def is_available(self, name: str) -> bool:
        """Return True if an action is available on the visible screen."""
        action = self.actions.get(name)
        return action is not None and self._screen_name in action.screens and not self.calls.has_failed(action)

    def palette(self) -> Iterator[SystemCommand]:
        """Yield the palette entries of actions, overlays and templates."""
        for name, action in self.actions.items():
            if self.is_available(name):
                yield SystemCommand(action.name, self._with_key(action), partial(self.run_action, name))
        for name, overlay in self.overlays.items():
            what = "Hide" if name in self._shown else "Show"
            title, run = f"{what} overlay: {name}", partial(self.switch_overlay, name)
            yield SystemCommand(title, self._with_key(overlay), run)

    def _with_key(self, one: Keyed) -> str:
        """Return the summary with the key."""
        key = self._keys.get(binding_id(one))
        return f"{one.summary} ({key})" if key else one.summary

    @property
    def shown_overlays(self) -> tuple[str, ...]:
        """The names of the overlays that are shown."""
        return tuple(sorted(self._shown))

    @property
    def _screen_name(self) -> str:
        return self._app.current_mode or ""

    def context(self, *, may_run: bool) -> EditorContext:
        """Return the present state of the editor for a function of a plugin."""
        screen = self._app.assembly_screen
        shown = self.workbench.shown
        robot = screen.robot if screen is not None else None if shown is None else shown.robot
        tips = () if robot is None else arm_tips(robot)
        tool = self.workbench.jogged_tool if self.workbench.jogged_tool in tips else next(iter(tips), "")
        return EditorContext(
            self.workbench.session.document,
            robot,
            tuple(thing.name for thing in self.workbench.selection),
            tool,
            self._screen_name,
            may_run=may_run,
        )

    async def show(self, contribution: Timed, work: Callable[[EditorContext], T]) -> T:
        """Return the result of a function that shows something; raise :class:`RckError` if it fails."""
        context = self.context(may_run=False)
        result = await self.calls.call(contribution, work, context)
        self._log(context)
        return result

    def press(
        self, contribution: Timed, work: Callable[[EditorContext], object], done: Callable[[], None] = lambda: None
    ) -> None:
        """Call a function on behalf of the user, then run its commands; if it fails, none of them runs.

        `done` is called at the end.
        """
        self._app.run_worker(self._press(contribution, work, done), group="plugins")

    async def _press(
        self, contribution: Timed, work: Callable[[EditorContext], object], done: Callable[[], None]
    ) -> None:
        context = self.context(may_run=True)
        try:
            await self.calls.call(contribution, work, context)
        except RckError as error:
            self.workbench.log(str(error), "error")
            self.workbench.notify("checked")
            done()
            return
        self._log(context)
        commands = context.commands
        if len(commands) == 1 and self.workbench.is_slow(commands[0]):
            self.workbench.run_in_background(commands[0])
        elif commands:
            self.workbench.run(*commands)
        done()

    def _log(self, context: EditorContext) -> None:
        for text, tone in context.messages:
            self.workbench.log(text, tone)

    def run_action(self, name: str) -> None:
        """Run an action."""
        action = self.actions[name]
        self.press(action, action.run)

    def switch_overlay(self, name: str) -> None:
        """Show or hide an overlay."""
        if name in self._shown:
            self._hide(name)
            self.workbench.log(f"overlay {name} is hidden")
        elif self.calls.has_failed(self.overlays[name]):
            self.workbench.log(f"overlay {name} has failed; it is off until the editor restarts", "error")
        else:
            self._shown.add(name)
            self.workbench.log(f"overlay {name} is shown")
            self.draw_overlays()

    def _hide(self, name: str) -> None:
        self._shown.discard(name)
        self.workbench.layers.pop(name, None)
        self.workbench.notify("overlays")

    def draw_overlays(self) -> None:
        """Draw the shown overlays again; requests made meanwhile are combined."""
        self._requested |= self._shown
        if self._requested and not self._drawing:
            self._drawing = True
            self._app.run_worker(self._draw(), group="plugins")

    async def _draw(self) -> None:
        try:
            while self._requested:
                name = min(self._requested)
                self._requested.discard(name)
                await self._draw_overlay(self.overlays[name])
        finally:
            self._drawing = False

    async def _draw_overlay(self, overlay: Overlay) -> None:
        def layer(context: EditorContext) -> OverlayLayer:
            return make_layer(overlay.draw(context))

        try:
            drawn = await self.show(overlay, layer)
        except RckError as error:
            self._hide(overlay.name)
            self.workbench.log(str(error), "error")
            self.workbench.notify("checked")
            return
        if overlay.name in self._shown:
            self.workbench.layers[overlay.name] = drawn
            self.workbench.notify("overlays")

    def start_from(self, name: str) -> None:
        """Start a new assembly from a template; refuse to replace unsaved work."""
        bench, template = self.workbench, self.templates.get(name)
        if template is None:
            bench.log(f"there is no template {name}{did_you_mean(name, self.templates)}", "error")
        elif bench.session.unsaved:
            bench.log("save the assembly first (ctrl+s): a template starts another one", "error")
        elif bench.run("new", *template.script.strip().splitlines()):
            bench.log(f"started from {name}: {template.summary}", "done")


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:].replace("-", " ")


def register_themes(app: "RckApp", themes: Iterable[Theme]) -> None:
    """Register the themes of plugins; one with a colour that cannot be read is reported."""
    plugins = app.workbench.session.plugins
    for theme in themes:
        try:
            with plugins.guard(theme):
                app.register_theme(textual_theme(theme))
        except RckError as error:
            app.workbench.log(str(error), "error")
