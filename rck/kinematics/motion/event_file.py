"""A trajectory as a list of events: changes of single joints between two times."""

from math import ceil, degrees, radians

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.motion.path import JointPath
from rck.model.joint_events import EventList, JointEvent
from rck.model.robot import Robot

TOLERANCE = radians(0.05)
"""Default deviation of a joint from its path, in radians or metres."""


def event_list(
    path: JointPath, robot: Robot, *, tolerance: float = TOLERANCE, unit: float = 1.0, begin: int = 0
) -> EventList:
    """Return events that move the joints of a robot along the path, within `tolerance`.

    Rotations are in degrees, translations in `unit` metres. Times are in hundredths of a second, starting at `begin`.
    """
    last = max(ceil(100 * path.duration - 1e-6), 0)
    ticks = path.at(np.arange(last + 1) / 100.0)
    drafts = []
    for column, name in enumerate(path.joints):
        joint = robot.joint(name)
        number = robot.joint_index[name]
        for start, finish in _straight_spans(ticks[:, column], tolerance):
            change = float(ticks[finish, column] - ticks[start, column])
            if change:
                action = degrees(change) if joint.kind.turns else change / unit
                drafts.append((begin + start, begin + finish, number, action))
    drafts.sort()
    return EventList(
        tuple(
            JointEvent(number, joint, action, start, finish)
            for number, (start, finish, joint, action) in enumerate(drafts)
        )
    )


def _straight_spans(values: Floats, tolerance: float) -> list[tuple[int, int]]:
    """Split a row, at the largest deviation, into spans that are straight within the tolerance."""
    spans, waiting = [], [(0, len(values) - 1)]
    while waiting:
        start, finish = waiting.pop()
        if finish <= start:
            continue
        straight = np.linspace(values[start], values[finish], finish - start + 1)
        off = np.abs(values[start : finish + 1] - straight)
        worst = start + int(np.argmax(off))
        if off.max() <= tolerance:
            spans.append((start, finish))
        else:
            waiting += [(worst, finish), (start, worst)]
    return spans
