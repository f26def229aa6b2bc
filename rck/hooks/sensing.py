"""What sensors and grippers are told of the world, and where they sit."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.model.pose import IDENTITY
from rck.model.robot import Robot


@dataclass(frozen=True, eq=False, slots=True)
class Mount:
    """Where a sensor or gripper sits."""

    name: str
    item: str
    """The item that it is part of."""
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """Item from device, with the axes that `rck.model.DeviceKind` gives its kind. Shape (4, 4)."""
    joints: tuple[str, ...] = ()
    """The joints that it closes by, or whose position it tells."""


@dataclass(frozen=True, eq=False, slots=True)
class Echo:
    """What rays meet first."""

    distances: Floats
    """In metres; infinite where nothing is met. Shape (rays,)."""
    items: NDArray[np.int64]
    """The numbers of the items, or -1. Shape (rays,)."""
    normals: Floats
    """Outward, of length one; zero where nothing is met. Shape (rays, 3)."""


@dataclass(frozen=True, eq=False, slots=True)
class Press:
    """Two items that press on each other, at one point."""

    items: tuple[str, str]
    point: Floats
    """In the world. Shape (3,), in metres."""
    force: Floats
    """On the second item, along the axes of the world; the first feels the opposite. Shape (3,), in N."""


class StopDemand(IntEnum):
    """What a sensor for safety asks of the robots, as its channel `stop` says it."""

    NOTHING = 0
    WARN = 1
    """Nothing is held: others may look at it."""
    HOLD = 2
    """All motion stands still for as long as this is asked for, and then goes on."""
    EMERGENCY = 3
    """All motion stands still until somebody reinitialises; what was under way is given up."""


class Surroundings(Protocol):
    """The world at one moment."""

    @property
    def robot(self) -> Robot:
        """All robots and objects as they were at the start: names, shapes, joints."""

    @property
    def time(self) -> float:
        """In seconds."""

    @property
    def vector(self) -> Floats:
        """The positions of the free joints. Shape (free joints,), in radians and metres."""

    @property
    def poses(self) -> Floats:
        """World from item, now. Shape (items, 4, 4)."""

    @property
    def velocities(self) -> Floats:
        """Velocity of each item, linear over angular, along the axes of the world. Shape (items, 6), in m/s and rad/s.

        The linear part is that of the item's origin; `rck.geometry.rates.rates_at` gives that of other points.
        """

    @property
    def accelerations(self) -> Floats:
        """Acceleration of each item, as `velocities`. Shape (items, 6), in m/s2 and rad/s2.

        It comes from the motion under way, or from the physics engine. Where a velocity jumps, as at both ends of an
        even motion, the jump itself is left out.
        """

    @property
    def held(self) -> Mapping[str, str]:
        """The items that hands hold, each with the item of the hand that it is fastened to."""

    @property
    def gravity(self) -> Floats:
        """How everything would fall. Shape (3,), in m/s2."""

    @property
    def presses(self) -> Sequence[Press] | None:
        """What presses on what, and how hard; None where nothing has weight, which is so without physics."""

    def touching(self) -> Collection[tuple[str, str]]:
        """The pairs of items that touch, hands and what they hold included."""

    def distance(self, one: str, other: str) -> float:
        """How far apart two items are, in metres; minus the depth where they overlap."""

    def cast(self, origins: Floats, directions: Floats, farthest: float, unseen: Collection[str] = ()) -> Echo:
        """What rays, shape (rays, 3) each, meet within `farthest` metres, items that are `unseen` left out."""


def world_from(world: Surroundings, mount: Mount) -> Floats:
    """Where a device is, with its axes. Shape (4, 4)."""
    pose: Floats = world.poses[world.robot.item_index[mount.item]] @ mount.pose
    return pose
