"""Poses: rigid motions as 4x4 matrices, checked before anything is placed by them."""

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import is_rigid
from rck.model.finding import Built, Finding, Severity

IDENTITY = frozen(np.eye(4))


def build_pose(pose: ArrayLike, where: str) -> Built[Floats]:
    """The pose, read-only, shape (4, 4), or the finding that says why it is none."""
    try:
        matrix = np.asarray(pose, dtype=float)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
        return Built(None, (Finding(101, Severity.ERROR, where, "the pose is not a 4x4 matrix of finite numbers"),))
    if not is_rigid(matrix):
        message = "the pose scales, shears or mirrors"
        return Built(None, (Finding(309, Severity.ERROR, where, message, "apply the scale to the subitems instead"),))
    return Built(frozen(matrix))
