"""Sensors in a simulation: their rates, noise and readings."""

import json
from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import floor
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.hooks import (
    Gripper,
    Mount,
    NoisyReader,
    Option,
    Plugins,
    SafetyReader,
    Sensor,
    SensorReader,
    StatefulReader,
    StopDemand,
    Surroundings,
    Values,
)
from rck.hooks.options import read_options, sensor_options
from rck.model.device import Device
from rck.model.robot import Robot
from rck.support.finding import Finding, RckError, Severity
from rck.support.names import did_you_mean

Reading: TypeAlias = Mapping[str, NDArray[Any]]
"""Values of a sensor by channel."""
_MOMENT = 1e-9
"""Tolerance for the times of readings, in seconds, because of rounding errors of the clock."""


@dataclass(frozen=True, eq=False, slots=True)
class SensorSetting:
    """An additional sensor, besides the devices of the robots."""

    sensor: str
    """Kind of the sensor, as `rck plugins` lists it."""
    mount: Mount
    options: Mapping[str, str | float | bool] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class SensorRecord:
    """The state of a sensor."""

    name: str
    kind: str
    on: bool
    reading: dict[str, NDArray[Any]]
    read_at: float
    """Time of the last reading, in seconds; minus infinity before the first."""
    interval: float
    """Time between the last two readings, in seconds; 0 before the second."""
    random: str
    """State of the random generator of the noise, as JSON."""
    memory: Any
    """State of the reader; see :class:`rck.hooks.StatefulReader`."""


class SensorUnit:
    """A sensor in a simulation."""

    def __init__(self, kind: Sensor, robot: Robot, mount: Mount, values: Values, seed: int) -> None:
        self.name = mount.name
        self.kind = kind.name
        self.mount = mount
        self.values = values
        self.on = True
        self.reading: Reading = {}
        self.read_at = -np.inf
        self.interval = 0.0
        """The time between the last two readings, in seconds; 0 before the second."""
        self._robot = robot
        self._reader: SensorReader = kind.make(robot, mount, values)
        # The noise of a sensor does not depend on other sensors.
        self.chance = np.random.default_rng([seed, crc32(mount.name.encode())])

    @property
    def rate(self) -> float:
        """Rate of readings, in hertz; 0 reads it at every step."""
        return float(self.values.get("rate") or 0.0)

    @property
    def demand(self) -> StopDemand:
        """The strongest demand of its channel `stop`."""
        return demand_of(self.reading["stop"]) if self.on and "stop" in self.reading else StopDemand.NOTHING

    @property
    def intruders(self) -> Collection[int]:
        """Numbers of the items that a safety sensor watches for."""
        return self._reader.intruders if isinstance(self._reader, SafetyReader) else ()

    def detects(self, world: Surroundings) -> bool:
        """Return True if it detects an intruder now; a reader that cannot tell detects one while it demands a stop."""
        return self._reader.detects(world) if isinstance(self._reader, SafetyReader) else True

    def sense(self, world: Surroundings) -> bool:
        """Read the sensor if it is due; return True if it was."""
        if not self.on or not self._is_due(world.time):
            return False
        reading = {channel: np.asarray(value) for channel, value in self._read(world).items()}
        for channel, value in reading.items():
            before = self.reading.get(channel)
            if before is not None and before.shape != value.shape:
                raise ValueError(f"channel {channel} changed its shape from {before.shape} to {value.shape}")
            if value.dtype.kind not in "biuf":
                raise ValueError(f"channel {channel} is {value.dtype}, not numbers")
        self.reading = reading
        self.interval = world.time - self.read_at if np.isfinite(self.read_at) else 0.0
        self.read_at = world.time
        return True

    def _is_due(self, time: float) -> bool:
        """Return True if one of the times n / rate has come since the last reading.

        The times are fixed: a reading that is late because of the time step does not delay those that follow.
        """
        if self.rate <= 0.0 or not np.isfinite(self.read_at):
            return True
        return floor((time + _MOMENT) * self.rate) > floor((self.read_at + _MOMENT) * self.rate)

    def _read(self, world: Surroundings) -> Reading:
        noise = float(self.values.get("noise") or 0.0)
        if noise == 0.0:
            return self._reader.read(world)
        if isinstance(self._reader, NoisyReader):
            return self._reader.read_noisy(world, lambda shape: self._noise(noise, shape))
        return {channel: self._noisy(np.asarray(value), noise) for channel, value in self._reader.read(world).items()}

    def record(self) -> SensorRecord:
        """Return the state of the sensor."""
        memory = self._reader.memory() if isinstance(self._reader, StatefulReader) else None
        random = json.dumps(self.chance.bit_generator.state)
        return SensorRecord(
            self.name, self.kind, self.on, dict(self.reading), self.read_at, self.interval, random, memory
        )

    def recall(self, record: SensorRecord) -> None:
        """Take over the state of the same sensor."""
        if record.kind != self.kind:
            raise ValueError(f"sensor {self.name} is {self.kind}, not {record.kind}")
        self.on, self.reading = record.on, record.reading
        self.read_at, self.interval = record.read_at, record.interval
        self.chance.bit_generator.state = json.loads(record.random)
        if isinstance(self._reader, StatefulReader) and record.memory is not None:
            self._reader.recall(record.memory)

    def __copy__(self) -> "SensorUnit":
        """Copy the sensor with its state; the robot and the options are shared."""
        return deepcopy(self, {id(shared): shared for shared in (self._robot, self.mount, self.values)})

    def _noisy(self, value: NDArray[Any], noise: float) -> NDArray[Any]:
        return value + self._noise(noise, value.shape) if value.dtype.kind == "f" else value

    def _noise(self, deviation: float, shape: tuple[int, ...]) -> Floats:
        return self.chance.normal(0.0, deviation, shape)


def sensor_units(
    plugins: Plugins, robot: Robot, settings: Iterable[SensorSetting] = (), seed: int = 0
) -> dict[str, SensorUnit]:
    """Return the sensors of a robot whose kind a plugin supports, and the additional ones, by name."""
    kinds = {kind.name: kind for kind in plugins.all(Sensor)}
    units: dict[str, SensorUnit] = {}
    for device in robot.devices:
        if device.kind.value in kinds:
            kind = kinds[device.kind.value]
            units[device.name] = SensorUnit(
                kind, robot, mount_of(device), device_values(sensor_options(kind.options), device), seed
            )
    for setting in settings:
        if setting.sensor not in kinds:
            hint = did_you_mean(setting.sensor, kinds)
            raise RckError(f"there is no sensor {setting.sensor!r}{hint}; known: {', '.join(kinds)}")
        if setting.mount.name in units:
            raise RckError(f"there are two sensors {setting.mount.name}; rename one")
        robot.item(setting.mount.item)
        kind = kinds[setting.sensor]
        given = setting.options or {}
        typed = read_options(sensor_options(kind.options), {k: v for k, v in given.items() if isinstance(v, str)})
        values = {**typed, **{k: v for k, v in given.items() if not isinstance(v, str)}}
        units[setting.mount.name] = SensorUnit(kind, robot, setting.mount, values, seed)
    return units


def unserved_devices(plugins: Plugins, robot: Robot) -> list[Finding]:
    """Return a warning for each sensor and gripper that no plugin simulates."""
    served = {sensor.name for sensor in plugins.all(Sensor)} | {hand.name for hand in plugins.all(Gripper)}
    return [
        Finding(
            608,
            Severity.WARNING,
            f"device {device.name}",
            f"it is not simulated: no plugin provides the kind {device.kind.value}"
            f"{did_you_mean(device.kind.value, served)}{plugins.absent(device.kind.value)}",
            "correct its kind, or install or enable the plugin",
        )
        for device in robot.devices
        if device.kind.value not in served
    ]


def demand_of(stop: NDArray[Any]) -> StopDemand:
    """Return the strongest demand of a channel `stop`; unknown values count as the nearest known one."""
    strongest = int(stop.max(initial=StopDemand.NOTHING))
    return StopDemand(min(max(strongest, StopDemand.NOTHING), StopDemand.EMERGENCY))


def device_values(options: tuple[Option, ...], device: Device) -> Values:
    """Return the option values of a device: its settings, else the figures of its part, else the defaults."""
    try:
        values = read_options(options, device.settings)
    except RckError as error:
        raise RckError(f"device {device.name}: {error}") from None
    figures = {name: value for name, value in device.values.items() if name in values.keys() - device.settings.keys()}
    return {**values, **figures}


def mount_of(device: Device) -> Mount:
    """Return the mount of a device."""
    return Mount(device.name, device.item, device.pose, device.joints)
