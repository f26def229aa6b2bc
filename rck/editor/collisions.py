"""Which items of a robot touch one another, asked again and again while it moves."""

from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from rck.collision.backend import DEFAULT, Contact, MeasuringScene, backend_named
from rck.hooks import Plugins
from rck.model import Robot

if TYPE_CHECKING:
    from rck.collision.scene import Scene


class Collisions:
    """Keeps what it prepared for a robot as long as only its joints move."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._scene: Scene | None = None

    def deepest_contacts(self, robot: Robot, backend: str = DEFAULT) -> tuple[Contact, ...]:
        """The deepest contact of each pair of items that touch, as the robot stands; neighbours on a joint may.

        Of a back end that cannot measure, the depths are not numbers.
        """
        if not robot.items:
            return ()
        contacts = self._own(robot) if backend == DEFAULT else self._found_by(backend, robot)
        deepest: dict[tuple[str, str], Contact] = {}
        for contact in contacts:
            if contact.items not in deepest or contact.depth > deepest[contact.items].depth:
                deepest[contact.items] = contact
        return tuple(deepest.values())

    def _own(self, robot: Robot) -> Sequence[Contact]:
        from rck.collision.scene import Scene

        if self._scene is None or not is_same_but_for_motion(self._scene.robot, robot):
            self._scene = Scene(robot)
        return self._scene.contacts(np.array([item.pose for item in robot.items]))

    def _found_by(self, backend: str, robot: Robot) -> Sequence[Contact]:
        """Back ends know joints only: whatever else has moved, the robot is made ready anew."""
        scene = backend_named(self._plugins, backend).make(robot, ())
        if isinstance(scene, MeasuringScene):
            return scene.contacts(robot.positions)
        nowhere = (0.0, 0.0, 0.0)
        return [Contact((a, b), (0, 0), nowhere, nowhere, nan) for a, b in scene.touching(robot.positions)]


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
