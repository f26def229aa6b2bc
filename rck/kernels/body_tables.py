"""Tables for forward kinematics: bodies, and the frames fixed to them."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

WORLD = -1
"""The parent of a body that no other body carries."""

# Motion of a body relative to its parent.
FIXED = 0
TURNS = 1
SLIDES = 2

BODY = np.dtype(
    [
        # Index of the body that carries this one, always smaller than this one's index; or WORLD.
        ("parent", np.int64),
        # FIXED, or TURNS about or SLIDES along the z axis of the body's frame.
        ("motion", np.int64),
        # Position = ratio * vector[joint] + offset, in radians or metres; mimic joints share `joint` with their leader.
        ("joint", np.int64),
        ("ratio", np.float64),
        ("offset", np.float64),
        # The body's frame at position zero, upper three rows.
        ("parent_from_body", np.float64, (3, 4)),
    ]
)
"""One body: a rigid group whose z axis is the joint's axis, so that a rotation mixes only two columns."""

FRAME = np.dtype([("body", np.int64), ("body_from_frame", np.float64, (3, 4))])
"""One frame fixed to a body: that of an item, or a named frame."""

Table: TypeAlias = NDArray[np.void]
"""A contiguous array of records. Shape (rows,)."""
