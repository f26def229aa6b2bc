"""What each joint must hold against gravity when nothing moves."""

from collections.abc import Mapping

import numpy as np

from rck.geometry.transforms import apply
from rck.model import JointKind, Robot

GRAVITY = (0.0, 0.0, -9.80665)
"""In m/s2, standard gravity, z up."""


def static_efforts(robot: Robot) -> Mapping[str, float]:
    """The effort, in N m or N, that holds each movable joint of the robot as it stands.

    Positive efforts push towards larger positions. Followers are listed too, each for what it carries itself.
    """
    pull = np.array(GRAVITY)
    masses = np.array([item.mass for item in robot.items])
    centres = np.array([apply(item.pose, item.mass_properties.centre) for item in robot.items])
    efforts = {}
    for number, joint in enumerate(robot.joints):
        if not joint.kind.moves:
            continue
        carried = list(robot.tree.carried_by(number))
        weight = masses[carried].sum() * pull
        if joint.kind is JointKind.PRISMATIC:
            efforts[joint.name] = float(-(weight @ joint.direction))
        else:
            arms = centres[carried] - np.asarray(joint.start)
            moment = np.cross(arms, masses[carried, None] * pull).sum(axis=0)
            efforts[joint.name] = float(-(moment @ joint.direction))
    return efforts
