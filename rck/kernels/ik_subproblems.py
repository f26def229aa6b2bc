"""The small problems that closed forms are put together from (Paden 1985, Kahan; Elias and Wen 2022).

Vectors are given by their three numbers: numba keeps those in registers. Axes have length one.
"""

from math import acos, atan2, cos, sin, sqrt

from rck.kernels.kernel import helper

FLAT = 1e-12
"""Squared lengths, in m2 or without unit, below which a vector has no direction to turn."""
SLACK = 0.02
"""How far the cosine of a solution may lie beyond one and still count as one, for a numeric finish to decide."""

Vector = tuple[float, float, float]
NO_ANGLES = 0
TWO_ANGLES = 2
ANY_ANGLE = -1


@helper
def dot(a: Vector, b: Vector) -> float:
    """The inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@helper
def minus(a: Vector, b: Vector) -> Vector:
    """The difference."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@helper
def plus(a: Vector, b: Vector) -> Vector:
    """The sum."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@helper
def turned(axis: Vector, angle: float, v: Vector) -> Vector:
    """The vector turned about the axis through the origin (Rodrigues)."""
    c, s = cos(angle), sin(angle)
    along = dot(axis, v) * (1.0 - c)
    k = cross(axis, v)
    return (
        c * v[0] + s * k[0] + along * axis[0],
        c * v[1] + s * k[1] + along * axis[1],
        c * v[2] + s * k[2] + along * axis[2],
    )


@helper
def angle_between(axis: Vector, v: Vector, w: Vector) -> tuple[bool, float]:
    """The turn about the axis that brings v as near to w as can be; false where every turn is as good."""
    k = cross(axis, v)
    sine, cosine = dot(k, w), dot(v, w) - dot(axis, v) * dot(axis, w)
    if sine * sine + cosine * cosine < FLAT * FLAT:
        return False, 0.0
    return True, atan2(sine, cosine)


@helper
def angles_to_height(h: Vector, axis: Vector, v: Vector, height: float) -> tuple[int, float, float]:
    """The two turns of v about the axis after which h . v is `height`."""
    k = cross(axis, v)
    along = dot(axis, v) * dot(h, axis)
    # h . turned(v) = along + cosine part * cos + sine part * sin.
    by_cosine, by_sine = dot(h, v) - along, dot(h, k)
    size = sqrt(by_cosine * by_cosine + by_sine * by_sine)
    if size * size < FLAT:
        return ANY_ANGLE, 0.0, 0.0
    ratio = (height - along) / size
    if abs(ratio) > 1.0 + SLACK:
        return NO_ANGLES, 0.0, 0.0
    middle, half = atan2(by_sine, by_cosine), acos(min(max(ratio, -1.0), 1.0))
    return TWO_ANGLES, middle + half, middle - half


@helper
def angles_to_distance(axis: Vector, v: Vector, w: Vector, distance: float) -> tuple[int, float, float]:
    """The two turns of v about the axis after which it is `distance` away from w."""
    # |turned(v) - w|^2 = |v|^2 + |w|^2 - 2 w . turned(v).
    return angles_to_height(w, axis, v, 0.5 * (dot(v, v) + dot(w, w) - distance * distance))
