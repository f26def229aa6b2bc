"""Where the user's own settings and part libraries live (XDG Base Directory Specification)."""

import os
from collections.abc import Mapping
from pathlib import Path

from rck.model.finding import RckError


def config_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of settings: `RCK_CONFIG`, else `rck` in `XDG_CONFIG_HOME`, else in ~/.config."""
    return _folder(environment, "RCK_CONFIG", "XDG_CONFIG_HOME", ".config")


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of the user's part libraries: `RCK_DATA`, else `rck` in `XDG_DATA_HOME`, else in ~/.local/share."""
    return _folder(environment, "RCK_DATA", "XDG_DATA_HOME", ".local/share")


def _folder(environment: Mapping[str, str], own: str, shared: str, under_home: str) -> Path:
    if environment.get(own):
        return Path(environment[own])
    base = Path(environment.get(shared, ""))
    # The specification says that a relative path there is to be ignored.
    if base.is_absolute():
        return base / "rck"
    try:
        home = Path(environment.get("HOME") or Path.home())
    except RuntimeError as error:
        raise RckError(f"your home folder is unknown: set {own} to a folder that RCK may write to") from error
    return home / under_home / "rck"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of what can be made again: `RCK_CACHE`, else `rck` in `XDG_CACHE_HOME`, else in ~/.cache."""
    return _folder(environment, "RCK_CACHE", "XDG_CACHE_HOME", ".cache")
