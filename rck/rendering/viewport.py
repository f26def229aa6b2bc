"""Viewports: the pixels of a camera, their rays, and the projection of points."""

from dataclasses import dataclass
from math import tan

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.rendering.camera import Camera, camera_axes


@dataclass(frozen=True, eq=False)
class Viewport:
    """A camera with a grid of pixels. Create one with :func:`open_window`.

    Pixel coordinates run right and down from the upper left corner of the picture; the centre of the first pixel is
    at (0.5, 0.5). With a parallel camera, the ray of (x, y) starts at ``corner + x * right + y * down`` with the
    direction `forward`; otherwise it starts at the eye with that vector as direction. In both cases the ray parameter
    is the depth in metres along `forward`.
    """

    camera: Camera
    width: int
    height: int
    lens: Floats
    """The rows eye, corner, right, down, forward. Shape (5, 3)."""

    @property
    def nearest(self) -> float:
        """Maximum visible nearness (see :func:`nearness`), given by the near clipping distance."""
        near = self.camera.near
        if self.camera.parallel:
            return np.inf if near is None else -near
        return np.inf if near is None or near <= 0 else 1.0 / near


def open_window(camera: Camera, width: int, height: int, pixel_aspect: float = 1.0) -> Viewport:
    """Return the viewport of a camera; pixels are `pixel_aspect` times as wide as high."""
    if width < 0 or height < 0 or not pixel_aspect > 0:
        raise ValueError(f"invalid size of a picture: {width} x {height} pixels with aspect {pixel_aspect}")
    right, up, forward = camera_axes(camera)
    eye = np.array(camera.eye)
    step = 2.0 * tan(camera.field_of_view / 2) / max(height, 1)
    if camera.parallel:
        step *= camera.distance
    right_step, down_step = right * (step * pixel_aspect), -up * step
    centre = eye if camera.parallel else forward
    corner = centre - (width / 2) * right_step - (height / 2) * down_step
    return Viewport(camera, width, height, frozen(np.array([eye, corner, right_step, down_step, forward])))


def rows_of(window: Viewport, first: int, last: int) -> Viewport:
    """Return the rows of a viewport from `first` up to, but not including, `last`."""
    lens = window.lens.copy()
    lens[1] += first * lens[3]
    return Viewport(window.camera, window.width, last - first, frozen(lens))


def window_rays(window: Viewport) -> tuple[Floats, Floats]:
    """Return the origin and unit direction of the ray of each pixel, both of shape (height, width, 3)."""
    eye, corner, right, down, forward = window.lens
    x = np.arange(window.width) + 0.5
    y = np.arange(window.height) + 0.5
    plane = corner + x[None, :, None] * right + y[:, None, None] * down
    if window.camera.parallel:
        return plane, np.broadcast_to(forward, plane.shape)
    return np.broadcast_to(eye, plane.shape), plane / np.sqrt((plane * plane).sum(axis=2, keepdims=True))


def project(window: Viewport, points: ArrayLike) -> Floats:
    """Return pixel coordinates and depth of points of shape (N, 3). Shape (N, 3).

    For a point behind the eye of a perspective camera, x and y are infinite.
    """
    eye, corner, right, down, forward = window.lens
    to_corner = corner - eye if window.camera.parallel else corner
    offsets = np.asarray(points, dtype=float).reshape(-1, 3) - eye
    depth = offsets @ forward
    placed = np.empty((len(offsets), 3))
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = np.ones(len(depth)) if window.camera.parallel else 1.0 / depth
        placed[:, 0] = ((offsets @ right) * shrink - to_corner @ right) / (right @ right)
        placed[:, 1] = ((offsets @ down) * shrink - to_corner @ down) / (down @ down)
    placed[:, 2] = depth
    if not window.camera.parallel:
        placed[depth <= 0, :2] = np.inf
    return placed


def nearness(window: Viewport, depth: Floats) -> Floats:
    """Return 1 / depth, or -depth for a parallel camera: a measure that is linear across the image of a plane."""
    if window.camera.parallel:
        return -depth
    with np.errstate(divide="ignore"):
        return 1.0 / depth


def pixels_per_metre(window: Viewport) -> float:
    """Return the height in pixels of a metre at the target."""
    step = float(np.sqrt(window.lens[3] @ window.lens[3]))
    return 1.0 / (step if window.camera.parallel else step * window.camera.distance)
