"""What the editor remembers for a user between runs: recent files, theme, layout."""

from pathlib import Path

import msgspec
import yaml

from rck.hooks.folders import config_folder
from rck.model.files import write_atomically

_RECENT = 12


class EditorSettings(msgspec.Struct, frozen=True):
    """Kept in `editor.yaml` of the user's config folder."""

    theme: str = "rck-dark"
    recent: tuple[str, ...] = ()
    layout: int = 0
    """How the views stand: one, two, four of them."""

    def with_recent(self, path: Path) -> "EditorSettings":
        """With a file at the head of the recent ones."""
        rest = [one for one in self.recent if one != str(path)]
        return msgspec.structs.replace(self, recent=(str(path), *rest)[:_RECENT])

    def with_layout(self, layout: int) -> "EditorSettings":
        """With the views in another layout."""
        return msgspec.structs.replace(self, layout=layout)

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
