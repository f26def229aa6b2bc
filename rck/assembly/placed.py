"""Bodies in the world: under their instance's name, hung up by the item that they are fastened by, at their pose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Literal

import numpy as np

from rck.assembly.pieces import Body
from rck.assembly.rerooted import rerooted
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import invert
from rck.model import Device, Frame, Item, Joint, Robot
from rck.model.item import place_items
from rck.model.renamed import scoped


@dataclass(frozen=True, eq=False, slots=True)
class PlacedPort:
    """A port of an instance in the compiled robot."""

    end: str
    """`instance.port`."""
    item: str
    pose: Floats
    """Item from port. Shape (4, 4)."""
    kind: str
    gender: Literal["male", "female"] | None
    mate: int | None = None
    """The mate that uses it; None while it is free."""

    def world_pose(self, robot: Robot) -> Floats:
        """World from port, with the robot as it stands. Shape (4, 4)."""
        pose: Floats = robot.item(self.item).pose @ self.pose
        return pose


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    """A body under the name of an instance, in its own frame."""

    body: Body
    root: str
    """The item that it is fastened by."""
    items: tuple[Item, ...]
    joints: tuple[Joint, ...]
    item_poses: Floats
    """Part from item, of each item. Shape (items, 4, 4)."""
    axes: Floats
    """Start and end of each joint's axis. Shape (2 * joints, 3)."""
    frames: tuple[Frame, ...]
    devices: tuple[Device, ...]
    ports: tuple[PlacedPort, ...]
    fastened: tuple[str, ...]
    """The items that a mate holds: the root, then those that nothing joins to it, loose ones left out."""


@dataclass(frozen=True, eq=False, slots=True)
class Placed:
    """A body at its pose, which is kept as bytes because they are compared at once."""

    named: Named
    pose_bytes: bytes
    items: tuple[Item, ...]
    joints: tuple[Joint, ...]


def name_body(name: str, body: Body, root: str) -> Named:
    """The body under an instance's name, its tree hung up at an item."""
    robot = rerooted(body.robot, root)
    full = scoped(robot, name)
    for item, named in zip(robot.items, full.items, strict=True):
        # The mass of a body is worked out once, wherever it stands.
        named.__dict__["mass_properties"] = item.mass_properties
    loose_ends = [full.items[number] for number in robot.tree.roots]
    others = [item.name for item in loose_ends if item.name != f"{name}/{root}" and not item.mobile]
    return Named(
        body,
        root,
        full.items,
        full.joints,
        frozen(np.array([item.pose for item in full.items])),
        frozen(np.array([point for joint in full.joints for point in (joint.start, joint.end)]).reshape(-1, 3)),
        full.frames,
        full.devices,
        tuple(_ports(name, body)),
        (f"{name}/{root}", *others),
    )


def _ports(name: str, body: Body) -> list[PlacedPort]:
    part_from_item: Mapping[str, Floats] = {item.name: item.pose for item in body.robot.items}
    return [
        PlacedPort(
            f"{name}.{port.name}",
            f"{name}/{port.item}",
            frozen(invert(part_from_item[port.item]) @ port.pose),
            port.kind,
            port.gender,
        )
        for port in body.ports.values()
    ]


def place(bodies: Sequence[tuple[Named, Floats]]) -> list[Placed]:
    """Each body at its pose, world from part, shape (4, 4); all in one go, for there may be a thousand."""
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
        Placed(
            named,
            pose.tobytes(),
            tuple(islice(items, len(named.items))),
            tuple(with_axis(joint, next(moved), next(moved)) for joint in named.joints),
        )
        for named, pose in bodies
    ]


def with_axis(joint: Joint, start: Sequence[float], end: Sequence[float]) -> Joint:
    """The joint with its axis somewhere else; a fixed one has none."""
    if not joint.kind.moves:
        return joint
    (x0, y0, z0), (x1, y1, z1) = start, end
    return replace(joint, start=(x0, y0, z0), end=(x1, y1, z1))
