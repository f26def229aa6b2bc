"""The screens of the editor: Build, Move, Simulate, Import, Plugins; each is imported when it is first shown."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from textual.screen import Screen

from rck.hooks import EditorScreen


@dataclass(frozen=True, slots=True)
class ScreenSpec:
    """The label, key and class of a screen."""

    label: str
    key: str
    location: str
    """`module:Class` in this folder."""

    def make(self) -> Screen[None]:
        """Import and create the screen."""
        module, _, name = self.location.partition(":")
        make: Callable[[], Screen[None]] = getattr(import_module(f"rck.editor.screens.{module}"), name)
        return make()


@dataclass(frozen=True, slots=True)
class PluginScreenSpec:
    """The screen of a plugin."""

    declared: EditorScreen

    @property
    def label(self) -> str:
        """The label in the title bar."""
        return self.declared.name[:1].upper() + self.declared.name[1:].replace("-", " ")

    @property
    def key(self) -> str:
        """The key that shows it; empty for none."""
        return self.declared.key

    def make(self) -> Screen[None]:
        """Create the screen."""
        module = import_module("rck.editor.screens.plugin_screen")
        screen: Screen[None] = module.PluginScreen(self.declared)
        return screen


SCREENS = {
    "build": ScreenSpec("Build", "f2", "build_screen:BuildScreen"),
    "move": ScreenSpec("Move", "f3", "move_screen:MoveScreen"),
    "simulate": ScreenSpec("Simulate", "f4", "simulate_screen:SimulateScreen"),
    "import": ScreenSpec("Import", "f5", "import_screen:ImportScreen"),
    "plugins": ScreenSpec("Plugins", "f6", "plugins_screen:PluginsScreen"),
}
