"""Files that can be imported, listed as the user types a path."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rck.hooks.recipe import recipe_path
from rck.support.files import path_in

_MOST = 2_000
"""Maximum number of entries of a folder that are listed."""


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A file that can be imported, or a folder."""

    typed: str
    """Path as the user would type it; that of a folder ends with a slash."""
    size: int = 0
    """Size in bytes; 0 for a folder."""
    changed: str = ""
    """Date of the last change."""
    has_recipe: bool = False

    @property
    def is_folder(self) -> bool:
        """True for a folder."""
        return self.typed.endswith("/")


def matching_entries(folder: Path, typed: str, endings: Collection[str]) -> list[FolderEntry]:
    """Return the importable files, then the folders, whose names contain the last part of a typed path.

    Raise :class:`OSError` if the folder that the path names cannot be listed.
    """
    start, slash, word = typed.rpartition("/")
    prefix = f"{start}{slash}"
    base = path_in(folder, prefix) if prefix else folder
    files, folders = [], []
    for path in sorted(base.iterdir(), key=lambda path: path.name.lower())[:_MOST]:
        if path.name.startswith(".") or word.lower() not in path.name.lower():
            continue
        if path.is_dir():
            folders.append(FolderEntry(f"{prefix}{path.name}/"))
        elif path.suffix.lower() in endings:
            files.append(_file_entry(path, prefix))
    return [*files, *folders]


def _file_entry(path: Path, prefix: str) -> FolderEntry:
    try:
        status = path.stat()
    except OSError:
        return FolderEntry(f"{prefix}{path.name}")
    changed = datetime.fromtimestamp(status.st_mtime).strftime("%Y-%m-%d")
    return FolderEntry(f"{prefix}{path.name}", status.st_size, changed, recipe_path(path).exists())


def size_words(size: int) -> str:
    """Return a size in bytes as text, such as `12 kB`."""
    for unit, scale in (("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size} B"
