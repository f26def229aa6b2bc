"""The convex hulls of a robot as the collision kernels read them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats, Ints, frozen
from rck.kernels.bodies import Table
from rck.kernels.capsules import fit_capsules
from rck.kernels.hulls import BALL, HULL
from rck.model.arrays import Solids

_SLIM = 0.85
"""Of the radius of a hull's sphere: the girth below which its capsule is used."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """Tables of :mod:`rck.kernels.hulls`; the hulls are the subitems, in order."""

    corners: Floats
    """Seen from the centre of the hull, along the item's axes. Shape (3, corners), in metres."""
    hulls: Table
    balls: Table


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
    hulls["item"] = solids.item_of_subitem
    hulls["centre"] = centres
    hulls["radius"] = _reach(seen, solids.vertex_offsets)
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
    return Shapes(frozen(np.ascontiguousarray(seen.T)), _fixed(hulls), _fixed(balls))


def _reach(vectors: Floats, offsets: Ints) -> Floats:
    """The greatest length in each part of the vectors, none of which is empty. Shape (parts,)."""
    if len(offsets) == 1:
        return np.empty(0)
    return np.sqrt(np.maximum.reduceat((vectors**2).sum(axis=1), offsets[:-1]))


def _fixed(table: NDArray[np.void]) -> Table:
    table.setflags(write=False)
    return table
