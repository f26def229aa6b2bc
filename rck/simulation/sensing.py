"""Sensors in a simulation: when each is read, its noise, and what it last said."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import floor
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.hooks import (
    Mount,
    NoisyReader,
    Option,
    Plugins,
    Remembering,
    Sensor,
    SensorReader,
    Surroundings,
    Values,
)
from rck.hooks.options import read_options, sensor_options
from rck.model.device import Device
from rck.model.finding import RckError
from rck.model.names import did_you_mean
from rck.model.robot import Robot

Reading: TypeAlias = Mapping[str, NDArray[Any]]
"""The values of a sensor by channel."""
_MOMENT = 1e-9
"""A sensor that is due within this time, in seconds, is due now: clocks add up steps that numbers cannot hold."""


@dataclass(frozen=True, eq=False, slots=True)
class SensorSetting:
    """A sensor that is to be there, besides those of the robots' own devices."""

    sensor: str
    """The kind, as `rck plugins` lists it."""
    mount: Mount
    options: Mapping[str, str | float | bool] | None = None


class SensorUnit:
    """A sensor at work."""

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
        self._reader: SensorReader = kind.make(robot, mount, values)
        # A sensor's noise is its own, whatever other sensors there are.
        self.chance = np.random.default_rng([seed, crc32(mount.name.encode())])

    @property
    def rate(self) -> float:
        """How often it is read, in hertz; 0 for at every step."""
        return float(self.values.get("rate") or 0.0)

    def sense(self, world: Surroundings) -> bool:
        """Read it if its time has come; return whether that was so."""
        if not self.on or not self._is_due(world.time):
            return False
        self.reading = {channel: np.asarray(value) for channel, value in self._read(world).items()}
        self.interval = world.time - self.read_at if np.isfinite(self.read_at) else 0.0
        self.read_at = world.time
        return True

    def _is_due(self, time: float) -> bool:
        """Return whether one of the times n / rate has come since the last reading.

        The times do not depend on when it was read before, so that a reading which had to wait for the end of a step
        does not put off those that follow.
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

    @property
    def memory(self) -> Any:
        """What the reader remembers, as JSON can hold it; None where it lives in the moment."""
        return self._reader.memory() if isinstance(self._reader, Remembering) else None

    def recall(self, memory: Any) -> None:
        """Let the reader remember something else."""
        if isinstance(self._reader, Remembering) and memory is not None:
            self._reader.recall(memory)

    def go_on_from(self, other: "SensorUnit") -> None:
        """Take over the past of the same sensor in a simulation of other objects."""
        self.on, self.reading, self.chance = other.on, other.reading, other.chance
        self.read_at, self.interval = other.read_at, other.interval
        self.recall(other.memory)

    def copy(self, robot: Robot) -> "SensorUnit":
        """The same sensor with the same past, to go back to; what does not change is shared."""
        return deepcopy(self, {id(robot): robot, id(self.mount): self.mount, id(self.values): self.values})

    def _noisy(self, value: NDArray[Any], noise: float) -> NDArray[Any]:
        return value + self._noise(noise, value.shape) if value.dtype.kind == "f" else value

    def _noise(self, deviation: float, shape: tuple[int, ...]) -> Floats:
        return self.chance.normal(0.0, deviation, shape)


def sensor_units(
    plugins: Plugins, robot: Robot, settings: Iterable[SensorSetting] = (), seed: int = 0
) -> dict[str, SensorUnit]:
    """The sensors of a robot's devices, for which a plugin knows the kind, and those that were asked for, by name."""
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


def device_values(options: tuple[Option, ...], device: Device) -> Values:
    """The values of options for a device: what it is set to, else what its data sheet says, else the defaults."""
    try:
        values = read_options(options, device.settings)
    except RckError as error:
        raise RckError(f"device {device.name}: {error}") from None
    figures = {name: value for name, value in device.values.items() if name in values.keys() - device.settings.keys()}
    return {**values, **figures}


def mount_of(device: Device) -> Mount:
    """Where a device sits."""
    return Mount(device.name, device.item, device.pose, device.joints)
