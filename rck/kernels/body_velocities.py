"""Velocities and accelerations of a tree of bodies.

Rows are linear over angular, along the world axes; the linear part is that of the origin of the body or frame.
Kernels do not check the shapes of arrays; `rck.model.forward_kinematics` does.
"""

import numpy as np

from rck.kernels.body_tables import SLIDES, TURNS, WORLD, Table
from rck.kernels.fk import BODIES, FRAMES, VECTOR, place_bodies
from rck.kernels.kernel import Floats, helper, kernel, types


@helper
def move_point(
    velocity: Floats, acceleration: Floats, arm: Floats, velocity_there: Floats, acceleration_there: Floats
) -> None:
    """Write the rates of a point of a rigid body, `arm` away from a point with known rates.

    Rates are rows of 6; `arm`, shape (3,), is along the world axes.
    """
    wx, wy, wz = velocity[3], velocity[4], velocity[5]
    ax, ay, az = acceleration[3], acceleration[4], acceleration[5]
    x, y, z = arm[0], arm[1], arm[2]
    # Velocity relative to the known point: w x arm.
    ux, uy, uz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
    velocity_there[0], velocity_there[1], velocity_there[2] = velocity[0] + ux, velocity[1] + uy, velocity[2] + uz
    velocity_there[3], velocity_there[4], velocity_there[5] = wx, wy, wz
    acceleration_there[0] = acceleration[0] + ay * z - az * y + wy * uz - wz * uy
    acceleration_there[1] = acceleration[1] + az * x - ax * z + wz * ux - wx * uz
    acceleration_there[2] = acceleration[2] + ax * y - ay * x + wx * uy - wy * ux
    acceleration_there[3], acceleration_there[4], acceleration_there[5] = ax, ay, az


@helper
def body_rates(
    bodies: Table,
    poses: Floats,
    joint_velocities: Floats,
    joint_accelerations: Floats,
    velocities: Floats,
    accelerations: Floats,
) -> None:
    """Write the rates of every body, shape (bodies, 6), from the poses of the bodies and the rates of the joints.

    Joint rates have shape (free joints,), in rad/s and rad/s2 or m/s and m/s2.
    """
    arm = np.empty(3)
    for number in range(len(bodies)):
        body = bodies[number]
        parent = body["parent"]
        velocity, acceleration = velocities[number], accelerations[number]
        if parent == WORLD:
            for i in range(6):
                velocity[i] = 0.0
                acceleration[i] = 0.0
        else:
            for i in range(3):
                arm[i] = poses[number, i, 3] - poses[parent, i, 3]
            move_point(velocities[parent], accelerations[parent], arm, velocity, acceleration)
        motion = body["motion"]
        if motion != TURNS and motion != SLIDES:
            continue
        speed = body["ratio"] * joint_velocities[body["joint"]]
        gain = body["ratio"] * joint_accelerations[body["joint"]]
        zx, zy, zz = poses[number, 0, 2], poses[number, 1, 2], poses[number, 2, 2]
        wx, wy, wz = velocity[3], velocity[4], velocity[5]
        # Rotation of the axis with the parent, times the speed of the joint.
        cx, cy, cz = speed * (wy * zz - wz * zy), speed * (wz * zx - wx * zz), speed * (wx * zy - wy * zx)
        if motion == TURNS:
            velocity[3], velocity[4], velocity[5] = wx + speed * zx, wy + speed * zy, wz + speed * zz
            acceleration[3] += gain * zx + cx
            acceleration[4] += gain * zy + cy
            acceleration[5] += gain * zz + cz
        else:
            velocity[0] += speed * zx
            velocity[1] += speed * zy
            velocity[2] += speed * zz
            # Coriolis: once for the rotation of the axis, once for the motion of the point along it.
            acceleration[0] += gain * zx + 2.0 * cx
            acceleration[1] += gain * zy + 2.0 * cy
            acceleration[2] += gain * zz + 2.0 * cz


@kernel(types.void(BODIES, FRAMES, VECTOR, VECTOR, VECTOR, types.float64[:, ::1], types.float64[:, ::1]))
def frame_rates(
    bodies: Table,
    frames: Table,
    vector: Floats,
    joint_velocities: Floats,
    joint_accelerations: Floats,
    velocities: Floats,
    accelerations: Floats,
) -> None:
    """Write the velocity and acceleration of each frame to arrays of shape (frames, 6).

    Joint rates have shape (free joints,), in rad/s and rad/s2 or m/s and m/s2.
    """
    poses = np.empty((len(bodies), 4, 4))
    body_velocities = np.empty((len(bodies), 6))
    body_accelerations = np.empty((len(bodies), 6))
    place_bodies(bodies, vector, poses)
    body_rates(bodies, poses, joint_velocities, joint_accelerations, body_velocities, body_accelerations)
    arm = np.empty(3)
    for number in range(len(frames)):
        body = frames[number]["body"]
        frame = frames[number]["body_from_frame"]
        for i in range(3):
            arm[i] = poses[body, i, 0] * frame[0, 3] + poses[body, i, 1] * frame[1, 3] + poses[body, i, 2] * frame[2, 3]
        move_point(body_velocities[body], body_accelerations[body], arm, velocities[number], accelerations[number])
