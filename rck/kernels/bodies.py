"""The tables that forward kinematics walks: moving bodies, and what is fastened to them."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

WORLD = -1
"""The parent of a body that stands on nothing that moves."""

# How a body moves on its parent.
FIXED = 0
TURNS = 1
SLIDES = 2

BODY = np.dtype(
    [
        # Index of the body that carries this one, always smaller than its own; or WORLD.
        ("parent", np.int64),
        # FIXED, TURNS about or SLIDES along the z axis of the body's frame.
        ("motion", np.int64),
        # Position = ratio * vector[joint] + offset, in radians or metres; joints that follow share `joint`.
        ("joint", np.int64),
        ("ratio", np.float64),
        ("offset", np.float64),
        # The body's frame while its position is zero, upper three rows.
        ("parent_from_body", np.float64, (3, 4)),
    ]
)
"""One body: a rigid group whose frame has the joint's axis as z, so that turning mixes only two columns."""

PLACE = np.dtype([("body", np.int64), ("body_from_place", np.float64, (3, 4))])
"""One frame that is fastened to a body: an item's, or a tool's."""

Table: TypeAlias = NDArray[np.void]
"""A contiguous array of BODY or of PLACE records. Shape (rows,)."""
