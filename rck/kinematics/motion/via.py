"""Joint moves through via points without stopping: straight ways, with the corners between them smoothed."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.kinematics.motion.joint_move import check_duration, joint_move, too_fast, vector_of
from rck.kinematics.motion.limits import MotionLimits
from rck.kinematics.motion.path import Path, joined, path_of, resting, stretched
from rck.model.finding import Built, RckError, errors_of

_SLOWER = 1.03
"""What a way is slowed by until it fits."""
_ROUNDS = 2000

_SAME = 1e-9
"""Via points that are no farther apart, in radians or metres, are one."""


def through(
    limits: MotionLimits,
    vectors: Sequence[ArrayLike],
    *,
    smoothing: float | None = None,
    duration: float | None = None,
) -> Built[Path]:
    """From joint vector to joint vector, each way at its own even speed, passing the corners on parabolas.

    No joint passes a corner farther off than `smoothing`, in radians or metres; without it, as far as the
    accelerations make it; with 0, the joints stop there. Ways are slowed until all limits are kept; a `duration`, in
    seconds, that is shorter than that is stretched, with a warning.
    """
    check_duration(duration)
    stops = [vector_of(limits, vector) for vector in vectors]
    if not stops or (smoothing is not None and smoothing < 0):
        raise RckError("via points are one joint vector at least, and their smoothing is not negative")
    findings = tuple(finding for stop in stops[1:] for finding in limits.outside(stop))
    if errors_of(findings):
        return Built(None, findings)
    kept = stops[:1]
    for stop in stops[1:]:
        if np.abs(stop - kept[-1]).max(initial=0.0) > _SAME:
            kept.append(stop)
    if len(kept) == 1:
        return Built(resting(limits.joints, kept[0]))
    if smoothing == 0:
        path = joined([joint_move(limits, a, b).unwrap() for a, b in pairwise(kept)])
    else:
        ways = np.diff(np.array(kept), axis=0)
        seconds = _slow_enough(limits, ways, np.inf if smoothing is None else smoothing)
        path = _with_parabolas(limits, kept[0], ways, seconds)
    if duration is None:
        return Built(path)
    if duration < path.duration:
        return Built(path, (too_fast("via points", duration, path.duration),))
    return Built(stretched(path, duration / path.duration))


def _slow_enough(limits: MotionLimits, ways: Floats, smoothing: float) -> Floats:
    """How long each way takes, so that its two corners fit into it and pass near enough. Shape (ways,), in seconds."""
    seconds: Floats = (np.abs(ways) / limits.speeds).max(axis=1)
    for _ in range(_ROUNDS):
        changes = _speed_changes(ways, seconds)
        blends = _blend_times(limits, changes)
        # At its corner a parabola is off by an eighth of the change of speed times its duration.
        wide = (np.abs(changes) * blends[:, None] / 8).max(axis=1) > smoothing
        wide[[0, -1]] = False
        crowded = (blends[:-1] + blends[1:]) / 2 > seconds
        slow = crowded | wide[:-1] | wide[1:]
        if not slow.any():
            break
        seconds = np.where(slow, _SLOWER * seconds, seconds)
    return seconds


def _speed_changes(ways: Floats, seconds: Floats) -> Floats:
    """The changes of speed at the start, at each corner and at the end. Shape (ways + 1, joints)."""
    rest = np.zeros((1, ways.shape[1]))
    return np.diff(np.concatenate([rest, ways / seconds[:, None], rest]), axis=0)


def _blend_times(limits: MotionLimits, changes: Floats) -> Floats:
    times: Floats = (np.abs(changes) / limits.accelerations).max(axis=1)
    return times


def _with_parabolas(limits: MotionLimits, start: Floats, ways: Floats, seconds: Floats) -> Path:
    speeds = ways / seconds[:, None]
    blends = _blend_times(limits, _speed_changes(ways, seconds))
    before = np.zeros(len(start))
    here, times, pieces = start, [0.0], []
    for number in range(len(ways) + 1):
        after = speeds[number] if number < len(ways) else np.zeros(len(start))
        blend = blends[number]
        if blend > 0:
            pieces.append([here, blend * before, blend * (after - before) / 2])
            times.append(times[-1] + blend)
            here = here + blend * (before + after) / 2
        if number < len(ways):
            even = seconds[number] - (blend + blends[number + 1]) / 2
            pieces.append([here, even * after])
            times.append(times[-1] + even)
            here = here + even * after
        before = after
    return path_of(limits.joints, times, pieces)
