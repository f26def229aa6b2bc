"""Which plugins the user has switched off and which projects' plugins are allowed: a small file of settings."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from rck.model.files import write_atomically
from rck.model.finding import RckError

FILE = "plugins.yaml"
_HEADING = "# Plugins that are switched off, and folders of projects whose plugins may be loaded (`rck plugins`).\n"


class Switches(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the user has decided about plugins."""

    # Not `off`, which YAML reads as a truth value.
    disabled: frozenset[str] = frozenset()
    """Names of plugins that are switched off."""
    allowed: dict[str, dict[str, str]] = {}
    """Folders of projects whose plugins may be loaded, each with the fingerprints of its files when that was said."""


def read_switches(folder: Path) -> Switches:
    """What the user has decided; nothing where there is no file."""
    path = folder / FILE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Switches()
    except OSError as error:
        raise RckError(f"{path} cannot be read: {error.strerror}; set RCK_CONFIG to another folder") from error
    try:
        said = msgspec.yaml.decode(content)
        # Folders that were allowed before fingerprints were kept are to be allowed again.
        if isinstance(said, dict) and isinstance(said.get("allowed"), list):
            said["allowed"] = {str(folder): {} for folder in said["allowed"]}
        switches = msgspec.convert(said, Switches | None)
    except msgspec.DecodeError as error:
        raise RckError(f"{path} is damaged: {' '.join(str(error).split())}; mend it or remove it") from error
    return switches or Switches()


def switch(folder: Path, name: str, on: bool) -> None:
    """Remember that a plugin is on, or off."""
    before = read_switches(folder)
    disabled = before.disabled - {name} if on else before.disabled | {name}
    _write(folder, before, msgspec.structs.replace(before, disabled=disabled))


def allow(folder: Path, plugins: Path, files: Mapping[str, str] | None) -> None:
    """Remember that the plugins in a project's folder may be loaded while its files have these fingerprints.

    Without fingerprints, they may not any more.
    """
    before = read_switches(folder)
    after = {name: known for name, known in before.allowed.items() if name != str(plugins.resolve())}
    if files is not None:
        after[str(plugins.resolve())] = dict(files)
    _write(folder, before, msgspec.structs.replace(before, allowed=after))


def _write(folder: Path, before: Switches, after: Switches) -> None:
    if after == before:
        return
    path = folder / FILE
    # What is empty is left out, as a person would write it.
    every: dict[str, object] = {"disabled": sorted(after.disabled), "allowed": dict(sorted(after.allowed.items()))}
    content = {name: value for name, value in every.items() if value}
    try:
        write_atomically(path, _HEADING.encode() + (msgspec.yaml.encode(content) if content else b""))
    except OSError as error:
        raise RckError(f"{path} cannot be written: {error.strerror}; set RCK_CONFIG to another folder") from error
