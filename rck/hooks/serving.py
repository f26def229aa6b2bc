"""Which kinds of sensors and grippers there are plugins for."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from rck.hooks.kinds import Gripper, Option, Sensor
from rck.hooks.manager import Plugins
from rck.hooks.options import read_options, sensor_options
from rck.model.device import Device, DeviceKind
from rck.model.finding import Finding, RckError, Severity
from rck.model.names import did_you_mean

Served: TypeAlias = Mapping[str, tuple[Option, ...] | None]
"""Kinds of devices with the options of what serves each; None where that is not known."""


def served_kinds(plugins: Plugins) -> dict[str, tuple[Option, ...] | None]:
    """The kinds of devices that a plugin serves, RCK's own among them, with the options of each."""
    return {
        **dict.fromkeys(kind.value for kind in DeviceKind),
        **{one.name: sensor_options(one.options) for one in plugins.all(Sensor)},
        **{one.name: one.options for one in plugins.all(Gripper)},
    }


def unserved(devices: Iterable[Device], served: Served) -> list[Finding]:
    """A warning for each device of a kind that nobody serves: it would do nothing. Wrong settings are errors."""
    return [finding for device in devices for finding in _findings(device, served)]


def _findings(device: Device, served: Served) -> Iterator[Finding]:
    where, kind = f"device {device.name}", device.kind.value
    if kind not in served:
        message = f"no plugin serves the kind {kind}{did_you_mean(kind, served)}"
        fix = "correct its name, or install the plugin; `gripper: acme` is served by the gripper `acme-gripper`"
        yield Finding(608, Severity.WARNING, where, message, fix)
        return
    options = served[kind]
    for name, value in device.settings.items() if options is not None else ():
        try:
            read_options(options or (), {name: value})
        except RckError as error:
            yield Finding(609, Severity.ERROR, where, str(error), "correct its `settings`")
