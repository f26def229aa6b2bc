"""Keymap of the editor."""

from rck.hooks import Keymap, hookimpl


@hookimpl
def rck_keymaps() -> list[Keymap]:
    """Return the keymap: keys by the id of their binding, several separated by commas."""
    keys = {"undo": "ctrl+z,u", "redo": "ctrl+y,U", "copy": "D", "delete": "X,delete", "fit": "z,home"}
    return [Keymap("my-plugin", "single letters for editing", keys)]
