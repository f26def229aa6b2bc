"""View of the world for sensors and grippers, and their mounts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.model.frame import IDENTITY
from rck.model.robot import Robot


@dataclass(frozen=True, eq=False, slots=True)
class Mount:
    """Mount of a sensor or gripper on an item."""

    name: str
    item: str
    """Item that carries it."""
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """Item from device, with the axes of its kind as in `rck.model.DeviceKind`. Shape (4, 4)."""
    joints: tuple[str, ...] = ()
    """Joints that it closes, or whose positions it measures."""


@dataclass(frozen=True, eq=False, slots=True)
class Echo:
    """First hits of rays."""

    distances: Floats
    """In metres; infinite for rays without a hit. Shape (rays,)."""
    items: NDArray[np.int64]
    """Indices of the items, or -1. Shape (rays,)."""
    normals: Floats
    """Outward unit normals; zero for rays without a hit. Shape (rays, 3)."""


@dataclass(frozen=True, eq=False, slots=True)
class Press:
    """Contact force between two items at one point."""

    items: tuple[str, str]
    point: Floats
    """In world coordinates. Shape (3,), in metres."""
    force: Floats
    """Force on the second item in world coordinates; the first item gets the opposite. Shape (3,), in N."""


class StopDemand(IntEnum):
    """Value of the channel `stop` of a safety sensor."""

    NOTHING = 0
    WARN = 1
    """No effect on the motion."""
    HOLD = 2
    """Hold all motion but that of the intruders for as long as the sensor demands it; see :class:`SafetyReader`."""
    EMERGENCY = 3
    """Hold all motion until a reset; running motions are cancelled."""


class Surroundings(Protocol):
    """State of the world at one time."""

    @property
    def robot(self) -> Robot:
        """All robots and objects in their initial state: names, shapes, joints."""

    @property
    def time(self) -> float:
        """Simulated time, in seconds."""

    @property
    def vector(self) -> Floats:
        """Positions of the free joints. Shape (free joints,), in radians and metres."""

    @property
    def poses(self) -> Floats:
        """World from item. Shape (items, 4, 4)."""

    @property
    def velocities(self) -> Floats:
        """Velocity of each item, linear over angular, along the axes of the world. Shape (items, 6), in m/s and rad/s.

        The linear part is that of the item's origin; `rck.geometry.transforms.rates_at` gives that of other points.
        """

    @property
    def accelerations(self) -> Floats:
        """Acceleration of each item, like `velocities`. Shape (items, 6), in m/s2 and rad/s2.

        It comes from the running motion or from the physics engine. Jumps of the velocity, such as at both ends of a
        motion with constant velocity, are not included.
        """

    @property
    def held(self) -> Mapping[str, str]:
        """Held items, each with the item of the gripper that holds it."""

    @property
    def gravity(self) -> Floats:
        """Acceleration of gravity. Shape (3,), in m/s2."""

    @property
    def presses(self) -> Sequence[Press] | None:
        """Contact forces; None without a physics engine."""

    def touching(self) -> Collection[tuple[str, str]]:
        """Return the pairs of items in contact, including grippers and held items."""

    def distance(self, one: str, other: str) -> float:
        """Return the distance of two items in metres; negative, the penetration depth, if they overlap."""

    def cast(self, origins: Floats, directions: Floats, farthest: float, unseen: Collection[str] = ()) -> Echo:
        """Return the first hits of rays, shape (rays, 3) each, within `farthest` metres; ignore items in `unseen`."""


def world_from(world: Surroundings, mount: Mount) -> Floats:
    """Return the pose of a device in the world. Shape (4, 4)."""
    pose: Floats = world.poses[world.robot.item_index[mount.item]] @ mount.pose
    return pose
