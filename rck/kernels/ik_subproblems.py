"""The subproblems that closed-form inverse kinematics is composed of (Paden 1985, Kahan; Elias and Wen 2022).

Vectors are tuples of three numbers and rotations are pairs of cosine and sine: numba keeps these in registers, and
angles are computed only where needed. Axes are unit vectors.
"""

from math import sqrt

from rck.kernels.kernel import Vector, helper

FLAT = 1e-12
"""Squared lengths, in m2 or without unit, below which a vector has no direction."""

Turn = tuple[float, float]
"""The cosine and the sine of an angle."""
NO_TURN = (1.0, 0.0)
NO_TURNS = 0
TWO_TURNS = 2
ANY_TURN = -1


@helper
def dot(a: Vector, b: Vector) -> float:
    """Return the inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@helper
def minus(a: Vector, b: Vector) -> Vector:
    """Return the difference."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@helper
def plus(a: Vector, b: Vector) -> Vector:
    """Return the sum."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@helper
def turned(axis: Vector, turn: Turn, v: Vector) -> Vector:
    """Rotate a vector about the axis through the origin (Rodrigues)."""
    c, s = turn
    along = dot(axis, v) * (1.0 - c)
    k = cross(axis, v)
    return (
        c * v[0] + s * k[0] + along * axis[0],
        c * v[1] + s * k[1] + along * axis[1],
        c * v[2] + s * k[2] + along * axis[2],
    )


@helper
def back(turn: Turn) -> Turn:
    """Return the opposite rotation."""
    return turn[0], -turn[1]


@helper
def then(one: Turn, other: Turn) -> Turn:
    """Compose two rotations about the same axis."""
    return one[0] * other[0] - one[1] * other[1], one[1] * other[0] + one[0] * other[1]


@helper
def turn_between(axis: Vector, v: Vector, w: Vector) -> tuple[bool, Turn]:
    """Return the rotation about the axis that brings v nearest to w; False if every rotation is as good."""
    k = cross(axis, v)
    sine, cosine = dot(k, w), dot(v, w) - dot(axis, v) * dot(axis, w)
    squared = sine * sine + cosine * cosine
    if squared < FLAT * FLAT:
        return False, NO_TURN
    size = sqrt(squared)
    return True, (cosine / size, sine / size)


@helper
def turns_to_height(h: Vector, axis: Vector, v: Vector, height: float, slack: float) -> tuple[int, Turn, Turn]:
    """Return the two rotations of v about the axis after which h . v is `height`.

    If the height is out of reach by less than the fraction `slack`, or by less than its square in the unit of v, both
    are the rotation that comes nearest.
    """
    k = cross(axis, v)
    along = dot(axis, v) * dot(h, axis)
    # h . turned(v) = along + cosine part * cos + sine part * sin.
    by_cosine, by_sine = dot(h, v) - along, dot(h, k)
    squared = by_cosine * by_cosine + by_sine * by_sine
    if squared < FLAT:
        return ANY_TURN, NO_TURN, NO_TURN
    size = sqrt(squared)
    ratio = (height - along) / size
    # Also true if the height is not a number.
    if not abs(ratio) <= 1.0 + slack + slack * slack / size:
        return NO_TURNS, NO_TURN, NO_TURN
    ratio = min(max(ratio, -1.0), 1.0)
    half = (ratio, sqrt((1.0 - ratio) * (1.0 + ratio)))
    middle = (by_cosine / size, by_sine / size)
    return TWO_TURNS, then(middle, half), then(middle, back(half))


@helper
def turns_to_distance(axis: Vector, v: Vector, w: Vector, distance: float, slack: float) -> tuple[int, Turn, Turn]:
    """Return the two rotations of v about the axis after which its distance from w is `distance`."""
    # |turned(v) - w|^2 = |v|^2 + |w|^2 - 2 w . turned(v).
    return turns_to_height(w, axis, v, 0.5 * (dot(v, v) + dot(w, w) - distance * distance), slack)
