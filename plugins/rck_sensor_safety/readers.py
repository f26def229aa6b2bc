"""Who is where nobody should be, and what is asked of the robots."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert
from rck.hooks import Mount, StopDemand, Surroundings, Values, world_from
from rck.model import RckError, Robot

DEMANDS = {"warn": StopDemand.WARN, "hold": StopDemand.HOLD, "stop": StopDemand.EMERGENCY}
"""What the channel `stop` asks for, by the option `action`."""
ON_FLOOR = 0.02
"""What is no higher above a mat than this, in metres, stands on it."""


class Guard:
    """Detections that are counted before they count, and a stop that lasts for a while."""

    def __init__(self, values: Values) -> None:
        self._demand = DEMANDS[values["action"]]
        self._hits, self._within = values["hits"], values["within"]
        self._least_stop = values["least-stop"]
        self._seen: deque[float] = deque()
        self._since: float | None = None

    def judge(self, detected: bool, time: float) -> StopDemand:
        """What is asked for, given whether somebody was detected now."""
        if detected:
            self._seen.append(time)
        while self._seen and self._seen[0] <= time - self._within + 1e-9:
            self._seen.popleft()
        if len(self._seen) >= self._hits:
            self._since = time if self._since is None else self._since
        elif self._since is not None and not self._seen and time >= self._since + self._least_stop - 1e-9:
            self._since = None
        return self._demand if self._since is not None else StopDemand.NOTHING

    def memory(self) -> Any:
        """When somebody was detected of late, and since when it asks for something."""
        return {"seen": list(self._seen), "since": self._since}

    def recall(self, memory: Any) -> None:
        """Remember what :meth:`memory` gave."""
        self._seen = deque(memory["seen"])
        self._since = memory["since"]


class Zone(Guard):
    """An upright cylinder about the z axis of its mount."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        super().__init__(values)
        self._mount = mount
        self._radius, self._height = values["radius"], values["height"]
        self._who = intruders(robot, mount, values["intruder"])

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """`detected`, 1 or 0; `stop`, what is asked for; and `distance` of the nearest intruder from the axis in m."""
        zone_from_world = invert(world_from(world, self._mount))
        nearest = np.inf
        for number in self._who:
            corners = apply(zone_from_world, corners_of(world, number))
            if corners[:, 2].min() <= self._height and corners[:, 2].max() >= 0.0:
                nearest = min(nearest, distance_from_origin(corners[:, :2]))
        detected = nearest <= self._radius
        demand = self.judge(detected, world.time)
        return {"detected": np.array([int(detected)]), "stop": np.array([demand]), "distance": np.array([nearest])}


class Mat(Guard):
    """A rectangle about its mount that feels the weight of what stands on it."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        super().__init__(values)
        self._mount = mount
        self._half = np.array([values["length"] / 2, values["width"] / 2])
        self._least_weight = values["least-weight"]
        self._who = intruders(robot, mount, values["intruder"])

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """`pressed`, 1 or 0, and `stop`, what is asked for."""
        mat_from_world = invert(world_from(world, self._mount))
        weight = 0.0
        for number in self._who:
            corners = apply(mat_from_world, corners_of(world, number))
            feet = corners[corners[:, 2] <= corners[:, 2].min() + ON_FLOOR, :2]
            on = (feet.min(axis=0) <= self._half).all() and (feet.max(axis=0) >= -self._half).all()
            if on and abs(corners[:, 2].min()) <= ON_FLOOR:
                weight += world.robot.items[number].mass
        pressed = weight >= self._least_weight
        demand = self.judge(pressed, world.time)
        return {"pressed": np.array([int(pressed)]), "stop": np.array([demand])}


def intruders(robot: Robot, mount: Mount, name: str) -> list[int]:
    """The items that a safety sensor looks out for."""
    if not name:
        found = [number for number, item in enumerate(robot.items) if item.mobile]
    else:
        found = [n for n, item in enumerate(robot.items) if item.name == name or item.name.startswith(f"{name}/")]
    found = [number for number in found if robot.items[number].subitems]
    if name and not found:
        raise RckError(f"sensor {mount.name}: there is no item or scope {name!r} to look out for")
    return found


def distance_from_origin(points: Floats) -> float:
    """How far the convex hull of points in a plane, shape (N, 2), is from the origin; 0 where it holds it."""
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    if np.diff(angles, append=angles[0] + 2 * np.pi).max() < np.pi:
        return 0.0
    # The nearest place is on an edge; every edge is one of the lines from point to point, and no other is nearer.
    starts, ways = points[:, None], points[None] - points[:, None]
    squares = np.maximum((ways**2).sum(axis=2), 1e-30)
    shares = np.clip(-(starts * ways).sum(axis=2) / squares, 0.0, 1.0)
    return float(np.sqrt(((starts + shares[..., None] * ways) ** 2).sum(axis=2)).min())


def corners_of(world: Surroundings, number: int) -> Floats:
    """The vertices of an item in the world. Shape (N, 3)."""
    vertices = np.concatenate([subitem.shape.vertices for subitem in world.robot.items[number].subitems])
    return apply(world.poses[number], vertices)
