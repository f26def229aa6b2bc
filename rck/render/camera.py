"""Cameras: where a picture is taken from. Angles are radians, lengths metres.

Views are named as in technical drawing: `front` looks along +y with x to the right, `top` looks down with y up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import asin, atan2, cos, dist, hypot, isfinite, pi, radians, sin, sqrt, tan

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Point, as_point
from rck.geometry.transforms import rotation_about, unit_vector
from rck.model.finding import RckError
from rck.model.names import entry_named

NEAREST = 1e-6
FARTHEST = 1e9
"""How near and how far the eye may be from its target."""

# As high or low as a camera may be turned: a hair short of the pole, where it would lose its azimuth.
_STEEPEST = radians(89.99)
_NORTH = (0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Camera:
    """An eye, what it looks at, and how wide."""

    eye: Point
    target: Point = (0.0, 0.0, 0.0)
    up: Point = (0.0, 0.0, 1.0)
    """The direction that is up in the picture, as far as the view allows."""
    field_of_view: float = radians(30.0)
    """From the lower to the upper edge. A parallel camera shows what this angle holds at the target."""
    parallel: bool = False
    near: float | None = None
    """Whatever is nearer to the eye than this is cut away, and solids are closed along the cut."""

    def __post_init__(self) -> None:
        numbers = (*self.eye, *self.target, *self.up, self.field_of_view, self.near or 0.0)
        if len(numbers) != 11 or not all(isfinite(number) for number in numbers):
            raise RckError("a camera needs an eye, a target and an up direction of three finite numbers each")
        if not 1e-4 <= self.field_of_view <= radians(170.0):
            raise RckError(f"a field of view lies between 0.006° and 170°, not {self.field_of_view * 180 / pi:g}°")

    @property
    def distance(self) -> float:
        """From the eye to the target, and never nothing."""
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
"""Azimuth and elevation of the eye as seen from the target, by the name of the view."""


def camera_axes(camera: Camera) -> Floats:
    """The directions to the right, up and forward in the picture, as rows. Shape (3, 3)."""
    forward = _direction(np.subtract(camera.target, camera.eye), otherwise=_NORTH)
    # Straight up and down there is no up: take north or south, so that x is to the right.
    for up in (camera.up, (0.0, -forward[2], 0.0), (0.0, 0.0, 1.0)):
        right = np.cross(forward, _direction(up, otherwise=_NORTH))
        length = float(np.sqrt(right @ right))
        if length > 1e-9:
            right /= length
            break
    return np.array([right, np.cross(right, forward), forward])


def _direction(vector: ArrayLike, otherwise: Point) -> Floats:
    array = np.asarray(vector, dtype=float)
    largest = float(np.abs(array).max())
    return np.array(otherwise) if largest < NEAREST else unit_vector(array / largest)


def angles(camera: Camera) -> tuple[float, float]:
    """Azimuth and elevation of the eye as seen from the target: about z from +x, and above the horizon."""
    x, y, z = -camera_axes(camera)[2]
    level = hypot(x, y)
    if level < 1e-9:
        return VIEWS["top"][0], pi / 2 if z > 0 else -pi / 2
    return atan2(y, x), atan2(z, level)


def at_angles(camera: Camera, azimuth: float, elevation: float, distance: float | None = None) -> Camera:
    """The camera with its eye elsewhere round the same target, the picture upright."""
    away = np.array([cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)])
    eye = np.asarray(camera.target) + away * (camera.distance if distance is None else distance)
    return replace(camera, eye=as_point(eye), up=(0.0, 0.0, 1.0))


def orbit(camera: Camera, azimuth: float, elevation: float) -> Camera:
    """Turn the eye round the target, to the right by `azimuth` and up by `elevation`, as far as the poles."""
    old_azimuth, old_elevation = angles(camera)
    steep = min(max(old_elevation + elevation, -_STEEPEST), _STEEPEST)
    return at_angles(camera, old_azimuth + azimuth, steep)


def roll(camera: Camera, angle: float) -> Camera:
    """Turn the picture about its centre, clockwise."""
    _, up, forward = camera_axes(camera)
    return replace(camera, up=as_point(rotation_about(forward, -angle)[:3, :3] @ up))


def pan(camera: Camera, right: float, up: float) -> Camera:
    """Move eye and target across the view, in heights of the picture."""
    axes = camera_axes(camera)
    height = 2.0 * camera.distance * tan(camera.field_of_view / 2)
    shift = height * (right * axes[0] + up * axes[1])
    return replace(camera, eye=as_point(camera.eye + shift), target=as_point(camera.target + shift))


def zoom(camera: Camera, factor: float) -> Camera:
    """Make the target look `factor` times as large, by going nearer to it."""
    distance = min(max(camera.distance / max(factor, 1e-9), NEAREST), FARTHEST)
    forward = camera_axes(camera)[2]
    return replace(camera, eye=as_point(camera.target - distance * forward))


def fit(camera: Camera, spheres: ArrayLike, aspect: float, margin: float = 0.06) -> Camera:
    """The camera moved, without turning, so that the spheres just fill a picture of that width over height.

    `spheres` are rows of centre and radius, shape (N, 4), in the world; a point is a sphere of radius 0.
    `margin` is the share of the picture that stays free along each edge.
    """
    balls = np.asarray(spheres, dtype=float).reshape(-1, 4)
    if len(balls) == 0:
        balls = np.array([[*camera.target, 0.5]])
    axes = camera_axes(camera)
    x, y, z = axes @ balls[:, :3].T
    radii = balls[:, 3]
    depth = float((z - radii).min() + (z + radii).max()) / 2
    # What has no size gets one, so that a single point does not fill the picture.
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
    """The middle and the length of the interval that holds the balls."""
    low, high = float((centres - radii).min()), float((centres + radii).max())
    return (low + high) / 2, high - low


def _apex(across: Floats, depth: Floats, radii: Floats, half: float) -> tuple[float, float]:
    """Where two planes that open to both sides with slope `half` meet when they just hold the balls."""
    reach = radii * hypot(1.0, half)
    right = float((across - half * depth + reach).max())
    left = float((-across - half * depth + reach).max())
    return (right - left) / 2, -(right + left) / (2.0 * half)


def named_camera(name: str, saved: Mapping[str, Camera] | None = None) -> Camera:
    """A saved camera, or a standard view of the origin, by its name."""
    standard = {view: at_angles(Camera((1.0, 0.0, 0.0)), *where) for view, where in VIEWS.items()}
    return entry_named(name, {**standard, **(saved or {})}, "view")
