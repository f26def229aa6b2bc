"""How far a pose is from the one that is wanted."""

from math import atan2, dist

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rotation_angle
from rck.hooks.solving import Wants


def deviation(reached: Floats, pose: Floats, wants: Wants) -> tuple[float, float]:
    """How far a pose is from the one that is wanted: in metres, and in radians."""
    away = dist(reached[:3, 3], pose[:3, 3])
    if wants == "position":
        return away, 0.0
    if wants == "axis":
        z, wanted = reached[:3, 2], pose[:3, 2]
        return away, atan2(float(np.linalg.norm(np.cross(z, wanted))), float(z @ wanted))
    return away, rotation_angle(reached[:3, :3].T @ pose[:3, :3])
