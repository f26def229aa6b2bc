"""Tables that the collision kernels read: convex hulls, and the bounding spheres of the items they belong to."""

from typing import NamedTuple

import numpy as np

from rck.kernels.body_tables import Table
from rck.kernels.kernel import Floats, from_dtype, read_only, types
from rck.kernels.support_sectors import CORNERS, SECTORS, Sectors

HULL = np.dtype(
    [
        # Rows of `corners`: the corners of this hull are `first` up to `first + count`.
        ("first", np.int64),
        ("count", np.int64),
        # Index of its first sector, and the size of their grid: see `rck.kernels.support_sectors`.
        ("sectors", np.int64),
        ("grid", np.int64),
        # The item that the hull belongs to.
        ("item", np.int64),
        # Centre of the bounding sphere and capsule in the item's frame, in metres. The corners are relative to it.
        ("centre", np.float64, (3,)),
        ("radius", np.float64),
        # Radius of a ball around the centre that lies inside the hull; -infinity if the centre is outside.
        ("inner_radius", np.float64),
        # Vector from the centre to one end of the capsule's core, along the item's axes; and the radius of the capsule.
        # The capsule of a compact hull is its sphere.
        ("half_core", np.float64, (3,)),
        ("capsule_radius", np.float64),
    ]
)
"""One convex hull: the corners of a subitem and their bounding volumes."""

ITEM_SPHERE = np.dtype(
    [
        # The hulls of the item: `first` up to `last`.
        ("first", np.int64),
        ("last", np.int64),
        # Bounding sphere of the whole item, in its frame, in metres; the radius is negative if the item has no hulls.
        ("centre", np.float64, (3,)),
        ("radius", np.float64),
    ]
)
"""One item: its hulls and their bounding sphere."""


class Hulls(NamedTuple):
    """The convex hulls of a robot. The hulls are its subitems, in order."""

    spheres: Table
    """ITEM_SPHERE records. Shape (items,)."""
    table: Table
    """HULL records. Shape (hulls,)."""
    corners: Floats
    """Relative to the centre of the hull, along the item's axes. Shape (corners, 3), in metres."""
    sectors: Sectors
    """Candidates for the farthest corner along a direction: see :mod:`rck.kernels.support_sectors`."""


SPHERES = read_only(from_dtype(ITEM_SPHERE), 1)
HULL_ARRAYS = (SPHERES, read_only(from_dtype(HULL), 1), CORNERS, SECTORS)
"""The fields of :class:`Hulls` one by one: unpacking a tuple of arrays takes half a microsecond a call."""
HULLS = types.NamedTuple(list(HULL_ARRAYS), Hulls)
