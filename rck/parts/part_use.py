"""Uses of parts in the assemblies of a project, which rank search results."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_PART = re.compile(r"\bpart:\s*[\"']?([a-z0-9][\w.+-]*(?:/[\w.+-]+)+)")
_MOST_FILES = 500
_LARGEST = 4 * 1024 * 1024
"""Largest file in bytes that is counted."""


def count_uses(project: Path) -> Counter[str]:
    """Return the number of instances of each part in the `.rck` files of a folder and of its subfolders."""
    uses: Counter[str] = Counter()
    for path in _assemblies(project):
        uses.update(_PART.findall(path.read_text(encoding="utf-8", errors="replace")))
    return uses


def _assemblies(project: Path) -> Iterator[Path]:
    folders = [project, *(one for one in sorted(project.iterdir()) if one.is_dir() and not one.name.startswith("."))]
    paths = [path for folder in folders for path in sorted(folder.glob("*.rck")) if path.is_file()]
    return (path for path in paths[:_MOST_FILES] if path.stat().st_size <= _LARGEST)
