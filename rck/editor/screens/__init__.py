"""The screens of the editor: Build, Move, Simulate, Import, Plugins. Each is imported when it is first shown."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from textual.screen import Screen


@dataclass(frozen=True, slots=True)
class ScreenSpec:
    """A screen: what it is called, its key, and where it is."""

    label: str
    key: str
    where: str

    def make(self) -> Screen[None]:
        """The screen itself."""
        module, _, name = self.where.partition(":")
        make: Callable[[], Screen[None]] = getattr(import_module(f"rck.editor.screens.{module}"), name)
        return make()


SCREENS = {
    "build": ScreenSpec("Build", "f2", "build:BuildScreen"),
    "move": ScreenSpec("Move", "f3", "move:MoveScreen"),
    "simulate": ScreenSpec("Simulate", "f4", "simulate:SimulateScreen"),
    "import": ScreenSpec("Import", "f5", "importing:ImportScreen"),
    "plugins": ScreenSpec("Plugins", "f6", "plugins:PluginsScreen"),
}
