"""Which items of a robot touch one another, asked again and again while it moves."""

from typing import TYPE_CHECKING

import numpy as np

from rck.collision.backend import Contact
from rck.model import Robot

if TYPE_CHECKING:
    from rck.collision.scene import Scene


class Collisions:
    """Keeps what it prepared for a robot as long as only its joints move."""

    def __init__(self) -> None:
        self._scene: Scene | None = None

    def deepest_contacts(self, robot: Robot) -> tuple[Contact, ...]:
        """The deepest contact of each pair of items that touch, as the robot stands; neighbours on a joint may."""
        from rck.collision.scene import Scene

        if self._scene is None or not is_same_but_for_motion(self._scene.robot, robot):
            self._scene = Scene(robot)
        if not robot.items:
            return ()
        deepest: dict[tuple[str, str], Contact] = {}
        for contact in self._scene.contacts(np.array([item.pose for item in robot.items])):
            if contact.items not in deepest or contact.depth > deepest[contact.items].depth:
                deepest[contact.items] = contact
        return tuple(deepest.values())


def is_same_but_for_motion(one: Robot, other: Robot) -> bool:
    """Whether the items are the same, wherever they are, hang together in the same way, and may touch the same."""
    if len(one.items) != len(other.items) or len(one.joints) != len(other.joints) or one.rules != other.rules:
        return False
    return all(
        a.name == b.name and a.subitems is b.subitems for a, b in zip(one.items, other.items, strict=True)
    ) and all(
        a.name == b.name and a.kind is b.kind and a.base == b.base
        for a, b in zip(one.joints, other.joints, strict=True)
    )
