"""Settings file of plugins: disabled plugins, settings of plugins, and projects whose plugins may be loaded."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from rck.hooks.kinds import Settings, Values
from rck.hooks.options import read_options, state_units
from rck.support.files import write_atomically
from rck.support.finding import RckError
from rck.support.plain_yaml import dump_block, load_yaml
from rck.support.units import SCREEN_UNITS
from rck.support.user_folders import config_folder

FILE = "plugins.yaml"
_HEADING = (
    "# Disabled plugins, settings of plugins, and project folders whose plugins may be loaded (see `rck plugins`).\n"
)


_FORMER_NAMES = {
    "bom-export": "exporter-bom",
    "dh-export": "exporter-dh",
    "diagram-export": "exporter-diagram",
    "dxf": "importer-dxf",
    "dxf-export": "exporter-dxf",
    "event-file": "format-event-file",
    "html-export": "exporter-html",
    "ik-closed": "solver-closed-form",
    "ik-newton": "solver-newton",
    "ik-numeric": "solver-numeric",
    "ik-pinocchio": "solver-pinocchio",
    "mesh": "importer-mesh",
    "mesh-export": "exporter-mesh",
    "mjcf": "importer-mjcf",
    "mjcf-export": "exporter-mjcf",
    "open3d": "importer-open3d",
    "parts": "parts-rck",
    "rib-export": "exporter-rib",
    "robosim": "format-robosim",
    "robot-file": "format-robot-file",
    "sdf": "importer-sdf",
    "sdf-export": "exporter-sdf",
    "seffas": "format-seffas",
    "step": "importer-step",
    "urdf": "importer-urdf",
    "urdf-export": "exporter-urdf",
    "usd-export": "exporter-usd",
    "view-browser": "viewer-browser",
}
"""Names of plugins before version 0.2, which settings may still contain, and their present names."""


class Switches(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of plugins."""

    # Not `off`, which YAML reads as a boolean.
    disabled: frozenset[str] = frozenset()
    """Names of disabled plugins."""
    allowed: dict[str, dict[str, str]] = {}
    """Project folders whose plugins may be loaded, each with the fingerprints of the files that the user allowed."""
    settings: dict[str, dict[str, str]] = {}
    """Settings of plugins: texts as users type them, by the name of the settings and of the option."""
    developed: frozenset[str] = frozenset()
    """Files and folders of plugins in development."""


def read_switches(folder: Path) -> Switches:
    """Return the settings in a folder; the defaults if there is no file."""
    path = folder / FILE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Switches()
    except OSError as error:
        raise RckError(f"{path} cannot be read: {error.strerror}; set RCK_CONFIG to another folder") from error
    try:
        data = load_yaml(content.decode())
        # Older versions stored no fingerprints; the user must allow those folders again.
        if isinstance(data, dict) and isinstance(data.get("allowed"), list):
            data["allowed"] = {str(folder): {} for folder in data["allowed"]}
        switches = msgspec.convert(data, Switches | None)
    except ValueError as error:
        raise RckError(f"{path} is damaged: {' '.join(str(error).split())}; repair or remove it") from error
    if switches is None:
        return Switches()
    return msgspec.structs.replace(switches, disabled=frozenset(map(current_name, switches.disabled)))


def current_name(plugin: str) -> str:
    """Return the present name of a plugin, given its present name or the one before version 0.2."""
    return _FORMER_NAMES.get(plugin, plugin)


def switch(folder: Path, name: str, on: bool) -> None:
    """Enable or disable a plugin."""
    before = read_switches(folder)
    disabled = before.disabled - {name} if on else before.disabled | {name}
    _write(folder, before, msgspec.structs.replace(before, disabled=disabled))


def allow(folder: Path, plugins: Path, files: Mapping[str, str] | None) -> None:
    """Allow the plugins in a project folder while its files have these fingerprints; without any, revoke it."""
    before = read_switches(folder)
    after = {name: known for name, known in before.allowed.items() if name != str(plugins.resolve())}
    if files is not None:
        after[str(plugins.resolve())] = dict(files)
    _write(folder, before, msgspec.structs.replace(before, allowed=after))


def read_settings(settings: Settings, folder: Path | None = None) -> Values:
    """Return the values that the user has set, or the defaults; lengths in metres and angles in radians."""
    folder = config_folder() if folder is None else folder
    stored = read_switches(folder).settings.get(settings.name, {})
    try:
        return read_options(settings.options, stored)
    except RckError as error:
        raise RckError(f"{folder / FILE}: settings of {settings.name}: {error}") from None


def stored_settings(settings: Settings, folder: Path) -> Mapping[str, str]:
    """Return the texts that the user has set."""
    return read_switches(folder).settings.get(settings.name, {})


def write_settings(folder: Path, settings: Settings, given: Mapping[str, str]) -> None:
    """Set options of a plugin; an empty text restores the default. Unknown names and invalid values are refused."""
    before = read_switches(folder)
    known = {option.name for option in settings.options}
    new = {name: text for name, text in given.items() if text or name not in known}
    read_options(settings.options, new)
    kept = {name: text for name, text in before.settings.get(settings.name, {}).items() if name not in given}
    texts = kept | state_units(settings.options, new, SCREEN_UNITS.get)
    after = {name: old for name, old in before.settings.items() if name != settings.name}
    if texts:
        after[settings.name] = dict(sorted(texts.items()))
    _write(folder, before, msgspec.structs.replace(before, settings=after))


def develop(folder: Path, path: Path, on: bool) -> None:
    """Start or stop loading the plugins in development at a path."""
    before = read_switches(folder)
    paths = {str(path.resolve())}
    developed = before.developed | paths if on else before.developed - paths
    _write(folder, before, msgspec.structs.replace(before, developed=developed))


def _write(folder: Path, before: Switches, after: Switches) -> None:
    if after == before:
        return
    path = folder / FILE
    values: dict[str, object] = {"disabled": sorted(after.disabled), "allowed": dict(sorted(after.allowed.items()))}
    values["settings"] = dict(sorted(after.settings.items()))
    values["developed"] = sorted(after.developed)
    content = {name: value for name, value in values.items() if value}
    try:
        write_atomically(path, _HEADING.encode() + (f"{dump_block(content)}\n".encode() if content else b""))
    except OSError as error:
        raise RckError(f"{path} cannot be written: {error.strerror}; set RCK_CONFIG to another folder") from error
