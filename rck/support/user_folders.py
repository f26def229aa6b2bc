"""Folders for the settings, part libraries and caches of the user (XDG Base Directory Specification)."""

import os
from collections.abc import Mapping
from pathlib import Path

from rck.support.finding import RckError


def config_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the settings folder: `RCK_CONFIG`, else `rck` in `XDG_CONFIG_HOME`, else in ~/.config."""
    return _folder(environment, "RCK_CONFIG", "XDG_CONFIG_HOME", ".config")


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of part libraries: `RCK_DATA`, else `rck` in `XDG_DATA_HOME`, else in ~/.local/share."""
    return _folder(environment, "RCK_DATA", "XDG_DATA_HOME", ".local/share")


def _folder(environment: Mapping[str, str], own: str, shared: str, under_home: str) -> Path:
    if environment.get(own):
        return Path(environment[own])
    base = Path(environment.get(shared, ""))
    # The specification requires that relative paths are ignored.
    if base.is_absolute():
        return base / "rck"
    try:
        home = Path(environment.get("HOME") or Path.home())
    except RuntimeError as error:
        raise RckError(f"your home folder is unknown; set {own} to a writable folder") from error
    return home / under_home / "rck"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the cache folder: `RCK_CACHE`, else `rck` in `XDG_CACHE_HOME`, else in ~/.cache."""
    return _folder(environment, "RCK_CACHE", "XDG_CACHE_HOME", ".cache")
