"""The convex hulls of a robot as the collision kernels read them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats, Ints, frozen
from rck.kernels.bodies import Table
from rck.kernels.capsules import fit_capsules
from rck.kernels.hulls import BALL, HULL
from rck.kernels.sectors import Sectors, fill_sectors
from rck.model.arrays import Solids

# Hulls of up to so many corners, and of more, have grids of such a size: measured, then chosen.
_CROWDS = np.array([12, 24, 128])
_GRIDS = np.array([2, 4, 8, 16])

_SLIM = 0.85
"""Of the radius of a hull's sphere: the girth below which its capsule is used."""


_ROUGHNESS = 1e-6
"""Of the radius of a hull's sphere: how far a corner may be from the plane of its face."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """Tables of :mod:`rck.kernels.hulls`; the hulls are the subitems, in order."""

    corners: Floats
    """Seen from the centre of the hull, along the item's axes. Shape (corners, 3), in metres."""
    sectors: Sectors
    """Which corners can be farthest along a direction: see :mod:`rck.kernels.sectors`."""
    hulls: Table
    balls: Table

    @cached_property
    def tables(self) -> tuple[Table, Table, Floats, Sectors]:
        """All of them, in the order in which every kernel takes them."""
        return self.balls, self.hulls, self.corners, self.sectors


def collision_shapes(solids: Solids) -> Shapes:
    """The tables of all items of a robot."""
    counts = np.diff(solids.vertex_offsets)
    capsules = np.empty((len(counts), 7))
    fit_capsules(solids.vertices, solids.vertex_offsets, capsules)
    # A capsule that is about as thick as the sphere would tell nothing more.
    long = capsules[:, 6] < _SLIM * solids.spheres[:, 3]
    # The sphere of a long hull has the capsule's centre: so there is one point less to place.
    centres = np.where(long[:, None], capsules[:, :3], solids.spheres[:, :3])
    seen = solids.vertices - np.repeat(centres, counts, axis=0)
    hulls = np.zeros(len(counts), HULL)
    hulls["first"] = solids.vertex_offsets[:-1]
    hulls["count"] = counts
    hulls["grid"] = _GRIDS[np.searchsorted(_CROWDS, counts)]
    hulls["item"] = solids.item_of_subitem
    hulls["centre"] = centres
    hulls["radius"] = _reach(seen, solids.vertex_offsets)
    hulls["inner"] = _inner_radius(solids, centres, hulls["radius"])
    hulls["half"] = np.where(long[:, None], capsules[:, 3:6], 0.0)
    hulls["girth"] = np.where(long, capsules[:, 6], hulls["radius"])
    balls = np.zeros(len(solids.item_spheres), BALL)
    balls["first"] = solids.subitem_offsets[:-1]
    balls["last"] = solids.subitem_offsets[1:]
    # A sphere that came with a file may be wider than need be, and no vertex may stick out by rounding.
    balls["centre"] = solids.item_spheres[:, :3]
    balls["radius"] = -1.0
    full = balls["first"] < balls["last"]
    starts = solids.vertex_offsets[solids.subitem_offsets]
    seen_from_item = solids.vertices - np.repeat(balls["centre"], np.diff(starts), axis=0)
    balls["radius"][full] = _reach(seen_from_item, np.append(starts[:-1][full], starts[-1]))
    corners = frozen(np.ascontiguousarray(seen))
    hulls["sectors"], sectors = _sectors(corners, hulls)
    return Shapes(corners, sectors, _fixed(hulls), _fixed(balls))


def _sectors(corners: Floats, hulls: NDArray[np.void]) -> tuple[Ints, Sectors]:
    """Where the sectors of each hull begin, and all sectors."""
    firsts, counts, grids = (np.ascontiguousarray(hulls[field]) for field in ("first", "count", "grid"))
    begins = np.empty(len(hulls), dtype=np.int64)
    room = int((2 * grids**2 * 5).sum()) + len(hulls)
    while True:
        sectors = np.empty(room, dtype=np.int32)
        used = fill_sectors(corners, firsts, counts, grids, begins, sectors)
        if used <= room:
            sectors.setflags(write=False)
            return begins, sectors[:used]
        room = used


def _inner_radius(solids: Solids, centres: Floats, radii: Floats) -> Floats:
    """The radius of a ball round each centre that certainly lies inside the hull. Shape (subitems,)."""
    if not len(centres):
        return np.empty(0)
    seen = np.repeat(centres, np.diff(solids.plane_offsets), axis=0)
    heights = solids.planes[:, 3] - (solids.planes[:, :3] * seen).sum(axis=1)
    least = np.minimum.reduceat(heights, solids.plane_offsets[:-1]) - _ROUGHNESS * radii
    return np.where(least > 0.0, least, -np.inf)


def _reach(vectors: Floats, offsets: Ints) -> Floats:
    """The greatest length in each part of the vectors, none of which is empty. Shape (parts,)."""
    if len(offsets) == 1:
        return np.empty(0)
    return np.sqrt(np.maximum.reduceat((vectors**2).sum(axis=1), offsets[:-1]))


def _fixed(table: NDArray[np.void]) -> Table:
    table.setflags(write=False)
    return table
