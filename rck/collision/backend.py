"""The results of collision backends, and the protocol of those that measure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from rck.geometry.arrays import Floats, Point
from rck.hooks import Plugins
from rck.hooks.kinds import CollisionBackend, CollisionScene

DEFAULT = "hulls"
"""The name of the default backend."""


def backend_named(plugins: Plugins, name: str = DEFAULT) -> CollisionBackend:
    """Return the backend of that name; raise :class:`RckError` if it is unknown or a requirement is missing."""
    return plugins.choose(name, plugins.all(CollisionBackend), "collision backend")


@dataclass(frozen=True, slots=True)
class Contact:
    """Two subitems in contact."""

    items: tuple[str, str]
    subitems: tuple[int, int]
    """Index of each in its item."""
    point: Point
    """Midpoint between the deepest points of the two, in the world, in metres."""
    normal: Point
    """Unit vector from the first to the second: the shortest way to separate them."""
    depth: float
    """Distance that the second must move along the normal to end the contact, in metres."""


@dataclass(frozen=True, slots=True)
class Clearance:
    """The distance between two items."""

    items: tuple[str, str]
    subitems: tuple[int, int]
    """The two nearest subitems: index of each in its item."""
    distance: float
    """In metres; minus the depth if they overlap."""
    points: tuple[Point, Point]
    """The nearest points of the first and of the second, in the world, in metres."""


@dataclass(frozen=True, slots=True)
class FirstContact:
    """The first contact of a motion."""

    items: tuple[str, str]
    subitems: tuple[int, int]
    share: float
    """Fraction of the motion, 0 to 1. There is no contact there yet, unless there was one at the start."""
    vector: Floats
    """The joint vector there. Shape (free joints,)."""


@runtime_checkable
class MeasuringScene(CollisionScene, Protocol):
    """A scene that also measures depths and distances."""

    def contacts(self, vector: Floats) -> Sequence[Contact]:
        """Return every pair of subitems in contact, with the free joints at the positions in `vector`."""

    def clearances(self, vector: Floats, limit: float) -> Sequence[Clearance]:
        """Return the pairs of items at most `limit` apart, in metres, in the order of the robot's items."""
