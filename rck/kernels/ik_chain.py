"""Axes, tip pose and Jacobian of a serial chain, which its solvers compute in every step."""

from math import cos, sin

from rck.kernels.body_tables import TURNS, Table
from rck.kernels.kernel import Floats, helper


@helper
def place_axes(bodies: Table, tip: Floats, vector: Floats, points: Floats, axes: Floats, pose: Floats) -> None:
    """Write a point on each axis and its direction, shape (3, bodies), and the pose of the tip, shape (3, 4).

    All are in the base frame of the chain. `tip`, at least shape (3, 4), is in the last body's frame.
    """
    ax, ay, az, bx, by, bz, cx, cy, cz = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    ox, oy, oz = 0.0, 0.0, 0.0
    for number in range(len(bodies)):
        body = bodies[number]
        frame = body["parent_from_body"]
        f00, f01, f02, f03 = frame[0, 0], frame[0, 1], frame[0, 2], frame[0, 3]
        f10, f11, f12, f13 = frame[1, 0], frame[1, 1], frame[1, 2], frame[1, 3]
        f20, f21, f22, f23 = frame[2, 0], frame[2, 1], frame[2, 2], frame[2, 3]
        ox, oy, oz = (
            ox + ax * f03 + bx * f13 + cx * f23,
            oy + ay * f03 + by * f13 + cy * f23,
            oz + az * f03 + bz * f13 + cz * f23,
        )
        ax, bx, cx = (
            ax * f00 + bx * f10 + cx * f20,
            ax * f01 + bx * f11 + cx * f21,
            ax * f02 + bx * f12 + cx * f22,
        )
        ay, by, cy = (
            ay * f00 + by * f10 + cy * f20,
            ay * f01 + by * f11 + cy * f21,
            ay * f02 + by * f12 + cy * f22,
        )
        az, bz, cz = (
            az * f00 + bz * f10 + cz * f20,
            az * f01 + bz * f11 + cz * f21,
            az * f02 + bz * f12 + cz * f22,
        )
        position = body["ratio"] * vector[body["joint"]] + body["offset"]
        if body["motion"] == TURNS:
            c, s = cos(position), sin(position)
            ax, bx = c * ax + s * bx, c * bx - s * ax
            ay, by = c * ay + s * by, c * by - s * ay
            az, bz = c * az + s * bz, c * bz - s * az
        else:
            ox += position * cx
            oy += position * cy
            oz += position * cz
        points[0, number], points[1, number], points[2, number] = ox, oy, oz
        axes[0, number], axes[1, number], axes[2, number] = cx, cy, cz
    for j in range(4):
        t0, t1, t2 = tip[0, j], tip[1, j], tip[2, j]
        pose[0, j] = ax * t0 + bx * t1 + cx * t2
        pose[1, j] = ay * t0 + by * t1 + cy * t2
        pose[2, j] = az * t0 + bz * t1 + cz * t2
    pose[0, 3] += ox
    pose[1, 3] += oy
    pose[2, 3] += oz


@helper
def tip_jacobian(bodies: Table, points: Floats, axes: Floats, pose: Floats, reach: float, slope: Floats) -> None:
    """Write the Jacobian of the tip, shape (6, joints), linear (divided by `reach`) over angular."""
    for i in range(6):
        for j in range(slope.shape[1]):
            slope[i, j] = 0.0
    px, py, pz = pose[0, 3], pose[1, 3], pose[2, 3]
    for number in range(len(bodies)):
        body = bodies[number]
        # A mimic joint adds to the column of its leader.
        column, ratio = body["joint"], body["ratio"]
        zx, zy, zz = ratio * axes[0, number], ratio * axes[1, number], ratio * axes[2, number]
        if body["motion"] == TURNS:
            dx, dy, dz = px - points[0, number], py - points[1, number], pz - points[2, number]
            slope[0, column] += (zy * dz - zz * dy) / reach
            slope[1, column] += (zz * dx - zx * dz) / reach
            slope[2, column] += (zx * dy - zy * dx) / reach
            slope[3, column] += zx
            slope[4, column] += zy
            slope[5, column] += zz
        else:
            slope[0, column] += zx / reach
            slope[1, column] += zy / reach
            slope[2, column] += zz / reach
