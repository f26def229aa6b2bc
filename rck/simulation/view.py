"""The world of a stage as sensors and grippers are shown it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from rck.collision.pairs import ordered
from rck.geometry.arrays import Floats, Ints, frozen
from rck.hooks import PhysicsWorld
from rck.hooks.sensing import Echo, Press
from rck.model.robot import Robot
from rck.render.figure import Figure
from rck.simulation.falling import GRAVITY
from rck.simulation.meeting import Contacts
from rck.simulation.rays import Rays
from rck.simulation.stage import Stage

_GRAVITY = frozen(np.array([0.0, 0.0, -GRAVITY]))


class View:
    """One moment. It keeps the poses of that moment; ask it before the stage moves on."""

    def __init__(
        self,
        stage: Stage,
        contacts: Contacts,
        rays: Rays,
        time: float,
        rates: Callable[[], tuple[Floats, Floats]],
        forces: PhysicsWorld | None = None,
    ) -> None:
        self._contacts = contacts
        self._rays = rays
        self._read_rates = rates if forces is None else lambda: (forces.velocities, forces.accelerations)
        self.robot: Robot = stage.robot
        self.time = time
        self.vector: Floats = stage.vector if forces is None else forces.positions
        self.poses: Floats = stage.poses if forces is None else forces.poses
        self.gravity: Floats = _GRAVITY if forces is None else forces.gravity
        self.presses: Sequence[Press] | None = None if forces is None else forces.presses
        items = stage.robot.items
        self.held: Mapping[str, str] = {
            items[item].name: items[hold.item].name for hold in stage.holds for item in stage.objects[hold.object].items
        }

    @property
    def velocities(self) -> Floats:
        """Of all items. Shape (items, 6)."""
        return self._rates[0]

    @property
    def accelerations(self) -> Floats:
        """Of all items. Shape (items, 6)."""
        return self._rates[1]

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        return self._read_rates()

    def touching(self) -> Collection[tuple[str, str]]:
        """The pairs of items that touch, hands and what they hold included."""
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
        """How far apart two items are, in metres; minus the depth where they overlap."""
        index = self.robot.item_index
        return self._contacts.distance(index[one], index[other], self.poses)

    def cast(self, origins: Floats, directions: Floats, farthest: float, unseen: Collection[str] = ()) -> Echo:
        """What rays, shape (rays, 3) each, meet within `farthest` metres, items that are `unseen` left out."""
        hidden = [self.robot.item_index[name] for name in unseen]
        met = self._rays.cast(self.figure, origins, directions, farthest, hidden)
        table: Ints = np.append(self._rays.shapes.arrays.solids.item_of_subitem, -1)
        return Echo(met.distance, table[met.subitem], met.normal)

    @cached_property
    def figure(self) -> Figure:
        """The solids where they are, to be looked at."""
        return Figure(self._rays.shapes, self.poses)
