"""Trajectories that clients send, as paths that the simulation follows."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rck.control.messages import JointTrajectory, header, stamp
from rck.control.names import Names
from rck.geometry.arrays import Floats
from rck.kinematics.motion import Path, peaks, stretched
from rck.kinematics.motion.path import path_of
from rck.model.finding import Finding, ModelError, RckError, Severity

SAME_PLACE = 1e-3
"""How far a trajectory may begin from where its joints stand, in radians or metres."""
EVERY = 0.05
"""Between the points of a trajectory that is sent out, in seconds."""


def path_from(trajectory: JointTrajectory, names: Names, here: Mapping[str, float]) -> tuple[Path, str]:
    """The path of a trajectory for joints that stand at `here`, by their own names, and what is to be told of it.

    Between points the joints go straight, or as a cubic where speeds are given. A trajectory that is too fast for a
    joint takes longer; one that leaves the limits is refused.
    """
    joints = tuple(names.joint(name) for name in trajectory.joint_names)
    if not joints or len(set(joints)) < len(joints):
        raise RckError("a trajectory names each of its joints once, and at least one")
    limits = names.limits(joints)
    times, positions, speeds = _arrays(trajectory, np.array([here[name] for name in joints]))
    for row in positions:
        outside = limits.outside(row)
        if outside:
            raise ModelError(outside)
    spans = np.diff(times)[:, None]
    ways = np.diff(positions, axis=0)
    if speeds is None:
        pieces = [[a, way] for a, way in zip(positions, ways, strict=False)]
    else:
        # Cubic Hermite: positions and speeds at both ends.
        first, last = spans * speeds[:-1], spans * speeds[1:]
        pieces = [
            [a, u, 3 * way - 2 * u - v, u + v - 2 * way]
            for a, way, u, v in zip(positions, ways, first, last, strict=False)
        ]
    path = path_of(joints, times, pieces)
    over = peaks(path)[0] / limits.speeds
    worst = int(np.argmax(over))
    if over[worst] <= 1.0 + 1e-6:
        return path, ""
    longer = stretched(path, float(over[worst]))
    message = f"takes {longer.duration:.4g} s instead of {path.duration:.4g} s: it is no faster"
    return longer, str(Finding(903, Severity.WARNING, f"joint {joints[worst]}", message, "allow more time"))


def trajectory_message(path: Path, names: Names, time: float) -> dict[str, Any]:
    """A path as trajectory_msgs/JointTrajectory, a point every twentieth of a second."""
    times = np.append(np.arange(EVERY, path.duration, EVERY), path.duration)
    points = [
        {"positions": row, "velocities": speeds, "accelerations": [], "effort": [], "time_from_start": stamp(moment)}
        for moment, row, speeds in zip(
            times.tolist(), path.at(times).tolist(), path.speed_at(times).tolist(), strict=True
        )
    ]
    return {
        "header": header(time),
        "joint_names": [names.outside[name] for name in path.joints],
        "points": points,
    }


def _arrays(trajectory: JointTrajectory, here: Floats) -> tuple[Floats, Floats, Floats | None]:
    """Times, positions and speeds, beginning with where the joints stand. Shapes (n,), (n, joints), (n, joints)."""
    count = len(trajectory.joint_names)
    points = trajectory.points
    for number, point in enumerate(points):
        if len(point.positions) != count or len(point.velocities) not in (0, count):
            raise RckError(f"point {number} of the trajectory has not one position for each of {count} joints")
    times = np.array([0.0, *(point.time_from_start.seconds for point in points)])
    positions = np.array([here, *(point.positions for point in points)], dtype=float)
    moving = all(point.velocities for point in points)
    speeds = np.array([np.zeros(count), *(point.velocities for point in points)]) if moving else None
    if times[1] == 0.0:
        gap = np.abs(positions[1] - here)
        if gap.max() > SAME_PLACE:
            name = trajectory.joint_names[int(gap.argmax())]
            raise RckError(f"the trajectory begins {gap.max():.4g} away from where {name} stands; give it time to go")
        times, positions = times[1:], positions[1:]
        positions[0] = here
        speeds = None if speeds is None else speeds[1:]
    if len(times) < 2 or not (np.diff(times) > 0).all() or not np.isfinite(positions).all():
        raise RckError("the times of a trajectory rise from point to point, and its last is above zero")
    return times, positions, speeds
