"""Which plugins the user has switched off: a small file in the folder of settings."""

from pathlib import Path

import msgspec

from rck.model.files import write_atomically
from rck.model.finding import RckError

FILE = "plugins.yaml"
_HEADING = "# Plugins that are switched off; `rck plugins enable NAME` switches one on again.\n"


class _Switches(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    # Not `off`, which YAML reads as a truth value.
    disabled: frozenset[str] = frozenset()


def read_switches(folder: Path) -> frozenset[str]:
    """The names of the plugins that are switched off; none where there is no file."""
    path = folder / FILE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return frozenset()
    except OSError as error:
        raise RckError(f"{path} cannot be read: {error.strerror}; set RCK_CONFIG to another folder") from error
    try:
        switches = msgspec.yaml.decode(content, type=_Switches | None)
    except msgspec.DecodeError as error:
        raise RckError(f"{path} is damaged: {' '.join(str(error).split())}; mend it or remove it") from error
    return switches.disabled if switches else frozenset()


def switch(folder: Path, name: str, on: bool) -> None:
    """Remember that a plugin is on, or off."""
    before = read_switches(folder)
    after = before - {name} if on else before | {name}
    if after == before:
        return
    path = folder / FILE
    try:
        write_atomically(path, _HEADING.encode() + msgspec.yaml.encode({"disabled": sorted(after)}))
    except OSError as error:
        raise RckError(f"{path} cannot be written: {error.strerror}; set RCK_CONFIG to another folder") from error
