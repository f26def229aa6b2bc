"""Rigid motions and other affine maps as 4x4 matrices that act on column vectors.

A matrix is named for what it does: ``world_from_item @ point_in_item`` is the point in the world.
Angles are radians, lengths metres. Every function returns a new array.
"""

from collections.abc import Sequence
from math import atan2, cos, hypot, sin

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_NO_ROTATION = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def identity() -> Floats:
    """Return the identity."""
    return np.eye(4)


def translation(offset: ArrayLike) -> Floats:
    """Return the translation by `offset`, shape (3,), in metres."""
    matrix = np.eye(4)
    matrix[:3, 3] = offset
    return matrix


def scaling(factors: ArrayLike) -> Floats:
    """Return the scaling about the origin by one factor, or by one per axis, shape (3,)."""
    matrix = np.eye(4)
    matrix[(0, 1, 2), (0, 1, 2)] = factors
    return matrix


def mirror(normal: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
    """Return the reflection in the plane through `point` with the given normal."""
    unit = unit_vector(normal)
    matrix = np.eye(4)
    matrix[:3, :3] -= 2.0 * np.outer(unit, unit)
    matrix[:3, 3] = 2.0 * unit * (unit @ np.asarray(point, dtype=float))
    return matrix


def unit_vector(vector: ArrayLike) -> Floats:
    """Return the unit vector of `vector`; raise an error if it is zero."""
    array = np.asarray(vector, dtype=float)
    length = float(np.sqrt(array @ array))
    if not length > 1e-12:
        raise ValueError(f"a direction must have a length, not {array.tolist()}")
    return array / length


def rotation_about(axis: ArrayLike, angle: float, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
    """Return the rotation by `angle` about the line through `point` along `axis` (Rodrigues' formula)."""
    x, y, z = (float(c) for c in unit_vector(axis))
    c, s = cos(angle), sin(angle)
    t = 1.0 - c
    matrix = np.array(
        [
            [t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0.0],
            [t * x * y + s * z, t * y * y + c, t * y * z - s * x, 0.0],
            [t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
    centre = np.asarray(point, dtype=float)
    matrix[:3, 3] = centre - matrix[:3, :3] @ centre
    return matrix


def from_euler(angles: Sequence[float], order: str = "xyz") -> Floats:
    """Return the product of rotations about the named axes, in order.

    Lower-case letters are axes of the world (``xyz`` is roll, pitch, yaw); upper-case letters are axes
    that rotate with the body (``ZYZ`` is the wrist of a Puma).
    """
    if not 1 <= len(order) == len(angles) or not (order.islower() or order.isupper()):
        raise ValueError(f"Euler order {order!r} does not name {len(angles)} axes in one case")
    if set(order.lower()) - set(AXES):
        raise ValueError(f"Euler order {order!r} may only name x, y and z")
    matrix = np.eye(4)
    for letter, angle in zip(order, angles, strict=True):
        if not angle:
            continue
        turn = rotation_about(AXES[letter.lower()], angle)
        matrix = matrix @ turn if order.isupper() else turn @ matrix
    return matrix


def to_euler(matrix: Floats, order: str = "xyz") -> tuple[float, float, float]:
    """Return the three angles of a rotation, the inverse of :func:`from_euler`.

    In gimbal lock, two axes coincide and only the sum of their angles is known. The outermost angle is then zero:
    the last one for world axes, the first one for body axes.
    """
    if len(order) != 3 or not (order.islower() or order.isupper()) or set(order.lower()) - set(AXES):
        raise ValueError(f"Euler order {order!r} does not name three of x, y and z in one case")
    # Rotations about world axes are rotations about body axes in reverse order.
    i, j, last = ("xyz".index(letter) for letter in (order.lower() if order.isupper() else order[::-1]))
    if j in (i, last):
        raise ValueError(f"Euler order {order!r} names the same axis twice in a row")
    k = 3 - i - j
    parity = 1.0 if (j - i) % 3 == 1 else -1.0
    r = matrix[:3, :3]
    if r.tolist() == _NO_ROTATION:
        return 0.0, 0.0, 0.0
    sine, cosine = (r[j, i], -parity * r[k, i]) if last == i else (-parity * r[j, k], r[k, k])
    outer = atan2(sine, cosine) if hypot(sine, cosine) > 1e-12 else 0.0
    # Without the outermost rotation, the rest gives the other angles, however near to gimbal lock.
    rest = rotation_about(AXES["xyz"[i]], -outer)[:3, :3] @ r
    if last == i:
        middle, inner = atan2(-parity * rest[k, i], rest[i, i]), atan2(-parity * rest[j, k], rest[j, j])
    else:
        middle, inner = atan2(parity * rest[i, k], rest[k, k]), atan2(parity * rest[j, i], rest[j, j])
    return (outer, middle, inner) if order.isupper() else (inner, middle, outer)


def from_quaternion(quaternion: ArrayLike) -> Floats:
    """Return the rotation of a quaternion (w, x, y, z), which need not be normalised."""
    w, x, y, z = (float(c) for c in unit_vector(quaternion))
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return matrix


def to_quaternion(matrix: Floats) -> Floats:
    """Return the quaternion (w, x, y, z) of a rotation, with w >= 0. Shape (4,)."""
    r = matrix[:3, :3]
    if r.tolist() == _NO_ROTATION:
        return np.array([1.0, 0.0, 0.0, 0.0])
    # Shepperd's method: divide by the largest of the four components, so nothing cancels.
    squares = np.array([np.trace(r), r[0, 0], r[1, 1], r[2, 2]])
    largest = int(np.argmax(squares))
    if largest == 0:
        q = np.array([1 + squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.empty(4)
        q[0] = r[k, j] - r[j, k]
        q[1 + i] = 1 + r[i, i] - r[j, j] - r[k, k]
        q[1 + j] = r[j, i] + r[i, j]
        q[1 + k] = r[k, i] + r[i, k]
    q /= np.sqrt(q @ q)
    return -q if q[0] < 0 else q


def from_point_pairs(sources: ArrayLike, targets: ArrayLike) -> Floats:
    """Return the rigid motion that maps three points to three others, both of shape (3, 3), one point per row.

    The first point goes to the first target, the second onto the ray towards the second target, and the
    third into the half-plane of the third.
    """
    return _frame_of_three(targets, "target") @ invert(_frame_of_three(sources, "source"))


def _frame_of_three(points: ArrayLike, what: str) -> Floats:
    a, b, c = np.asarray(points, dtype=float)
    normal = np.cross(b - a, c - a)
    if not float(np.sqrt(normal @ normal)) > 1e-12 * float(1e-12 + np.abs(b - a).max() * np.abs(c - a).max()):
        raise ValueError(f"the three {what} points are collinear and define no rotation")
    return frame(a, z=normal, x=b - a)


def frame(origin: ArrayLike, z: ArrayLike, x: ArrayLike | None = None) -> Floats:
    """Return the frame at `origin` with z axis `z` and an x axis as close as possible to `x`."""
    z_axis = unit_vector(z)
    if x is None:
        x = AXES["xyz"[int(np.argmin(np.abs(z_axis)))]]
    x_raw = np.asarray(x, dtype=float)
    x_axis = unit_vector(x_raw - z_axis * (z_axis @ x_raw))
    matrix = np.eye(4)
    matrix[:3, 0] = x_axis
    matrix[:3, 1] = np.cross(z_axis, x_axis)
    matrix[:3, 2] = z_axis
    matrix[:3, 3] = origin
    return matrix


def from_dh(theta: float, d: float, a: float, alpha: float) -> Floats:
    """Return the standard Denavit-Hartenberg transform Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
    ct, st, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def from_dh_modified(alpha: float, a: float, theta: float, d: float) -> Floats:
    """Return the modified (Craig) transform Rx(alpha) Tx(a) Rz(theta) Tz(d), with a, alpha of the previous link."""
    ct, st, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array(
        [
            [ct, -st, 0.0, a],
            [st * ca, ct * ca, -sa, -sa * d],
            [st * sa, ct * sa, ca, ca * d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def invert(matrix: Floats) -> Floats:
    """Return the inverse of a rigid motion."""
    turned_back = matrix[:3, :3].T
    inverse = np.eye(4)
    inverse[:3, :3] = turned_back
    inverse[:3, 3] = -turned_back @ matrix[:3, 3]
    return inverse


def apply(matrix: Floats, points: ArrayLike) -> Floats:
    """Return the points, shape (..., 3), transformed by the matrix."""
    return np.asarray(points, dtype=float) @ matrix[:3, :3].T + matrix[:3, 3]


def is_rigid(matrix: Floats, tolerance: float = 1e-6) -> bool:
    """Return True if the matrix is a rigid motion: no scale, shear, reflection or perspective."""
    r = matrix[:3, :3]
    return bool(
        np.isfinite(matrix).all()
        and np.abs(r @ r.T - np.eye(3)).max() < tolerance
        and np.linalg.det(r) > 0
        and np.abs(matrix[3] - (0, 0, 0, 1)).max() < tolerance
    )


def rotation_angle(matrix: Floats) -> float:
    """Return the angle of a rotation, 0 to pi; it is accurate for small angles."""
    r = matrix[:3, :3]
    s = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    return float(np.arctan2(np.sqrt(s @ s), np.trace(r) - 1.0))


def rotation_vector(matrix: Floats) -> Floats:
    """Return the rotation vector: the axis times the angle, 0 to pi. Shape (3,).

    A half turn has two such vectors, which point opposite ways; this is one of them.
    """
    w, *rest = to_quaternion(matrix).tolist()
    sine = hypot(*rest)
    # Below the smallest numbers the angle and its sine are the same.
    return np.array(rest) * (2.0 * atan2(sine, w) / sine if sine > 0.0 else 2.0)


def rates_at(velocity: Floats, acceleration: Floats, arm: Floats) -> tuple[Floats, Floats]:
    """Return the velocity and acceleration of another point of a rigid body, at the offset `arm` from the first.

    Rates have shape (..., 6), linear over angular: m/s and rad/s, m/s2 and rad/s2. `arm` has shape (..., 3), in m.
    All are along the axes of the world.
    """
    new_velocity, new_acceleration = np.array(velocity), np.array(acceleration)
    around = np.cross(velocity[..., 3:], arm)
    new_velocity[..., :3] += around
    new_acceleration[..., :3] += np.cross(acceleration[..., 3:], arm) + np.cross(velocity[..., 3:], around)
    return new_velocity, new_acceleration
