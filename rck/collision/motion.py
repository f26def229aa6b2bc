"""What moves when some of a robot's joints do, as the sweeping kernel reads it, and what then meets first."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rck.collision.shapes import Shapes
from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.kernels.bodies import FIXED, WORLD, Table
from rck.kernels.sweep import NEVER, sweep
from rck.model.arrays import RobotArrays


@dataclass(frozen=True, eq=False)
class Movers:
    """The bodies that move, and the items on them."""

    bodies: Table
    """BODY records of the bodies that move and of what carries them, with parents numbered among these."""
    body_of_item: Ints
    """Which of these bodies each item is on; -1 for items that stay. Shape (items,)."""
    way_of_item: Ints
    """Items with the same number never move against each other; 0 for items that stay. Shape (items,)."""


def movers(arrays: RobotArrays, moving: Bools) -> Movers:
    """What moves with these free joints. Shape (free joints,)."""
    table = arrays.bodies
    # The moving joints on the way from the world to each body, by number of the body that they move.
    driven: list[tuple[int, ...]] = []
    for number, body in enumerate(table):
        parent = int(body["parent"])
        inherited = () if parent == WORLD else driven[parent]
        drives = body["motion"] != FIXED and body["ratio"] != 0.0 and moving[body["joint"]]
        driven.append((*inherited, number) if drives else inherited)
    order = _with_carriers(table, [number for number, by in enumerate(driven) if by])
    place = {WORLD: WORLD} | {number: index for index, number in enumerate(order)}
    bodies = table[order]
    bodies["parent"] = [place[int(parent)] for parent in bodies["parent"]]
    bodies.setflags(write=False)
    ways: dict[tuple[int, ...], int] = {(): 0}
    body_of_item = [int(body) for body in arrays.items["body"]]
    return Movers(
        bodies,
        frozen(np.array([place[body] if driven[body] else -1 for body in body_of_item], dtype=np.int64)),
        frozen(np.array([ways.setdefault(driven[body], len(ways)) for body in body_of_item], dtype=np.int64)),
    )


def first_meeting(
    shapes: Shapes,
    moving: Movers,
    places: Table,
    reach: Floats,
    start: Floats,
    change: Floats,
    pairs: Ints,
    poses: Floats,
) -> tuple[float, int, int, int] | None:
    """The share of the way, 0 to 1, at which the first of the pairs meet; which row that is, and the two subitems.

    The joints move evenly from `start` by `change`. `places` are PLACE records of the items, `reach` is that of
    :func:`reach_of_items`. `poses`, world from item at the start, shape (items, 4, 4), are written over.
    """
    met = np.empty(3, dtype=np.int64)
    bodies, body_of_item, way_of_item = moving.bodies, moving.body_of_item, moving.way_of_item
    share = sweep(bodies, places, body_of_item, way_of_item, reach, start, change, *shapes.tables, pairs, poses, met)
    if share == NEVER:
        return None
    row, one, other = met.tolist()
    return share, row, one, other


def _with_carriers(table: Table, bodies: Iterable[int]) -> list[int]:
    """The bodies and all that carries them, in order."""
    kept: set[int] = set()
    for start in bodies:
        body = start
        while body != WORLD and body not in kept:
            kept.add(body)
            body = int(table[body]["parent"])
    return sorted(kept)


def reach_of_items(arrays: RobotArrays) -> Floats:
    """How far each item reaches from the origin of the body that it is on, in metres. Shape (items,)."""
    solids = arrays.solids
    starts = solids.vertex_offsets[solids.subitem_offsets]
    reach = np.zeros(len(arrays.items))
    for item, place in enumerate(arrays.items):
        vertices = solids.vertices[starts[item] : starts[item + 1]]
        if len(vertices):
            frame = place["body_from_place"]
            reach[item] = np.sqrt(((vertices @ frame[:, :3].T + frame[:, 3]) ** 2).sum(axis=1)).max()
    return frozen(reach)
