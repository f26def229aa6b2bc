"""Which plugins the user has switched off and which projects' plugins are allowed: a small file of settings."""

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
    allowed: frozenset[str] = frozenset()
    """Folders of projects whose plugins may be loaded."""


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
        switches = msgspec.yaml.decode(content, type=Switches | None)
    except msgspec.DecodeError as error:
        raise RckError(f"{path} is damaged: {' '.join(str(error).split())}; mend it or remove it") from error
    return switches or Switches()


def switch(folder: Path, name: str, on: bool) -> None:
    """Remember that a plugin is on, or off."""
    before = read_switches(folder)
    disabled = before.disabled - {name} if on else before.disabled | {name}
    _write(folder, before, msgspec.structs.replace(before, disabled=disabled))


def allow(folder: Path, plugins: Path, allowed: bool) -> None:
    """Remember that the plugins in a project's folder may be loaded, or may not any more."""
    before = read_switches(folder)
    one = {str(plugins.resolve())}
    after = before.allowed | one if allowed else before.allowed - one
    _write(folder, before, msgspec.structs.replace(before, allowed=after))


def _write(folder: Path, before: Switches, after: Switches) -> None:
    if after == before:
        return
    path = folder / FILE
    # What is empty is left out, as a person would write it.
    content = {name: sorted(getattr(after, name)) for name in ("disabled", "allowed") if getattr(after, name)}
    try:
        write_atomically(path, _HEADING.encode() + (msgspec.yaml.encode(content) if content else b""))
    except OSError as error:
        raise RckError(f"{path} cannot be written: {error.strerror}; set RCK_CONFIG to another folder") from error
