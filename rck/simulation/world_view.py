"""The world of a simulation, as sensors and grippers see it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from rck.collision.pairs import ordered
from rck.geometry.arrays import Floats, Ints, frozen
from rck.hooks import PhysicsWorld
from rck.hooks.surroundings import Echo, Press
from rck.model.robot import Robot
from rck.rendering.posed_robot import PosedRobot
from rck.simulation.contacts import ContactChecker
from rck.simulation.kinematic_state import KinematicState
from rck.simulation.object_motion import GRAVITY
from rck.simulation.rays import Rays

_GRAVITY = frozen(np.array([0.0, 0.0, -GRAVITY]))


class WorldView:
    """The world at one time. It is valid until the next step."""

    def __init__(
        self,
        kinematics: KinematicState,
        contacts: ContactChecker,
        rays: Rays,
        time: float,
        rates: Callable[[], tuple[Floats, Floats]],
        forces: PhysicsWorld | None = None,
    ) -> None:
        self._contacts = contacts
        self._rays = rays
        self._read_rates = rates if forces is None else lambda: (forces.velocities, forces.accelerations)
        self.robot: Robot = kinematics.robot
        self.time = time
        self.vector: Floats = kinematics.vector if forces is None else forces.positions
        self.poses: Floats = kinematics.poses if forces is None else forces.poses
        self.gravity: Floats = _GRAVITY if forces is None else forces.gravity
        self.presses: Sequence[Press] | None = None if forces is None else forces.presses
        items = kinematics.robot.items
        self.held: Mapping[str, str] = {
            items[item].name: items[hold.item].name
            for hold in kinematics.holds
            for item in kinematics.objects[hold.object].items
        }

    @property
    def velocities(self) -> Floats:
        """Velocities or accelerations of all items. Shape (items, 6)."""
        return self._rates[0]

    @property
    def accelerations(self) -> Floats:
        """Velocities or accelerations of all items. Shape (items, 6)."""
        return self._rates[1]

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        return self._read_rates()

    def touching(self) -> Collection[tuple[str, str]]:
        """Return the pairs of items in contact, including grippers and what they hold."""
        return self._touching

    @cached_property
    def _touching(self) -> frozenset[tuple[str, str]]:
        items = self.robot.items
        index = self.robot.item_index
        if self.presses is not None:
            names = {*(press.items for press in self.presses), *self.held.items()}
            return frozenset((a, b) if index[a] < index[b] else (b, a) for a, b in names)
        pairs = {*self._contacts.touching(), *(ordered(index[one], index[other]) for one, other in self.held.items())}
        return frozenset((items[a].name, items[b].name) for a, b in pairs)

    def distance(self, one: str, other: str) -> float:
        """Return the distance of two items, in metres; negative if they overlap."""
        index = self.robot.item_index
        return self._contacts.distance(index[one], index[other], self.poses)

    def cast(self, origins: Floats, directions: Floats, farthest: float, unseen: Collection[str] = ()) -> Echo:
        """Return the first hits of rays, shape (rays, 3) each, within `farthest` metres; `unseen` items are ignored."""
        hidden = [self.robot.item_index[name] for name in unseen]
        met = self._rays.cast(self.figure, origins, directions, farthest, hidden)
        table: Ints = np.append(self._rays.shapes.arrays.solids.item_of_subitem, -1)
        return Echo(met.distance, table[met.subitem], met.normal)

    @cached_property
    def figure(self) -> PosedRobot:
        """The posed solids, for rendering."""
        return PosedRobot(self._rays.shapes, self.poses)
