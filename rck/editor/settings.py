"""Settings that the editor keeps for a user: `editor.yaml` (recent files, theme, layout) and `keys.yaml` (keys)."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import msgspec
from textual.binding import Binding

from rck.hooks import Keymap
from rck.support.files import write_atomically
from rck.support.finding import RckError
from rck.support.names import did_you_mean
from rck.support.plain_yaml import dump_block, load_yaml
from rck.support.typed_yaml import read_text
from rck.support.user_folders import config_folder

_MAX_RECENT = 12

_VIM = {
    "view-left": "h,left",
    "view-down": "j,down",
    "view-up": "k,up",
    "view-right": "l,right",
    "camera": "K",
    "list-down": "j,down",
    "list-up": "k,up",
    "list-first": "g,home",
    "list-last": "G,end",
    "joint-back": "h,left",
    "joint-forth": "l,right",
    "joint-before": "k,up",
    "joint-next": "j,down",
    "undo": "u,ctrl+z",
    "redo": "ctrl+r,ctrl+y",
    "copy": "y",
    "delete": "d,delete",
}
KEYMAPS = (Keymap("vim", "the movement keys of vim", _VIM),)
"""RCK's own keymaps, declared as those of plugins are."""


class EditorSettings(msgspec.Struct, frozen=True):
    """The contents of `editor.yaml` in the user's config folder."""

    theme: str = "rck-dark"
    recent: tuple[str, ...] = ()
    layout: int = 0
    """Index of the view layout: one, two or four views."""
    export_format: str = "urdf"
    """The exporter that was used last."""

    def with_recent(self, path: Path) -> "EditorSettings":
        """Put a file at the head of the recent files."""
        rest = [other for other in self.recent if other != str(path)]
        return msgspec.structs.replace(self, recent=(str(path), *rest)[:_MAX_RECENT])


def read_settings(folder: Path | None = None) -> EditorSettings:
    """Read the settings; a missing or damaged file gives the defaults."""
    path = (folder or config_folder()) / "editor.yaml"
    try:
        return msgspec.convert(load_yaml(read_text(path)), EditorSettings)
    except (RckError, ValueError):
        return EditorSettings()


def write_settings(settings: EditorSettings, folder: Path | None = None) -> None:
    """Write the settings; does nothing if the folder is not writable."""
    path = (folder or config_folder()) / "editor.yaml"
    try:
        write_atomically(path, f"{dump_block(msgspec.to_builtins(settings))}\n".encode())
    except OSError:
        return


def read_keymap(
    folder: Path | None = None, keymaps: Iterable[Keymap] = KEYMAPS, more_ids: Collection[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Return the keys by binding id, and the problems in the file; wrong lines are ignored.

    `keymaps` can be chosen by `preset:`, and `more_ids` are the binding ids of plugins.
    """
    path = (folder or config_folder()) / "keys.yaml"
    if not path.exists():
        return {}, []
    try:
        entries = msgspec.convert(load_yaml(read_text(path)) or {}, dict[str, str | list[str]])
    except RckError as error:
        return {}, [str(error)]
    except ValueError as error:
        reason = " ".join(str(error).split())
        return {}, [f"{path}: {reason}; write lines such as `undo: ctrl+z`"]
    problems = []
    keys: dict[str, str] = {}
    preset = entries.pop("preset", "")
    presets = {keymap.name: keymap for keymap in keymaps}
    known = {*binding_ids(), *more_ids}
    if isinstance(preset, str) and preset in presets:
        chosen = presets[preset].keys
        keys.update({name: key for name, key in chosen.items() if name in known})
        problems += [f"keymap {preset}: unknown action {name}" for name in chosen if name not in known]
    elif preset:
        problems.append(f"{path}: unknown preset {preset}; available: {', '.join(presets)}")
    for name, key in entries.items():
        if name not in known:
            problems.append(f"{path}: unknown action {name}{did_you_mean(name, known)}")
        else:
            keys[name] = key if isinstance(key, str) else ",".join(key)
    return keys, problems


def binding_ids() -> dict[str, str]:
    """Return the id and label of every key binding that can be changed."""
    return {binding.id: binding.description for binding in _bindings() if binding.id}


def used_keys() -> dict[str, str]:
    """Return RCK's keys, each with the label of what it does."""
    return {key: binding.description for binding in _bindings() for key in binding.key.split(",")}


def _bindings() -> Iterator[Binding]:
    # Imported here: the screens are loaded when they are first shown, and the application imports this module.
    from rck.editor.app import RckApp
    from rck.editor.screens.build_screen import BuildScreen
    from rck.editor.screens.editor_screen import AssemblyScreen
    from rck.editor.screens.move_screen import MoveScreen
    from rck.editor.widgets.assembly_tree import AssemblyTree
    from rck.editor.widgets.command_line import CommandInput
    from rck.editor.widgets.jog_pad import JogPad
    from rck.editor.widgets.joint_sliders import JointSliders
    from rck.editor.widgets.property_table import PropertyTable
    from rck.editor.widgets.quick_tree import QuickTree
    from rck.editor.widgets.scene_view import SceneView

    owners = (
        RckApp, AssemblyScreen, BuildScreen, MoveScreen, SceneView, QuickTree, AssemblyTree, PropertyTable,
        CommandInput, JointSliders, JogPad,
    )  # fmt: skip
    for owner in owners:
        yield from (binding for binding in owner.BINDINGS if isinstance(binding, Binding))
