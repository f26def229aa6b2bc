"""Teaching: poses that a user moved a robot to, as motions from one to the next."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.kinematics.motion import joint_move, motion_limits
from rck.model.finding import Built
from rck.model.robot import Robot
from rck.simulation.events import Event, FollowPath, MoveJoint


def motions_between(
    robot: Robot, start: ArrayLike, vectors: Sequence[ArrayLike], after: Iterable[Event] = ()
) -> Built[tuple[Event, ...]]:
    """Motions of all free joints from `start` through joint vectors, after what events `after` do with them."""
    limits = motion_limits(robot)
    names = [joint.name for joint in robot.free_joints]
    here: Floats = np.array(start, dtype=float)
    time = 0.0
    for event in after:
        if isinstance(event, MoveJoint):
            here[names.index(event.joint)] += event.change
        elif isinstance(event, FollowPath):
            here[[names.index(name) for name in event.path.joints]] += event.path.end - event.path.start
        time = max(time, event.finish if isinstance(event, MoveJoint | FollowPath) else event.start)
    events: list[Event] = []
    for vector in vectors:
        built = joint_move(limits, here, vector)
        if built.value is None:
            return Built(None, built.findings)
        if built.value.duration > 0:
            events.append(FollowPath(built.value, time))
        time += built.value.duration
        here = np.array(vector, dtype=float)
    return Built(tuple(events))
