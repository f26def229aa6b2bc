"""Distances along rays. What is too near is minus infinity and nothing in range is infinity, as in REP 117."""

from collections.abc import Mapping
from math import cos, pi

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import Mount, Surroundings, Values, world_from

_RINGS = 3
_PER_RING = 8


class Ray:
    """One ray along z."""

    def __init__(self, mount: Mount, values: Values) -> None:
        self._mount = mount
        self._nearest, self._farthest = values["min-range"], values["max-range"]

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """`distance` in metres."""
        frame = world_from(world, self._mount)
        echo = world.cast(frame[None, :3, 3], frame[None, :3, 2], self._farthest, unseen=(self._mount.item,))
        return {"distance": too_near(echo.distances, self._nearest)}


class Cone:
    """The nearest surface in a cone about z that is turned enough towards the sensor to send something back."""

    def __init__(self, mount: Mount, values: Values) -> None:
        self._mount = mount
        self._nearest, self._farthest = values["min-range"], values["max-range"]
        self._least = cos(values["lean"])
        self._directions = _cone(values["field-of-view"] / 2)

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """`distance` in metres, and `echo`, 1 or 0."""
        frame = world_from(world, self._mount)
        along = self._directions @ frame[:3, :3].T
        origins = np.broadcast_to(frame[:3, 3], along.shape)
        echo = world.cast(origins, along, self._farthest, unseen=(self._mount.item,))
        back = -np.einsum("ij,ij->i", echo.normals, along) >= self._least
        nearest = np.array([echo.distances[back].min(initial=np.inf)])
        return {"distance": too_near(nearest, self._nearest), "echo": np.isfinite(nearest).astype(np.int64)}


class Lidar:
    """Rays round z, x in the middle, in one plane or in several above each other."""

    def __init__(self, mount: Mount, values: Values) -> None:
        self._mount = mount
        self._nearest, self._farthest = values["min-range"], values["max-range"]
        view = values["field-of-view"]
        count = max(round(view / values["angular-resolution"]), 1)
        # All the way round, the last ray would be the first again.
        azimuths = -view / 2 + view / count * np.arange(count if view > 2 * pi - 1e-6 else count + 1)
        rows = max(int(values.get("channels") or 1), 1)
        height = values.get("field-of-view-vertical") or 0.0
        elevations = np.linspace(-height / 2, height / 2, rows) if rows > 1 else np.zeros(1)
        level = np.cos(elevations)[:, None]
        rays = [level * np.cos(azimuths), level * np.sin(azimuths), np.sin(elevations)[:, None] + 0 * azimuths]
        self._directions = np.stack(rays, axis=-1).reshape(-1, 3)
        self._shape = (rows, len(azimuths)) if "channels" in values else (len(azimuths),)

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """`ranges` in metres: from right to left, and from below upwards where there are several rows."""
        frame = world_from(world, self._mount)
        along = self._directions @ frame[:3, :3].T
        echo = world.cast(np.broadcast_to(frame[:3, 3], along.shape), along, self._farthest, unseen=(self._mount.item,))
        return {"ranges": too_near(echo.distances, self._nearest).reshape(self._shape)}


def too_near(distances: Floats, nearest: float) -> Floats:
    """The distances, with minus infinity where something is nearer than can be told."""
    return np.where(distances < nearest, -np.inf, distances)


def _cone(half: float) -> Floats:
    """Directions in a cone about z. Shape (rays, 3)."""
    rows = [(0.0, 0.0, 1.0)]
    for ring in range(1, _RINGS + 1):
        off = half * ring / _RINGS
        for step in range(_PER_RING * ring):
            turn = 2 * pi * step / (_PER_RING * ring)
            rows.append((np.sin(off) * np.cos(turn), np.sin(off) * np.sin(turn), np.cos(off)))
    return np.array(rows)
