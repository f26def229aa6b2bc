"""Which kinds of sensors and grippers there are plugins for."""

from collections.abc import Collection, Iterable

from rck.hooks.kinds import Gripper, Sensor
from rck.hooks.manager import Plugins
from rck.model.device import Device, DeviceKind
from rck.model.finding import Finding, Severity
from rck.model.names import did_you_mean


def served_kinds(plugins: Plugins) -> frozenset[str]:
    """The kinds of devices that a plugin serves, RCK's own among them."""
    own = {kind.value for kind in DeviceKind}
    return frozenset({*own, *(one.name for one in plugins.all(Sensor)), *(one.name for one in plugins.all(Gripper))})


def unserved(devices: Iterable[Device], served: Collection[str]) -> list[Finding]:
    """A warning for each device of a kind that nobody serves: it would do nothing."""
    return [
        Finding(
            608,
            Severity.WARNING,
            f"device {device.name}",
            f"no plugin serves the kind {device.kind.value}{did_you_mean(device.kind.value, served)}",
            "correct its name, or install the plugin; `gripper: acme` is served by the gripper `acme-gripper`",
        )
        for device in devices
        if device.kind.value not in served
    ]
