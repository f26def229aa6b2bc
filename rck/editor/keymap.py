"""The user's own keys: `keys.yaml` in the config folder, with presets."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import yaml

from rck.hooks.folders import config_folder
from rck.model.names import did_you_mean

FILE = "keys.yaml"

VIM = {
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
PRESETS: Mapping[str, Mapping[str, str]] = {"vim": VIM}
"""By the name that `preset:` gives."""


def read_keymap(folder: Path | None = None) -> tuple[dict[str, str], list[str]]:
    """Keys by binding id, and what is wrong with the file: such lines are left out."""
    path = (folder or config_folder()) / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        return {}, [f"{path}: {error.strerror}"]
    try:
        given = msgspec.convert(yaml.safe_load(text) or {}, dict[str, str | list[str]])
    except (msgspec.ValidationError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        return {}, [f"{path}: {reason}; it has lines like `undo: ctrl+z`"]
    complaints = []
    keys: dict[str, str] = {}
    preset = given.pop("preset", "")
    if isinstance(preset, str) and preset in PRESETS:
        keys.update(PRESETS[preset])
    elif preset:
        complaints.append(f"{path}: there is no preset {preset}; known: {', '.join(PRESETS)}")
    known = binding_ids()
    for name, wanted in given.items():
        if name not in known:
            complaints.append(f"{path}: no key is called {name}{did_you_mean(name, known)}")
        else:
            keys[name] = wanted if isinstance(wanted, str) else ",".join(wanted)
    return keys, complaints


def binding_ids() -> dict[str, str]:
    """Every key that can be changed: its id, and what it does."""
    from textual.binding import Binding

    from rck.editor.app import RckApp
    from rck.editor.screens.build import BuildScreen
    from rck.editor.screens.move import MoveScreen
    from rck.editor.screens.workshop import Workshop
    from rck.editor.widgets.assembly_tree import AssemblyTree
    from rck.editor.widgets.command_line import CommandInput
    from rck.editor.widgets.inspector import PropertyTable
    from rck.editor.widgets.jog_pad import JogPad
    from rck.editor.widgets.joint_sliders import JointSliders
    from rck.editor.widgets.quick_tree import QuickTree
    from rck.editor.widgets.scene_view import SceneView

    owners = (
        RckApp, Workshop, BuildScreen, MoveScreen, SceneView, QuickTree, AssemblyTree, PropertyTable, CommandInput,
        JointSliders, JogPad,
    )  # fmt: skip
    return {
        binding.id: binding.description
        for owner in owners
        for binding in owner.BINDINGS
        if isinstance(binding, Binding) and binding.id
    }
