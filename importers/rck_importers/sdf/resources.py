"""Files that the URIs of SDF name."""

import os
from pathlib import Path

from rck.importing.assets import Assets, Unavailable

_SEARCHED = ("SDF_PATH", "GZ_SIM_RESOURCE_PATH")
"""Environment variables that list the folders in which a relative URI is searched."""


def find_uri(uri: str, assets: Assets) -> Path:
    """Return the file of a URI: next to the main file, in a package, or for a relative URI in the searched folders."""
    try:
        return assets.find(uri)
    except Unavailable:
        found = None if "://" in uri else _in_search_path(uri.strip())
        if found is None:
            raise
        return found


def _in_search_path(name: str) -> Path | None:
    """Return the file in the first folder that has it; the file must be inside the folder."""
    folders = [
        Path(folder) for variable in _SEARCHED for folder in os.environ.get(variable, "").split(os.pathsep) if folder
    ]
    for folder in folders:
        path = folder / name
        try:
            if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
                return path
        except (OSError, ValueError):  # the name is too long or contains a null character
            continue
    return None
