"""Exact integrals over planar regions, and the moments of their extrusions and revolutions."""

from typing import TypeAlias

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import Moments

Integrals: TypeAlias = Floats
"""Row i, column j: the integral of x^i y^j over a region of the plane, for i + j <= 3. Shape (4, 4)."""

# A rule with four points in a triangle is exact for polynomials of the third degree.
_CORNERS = np.array([[1, 1, 1], [1.8, 0.6, 0.6], [0.6, 1.8, 0.6], [0.6, 0.6, 1.8]]) / 3.0
_WEIGHTS = np.array([-27.0, 25.0, 25.0, 25.0]) / 48.0


def polygon_integrals(ring: Floats) -> Integrals:
    """Return the integrals over the inside of a ring, shape (N, 2), of either orientation."""
    if len(ring) < 3:
        return np.zeros((4, 4))
    triangles = np.stack([np.broadcast_to(ring[0], ring[2:].shape), ring[1:-1], ring[2:]], axis=1)
    (ax, ay), (bx, by) = (triangles[:, 1] - ring[0]).T, (triangles[:, 2] - ring[0]).T
    areas = 0.5 * (ax * by - ay * bx)
    x, y = np.moveaxis(_CORNERS @ triangles, 2, 0)
    powers = np.arange(4)
    found: Floats = np.einsum(
        "tp,tpi,tpj->ij", areas[:, None] * _WEIGHTS, x[..., None] ** powers, y[..., None] ** powers
    )
    found[np.add.outer(powers, powers) > 3] = 0.0
    return found if found[0, 0] > 0 else -found


def disc_integrals(radius: float, centre: tuple[float, float] = (0.0, 0.0)) -> Integrals:
    """Return the integrals over the inside of a circle."""
    x, y = centre
    area, square = np.pi * radius**2, radius**2 / 4
    found = np.zeros((4, 4))
    found[:, 0] = 1.0, x, x * x + square, x * (x * x + 3 * square)
    found[0, 1:] = y, y * y + square, y * (y * y + 3 * square)
    found[1:3, 1] = x * y, (x * x + square) * y
    found[1, 2] = x * (y * y + square)
    return area * found


def extruded_moments(flat: Integrals, low: float, high: float) -> Moments:
    """Return the moments of a region of the xy plane extruded from z = low to z = high, without its surface area."""
    length, height, square = high - low, (high**2 - low**2) / 2, (high**3 - low**3) / 3
    return Moments(
        0.0,
        length * float(flat[0, 0]),
        frozen(np.array([length * flat[1, 0], length * flat[0, 1], height * flat[0, 0]])),
        frozen(
            np.array(
                [
                    [length * flat[2, 0], length * flat[1, 1], height * flat[1, 0]],
                    [length * flat[1, 1], length * flat[0, 2], height * flat[0, 1]],
                    [height * flat[1, 0], height * flat[0, 1], square * flat[0, 0]],
                ]
            )
        ),
    )


def turned_moments(section: Integrals, start: float, end: float) -> Moments:
    """Return the moments of a region of the xz plane, x >= 0, revolved around z, without its surface area."""
    angle = end - start
    cosine, sine = np.sin(end) - np.sin(start), np.cos(start) - np.cos(end)
    double, twice = (np.sin(2 * end) - np.sin(2 * start)) / 4, (np.sin(end) ** 2 - np.sin(start) ** 2) / 2
    xx, xy, yy = angle / 2 + double, twice, angle / 2 - double
    cube, square = section[3, 0], section[2, 1]
    return Moments(
        0.0,
        float(angle * section[1, 0]),
        frozen(np.array([cosine * section[2, 0], sine * section[2, 0], angle * section[1, 1]])),
        frozen(
            np.array(
                [
                    [xx * cube, xy * cube, cosine * square],
                    [xy * cube, yy * cube, sine * square],
                    [cosine * square, sine * square, angle * section[1, 2]],
                ]
            )
        ),
    )


def moments_about_centre(volume: float, mean_squares: Floats) -> Moments:
    """Return the moments of a solid symmetric about all axes, from its mean squares along them, shape (3,), in m2."""
    return Moments(0.0, volume, frozen(np.zeros(3)), frozen(volume * np.diag(mean_squares)))
