"""Windows: the pixels of a camera, as rays out of it and as places that points of the world fall on."""

from dataclasses import dataclass
from math import tan

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.render.camera import Camera, camera_axes


@dataclass(frozen=True, eq=False)
class Window:
    """A camera with a grid of pixels. Make one with :func:`open_window`.

    Pixel coordinates run to the right and down from the upper left corner of the picture; the middle of the
    first pixel is at (0.5, 0.5). With a parallel camera the ray of (x, y) starts at ``corner + x * right + y *
    down`` and runs forward; otherwise it starts at the eye and runs along that vector. Either way the number
    of times that it is followed is the depth in metres, measured along `forward`.
    """

    camera: Camera
    width: int
    height: int
    lens: Floats
    """The rows eye, corner, right, down, forward. Shape (5, 3)."""

    @property
    def nearest(self) -> float:
        """The greatest nearness (see :func:`nearness`) that is shown."""
        near = self.camera.near
        if self.camera.parallel:
            return np.inf if near is None else -near
        return np.inf if near is None or near <= 0 else 1.0 / near


def open_window(camera: Camera, width: int, height: int, pixel_aspect: float = 1.0) -> Window:
    """The window of a camera; pixels are `pixel_aspect` times as wide as they are high."""
    if width < 0 or height < 0 or not pixel_aspect > 0:
        raise ValueError(f"{width} x {height} pixels of aspect {pixel_aspect} make no picture")
    right, up, forward = camera_axes(camera)
    eye = np.array(camera.eye)
    step = 2.0 * tan(camera.field_of_view / 2) / max(height, 1)
    if camera.parallel:
        step *= camera.distance
    right_step, down_step = right * (step * pixel_aspect), -up * step
    centre = eye if camera.parallel else forward
    corner = centre - (width / 2) * right_step - (height / 2) * down_step
    return Window(camera, width, height, frozen(np.array([eye, corner, right_step, down_step, forward])))


def rows_of(window: Window, first: int, last: int) -> Window:
    """The part of a window from row `first` to before row `last`."""
    lens = window.lens.copy()
    lens[1] += first * lens[3]
    return Window(window.camera, window.width, last - first, frozen(lens))


def window_rays(window: Window) -> tuple[Floats, Floats]:
    """Origin and unit direction of the ray of each pixel, both of shape (height, width, 3)."""
    eye, corner, right, down, forward = window.lens
    x = np.arange(window.width) + 0.5
    y = np.arange(window.height) + 0.5
    plane = corner + x[None, :, None] * right + y[:, None, None] * down
    if window.camera.parallel:
        return plane, np.broadcast_to(forward, plane.shape)
    return np.broadcast_to(eye, plane.shape), plane / np.sqrt((plane * plane).sum(axis=2, keepdims=True))


def project(window: Window, points: ArrayLike) -> Floats:
    """Pixel coordinates and depth of points of shape (N, 3). Shape (N, 3).

    What lies behind the eye of a perspective camera has no place in the picture: its x and y are infinite.
    """
    eye, corner, right, down, forward = window.lens
    # Where the direction of view meets the picture: its middle, unless it is a part of a larger one.
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


def nearness(window: Window, depth: Floats) -> Floats:
    """What grows as depth shrinks, and is linear across the picture of a plane: 1 / depth, or -depth if parallel."""
    if window.camera.parallel:
        return -depth
    with np.errstate(divide="ignore"):
        return 1.0 / depth


def pixels_per_metre(window: Window) -> float:
    """How many pixels, from top to bottom, a metre at the target takes."""
    step = float(np.sqrt(window.lens[3] @ window.lens[3]))
    return 1.0 / (step if window.camera.parallel else step * window.camera.distance)
