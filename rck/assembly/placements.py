"""Bodies of instances in the world: renamed, rerooted at the item that is attached, and placed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Literal

import numpy as np

from rck.assembly.definitions import InstanceBody
from rck.assembly.reroot import rerooted
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import invert
from rck.model import Item, Joint, Robot
from rck.model.interface import Interface
from rck.model.item import place_items
from rck.model.robot import add_scope
from rck.support.frozen_copy import copy_with


@dataclass(frozen=True, eq=False, slots=True)
class PlacedPort:
    """A port of an instance in the compiled robot."""

    end: str
    """`instance.port`."""
    item: str
    pose: Floats
    """Item from port. Shape (4, 4)."""
    type: str
    gender: Literal["male", "female"] | None
    interface: Interface | None = None
    mate: int | None = None
    """Index of the mate that uses it; None if it is free."""

    def world_pose(self, robot: Robot) -> Floats:
        """Return the pose of the port in the world. Shape (4, 4)."""
        pose: Floats = robot.item(self.item).pose @ self.pose
        return pose


@dataclass(frozen=True, eq=False, slots=True)
class NamedBody:
    """A body whose names have the scope of an instance, in the frame of the part."""

    body: InstanceBody
    root: str
    """The item that is attached."""
    items: tuple[Item, ...]
    joints: tuple[Joint, ...]
    item_poses: Floats
    """Part from item, of each item. Shape (items, 4, 4)."""
    axes: Floats
    """Start and end of each joint's axis. Shape (2 * joints, 3)."""
    robot: Robot
    """The body with the scope of the instance, in the frame of the part."""
    ports: tuple[PlacedPort, ...]
    fastened: tuple[str, ...]
    """The items that a mate holds: the root, then items without a joint to it, except loose ones."""


@dataclass(frozen=True, eq=False, slots=True)
class PlacedInstance:
    """A body at its pose; the pose is stored as bytes, which are fast to compare."""

    named: NamedBody
    pose_bytes: bytes
    items: tuple[Item, ...]
    joints: tuple[Joint, ...]


def name_body(name: str, body: InstanceBody, root: str) -> NamedBody:
    """Return the body with the scope of an instance, rerooted at an item."""
    robot = rerooted(body.robot, root)
    full = add_scope(robot, name)
    # Compute the mass of each item once for all instances of the body.
    items = tuple(
        copy_with(named, mass_properties=item.mass_properties)
        for item, named in zip(robot.items, full.items, strict=True)
    )
    loose_ends = [items[number] for number in robot.tree.roots]
    others = [item.name for item in loose_ends if item.name != f"{name}/{root}" and not item.mobile]
    return NamedBody(
        body,
        root,
        items,
        full.joints,
        frozen(np.array([item.pose for item in items])),
        frozen(np.array([point for joint in full.joints for point in (joint.start, joint.end)]).reshape(-1, 3)),
        full,
        tuple(_ports(name, body)),
        (f"{name}/{root}", *others),
    )


def _ports(name: str, body: InstanceBody) -> list[PlacedPort]:
    item_from_part: Mapping[str, Floats] = {item.name: invert(item.pose) for item in body.robot.items}
    return [
        PlacedPort(
            f"{name}.{port.name}",
            f"{name}/{port.item}",
            frozen(item_from_part[port.item] @ port.pose),
            port.type,
            port.gender,
            port.interface,
        )
        for port in body.ports.values()
    ]


def place(bodies: Sequence[tuple[NamedBody, Floats]]) -> list[PlacedInstance]:
    """Place each body at its pose, world from part, shape (4, 4); vectorised over all bodies."""
    if not bodies:
        return []
    world_from_part = np.array([pose for _, pose in bodies])
    of_item = np.repeat(np.arange(len(bodies)), [len(named.items) for named, _ in bodies])
    inner = np.concatenate([named.item_poses for named, _ in bodies])
    items = iter(place_items(chain.from_iterable(named.items for named, _ in bodies), world_from_part[of_item] @ inner))
    of_point = np.repeat(np.arange(len(bodies)), [len(named.axes) for named, _ in bodies])
    points = np.concatenate([named.axes for named, _ in bodies])
    turned = np.einsum("nij,nj->ni", world_from_part[of_point, :3, :3], points)
    moved = iter((turned + world_from_part[of_point, :3, 3]).tolist())
    return [
        PlacedInstance(
            named,
            pose.tobytes(),
            tuple(islice(items, len(named.items))),
            tuple(with_axis(joint, next(moved), next(moved)) for joint in named.joints),
        )
        for named, pose in bodies
    ]


def with_axis(joint: Joint, start: Sequence[float], end: Sequence[float]) -> Joint:
    """Return the joint with another axis; a fixed joint is returned unchanged."""
    if not joint.kind.moves:
        return joint
    (x0, y0, z0), (x1, y1, z1) = start, end
    return replace(joint, start=(x0, y0, z0), end=(x1, y1, z1))
