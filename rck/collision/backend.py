"""What every collision back end answers, and in which words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from rck.geometry.arrays import Floats, Point
from rck.hooks import Plugins
from rck.hooks.choosing import choose
from rck.hooks.kinds import CollisionBackend, CollisionScene

DEFAULT = "hulls"
"""The name of the back end that RCK uses unless another is asked for."""


def backend_named(plugins: Plugins, name: str = DEFAULT) -> CollisionBackend:
    """The back end of that name; :class:`RckError` where there is none, or where what it needs is missing."""
    return choose(name, plugins.all(CollisionBackend), "collision back end", plugins)


@dataclass(frozen=True, slots=True)
class Contact:
    """Two subitems that touch."""

    items: tuple[str, str]
    subitems: tuple[int, int]
    """Where each stands in its item."""
    point: Point
    """In the world, in metres: half way between the deepest points of the two."""
    normal: Point
    """Unit vector from the first to the second: the shortest way out for the second."""
    depth: float
    """How far the second must go along the normal to be free, in metres."""


@dataclass(frozen=True, slots=True)
class Clearance:
    """How far apart two items are."""

    items: tuple[str, str]
    subitems: tuple[int, int]
    """The two that are nearest to each other: where each stands in its item."""
    distance: float
    """In metres; minus the depth where they overlap."""
    points: tuple[Point, Point]
    """The nearest points of the first and of the second, in the world, in metres."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where a motion first brings two items together."""

    items: tuple[str, str]
    subitems: tuple[int, int]
    share: float
    """Of the way, 0 to 1. There nothing touches yet, unless it did at the start."""
    vector: Floats
    """The joint vector there. Shape (free joints,)."""


@runtime_checkable
class MeasuringScene(CollisionScene, Protocol):
    """A scene of a back end that also knows how deep and how far."""

    def contacts(self, vector: Floats) -> Sequence[Contact]:
        """Every pair of subitems that touch, with the free joints at the positions in `vector`."""

    def clearances(self, vector: Floats, limit: float) -> Sequence[Clearance]:
        """Every pair of items that is no farther apart than `limit`, in metres, in the order of the robot's items."""
