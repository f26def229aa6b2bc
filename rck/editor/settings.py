"""What the editor remembers for a user: recent files, theme; and the user's own keys."""

from pathlib import Path

import msgspec
import yaml

from rck.hooks.folders import config_folder
from rck.model import RckError
from rck.model.files import write_atomically

_RECENT = 12

VIM_KEYS = {
    "view-left": "h,left",
    "view-down": "j,down",
    "view-up": "k,up",
    "view-right": "l,right",
    "undo": "u,ctrl+z",
    "redo": "ctrl+r,ctrl+y",
    "command": "colon",
    "search": "slash",
    "delete": "d,delete",
}
"""The `vim` preset of `keys.yaml`: ``preset: vim``."""


class EditorSettings(msgspec.Struct, frozen=True):
    """Kept in `editor.yaml` of the user's config folder."""

    theme: str = "rck-dark"
    recent: list[str] = []
    tutorial_seen: bool = False

    def with_recent(self, path: Path) -> "EditorSettings":
        """With a file at the head of the recent ones."""
        rest = [one for one in self.recent if one != str(path)]
        return msgspec.structs.replace(self, recent=[str(path), *rest][:_RECENT])

    def with_theme(self, theme: str) -> "EditorSettings":
        """With another theme."""
        return msgspec.structs.replace(self, theme=theme)


def read_settings(folder: Path | None = None) -> EditorSettings:
    """The settings; a damaged file counts as none."""
    path = (folder or config_folder()) / "editor.yaml"
    try:
        return msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), EditorSettings)
    except (OSError, ValueError, yaml.YAMLError):
        return EditorSettings()


def write_settings(settings: EditorSettings, folder: Path | None = None) -> None:
    """Remember the settings; where nothing can be written, nothing is remembered."""
    path = (folder or config_folder()) / "editor.yaml"
    try:
        write_atomically(path, yaml.safe_dump(msgspec.to_builtins(settings)).encode())
    except OSError:
        return


def read_keymap(folder: Path | None = None) -> dict[str, str]:
    """The user's own keys from `keys.yaml`: `preset: vim`, and `binding-id: key` lines."""
    path = (folder or config_folder()) / "keys.yaml"
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        keys = msgspec.convert(data, dict[str, str])
    except OSError:
        return {}
    except (ValueError, yaml.YAMLError) as error:
        raise RckError(f"{path}: {error}; it has lines like `undo: ctrl+z`") from None
    preset = VIM_KEYS if keys.pop("preset", "") == "vim" else {}
    return {**preset, **keys}
