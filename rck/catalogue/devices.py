"""The devices of a part: what its manifest says that it senses and grips with."""

from collections.abc import Mapping
from difflib import get_close_matches

from rck.catalogue.figures import FIGURES
from rck.catalogue.manifest import Device as DeviceEntry
from rck.catalogue.manifest import Manifest, Quantity
from rck.catalogue.quantities import figure_value
from rck.geometry.arrays import Floats
from rck.model import Device, DeviceKind, Finding, RckError, Severity, build_device
from rck.model.pose import IDENTITY

SENSOR_FIGURES = frozenset({
    "angular-accuracy", "angular-resolution", "baseline", "channels", "encoder-resolution", "field-of-view",
    "field-of-view-vertical", "force", "max-range", "min-range", "moment", "range-accuracy", "rate", "resolution-x",
    "resolution-y",
})  # fmt: skip
"""What is of interest of a sensor; a lidar's voltage is not."""

GRIPPER_FIGURES = frozenset({
    "diameter", "force", "grip-force", "linear-speed", "opening", "payload", "stroke", "vacuum",
})  # fmt: skip
"""What is of interest of a gripper."""


_NEARLY = 0.8
"""How like a known kind a word must be, of 1, to be taken for a slip of the pen and not for the kind of a plugin."""


def part_devices(manifest: Manifest, places: Mapping[str, tuple[str, Floats]], findings: list[Finding]) -> list[Device]:
    """The part's devices in the frames of its items; `places` are the item and the pose of each port.

    The figures of a part are those of its first device; another has what it says of itself.
    """
    devices = []
    for number, (name, entry) in enumerate(manifest.devices.items()):
        where = f"devices.{name}"
        missing = _missing(entry, manifest)
        if missing:
            findings += [Finding(703, Severity.ERROR, where, message) for message in missing]
            continue
        kind = DeviceKind(entry.sensor or f"{entry.gripper}-gripper")
        item, pose = places.get(entry.port, (next(iter(manifest.items)), IDENTITY))
        try:
            figures = {**(manifest.figures if number == 0 else {}), **entry.figures}
            values = _values(figures, kind)
        except RckError as error:
            findings.append(Finding(704, Severity.ERROR, where, str(error)))
            continue
        settings = {option: _typed(value) for option, value in entry.settings.items()}
        built = build_device(name, kind, item, pose=pose, joints=entry.joints, values=values, settings=settings)
        findings += built.findings
        if built.value is not None:
            devices.append(built.value)
    return devices


def _missing(entry: DeviceEntry, manifest: Manifest) -> list[str]:
    """What the entry names and the part does not have, and what it does not say."""
    missing = [f"there is no joint {joint}" for joint in entry.joints if joint not in manifest.joints]
    if entry.port and entry.port not in manifest.ports:
        missing.append(f"there is no port {entry.port}")
    if (entry.sensor is None) == (entry.gripper is None):
        missing.append("say either which sensor or which gripper it is")
    else:
        missing += _misspelt(entry)
    missing += [f"there is no figure {figure}" for figure in entry.figures if figure not in FIGURES]
    return missing


def _misspelt(entry: DeviceEntry) -> list[str]:
    """A kind that is none, or nearly one of RCK's own; any other is taken to be that of a plugin."""
    known = [kind.value.removesuffix("-gripper") for kind in DeviceKind if kind.grips == (entry.sensor is None)]
    what, name = ("sensor", entry.sensor) if entry.sensor is not None else ("gripper", entry.gripper)
    if name in known:
        return []
    if near := get_close_matches(str(name), known, n=1, cutoff=_NEARLY):
        return [f"there is no {what} {name!r} (did you mean {near[0]}?)"]
    try:
        DeviceKind(str(name))
    except ValueError:
        return [f"{name!r} is no name of a {what}: use small letters and digits, with - between words"]
    return []


def _typed(value: float | str | bool) -> str:
    """A setting as a user would type it; what it means, its plugin knows."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.12g}"


def _values(figures: Mapping[str, Quantity], kind: DeviceKind) -> dict[str, float]:
    """The figures that concern the device, in SI units."""
    wanted = GRIPPER_FIGURES if kind.grips else SENSOR_FIGURES
    return {name: figure_value(name, quantity) for name, quantity in figures.items() if name in wanted}
