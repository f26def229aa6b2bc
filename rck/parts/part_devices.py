"""Devices of a part: the sensors and grippers in its manifest."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from rck.geometry.arrays import Floats, frozen
from rck.model import Device, DeviceKind, Finding, RckError, Severity, build_device
from rck.model.extensions import freeze_extensions
from rck.model.frame import IDENTITY
from rck.model.quantities import Quantities, Quantity
from rck.parts.datasheet_figures import FIGURES, figure_value
from rck.parts.manifest import DeviceSpec as DeviceEntry
from rck.parts.manifest import PartSpec

SENSOR_FIGURES = frozenset({
    "angular-accuracy", "angular-resolution", "baseline", "channels", "encoder-resolution", "field-of-view",
    "field-of-view-vertical", "force", "max-range", "min-range", "moment", "range-accuracy", "rate", "resolution-x",
    "resolution-y",
})  # fmt: skip
"""Figures of the part that apply to a sensor."""

GRIPPER_FIGURES = frozenset({
    "diameter", "force", "grip-force", "linear-speed", "opening", "payload", "stroke", "vacuum",
})  # fmt: skip
"""Figures of the part that apply to a gripper."""


_NEARLY = 0.8
"""Similarity, from 0 to 1, above which an unknown kind is a typing error and not a kind of a plugin."""


def part_devices(
    part: PartSpec, figures: Mapping[str, Quantity], mounts: Mapping[str, tuple[str, Floats]], findings: list[Finding]
) -> list[Device]:
    """Return the devices in the frames of their items; `mounts` are the item and the pose of each port.

    The first device has the `figures` of the part; every device has its own figures.
    """
    devices = []
    for number, (name, entry) in enumerate(part.devices.items()):
        missing = _missing(entry, part)
        if missing:
            findings += [Finding(703, Severity.ERROR, f"devices.{name}", message) for message in missing]
            continue
        mount = mounts.get(entry.port, (entry.on or next(iter(part.items)), IDENTITY))
        device = convert_device(name, entry, mount, Quantities(part.units), findings, figures if number == 0 else {})
        if device is not None:
            devices.append(device)
    return devices


def convert_device(
    name: str,
    entry: DeviceEntry,
    mount: tuple[str, Floats],
    read: Quantities,
    findings: list[Finding],
    figures: Mapping[str, Quantity] | None = None,
) -> Device | None:
    """Return the device in the frame of its item; `mount` is the item and the default pose on it."""
    where = f"devices.{name}"
    if wrong := _misstated(entry):
        findings += [Finding(703, Severity.ERROR, where, message) for message in wrong]
        return None
    kind = DeviceKind(entry.sensor or f"{entry.gripper}-gripper")
    item, pose = mount
    try:
        if entry.pose is not None:
            pose = frozen(read.frame(entry.pose))
        values = _values({**(figures or {}), **entry.figures}, kind)
    except (RckError, ValueError) as error:
        findings.append(Finding(704, Severity.ERROR, where, str(error)))
        return None
    settings = {option: _typed(value) for option, value in entry.settings.items()}
    built = build_device(name, kind, item, pose=pose, joints=entry.joints, values=values, settings=settings)
    findings += built.findings
    if built.value is None:
        return None
    return replace(built.value, extensions=freeze_extensions(entry.extensions), source_name=entry.source_name)


def _missing(entry: DeviceEntry, part: PartSpec) -> list[str]:
    """Return descriptions of unknown joints, ports and items of an entry."""
    missing = [f"there is no joint {joint}" for joint in entry.joints if joint not in part.joints]
    if entry.port and entry.port not in part.ports:
        missing.append(f"there is no port {entry.port}")
    if entry.on and entry.on not in part.items:
        missing.append(f"there is no item {entry.on}")
    if entry.port and (entry.on or entry.pose is not None):
        missing.append("give either a port, or an item and a pose")
    return missing


def _misstated(entry: DeviceEntry) -> list[str]:
    """Return descriptions of wrong kinds and figures of an entry."""
    missing = []
    if (entry.sensor is None) == (entry.gripper is None):
        missing.append("give either a sensor or a gripper")
    else:
        missing += _misspelt(entry)
    missing += [f"there is no figure {figure}" for figure in entry.figures if figure not in FIGURES]
    return missing


def _misspelt(entry: DeviceEntry) -> list[str]:
    """Return findings about a missing or misspelt kind; other unknown kinds belong to plugins."""
    known = [kind.value.removesuffix("-gripper") for kind in DeviceKind if kind.grips == (entry.sensor is None)]
    what, name = ("sensor", entry.sensor) if entry.sensor is not None else ("gripper", entry.gripper)
    if name in known:
        return []
    if near := get_close_matches(str(name), known, n=1, cutoff=_NEARLY):
        return [f"there is no {what} {name!r} (did you mean {near[0]}?)"]
    try:
        DeviceKind(str(name))
    except ValueError:
        return [f"{name!r} is not a valid name of a {what}: use lower-case letters, digits and -"]
    return []


def _typed(value: float | str | bool) -> str:
    """Format a setting as the user would type it; the plugin parses it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.12g}"


def _values(figures: Mapping[str, Quantity], kind: DeviceKind) -> dict[str, float]:
    """Return the figures of the device, in SI units."""
    wanted = GRIPPER_FIGURES if kind.grips else SENSOR_FIGURES
    return {name: figure_value(name, quantity) for name, quantity in figures.items() if name in wanted}
