"""Forward kinematics, velocities and Jacobians of a robot: the kernels of `rck.kernels` with checked arguments."""

from collections.abc import Sequence

import numpy as np
from numpy import asarray, empty, float64
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.kernels import body_velocities, fk
from rck.kernels.body_tables import Table
from rck.kernels.parallel import run_in_chunks
from rck.model.robot_arrays import RobotArrays
from rck.support.finding import RckError

# Rows of a batch per thread at least.
_SMALLEST_CHUNK = 1000

_ORIGIN = frozen(np.zeros(3))


def forward(arrays: RobotArrays, vector: ArrayLike) -> Floats:
    """Return world from item, for all items, at one joint vector. Shape (items, 4, 4).

    The vector has one number per free joint, in radians or metres. Limits are ignored, and numbers that are not finite
    give poses that are not finite.
    """
    poses = empty(arrays.poses_shape)
    fk.forward_frames.unchecked(arrays.item_table.address, coordinates_at(arrays, vector), poses)
    return poses


def forward_frames(arrays: RobotArrays, vector: ArrayLike) -> Floats:
    """Return world from frame, for all frames, at one joint vector. Shape (frames, 4, 4)."""
    poses = empty((len(arrays.frames), 4, 4))
    fk.forward_frames.unchecked(arrays.frame_table.address, coordinates_at(arrays, vector), poses)
    return poses


def forward_bodies(arrays: RobotArrays, vector: ArrayLike) -> Floats:
    """Return world from body, for all bodies, at one joint vector. Shape (bodies, 4, 4)."""
    poses = empty(arrays.body_poses_shape)
    fk.forward_bodies.unchecked(arrays.item_table.address, coordinates_at(arrays, vector), poses)
    return poses


def forward_rates(
    arrays: RobotArrays, vector: ArrayLike, velocities: ArrayLike, accelerations: ArrayLike
) -> tuple[Floats, Floats]:
    """Return velocity and acceleration of every item. Shape (items, 6) each.

    Each row is linear over angular, along the world axes, in m/s, rad/s, m/s2 and rad/s2; the linear part is that of
    the item's origin. All arguments have one number per free joint.
    """
    result = np.empty((len(arrays.items), 6)), np.empty((len(arrays.items), 6))
    here, joint_velocities, joint_accelerations = (
        checked_vector(arrays, numbers) for numbers in (vector, velocities, accelerations)
    )
    if arrays.closure is not None:
        here, joint_velocities, joint_accelerations = arrays.closure.rates(here, joint_velocities, joint_accelerations)
    body_velocities.frame_rates.unchecked(
        arrays.bodies, arrays.items, here, joint_velocities, joint_accelerations, *result
    )
    return result


def forward_batch(
    arrays: RobotArrays, vectors: ArrayLike, out: Floats | None = None, *, threads: int | None = None
) -> Floats:
    """Return world from item at each joint vector, shape (batch, free joints). Shape (batch, items, 4, 4).

    Runs on all cores by default. `out` is an array of that shape to write to: for many large batches, allocating memory
    takes longer than the computation.
    """
    return _poses_batch(arrays, arrays.items, vectors, out, threads)


def forward_frames_batch(arrays: RobotArrays, vectors: ArrayLike, *, threads: int | None = None) -> Floats:
    """Return world from frame at each joint vector. Shape (batch, frames, 4, 4)."""
    return _poses_batch(arrays, arrays.frames, vectors, None, threads)


def jacobian(arrays: RobotArrays, vector: ArrayLike, item: int | str, point: ArrayLike = _ORIGIN) -> Floats:
    """Return the Jacobian of a point fixed to an item. Shape (6, free joints).

    The first three rows are its velocity, the last three the item's angular velocity, both along the world axes, per
    unit of joint velocity. `point` is in the item's frame, in metres. Mimic joints and joints in loops count with the
    free joints that move them.
    """
    number = _item_number(arrays, item)
    in_item = point if point is _ORIGIN else _checked_point(point)
    here = coordinates_at(arrays, vector)
    result = empty((6, len(here)))
    fk.jacobian.unchecked(arrays.chain_table(number).address, number, in_item, here, result)
    return result if arrays.closure is None else result @ arrays.closure.slopes(here)


def jacobian_batch(
    arrays: RobotArrays,
    vectors: ArrayLike,
    item: int | str,
    point: ArrayLike = _ORIGIN,
    *,
    threads: int | None = None,
) -> Floats:
    """Return the :func:`jacobian` at each joint vector. Shape (batch, 6, free joints)."""
    number = _item_number(arrays, item)
    chain = arrays.chain(arrays.robot.tree.group_of_item[number])
    in_item = _checked_point(point)
    rows = all_coordinates_at(arrays, vectors)
    results = np.empty((len(rows), 6, rows.shape[1]))

    def work(part: slice) -> None:
        fk.jacobian_batch(chain, arrays.items, number, in_item, rows[part], results[part])

    run_in_chunks(work, len(rows), smallest=_SMALLEST_CHUNK, threads=threads)
    if arrays.closure is None:
        return results
    slopes = np.array([arrays.closure.slopes(row) for row in rows]).reshape(len(rows), rows.shape[1], -1)
    constrained: Floats = results @ slopes
    return constrained


def _poses_batch(
    arrays: RobotArrays, frames: Table, vectors: ArrayLike, out: Floats | None, threads: int | None
) -> Floats:
    rows = all_coordinates_at(arrays, vectors, threads)
    poses = _allocate(out, len(rows), len(frames))

    def work(part: slice) -> None:
        fk.forward_frames_batch(arrays.bodies, frames, rows[part], poses[part])

    run_in_chunks(work, len(rows), smallest=_SMALLEST_CHUNK, threads=threads)
    return poses


def _item_number(arrays: RobotArrays, item: int | str) -> int:
    if isinstance(item, str):
        return arrays.robot.item_index[arrays.robot.item(item).name]
    if not 0 <= item < len(arrays.items):
        raise RckError(f"robot {arrays.robot.name} has {len(arrays.items)} items; index {item} is out of range")
    return item


def checked_vector(arrays: RobotArrays, vector: ArrayLike) -> Floats:
    """Return the joint vector as a contiguous array. Shape (free joints,)."""
    array = asarray(vector, float64, order="C")
    if array.shape != arrays.reference.shape:
        raise RckError(_shape_message(arrays, f"({len(arrays.reference)},)", array.shape))
    return array


def checked_vectors(arrays: RobotArrays, vectors: ArrayLike) -> Floats:
    """Return joint vectors as a contiguous array. Shape (batch, free joints)."""
    array = np.asarray(vectors, np.float64, order="C")
    if array.ndim != 2 or array.shape[1] != len(arrays.reference):
        raise RckError(_shape_message(arrays, f"(batch, {len(arrays.reference)})", array.shape))
    return array


def coordinates_at(arrays: RobotArrays, vector: ArrayLike) -> Floats:
    """Return the positions that the bodies take at a joint vector: the vector itself, or with loops closed."""
    # As in `checked_vector`, written out: a call takes as long as a quarter of the kernel.
    array = asarray(vector, float64, order="C")
    if array.shape != arrays.vector_shape:
        raise RckError(_shape_message(arrays, f"({len(arrays.reference)},)", array.shape))
    return array if arrays.closure is None else arrays.closure.complete(array)


def all_coordinates_at(arrays: RobotArrays, vectors: ArrayLike, threads: int | None = None) -> Floats:
    """Return :func:`coordinates_at` for each joint vector; rows at which loops stay open are not a number."""
    rows = checked_vectors(arrays, vectors)
    return rows if arrays.closure is None else arrays.closure.complete_batch(rows, threads=threads)[0]


def _shape_message(arrays: RobotArrays, wanted: str, shape: Sequence[int]) -> str:
    joints = ", ".join(arrays.joint_names) or "none"
    return f"joint vectors of robot {arrays.robot.name} need shape {wanted}, not {shape}; its free joints: {joints}"


def _checked_point(point: ArrayLike) -> Floats:
    array = np.asarray(point, np.float64, order="C")
    if array.shape != (3,):
        raise ValueError(f"a point needs shape (3,), not {array.shape}")
    return array


def _allocate(out: Floats | None, rows: int, frames: int) -> Floats:
    """Return the array to write to: a new one, or `out` if it fits."""
    shape = (rows, frames, 4, 4)
    if out is None:
        return np.empty(shape)
    if out.shape != shape or out.dtype != np.float64 or not out.flags.carray:
        raise ValueError(f"`out` must be a writable, contiguous array of float64 of shape {shape}")
    return out
