"""First contacts of motions: the items that move, and the sweep kernel."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.kernels.body_tables import FIXED, WORLD, Table
from rck.kernels.hull_tables import Hulls
from rck.kernels.sweep import NEVER, MovingItems, sweep
from rck.model.closure import Closure
from rck.model.robot_arrays import RobotArrays

# In a leg, a joint in a loop moves at most this far, in radians or metres, so that loops stay closed to some 0.05 mm.
_LONGEST_LEG = 0.02
_MOST_LEGS = 400


def moving_items(arrays: RobotArrays, moving: Bools) -> MovingItems:
    """Return the items that move with these free joints, shape (free joints,)."""
    table = arrays.bodies
    if arrays.closure is not None:
        moving = arrays.closure.moved_by(moving)
    # The moving joints between the world and each body, as indices of the bodies that they move.
    driven: list[tuple[int, ...]] = []
    for number, body in enumerate(table):
        parent = int(body["parent"])
        inherited = () if parent == WORLD else driven[parent]
        drives = body["motion"] != FIXED and body["ratio"] != 0.0 and moving[body["joint"]]
        driven.append((*inherited, number) if drives else inherited)
    order = _with_carriers(table, [number for number, by in enumerate(driven) if by])
    rows = {WORLD: WORLD} | {number: row for row, number in enumerate(order)}
    bodies = table[order]
    bodies["parent"] = [rows[int(parent)] for parent in bodies["parent"]]
    bodies.setflags(write=False)
    motions: dict[tuple[int, ...], int] = {(): 0}
    body_of_item = [int(body) for body in arrays.items["body"]]
    return MovingItems(
        bodies,
        frozen(np.array([rows[body] if driven[body] else -1 for body in body_of_item], dtype=np.int64)),
        frozen(np.array([motions.setdefault(driven[body], len(motions)) for body in body_of_item], dtype=np.int64)),
    )


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of a motion in which the positions of all bodies change linearly."""

    begin: float
    """Share of the motion at its start, 0 to 1."""
    end: float
    start: Floats
    """The positions that the bodies take at the start. Shape (coordinates,), in radians or metres."""
    change: Floats


def motion_legs(closure: Closure | None, start: Floats, change: Floats, seed: Floats | None = None) -> Iterator[Leg]:
    """Yield the legs of a linear motion of the free joints: one without loops, otherwise as many as loops bend it.

    The loops are closed at the ends of each leg. `seed` has the positions at the start.
    """
    if closure is None:
        yield Leg(0.0, 1.0, start, change)
        return
    here = closure.complete(start, seed)
    there = closure.complete(start + change, here)
    count = int(min(max(1, ceil(float(np.abs(there - here).max(initial=0.0)) / _LONGEST_LEG)), _MOST_LEGS))
    for number in range(count):
        next_one = there if number + 1 == count else closure.complete(start + (number + 1) / count * change, here)
        yield Leg(number / count, (number + 1) / count, here, next_one - here)
        here = next_one


def find_first_contact(
    hulls: Hulls,
    moving: MovingItems,
    frames: Table,
    reach: Floats,
    start: Floats,
    change: Floats,
    pairs: Ints,
    poses: Floats,
) -> tuple[float, int, int, int] | None:
    """Return the fraction of the motion, 0 to 1, of the first contact, its row of `pairs`, and the two subitems.

    The positions of the bodies change linearly from `start` by `change`, as in a leg. `frames` has the FRAME records
    of the items, `reach` is that of :func:`item_reaches`. `poses`, world from item at the start, shape
    (items, 4, 4), is overwritten.
    """
    contact = np.empty(3, dtype=np.int64)
    for array in moving:
        array.setflags(write=False)
    share = sweep(moving, frames, reach, start, change, hulls, pairs, poses, contact)
    if share == NEVER:
        return None
    row, one, other = contact.tolist()
    return share, row, one, other


def _with_carriers(table: Table, bodies: Iterable[int]) -> list[int]:
    """Return the bodies and all that carry them, in order."""
    found: set[int] = set()
    for start in bodies:
        body = start
        while body != WORLD and body not in found:
            found.add(body)
            body = int(table[body]["parent"])
    return sorted(found)


def item_reaches(arrays: RobotArrays) -> Floats:
    """Return the distance from the origin of each item's body to its farthest point, in metres. Shape (items,)."""
    solids = arrays.solids
    starts = solids.vertex_offsets[solids.subitem_offsets]
    reach = np.zeros(len(arrays.items))
    for item, fixed in enumerate(arrays.items):
        vertices = solids.vertices[starts[item] : starts[item + 1]]
        if len(vertices):
            frame = fixed["body_from_frame"]
            reach[item] = np.sqrt(((vertices @ frame[:, :3].T + frame[:, 3]) ** 2).sum(axis=1)).max()
    return frozen(reach)
