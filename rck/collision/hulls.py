"""The convex hulls of a robot as the collision kernels read them, and the distances between them."""

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.kernels.body_tables import Table
from rck.kernels.capsules import fit_capsules
from rck.kernels.hull_distance import COLUMNS, measure
from rck.kernels.hull_tables import HULL, ITEM_SPHERE, Hulls
from rck.kernels.support_sectors import Sectors, fill_sectors
from rck.model.robot_arrays import Solids
from rck.support.finding import RckError

NOT_FINITE = "the robot cannot be placed: a joint position or a pose is not finite"

# Grid sizes for hulls of up to these numbers of corners, and of more; chosen by measurement.
_CORNER_COUNTS = np.array([12, 24, 128])
_GRIDS = np.array([2, 4, 8, 16])

_SLIM = 0.85
"""A capsule is used if its radius is below this fraction of the radius of the hull's sphere."""

_ROUGHNESS = 1e-6
"""Distance of a corner from the plane of its face at most, as a fraction of the radius of the hull's sphere."""

_LEAST_ROWS = 16
"""Rows allocated for measurements at least: there can be more contacts of subitems than pairs of items."""


def build_hulls(solids: Solids) -> Hulls:
    """Build the tables of all items of a robot."""
    counts = np.diff(solids.vertex_offsets)
    capsules = np.empty((len(counts), 7))
    fit_capsules(solids.vertices, solids.vertex_offsets, capsules)
    # A capsule about as thick as the sphere adds nothing.
    long = capsules[:, 6] < _SLIM * solids.spheres[:, 3]
    # The sphere of a long hull gets the capsule's centre, so that there is one point less to transform.
    centres = np.where(long[:, None], capsules[:, :3], solids.spheres[:, :3])
    relative = solids.vertices - np.repeat(centres, counts, axis=0)
    hulls = np.zeros(len(counts), HULL)
    hulls["first"] = solids.vertex_offsets[:-1]
    hulls["count"] = counts
    hulls["grid"] = _GRIDS[np.searchsorted(_CORNER_COUNTS, counts)]
    hulls["item"] = solids.item_of_subitem
    hulls["centre"] = centres
    hulls["radius"] = _reach(relative, solids.vertex_offsets)
    hulls["inner_radius"] = _inner_radius(solids, centres, hulls["radius"])
    hulls["half_core"] = np.where(long[:, None], capsules[:, 3:6], 0.0)
    hulls["capsule_radius"] = np.where(long, capsules[:, 6], hulls["radius"])
    spheres = np.zeros(len(solids.item_spheres), ITEM_SPHERE)
    spheres["first"] = solids.subitem_offsets[:-1]
    spheres["last"] = solids.subitem_offsets[1:]
    # Recompute the radius: that of a file may be too large, and rounding must not leave a vertex outside.
    spheres["centre"] = solids.item_spheres[:, :3]
    spheres["radius"] = -1.0
    full = spheres["first"] < spheres["last"]
    starts = solids.vertex_offsets[solids.subitem_offsets]
    seen_from_item = solids.vertices - np.repeat(spheres["centre"], np.diff(starts), axis=0)
    spheres["radius"][full] = _reach(seen_from_item, np.append(starts[:-1][full], starts[-1]))
    corners = frozen(np.ascontiguousarray(relative))
    hulls["sectors"], sectors = _sectors(corners, hulls)
    return Hulls(_fixed(spheres), _fixed(hulls), corners, sectors)


def _sectors(corners: Floats, hulls: NDArray[np.void]) -> tuple[Ints, Sectors]:
    """Return the index of the first sector of each hull, and all sectors."""
    firsts, counts, grids = (np.ascontiguousarray(hulls[field]) for field in ("first", "count", "grid"))
    begins = np.empty(len(hulls), dtype=np.int64)
    size = int((2 * grids**2 * 5).sum()) + len(hulls)
    while True:
        sectors = np.empty(size, dtype=np.int32)
        used = fill_sectors(corners, firsts, counts, grids, begins, sectors)
        if used <= size:
            sectors.setflags(write=False)
            return begins, sectors[:used]
        size = used


def _inner_radius(solids: Solids, centres: Floats, radii: Floats) -> Floats:
    """Return the radius of a ball around each centre that certainly lies inside the hull. Shape (subitems,)."""
    if not len(centres):
        return np.empty(0)
    of_plane = np.repeat(centres, np.diff(solids.plane_offsets), axis=0)
    heights = solids.planes[:, 3] - (solids.planes[:, :3] * of_plane).sum(axis=1)
    least = np.minimum.reduceat(heights, solids.plane_offsets[:-1]) - _ROUGHNESS * radii
    return np.where(least > 0.0, least, -np.inf)


def _reach(vectors: Floats, offsets: Ints) -> Floats:
    """Return the greatest length in each group of vectors, none of which is empty. Shape (groups,)."""
    if len(offsets) == 1:
        return np.empty(0)
    return np.sqrt(np.maximum.reduceat((vectors**2).sum(axis=1), offsets[:-1]))


def _fixed(table: NDArray[np.void]) -> Table:
    table.setflags(write=False)
    return table


def measure_pairs(
    hulls: Hulls, poses: Floats, pairs: Ints, moving: Bools, limit: float, *, every: bool
) -> tuple[Ints, Floats]:
    """Measure the pairs of items no farther apart than `limit`, in metres: their nearest subitems, or `every` pair.

    Poses are world from item, shape (items, 4, 4). The first array, shape (found, 3), has the row of `pairs` and the
    two subitems, the second the columns of :mod:`rck.kernels.hull_distance`, shape (found, columns).
    """
    size = max(_LEAST_ROWS, len(pairs))
    while True:
        found = np.empty((size, 3), dtype=np.int64)
        rows = np.empty((size, COLUMNS))
        count = measure.unchecked(poses, hulls, pairs, moving, limit, every, found, rows)
        if count < 0:
            raise RckError(NOT_FINITE)
        if count <= size:
            return found[:count], rows[:count]
        size = count
