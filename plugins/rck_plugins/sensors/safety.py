"""Safety sensors: zones and mats that warn, hold robots or trigger an emergency stop."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert
from rck.hooks import Mount, Option, Sensor, StopDemand, Surroundings, Values, hookimpl, world_from
from rck.model import RckError, Robot

_DEMANDS = {"warn": StopDemand.WARN, "hold": StopDemand.HOLD, "stop": StopDemand.EMERGENCY}
_ON_FLOOR = 0.02
"""The largest height above a mat, in metres, at which an item stands on it."""


class SafetySensor:
    """A sensor that asks robots to stop after several detections of an intruder, for a minimum time."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._mount = mount
        self.intruders = _find_intruders(robot, mount, values["intruder"])
        self._demand = _DEMANDS[values["action"]]
        self._hits, self._within = values["hits"], values["within"]
        self._least_stop = values["least-stop"]
        self._detections: deque[float] = deque()
        self._since: float | None = None

    def demand(self, detected: bool, time: float) -> StopDemand:
        """Return the demand at a time, given whether an intruder is detected now."""
        if detected:
            self._detections.append(time)
        while self._detections and self._detections[0] <= time - self._within + 1e-9:
            self._detections.popleft()
        if len(self._detections) >= self._hits:
            self._since = time if self._since is None else self._since
        elif self._since is not None and not self._detections and time >= self._since + self._least_stop - 1e-9:
            self._since = None
        return self._demand if self._since is not None else StopDemand.NOTHING

    def memory(self) -> Any:
        """Return the times of recent detections, and since when the sensor demands a stop."""
        return {"seen": list(self._detections), "since": self._since}

    def recall(self, memory: Any) -> None:
        """Restore the state that :meth:`memory` returned."""
        self._detections = deque(memory["seen"])
        self._since = memory["since"]

    def _vertices(self, world: Surroundings, number: int) -> Floats:
        """Return the vertices of an item in the frame of the sensor. Shape (N, 3)."""
        vertices = np.concatenate([subitem.shape.vertices for subitem in world.robot.items[number].subitems])
        return apply(invert(world_from(world, self._mount)) @ world.poses[number], vertices)


class SafetyZone(SafetySensor):
    """An upright cylinder around the z axis of its mount."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        super().__init__(robot, mount, values)
        self._radius, self._height = values["radius"], values["height"]

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return `detected`, 1 or 0; `stop`, the demand; and `distance` of the closest intruder from the axis in m."""
        nearest = self._nearest(world)
        detected = nearest <= self._radius
        demand = self.demand(detected, world.time)
        return {"detected": np.array([int(detected)]), "stop": np.array([demand]), "distance": np.array([nearest])}

    def detects(self, world: Surroundings) -> bool:
        """Return True if an intruder is in the zone."""
        return bool(self._nearest(world) <= self._radius)

    def _nearest(self, world: Surroundings) -> float:
        """Return the distance of the closest intruder from the axis, in metres."""
        nearest = np.inf
        for number in self.intruders:
            vertices = self._vertices(world, number)
            if vertices[:, 2].min() <= self._height and vertices[:, 2].max() >= 0.0:
                nearest = min(nearest, _distance_from_origin(vertices[:, :2]))
        return nearest


class SafetyMat(SafetySensor):
    """A rectangle centred on its mount that responds to the weight on it."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        super().__init__(robot, mount, values)
        self._half = np.array([values["length"] / 2, values["width"] / 2])
        self._least_weight = values["least-weight"]

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return `pressed`, 1 or 0, and `stop`, the demand."""
        pressed = self.detects(world)
        demand = self.demand(pressed, world.time)
        return {"pressed": np.array([int(pressed)]), "stop": np.array([demand])}

    def detects(self, world: Surroundings) -> bool:
        """Return True if intruders of enough weight stand on the mat."""
        weight = 0.0
        for number in self.intruders:
            vertices = self._vertices(world, number)
            lowest = vertices[:, 2].min()
            feet = vertices[vertices[:, 2] <= lowest + _ON_FLOOR, :2]
            is_over_mat = (feet.min(axis=0) <= self._half).all() and (feet.max(axis=0) >= -self._half).all()
            if is_over_mat and abs(lowest) <= _ON_FLOOR:
                weight += world.robot.items[number].mass
        return bool(weight >= self._least_weight)


def _find_intruders(robot: Robot, mount: Mount, name: str) -> list[int]:
    """Return the numbers of the items with shapes that a name or scope selects; all loose objects without a name."""
    if not name:
        found = [number for number, item in enumerate(robot.items) if item.mobile]
    else:
        found = [n for n, item in enumerate(robot.items) if item.name == name or item.name.startswith(f"{name}/")]
    found = [number for number in found if robot.items[number].subitems]
    if name and not found:
        raise RckError(f"sensor {mount.name}: option intruder: no item or scope {name!r} with a shape")
    return found


def _distance_from_origin(points: Floats) -> float:
    """Return the distance of the convex hull of points, shape (N, 2), from the origin; 0 if it contains the origin."""
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    if np.diff(angles, append=angles[0] + 2 * np.pi).max() < np.pi:
        return 0.0
    # The closest point is on an edge of the hull. Every edge joins two of the points, and no other such segment is
    # closer.
    starts, segments = points[:, None], points[None] - points[:, None]
    squares = np.maximum((segments**2).sum(axis=2), 1e-30)
    shares = np.clip(-(starts * segments).sum(axis=2) / squares, 0.0, 1.0)
    return float(np.sqrt(((starts + shares[..., None] * segments) ** 2).sum(axis=2)).min())


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Return the safety zone and the safety mat."""
    # Two echoes in 0.8 s at 7 to 8 pulses per second, and a stop of at least 0.5 s: the safety system of the NBS, 1981.
    common = (
        Option("intruder", "item or scope to detect (default: all loose objects)"),
        Option("action", "reaction to an intruder", "choice", "hold", ("warn", "hold", "stop")),
        Option("hits", "detections needed to react", "number", 2.0),
        Option("within", "time window for these detections, in seconds", "number", 0.8),
        Option("least-stop", "shortest duration of a stop, in seconds", "number", 0.5),
        Option("rate", "detections per second", "number", 7.5),
    )
    zone = (
        Option("radius", "radius of the zone around z", "length", "1 m"),
        Option("height", "height of the zone along z", "length", "2 m"),
    )
    mat = (
        Option("length", "length of the mat along x", "length", "1 m"),
        Option("width", "width of the mat along y", "length", "1 m"),
        Option("least-weight", "weight that closes the contact, in kg (13.6 kg = 30 lb)", "number", 13.6),
    )
    return [
        Sensor("safety-zone", "upright cylinder that detects intruders", SafetyZone, (*zone, *common)),
        Sensor("safety-mat", "floor mat that detects weight", SafetyMat, (*mat, *common)),
    ]
