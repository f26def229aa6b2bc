"""Rigid poses of prims, whose transforms may scale."""

from math import atan2

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rotation_about, translation

_ORTHOGONAL = 1e-9


def rigid_part(matrix: Floats) -> Floats:
    """Return the pose of the frame of an affine map: its origin, and its axes without scale and shear. Shape (4, 4).

    A reflection is part of the scale, as in OpenUSD: all three factors are negative.
    """
    linear = matrix[:3, :3]
    lengths = np.sqrt((linear * linear).sum(axis=0))
    if not lengths.min() > 1e-12:
        return translation(matrix[:3, 3])
    axes = linear / lengths
    if abs(axes.T @ axes - np.eye(3)).max() > _ORTHOGONAL:
        left, _, right = np.linalg.svd(linear)
        axes = left @ right
    elif abs(lengths - 1.0).max() < 1e-12:
        axes = linear
    pose = translation(matrix[:3, 3])
    pose[:3, :3] = -axes if np.linalg.det(axes) < 0 else axes
    return pose


def turn_about(rotation: Floats, axis: Floats) -> float:
    """Return the angle about a unit axis that is nearest to a rotation, in radians. Shapes (3, 3) and (3,)."""
    twist = np.array([
        rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]
    ]) / 2  # fmt: skip
    cosine = (np.trace(rotation) - axis @ rotation @ axis) / 2
    return atan2(float(axis @ twist), float(cosine))


def motion(turns: bool, axis: Floats, position: float) -> Floats:
    """Return the rotation about, or translation along, an axis through the origin. Shape (4, 4)."""
    return rotation_about(axis, position) if turns else translation(position * axis)
