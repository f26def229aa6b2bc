"""Range finders: ultrasonic, infrared, laser, lidar and light stripe.

As in REP 117, a distance is minus infinity where something is too close and infinity where nothing is in range.
"""

from collections.abc import Mapping
from math import cos, pi

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert
from rck.hooks import Echo, Mount, Option, Sensor, Surroundings, Values, hookimpl, world_from
from rck.model import Robot

_RINGS = 3
_RAYS_PER_RING = 8
_SAME_POINT = 1e-6
"""A surface this much closer to the camera than the lit point, in metres, hides it."""


class RayCaster:
    """Rays from the origin of a mount, through everything but the mount's own item."""

    def __init__(self, mount: Mount, values: Values, directions: Floats) -> None:
        """`directions` are unit vectors in the frame of the mount. Shape (rays, 3)."""
        self._mount = mount
        self._min_range, self._max_range = values.get("min-range", 0.0), values["max-range"]
        self._directions = directions

    def cast(self, world: Surroundings) -> tuple[Floats, Echo]:
        """Return the directions of the rays in the world, shape (rays, 3), and what they hit."""
        frame = world_from(world, self._mount)
        along = self._directions @ frame[:3, :3].T
        origins = np.broadcast_to(frame[:3, 3], along.shape)
        return along, world.cast(origins, along, self._max_range, unseen=(self._mount.item,))

    def clip(self, distances: Floats) -> Floats:
        """Return the distances, with minus infinity for those below the minimum range."""
        return np.where(distances < self._min_range, -np.inf, distances)


class RaySensor(RayCaster):
    """A range finder with one ray along z."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        super().__init__(mount, values, np.array([[0.0, 0.0, 1.0]]))

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """Return `distance` in metres."""
        _, echo = self.cast(world)
        return {"distance": self.clip(echo.distances)}


class ConeSensor(RayCaster):
    """A range finder for the closest surface in a cone around z that faces the sensor enough to send an echo back."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        super().__init__(mount, values, _cone_directions(values["field-of-view"] / 2))
        self._min_cosine = cos(values["lean"])

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """Return `distance` in metres, and `echo`, 1 or 0."""
        along, echo = self.cast(world)
        returned = -np.einsum("ij,ij->i", echo.normals, along) >= self._min_cosine
        nearest = np.array([echo.distances[returned].min(initial=np.inf)])
        return {"distance": self.clip(nearest), "echo": np.isfinite(nearest).astype(np.int64)}


class Lidar(RayCaster):
    """A scanner around z, centred on x, with one row of rays or several above each other."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        view = values["field-of-view"]
        count = max(round(view / values["angular-resolution"]), 1)
        # In a full circle, the last ray would repeat the first.
        azimuths = -view / 2 + view / count * np.arange(count if view > 2 * pi - 1e-6 else count + 1)
        rows = max(int(values.get("channels") or 1), 1)
        height = values.get("field-of-view-vertical") or 0.0
        elevations = np.linspace(-height / 2, height / 2, rows) if rows > 1 else np.zeros(1)
        level = np.cos(elevations)[:, None]
        rays = [level * np.cos(azimuths), level * np.sin(azimuths), np.sin(elevations)[:, None] + 0 * azimuths]
        super().__init__(mount, values, np.stack(rays, axis=-1).reshape(-1, 3))
        self._shape = (rows, len(azimuths)) if "channels" in values else (len(azimuths),)

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """Return `ranges` in metres, from right to left, and from the lowest row up if there are several."""
        _, echo = self.cast(world)
        return {"ranges": self.clip(echo.distances).reshape(self._shape)}


class LightStripe(RayCaster):
    """A light-stripe profile scanner: light in the plane of x and z, seen by a camera offset along y."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        angles = np.linspace(-0.5, 0.5, max(int(values["rays"]), 2)) * values["field-of-view"]
        super().__init__(mount, values, np.stack([np.sin(angles), np.zeros_like(angles), np.cos(angles)], axis=1))
        self._camera = np.array([0.0, values["baseline"], 0.0])

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """Return `across` and `depth`, the profile in metres along x and z; infinity where the camera sees no light."""
        frame = world_from(world, self._mount)
        along, light = self.cast(world)
        lit = np.isfinite(light.distances)
        points = frame[:3, 3] + np.where(lit, light.distances, 0.0)[:, None] * along
        eye = apply(frame, self._camera)
        sight = points - eye
        lengths = np.sqrt((sight**2).sum(axis=1))
        seen = world.cast(np.broadcast_to(eye, sight.shape), sight, 2 * self._max_range, unseen=(self._mount.item,))
        visible = lit & (seen.distances >= lengths - _SAME_POINT)
        profile = np.where(visible[:, None], apply(invert(frame), points), np.inf)
        return {"across": profile[:, 0], "depth": profile[:, 2]}


def _cone_directions(half_angle: float) -> Floats:
    """Return unit vectors on rings in a cone around z. Shape (rays, 3)."""
    rows = [(0.0, 0.0, 1.0)]
    for ring in range(1, _RINGS + 1):
        off = half_angle * ring / _RINGS
        for step in range(_RAYS_PER_RING * ring):
            turn = 2 * pi * step / (_RAYS_PER_RING * ring)
            rows.append((np.sin(off) * np.cos(turn), np.sin(off) * np.sin(turn), np.cos(off)))
    return np.array(rows)


def _range(lowest: str | float, highest: str) -> tuple[Option, Option]:
    return (
        Option("min-range", "smallest measured distance", "length", lowest),
        Option("max-range", "largest measured distance", "length", highest),
    )


def _cone(angle: str, lean: str) -> tuple[Option, Option]:
    return (
        Option("field-of-view", "full opening angle of the cone", "angle", angle),
        Option("lean", "largest angle of incidence that returns an echo", "angle", lean),
    )


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Return the range finders."""
    # The defaults of the ultrasonic sensor are those that the NBS measured on the transducers of its safety system in
    # 1981: 0.9 to 35 feet, 10 degrees to each side, 18 to 25 degrees of incidence on a smooth surface.
    lidar = (
        *_range(0.0, "12 m"),
        Option("field-of-view", "horizontal field of view", "angle", "360 deg"),
        Option("angular-resolution", "angle between neighbouring rays", "angle", "1 deg"),
    )
    rows = (
        Option("field-of-view-vertical", "vertical field of view", "angle", "30 deg"),
        Option("channels", "number of rows of rays", "number", 16.0),
    )
    stripe = (
        Option("max-range", "largest measured distance", "length", "1 m"),
        Option("field-of-view", "opening angle of the light plane", "angle", "60 deg"),
        Option("rays", "number of profile points", "number", 61.0),
        Option("baseline", "distance from the light to the camera, along y", "length", "100 mm"),
    )
    return [
        Sensor("light-stripe", "surface profile in a plane of light", LightStripe, stripe),
        Sensor(
            "ultrasonic",
            "distance to the closest surface in a sound cone",
            ConeSensor,
            (*_range("0.9 ft", "35 ft"), *_cone("20 deg", "20 deg")),
        ),
        Sensor(
            "infrared",
            "distance to the closest surface in a narrow light cone",
            ConeSensor,
            (*_range(0.0, "0.8 m"), *_cone("5 deg", "85 deg")),
        ),
        Sensor("laser-range", "distance along one ray", RaySensor, _range(0.0, "10 m")),
        Sensor("lidar-2d", "distances around the sensor, in one plane", Lidar, lidar),
        Sensor("lidar-3d", "distances around the sensor, in several rows", Lidar, (*lidar, *rows)),
    ]
