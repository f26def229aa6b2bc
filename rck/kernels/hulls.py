"""The tables that collision kernels read: convex hulls, and the spheres round the items that they make up."""

import numpy as np
from numba import from_dtype

from rck.kernels.kernel import read_only

HULL = np.dtype(
    [
        # Rows of `corners`: the corners of this hull are `first` up to `first + count`.
        ("first", np.int64),
        ("count", np.int64),
        # Where its sectors begin, and the size of their grid: see `rck.kernels.sectors`.
        ("sectors", np.int64),
        ("grid", np.int64),
        # The item that the hull belongs to.
        ("item", np.int64),
        # Centre of the bounding sphere and capsule in the item's frame, in metres. The corners are relative to it.
        ("centre", np.float64, (3,)),
        ("radius", np.float64),
        # A ball round the centre that lies inside the hull has this radius; where the centre is outside, -infinity.
        ("inner", np.float64),
        # Half the core of the capsule, from the centre to an end, along the item's axes; and its girth. Where the hull
        # is round, the capsule is the sphere.
        ("half", np.float64, (3,)),
        ("girth", np.float64),
    ]
)
"""One convex hull: the corners of a subitem, and what they are certainly inside of."""

BALL = np.dtype(
    [
        # The hulls of the item: `first` up to `last`.
        ("first", np.int64),
        ("last", np.int64),
        # Bounding sphere of the whole item, in its frame, in metres; the radius is negative where there are no hulls.
        ("centre", np.float64, (3,)),
        ("radius", np.float64),
    ]
)
"""One item: its hulls, and the sphere round them."""

HULLS = read_only(from_dtype(HULL), 1)
BALLS = read_only(from_dtype(BALL), 1)
