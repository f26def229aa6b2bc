"""Where everything is for given joint vectors, and how it moves: the kernels of `rck.kernels.fk` behind checks.

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.kernels import fk
from rck.kernels.bodies import Table
from rck.kernels.parallel import run_in_chunks
from rck.model.arrays import RobotArrays
from rck.model.finding import RckError

# Rows of a batch below which a further thread does not pay.
_SMALLEST_CHUNK = 256


def forward(arrays: RobotArrays, vector: ArrayLike, out: Floats | None = None) -> Floats:
    """World from item, for all items, at one joint vector. Shape (items, 4, 4).

    The vector has one number per free joint, in radians or metres; limits are not looked at, and a number
    that is not finite gives poses that are not. `out` is an array of that shape to write to, for loops that
    want no new one each time.
    """
    return _places(arrays, arrays.items, vector, out)


def forward_frames(arrays: RobotArrays, vector: ArrayLike, out: Floats | None = None) -> Floats:
    """World from frame, for all frames, at one joint vector. Shape (frames, 4, 4)."""
    return _places(arrays, arrays.frames, vector, out)


def forward_bodies(arrays: RobotArrays, vector: ArrayLike, out: Floats | None = None) -> Floats:
    """World from body, for all bodies, at one joint vector. Shape (bodies, 4, 4)."""
    joint_vector = _checked_vector(arrays, vector)
    poses = _room(out, (len(arrays.bodies), 4, 4))
    fk.forward_bodies.unchecked(arrays.bodies, joint_vector, poses)
    return poses


def forward_batch(
    arrays: RobotArrays, vectors: ArrayLike, out: Floats | None = None, *, threads: int | None = None
) -> Floats:
    """World from item at each of many joint vectors, shape (batch, free joints). Shape (batch, items, 4, 4).

    Runs on all cores unless `threads` says on how many.
    """
    return _places_batch(arrays, arrays.items, vectors, out, threads)


def forward_frames_batch(
    arrays: RobotArrays, vectors: ArrayLike, out: Floats | None = None, *, threads: int | None = None
) -> Floats:
    """World from frame at each of many joint vectors. Shape (batch, frames, 4, 4)."""
    return _places_batch(arrays, arrays.frames, vectors, out, threads)


def forward_bodies_batch(
    arrays: RobotArrays, vectors: ArrayLike, out: Floats | None = None, *, threads: int | None = None
) -> Floats:
    """World from body at each of many joint vectors. Shape (batch, bodies, 4, 4)."""
    rows = _checked_vectors(arrays, vectors)
    poses = _room(out, (len(rows), len(arrays.bodies), 4, 4))

    def work(part: slice) -> None:
        fk.forward_bodies_batch(arrays.bodies, rows[part], poses[part])

    run_in_chunks(work, len(rows), smallest=_SMALLEST_CHUNK, threads=threads)
    return poses


def jacobian(arrays: RobotArrays, vector: ArrayLike, item: int | str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
    """How a point that is fixed to an item moves with each free joint. Shape (6, free joints).

    The first three rows are its velocity, the last three the item's turning rate, both along the axes of the
    world, per unit of joint speed. `point` is in the item's frame, in metres. Joints that follow others
    count with those they follow.
    """
    chain, in_body = _tip(arrays, item, point)
    result = np.empty((6, len(arrays.reference)))
    fk.jacobian(chain, _checked_vector(arrays, vector), in_body, result)
    return result


def jacobian_batch(
    arrays: RobotArrays,
    vectors: ArrayLike,
    item: int | str,
    point: ArrayLike = (0.0, 0.0, 0.0),
    *,
    threads: int | None = None,
) -> Floats:
    """As :func:`jacobian`, at each of many joint vectors. Shape (batch, 6, free joints)."""
    chain, in_body = _tip(arrays, item, point)
    rows = _checked_vectors(arrays, vectors)
    results = np.empty((len(rows), 6, len(arrays.reference)))

    def work(part: slice) -> None:
        fk.jacobian_batch(chain, rows[part], in_body, results[part])

    run_in_chunks(work, len(rows), smallest=_SMALLEST_CHUNK, threads=threads)
    return results


def _places(arrays: RobotArrays, places: Table, vector: ArrayLike, out: Floats | None) -> Floats:
    joint_vector = _checked_vector(arrays, vector)
    poses = _room(out, (len(places), 4, 4))
    fk.forward_places.unchecked(arrays.bodies, places, joint_vector, poses)
    return poses


def _places_batch(
    arrays: RobotArrays, places: Table, vectors: ArrayLike, out: Floats | None, threads: int | None
) -> Floats:
    rows = _checked_vectors(arrays, vectors)
    poses = _room(out, (len(rows), len(places), 4, 4))

    def work(part: slice) -> None:
        fk.forward_places_batch(arrays.bodies, places, rows[part], poses[part])

    run_in_chunks(work, len(rows), smallest=_SMALLEST_CHUNK, threads=threads)
    return poses


def _tip(arrays: RobotArrays, item: int | str, point: ArrayLike) -> tuple[Table, Floats]:
    """The chain that carries an item, and the point in the frame of the chain's last body."""
    number = _item_number(arrays, item)
    in_item = np.asarray(point, dtype=float)
    if in_item.shape != (3,):
        raise ValueError(f"a point has shape (3,), not {in_item.shape}")
    place = arrays.items[number]
    body_from_item = place["body_from_place"]
    return arrays.chain(int(place["body"])), body_from_item[:, :3] @ in_item + body_from_item[:, 3]


def _item_number(arrays: RobotArrays, item: int | str) -> int:
    if isinstance(item, str):
        return arrays.robot.item_index[arrays.robot.item(item).name]
    if not 0 <= item < len(arrays.items):
        raise RckError(f"robot {arrays.robot.name} has {len(arrays.items)} items; there is no number {item}")
    return item


def _checked_vector(arrays: RobotArrays, vector: ArrayLike) -> Floats:
    array = np.ascontiguousarray(vector, dtype=np.float64)
    if array.shape != arrays.reference.shape:
        raise RckError(_shape_message(arrays, f"({len(arrays.reference)},)", array.shape))
    return array


def _checked_vectors(arrays: RobotArrays, vectors: ArrayLike) -> Floats:
    array = np.ascontiguousarray(vectors, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != len(arrays.reference):
        raise RckError(_shape_message(arrays, f"(batch, {len(arrays.reference)})", array.shape))
    return array


def _shape_message(arrays: RobotArrays, wanted: str, shape: Sequence[int]) -> str:
    joints = ", ".join(arrays.joint_names) or "none"
    return f"joint vectors of robot {arrays.robot.name} have shape {wanted}, not {shape}; its free joints: {joints}"


def _room(out: Floats | None, shape: tuple[int, ...]) -> Floats:
    """The array to write to; an array that was given must fit exactly, because kernels do not look again."""
    if out is None:
        return np.empty(shape)
    if out.shape != shape or out.dtype != np.float64 or not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError(f"`out` must be a writable, contiguous array of float64 of shape {shape}")
    return out
