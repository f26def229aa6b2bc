"""Cameras and standard views. Angles are in radians, lengths in metres.

Views are named as in technical drawing: `front` looks along +y with x to the right, `top` looks down with y up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import asin, atan2, cos, dist, hypot, isfinite, pi, radians, sin, sqrt, tan

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Point, as_point
from rck.geometry.transforms import rotation_about, unit_vector
from rck.support.finding import RckError
from rck.support.names import entry_named

NEAREST = 1e-6
FARTHEST = 1e9
"""Limits of the distance from eye to target."""

# Maximum elevation when orbiting: at the pole the azimuth would be undefined.
_STEEPEST = radians(89.99)
_NORTH = (0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Camera:
    """An eye, its target, and the projection."""

    eye: Point
    target: Point = (0.0, 0.0, 0.0)
    up: Point = (0.0, 0.0, 1.0)
    """The direction that points up in the image."""
    field_of_view: float = radians(30.0)
    """Vertical angle. A parallel camera has the height that this angle spans at the target."""
    parallel: bool = False
    near: float | None = None
    """Near clipping distance; cut solids are shown closed."""

    def __post_init__(self) -> None:
        numbers = (*self.eye, *self.target, *self.up, self.field_of_view, self.near or 0.0)
        if len(numbers) != 11 or not all(isfinite(number) for number in numbers):
            raise RckError("eye, target and up direction of a camera must have three finite numbers each")
        if not 1e-4 <= self.field_of_view <= radians(170.0):
            raise RckError(f"field of view must be from 0.006° to 170°, not {self.field_of_view * 180 / pi:g}°")

    @property
    def distance(self) -> float:
        """Distance from eye to target, limited to `NEAREST` and `FARTHEST`."""
        return min(max(dist(self.eye, self.target), NEAREST), FARTHEST)


VIEWS: Mapping[str, tuple[float, float]] = {
    "home": (radians(-52.0), radians(24.0)),
    "iso": (radians(-45.0), asin(1 / sqrt(3))),
    "front": (radians(-90.0), 0.0),
    "back": (radians(90.0), 0.0),
    "left": (radians(180.0), 0.0),
    "right": (0.0, 0.0),
    "top": (radians(-90.0), radians(90.0)),
    "bottom": (radians(-90.0), radians(-90.0)),
}
"""Azimuth and elevation of the eye, seen from the target, by view name."""


def camera_axes(camera: Camera) -> Floats:
    """Return the right, up and forward directions of the image as rows. Shape (3, 3)."""
    forward = _direction(np.subtract(camera.target, camera.eye), default=_NORTH)
    # Looking straight up or down, use north or south as up, so that x points right.
    for up in (camera.up, (0.0, -forward[2], 0.0), (0.0, 0.0, 1.0)):
        right = np.cross(forward, _direction(up, default=_NORTH))
        length = float(np.sqrt(right @ right))
        if length > 1e-9:
            right /= length
            break
    return np.array([right, np.cross(right, forward), forward])


def _direction(vector: ArrayLike, default: Point) -> Floats:
    array = np.asarray(vector, dtype=float)
    largest = float(np.abs(array).max())
    return np.array(default) if largest < NEAREST else unit_vector(array / largest)


def angles(camera: Camera) -> tuple[float, float]:
    """Return azimuth (about z, from +x) and elevation of the eye, seen from the target."""
    x, y, z = -camera_axes(camera)[2]
    level = hypot(x, y)
    if level < 1e-9:
        return VIEWS["top"][0], pi / 2 if z > 0 else -pi / 2
    return atan2(y, x), atan2(z, level)


def at_angles(camera: Camera, azimuth: float, elevation: float, distance: float | None = None) -> Camera:
    """Return an upright camera with the same target and its eye at these angles."""
    away = np.array([cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)])
    eye = np.asarray(camera.target) + away * (camera.distance if distance is None else distance)
    return replace(camera, eye=as_point(eye), up=(0.0, 0.0, 1.0))


def orbit(camera: Camera, azimuth: float, elevation: float) -> Camera:
    """Orbit about the target, to the right by `azimuth` and up by `elevation`, up to the poles."""
    old_azimuth, old_elevation = angles(camera)
    steep = min(max(old_elevation + elevation, -_STEEPEST), _STEEPEST)
    return at_angles(camera, old_azimuth + azimuth, steep)


def roll(camera: Camera, angle: float) -> Camera:
    """Rotate the image clockwise about its centre."""
    _, up, forward = camera_axes(camera)
    return replace(camera, up=as_point(rotation_about(forward, -angle)[:3, :3] @ up))


def pan(camera: Camera, right: float, up: float) -> Camera:
    """Move eye and target parallel to the image; 1 is the height of the image."""
    axes = camera_axes(camera)
    height = 2.0 * camera.distance * tan(camera.field_of_view / 2)
    shift = height * (right * axes[0] + up * axes[1])
    return replace(camera, eye=as_point(camera.eye + shift), target=as_point(camera.target + shift))


def zoom(camera: Camera, factor: float) -> Camera:
    """Enlarge the target by `factor` by moving the eye closer."""
    distance = min(max(camera.distance / max(factor, 1e-9), NEAREST), FARTHEST)
    forward = camera_axes(camera)[2]
    return replace(camera, eye=as_point(camera.target - distance * forward))


def fit(camera: Camera, spheres: ArrayLike, aspect: float, margin: float = 0.06) -> Camera:
    """Move a camera, without rotating it, so that the spheres fill an image with this width-to-height ratio.

    `spheres` has rows of centre and radius, shape (N, 4), in the world; a point is a sphere of radius 0.
    `margin` is the fraction of the image that stays free along each edge.
    """
    balls = np.asarray(spheres, dtype=float).reshape(-1, 4)
    if len(balls) == 0:
        balls = np.array([[*camera.target, 0.5]])
    axes = camera_axes(camera)
    x, y, z = axes @ balls[:, :3].T
    radii = balls[:, 3]
    depth = float((z - radii).min() + (z + radii).max()) / 2
    # A minimum size, so that a single point does not fill the image.
    least = max(1e-3, 1e-6 * float(np.abs(balls).max()))
    inner = max(1.0 - 2.0 * margin, 0.1)
    half_y = tan(camera.field_of_view / 2) * inner
    half_x = half_y * max(aspect, 1e-3)
    if camera.parallel:
        middle_x, width = _span(x, radii)
        middle_y, height = _span(y, radii)
        half = max(height / 2, width / 2 / max(aspect, 1e-3), least) / inner
        distance = half / tan(camera.field_of_view / 2)
    else:
        middle_x, limit_x = _apex(x, z, radii, half_x)
        middle_y, limit_y = _apex(y, z, radii, half_y)
        eye_depth = min(limit_x, limit_y, float((z - radii).min()) - least)
        distance = depth - eye_depth
    target = axes.T @ (middle_x, middle_y, depth)
    distance = min(max(distance, NEAREST), FARTHEST)
    return replace(camera, target=as_point(target), eye=as_point(target - distance * axes[2]))


def _span(centres: Floats, radii: Floats) -> tuple[float, float]:
    """Return the centre and length of the interval that contains the balls."""
    low, high = float((centres - radii).min()), float((centres + radii).max())
    return (low + high) / 2, high - low


def _apex(across: Floats, depth: Floats, radii: Floats, half: float) -> tuple[float, float]:
    """Return the apex of the two planes with slopes ±`half` that just enclose the balls."""
    reach = radii * hypot(1.0, half)
    right = float((across - half * depth + reach).max())
    left = float((-across - half * depth + reach).max())
    return (right - left) / 2, -(right + left) / (2.0 * half)


def named_camera(name: str, saved: Mapping[str, Camera] | None = None) -> Camera:
    """Return a saved camera, or a standard view of the origin, by name."""
    standard = {view: at_angles(Camera((1.0, 0.0, 0.0)), *direction) for view, direction in VIEWS.items()}
    return entry_named(name, {**standard, **(saved or {})}, "view")
