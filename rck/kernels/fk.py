"""Forward kinematics and Jacobians of a tree of bodies.

Poses are 4x4, world from body or world from frame, so that they compose with ``@``. Joint vectors have one number per
free joint, in radians or metres. Kernels do not check the shapes of arrays; `rck.model.forward_kinematics` does.
"""

from math import cos, sin

import numpy as np

from rck.kernels.array_table import bodies_at, frames_at, rows_at
from rck.kernels.body_tables import BODY, FRAME, SLIDES, TURNS, WORLD, Table
from rck.kernels.ik_chain import tip_jacobian
from rck.kernels.kernel import Floats, from_dtype, helper, kernel, read_only, types

BODIES = read_only(from_dtype(BODY), 1)
FRAMES = read_only(from_dtype(FRAME), 1)
VECTOR = read_only(types.float64, 1)
VECTORS = read_only(types.float64, 2)


@helper
def place_bodies(bodies: Table, vector: Floats, poses: Floats) -> None:
    """Write the pose of every body. `poses` has shape (bodies, 4, 4)."""
    for number in range(len(bodies)):
        body = bodies[number]
        frame = body["parent_from_body"]
        # Move the columns of parent_from_body before the parent's pose is needed: the processor need not wait for it.
        ax, ay, az = frame[0, 0], frame[1, 0], frame[2, 0]
        bx, by, bz = frame[0, 1], frame[1, 1], frame[2, 1]
        cx, cy, cz = frame[0, 2], frame[1, 2], frame[2, 2]
        ox, oy, oz = frame[0, 3], frame[1, 3], frame[2, 3]
        motion = body["motion"]
        if motion == TURNS:
            angle = body["ratio"] * vector[body["joint"]] + body["offset"]
            c, s = cos(angle), sin(angle)
            ax, bx = c * ax + s * bx, c * bx - s * ax
            ay, by = c * ay + s * by, c * by - s * ay
            az, bz = c * az + s * bz, c * bz - s * az
        elif motion == SLIDES:
            distance = body["ratio"] * vector[body["joint"]] + body["offset"]
            ox += distance * cx
            oy += distance * cy
            oz += distance * cz
        parent = body["parent"]
        if parent == WORLD:
            poses[number, 0, 0], poses[number, 0, 1], poses[number, 0, 2], poses[number, 0, 3] = ax, bx, cx, ox
            poses[number, 1, 0], poses[number, 1, 1], poses[number, 1, 2], poses[number, 1, 3] = ay, by, cy, oy
            poses[number, 2, 0], poses[number, 2, 1], poses[number, 2, 2], poses[number, 2, 3] = az, bz, cz, oz
        else:
            for i in range(3):
                x, y, z = poses[parent, i, 0], poses[parent, i, 1], poses[parent, i, 2]
                poses[number, i, 0] = x * ax + y * ay + z * az
                poses[number, i, 1] = x * bx + y * by + z * bz
                poses[number, i, 2] = x * cx + y * cy + z * cz
                poses[number, i, 3] = x * ox + y * oy + z * oz + poses[parent, i, 3]
        for j in range(3):
            poses[number, 3, j] = 0.0
        poses[number, 3, 3] = 1.0


@helper
def place_frames(frames: Table, body_poses: Floats, poses: Floats) -> None:
    """Write the pose of every frame from the poses of the bodies. `poses` has shape (frames, 4, 4)."""
    for number in range(len(frames)):
        body = frames[number]["body"]
        frame = frames[number]["body_from_frame"]
        for i in range(3):
            x, y, z = body_poses[body, i, 0], body_poses[body, i, 1], body_poses[body, i, 2]
            for j in range(4):
                poses[number, i, j] = x * frame[0, j] + y * frame[1, j] + z * frame[2, j]
            poses[number, i, 3] += body_poses[body, i, 3]
            poses[number, 3, i] = 0.0
        poses[number, 3, 3] = 1.0


@helper
def point_jacobian(chain: Table, poses: Floats, fixed: Table, point: Floats, jacobian: Floats) -> None:
    """Write the Jacobian of a point fixed to the last body of a chain, (6, free joints), linear over angular.

    `poses` are those of the bodies of the chain; `point` is relative to `fixed`, a FRAME record of the last body.
    """
    last = len(chain) - 1
    px, py, pz = poses[last, 0, 3], poses[last, 1, 3], poses[last, 2, 3]
    frame = fixed["body_from_frame"]
    for j in range(3):
        in_body = frame[j, 0] * point[0] + frame[j, 1] * point[1] + frame[j, 2] * point[2] + frame[j, 3]
        px += poses[last, 0, j] * in_body
        py += poses[last, 1, j] * in_body
        pz += poses[last, 2, j] * in_body
    for i in range(jacobian.shape[0]):
        for j in range(jacobian.shape[1]):
            jacobian[i, j] = 0.0
    for number in range(len(chain)):
        body = chain[number]
        motion = body["motion"]
        # A mimic joint adds to the column of its leader.
        column = body["joint"]
        ratio = body["ratio"]
        zx, zy, zz = ratio * poses[number, 0, 2], ratio * poses[number, 1, 2], ratio * poses[number, 2, 2]
        if motion == TURNS:
            dx, dy, dz = px - poses[number, 0, 3], py - poses[number, 1, 3], pz - poses[number, 2, 3]
            jacobian[0, column] += zy * dz - zz * dy
            jacobian[1, column] += zz * dx - zx * dz
            jacobian[2, column] += zx * dy - zy * dx
            jacobian[3, column] += zx
            jacobian[4, column] += zy
            jacobian[5, column] += zz
        elif motion == SLIDES:
            jacobian[0, column] += zx
            jacobian[1, column] += zy
            jacobian[2, column] += zz


# Rows of the table of arrays that single queries take.
CHAIN, FIXED_FRAMES = range(2)


@kernel(types.void(types.int64, VECTOR, types.float64[:, :, ::1]), short=True)
def forward_bodies(table: int, vector: Floats, poses: Floats) -> None:
    """Write world from body for one joint vector to `poses`, shape (bodies, 4, 4).

    `table` is the address of an array table of the bodies.
    """
    place_bodies(bodies_at(rows_at(table), CHAIN), vector, poses)


@kernel(types.void(types.int64, VECTOR, types.float64[:, :, ::1]), short=True)
def forward_frames(table: int, vector: Floats, poses: Floats) -> None:
    """Write world from frame for one joint vector to `poses`, shape (frames, 4, 4).

    `table` is the address of an array table of the bodies and of the frames.
    """
    rows = rows_at(table)
    bodies = bodies_at(rows, CHAIN)
    body_poses = np.empty((len(bodies), 4, 4))
    place_bodies(bodies, vector, body_poses)
    place_frames(frames_at(rows, FIXED_FRAMES), body_poses, poses)


@kernel(types.void(BODIES, FRAMES, VECTORS, types.float64[:, :, :, ::1]))
def forward_frames_batch(bodies: Table, frames: Table, vectors: Floats, poses: Floats) -> None:
    """Write world from frame for each row of `vectors` to `poses`, shape (vectors, frames, 4, 4)."""
    body_poses = np.empty((len(bodies), 4, 4))
    for row in range(len(vectors)):
        place_bodies(bodies, vectors[row], body_poses)
        place_frames(frames, body_poses, poses[row])


@kernel(types.void(types.int64, types.int64, VECTOR, VECTOR, types.float64[:, ::1]), short=True)
def jacobian(table: int, number: int, point: Floats, vector: Floats, result: Floats) -> None:
    """Write the Jacobian of a point fixed to a frame to `result`, shape (6, free joints), linear over angular.

    `table` is the address of an array table of the bodies of a chain and of the frames. The frame, row `number`, is on
    the last body of the chain; `point` is relative to it.
    """
    rows = rows_at(table)
    chain = bodies_at(rows, CHAIN)
    poses = np.empty((len(chain), 4, 4))
    place_bodies(chain, vector, poses)
    point_jacobian(chain, poses, frames_at(rows, FIXED_FRAMES)[number], point, result)


@kernel(types.void(BODIES, FRAMES, types.int64, VECTOR, VECTORS, types.float64[:, :, ::1]))
def jacobian_batch(chain: Table, frames: Table, number: int, point: Floats, vectors: Floats, results: Floats) -> None:
    """Write the :func:`jacobian` for each row of `vectors` to `results`, shape (vectors, 6, free joints)."""
    poses = np.empty((len(chain), 4, 4))
    for row in range(len(vectors)):
        place_bodies(chain, vectors[row], poses)
        point_jacobian(chain, poses, frames[number], point, results[row])


@kernel(types.void(BODIES, VECTORS, VECTORS, types.float64[:, :, :, ::1], types.float64[:, :, ::1]))
def chain_poses_batch(chain: Table, body_from_tip: Floats, vectors: Floats, poses: Floats, tips: Floats) -> None:
    """Write the poses of the bodies and the tip of a chain, relative to its base, for each row of `vectors`.

    Shapes (vectors, bodies, 4, 4) and (vectors, 4, 4); `body_from_tip` is relative to the last body.
    """
    last = len(chain) - 1
    for row in range(len(vectors)):
        place_bodies(chain, vectors[row], poses[row])
        for i in range(4):
            for j in range(4):
                total = 0.0
                for k in range(4):
                    total += poses[row, last, i, k] * body_from_tip[k, j]
                tips[row, i, j] = total


@kernel(types.void(BODIES, VECTORS, VECTORS, types.float64[:, :, ::1]))
def chain_jacobians_batch(chain: Table, body_from_tip: Floats, vectors: Floats, results: Floats) -> None:
    """Write the Jacobian of the tip of a chain for each row of `vectors`, linear over angular, in its base frame.

    `results` has shape (vectors, 6, joints).
    """
    poses = np.empty((len(chain), 4, 4))
    points, axes, tip = np.empty((3, len(chain))), np.empty((3, len(chain))), np.empty((3, 4))
    last = len(chain) - 1
    for row in range(len(vectors)):
        place_bodies(chain, vectors[row], poses)
        for number in range(len(chain)):
            for i in range(3):
                points[i, number], axes[i, number] = poses[number, i, 3], poses[number, i, 2]
        for i in range(3):
            tip[i, 3] = poses[last, i, 3]
            for k in range(3):
                tip[i, 3] += poses[last, i, k] * body_from_tip[k, 3]
        tip_jacobian(chain, points, axes, tip, 1.0, results[row])
