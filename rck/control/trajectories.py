"""Conversion between trajectory messages and joint paths."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rck.control.description import Names
from rck.control.messages import JointTrajectory, header, stamp
from rck.geometry.arrays import Floats, frozen
from rck.kinematics.motion import JointPath, peaks, stretched
from rck.kinematics.motion.path import DEGREE
from rck.support.finding import Finding, ModelError, RckError, Severity
from rck.support.units import counted

START_TOLERANCE = 1e-3
"""Largest distance of the start of a trajectory from the current positions, in radians or metres."""
POINT_INTERVAL = 0.05
"""Time between the points of published trajectories, in seconds."""


def path_from(trajectory: JointTrajectory, names: Names, here: Mapping[str, float]) -> tuple[JointPath, str]:
    """Return the path of a trajectory from the current positions `here`, by RCK's joint names, and a note about it.

    The path is linear between points, or cubic if they have velocities. A trajectory that exceeds velocity limits is
    slowed down; one that exceeds position limits is refused.
    """
    joints = tuple(names.joint(name) for name in trajectory.joint_names)
    if not joints or len(set(joints)) < len(joints):
        raise RckError("a trajectory must name at least one joint, and each joint only once")
    limits = names.limits(joints)
    times, positions, speeds = _arrays(trajectory, np.array([here[name] for name in joints]))
    outside = (*limits.outside(positions.min(axis=0)), *limits.outside(positions.max(axis=0)))
    if outside:
        raise ModelError(outside)
    spans = np.diff(times)[:, None]
    steps = np.diff(positions, axis=0)
    pieces = np.zeros((len(steps), DEGREE + 1, len(joints)))
    pieces[:, 0], pieces[:, 1] = positions[:-1], steps
    if speeds is not None:
        # Cubic Hermite: positions and velocities at both ends.
        first, last = spans * speeds[:-1], spans * speeds[1:]
        pieces[:, 1], pieces[:, 2], pieces[:, 3] = first, 3 * steps - 2 * first - last, first + last - 2 * steps
    path = JointPath(joints, frozen(times), frozen(pieces))
    over = peaks(path)[0] / limits.speeds
    worst = int(np.argmax(over))
    if over[worst] <= 1.0 + 1e-6:
        return path, ""
    longer = stretched(path, float(over[worst]))
    message = f"velocity limit exceeded; slowed down from {path.duration:.4g} s to {longer.duration:.4g} s"
    return longer, str(Finding(903, Severity.WARNING, f"joint {joints[worst]}", message, "allow more time"))


def trajectory_message(path: JointPath, names: Names, time: float) -> dict[str, Any]:
    """Return a path as trajectory_msgs/JointTrajectory, with a point every 0.05 s."""
    times = np.append(np.arange(POINT_INTERVAL, path.duration, POINT_INTERVAL), path.duration)
    points = [
        {"positions": row, "velocities": speeds, "accelerations": [], "effort": [], "time_from_start": stamp(seconds)}
        for seconds, row, speeds in zip(
            times.tolist(), path.at(times).tolist(), path.speed_at(times).tolist(), strict=True
        )
    ]
    return {
        "header": header(time),
        "joint_names": [names.outside[name] for name in path.joints],
        "points": points,
    }


def _arrays(trajectory: JointTrajectory, here: Floats) -> tuple[Floats, Floats, Floats | None]:
    """Return times, positions and velocities, starting at `here`. Shapes (n,), (n, joints), (n, joints)."""
    count = len(trajectory.joint_names)
    points = trajectory.points
    for number, point in enumerate(points):
        if len(point.positions) != count or len(point.velocities) not in (0, count):
            raise RckError(
                f"point {number} of the trajectory needs {counted(count, 'position')}, and as many velocities or none"
            )
    times = np.array([0.0, *(point.time_from_start.seconds for point in points)])
    positions = np.array([here, *(point.positions for point in points)], dtype=float)
    moving = all(point.velocities for point in points)
    speeds = np.array([np.zeros(count), *(point.velocities for point in points)]) if moving else None
    if times[1] == 0.0:
        gap = np.abs(positions[1] - here)
        if gap.max() > START_TOLERANCE:
            name = trajectory.joint_names[int(gap.argmax())]
            raise RckError(f"the trajectory starts {gap.max():.4g} away from joint {name}; start at a time above 0")
        times, positions = times[1:], positions[1:]
        positions[0] = here
        speeds = None if speeds is None else speeds[1:]
    if len(times) < 2 or not (np.diff(times) > 0).all() or not np.isfinite(positions).all():
        raise RckError("the times of a trajectory must increase and its positions must be finite")
    return times, positions, speeds
