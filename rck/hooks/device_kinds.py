"""Device kinds that plugins provide, and checks of devices against them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from rck.hooks.kinds import Gripper, Option, Sensor
from rck.hooks.manager import Plugins
from rck.hooks.options import read_options, sensor_options
from rck.model.device import Device, DeviceKind
from rck.support.finding import Finding, RckError, Severity
from rck.support.names import did_you_mean

Served: TypeAlias = Mapping[str, tuple[Option, ...] | None]
"""Device kinds with the options of the sensor or gripper; None for kinds without known options."""


def served_kinds(plugins: Plugins) -> dict[str, tuple[Option, ...] | None]:
    """Return the device kinds of RCK and of all plugins, with the options of each."""
    return {
        **dict.fromkeys(kind.value for kind in DeviceKind),
        **{one.name: sensor_options(one.options) for one in plugins.all(Sensor)},
        **{one.name: one.options for one in plugins.all(Gripper)},
    }


def unserved(devices: Iterable[Device], served: Served) -> list[Finding]:
    """Return a warning for each device of an unknown kind, which does nothing, and an error for each wrong setting.

    Sensors of unknown kinds that an importer read from a file share one note: exports to that format have them.
    """
    everything = list(devices)
    kept = [one for one in everything if one.extensions and one.kind.value not in served]
    findings = [finding for device in everything if device not in kept for finding in _findings(device, served)]
    if kept:
        kinds = ", ".join(dict.fromkeys(one.kind.value for one in kept))
        message = f"simulations leave out {len(kept)} devices that exports to the format of their file keep: {kinds}"
        findings.append(Finding(608, Severity.NOTE, f"device {kept[0].name}", message))
    return findings


def _findings(device: Device, served: Served) -> Iterator[Finding]:
    where, kind = f"device {device.name}", device.kind.value
    if kind not in served:
        message = f"no plugin provides the kind {kind}{did_you_mean(kind, served)}"
        fix = "correct its name, or install the plugin; `gripper: acme` needs the gripper `acme-gripper`"
        yield Finding(608, Severity.WARNING, where, message, fix)
        return
    options = served[kind]
    for name, value in device.settings.items() if options is not None else ():
        try:
            read_options(options or (), {name: value})
        except RckError as error:
            yield Finding(609, Severity.ERROR, where, str(error), "correct its `settings`")
