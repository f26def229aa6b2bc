"""Joint moves through via points without stopping: linear segments with parabolic blends."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.kinematics.motion.joint_move import check_duration, joint_move, too_fast, vector_of
from rck.kinematics.motion.motion_limits import MotionLimits
from rck.kinematics.motion.path import JointPath, joined, path_of, resting, stretched
from rck.support.finding import Built, RckError, errors_of

_SLOWER = 1.03
"""Factor by which a segment is slowed until it fits."""
_ROUNDS = 2000

_SAME = 1e-9
"""Via points closer than this, in radians or metres, are the same."""


def through(
    limits: MotionLimits,
    vectors: Sequence[ArrayLike],
    *,
    smoothing: float | None = None,
    duration: float | None = None,
) -> Built[JointPath]:
    """Move through joint vectors, each segment at constant velocity, with parabolic blends at the corners.

    No joint deviates at a corner by more than `smoothing`, in radians or metres; by default, the acceleration limits
    determine the deviation; with 0, the joints stop there. Segments are slowed until all limits are met; a `duration`,
    in seconds, that is shorter than that is extended, with a warning.
    """
    check_duration(duration)
    stops = [vector_of(limits, vector) for vector in vectors]
    if not stops or (smoothing is not None and smoothing < 0):
        raise RckError("via points need at least one joint vector, and a blend radius that is not negative")
    findings = tuple(finding for stop in stops[1:] for finding in limits.outside(stop))
    if errors_of(findings):
        return Built(None, findings)
    distinct = stops[:1]
    for stop in stops[1:]:
        if np.abs(stop - distinct[-1]).max(initial=0.0) > _SAME:
            distinct.append(stop)
    if len(distinct) == 1:
        return Built(resting(limits.joints, distinct[0]))
    if smoothing == 0:
        path = joined([joint_move(limits, a, b).unwrap() for a, b in pairwise(distinct)])
    else:
        segments = np.diff(np.array(distinct), axis=0)
        seconds = _slow_enough(limits, segments, np.inf if smoothing is None else smoothing)
        path = _with_parabolas(limits, distinct[0], segments, seconds)
    if duration is None:
        return Built(path)
    if duration < path.duration:
        return Built(path, (too_fast("via points", duration, path.duration),))
    return Built(stretched(path, duration / path.duration))


def _slow_enough(limits: MotionLimits, segments: Floats, smoothing: float) -> Floats:
    """Return the duration of each segment for which its blends fit, in seconds. Shape (segments,)."""
    seconds: Floats = (np.abs(segments) / limits.speeds).max(axis=1)
    for _ in range(_ROUNDS):
        changes = _speed_changes(segments, seconds)
        blends = _blend_times(limits, changes)
        # At its corner, a parabola deviates by an eighth of the change of velocity times its duration.
        wide = (np.abs(changes) * blends[:, None] / 8).max(axis=1) > smoothing
        wide[[0, -1]] = False
        crowded = (blends[:-1] + blends[1:]) / 2 > seconds
        slow = crowded | wide[:-1] | wide[1:]
        if not slow.any():
            break
        seconds = np.where(slow, _SLOWER * seconds, seconds)
    return seconds


def _speed_changes(segments: Floats, seconds: Floats) -> Floats:
    """Return the changes of velocity at the start, at each corner and at the end. Shape (segments + 1, joints)."""
    rest = np.zeros((1, segments.shape[1]))
    return np.diff(np.concatenate([rest, segments / seconds[:, None], rest]), axis=0)


def _blend_times(limits: MotionLimits, changes: Floats) -> Floats:
    times: Floats = (np.abs(changes) / limits.accelerations).max(axis=1)
    return times


def _with_parabolas(limits: MotionLimits, start: Floats, segments: Floats, seconds: Floats) -> JointPath:
    speeds = segments / seconds[:, None]
    blends = _blend_times(limits, _speed_changes(segments, seconds))
    before = np.zeros(len(start))
    here, times, pieces = start, [0.0], []
    for number in range(len(segments) + 1):
        after = speeds[number] if number < len(segments) else np.zeros(len(start))
        blend = blends[number]
        if blend > 0:
            pieces.append([here, blend * before, blend * (after - before) / 2])
            times.append(times[-1] + blend)
            here = here + blend * (before + after) / 2
        if number < len(segments):
            even = seconds[number] - (blend + blends[number + 1]) / 2
            pieces.append([here, even * after])
            times.append(times[-1] + even)
            here = here + even * after
        before = after
    return path_of(limits.joints, times, pieces)
