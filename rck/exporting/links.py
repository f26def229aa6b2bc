"""A robot as a tree of links, which is how simulators see one.

A link is an item, or several that never move against each other, in the frame of the first. The axis of its joint need
not pass through the origin of that frame: `Link.anchor` says where it is. Joints stand at zero, whatever
`Joint.position` says: formats describe a robot so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from rck.exporting.names import legal_name, legal_names
from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass import MassProperties, combine, moved
from rck.geometry.transforms import invert
from rck.model.device import Device
from rck.model.frame import Frame
from rck.model.item import Item
from rck.model.joint import Joint, Mimic, motion
from rck.model.pose import IDENTITY
from rck.model.robot import Robot
from rck.model.tree import RigidGroup

_ON_AXIS = 1e-9
"""An origin nearer to an axis than this, in metres, is on it."""
_ORIGIN = frozen(np.zeros(3))


class Merge(Enum):
    """Which items become one link."""

    NONE = "none"
    """None: every item is a link."""
    WEIGHTLESS = "weightless"
    """Those of a rigid group in which some weigh nothing, for formats that know no body without a mass."""
    FIXED = "fixed"
    """Those of every rigid group."""


@dataclass(frozen=True, eq=False)
class PlacedItem:
    """An item on a link."""

    number: int
    """Where it stands in `Robot.items`."""
    item: Item
    pose: Floats
    """Link from item. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class PlacedFrame:
    """A tool frame, or another named place, on a link."""

    name: str
    """Legal, and different from those of all links."""
    joint_name: str
    """For formats in which a frame is a link, the name of the joint that fastens it."""
    frame: Frame
    pose: Floats
    """Link from frame. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class PlacedDevice:
    """A sensor or gripper on a link."""

    name: str
    """Legal, and different from those of all links and frames."""
    joint_name: str
    """For formats in which a place is a link, the name of the joint that fastens it."""
    device: Device
    pose: Floats
    """Link from device, with the axes that :class:`rck.model.DeviceKind` tells of. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body of the tree."""

    name: str
    """Legal in every format; see :mod:`rck.exporting.names`."""
    parent: int | None
    """The number of the link that it hangs on; None where that is the world."""
    joint: Joint | None
    """What joins it to its parent. None at a root, and where it is fastened to what the same joint moves first."""
    joint_name: str
    """The legal name of whatever joins it to its parent or, at a root, could join it to the world."""
    pose: Floats
    """Parent from link, or world from link at a root, while the joint stands at zero. Shape (4, 4)."""
    axis: Floats
    """Direction of the joint's axis in the link's frame; z where it does not move. Shape (3,)."""
    anchor: Floats
    """The point of the axis nearest to the link's origin, in its frame; zero unless the joint turns. Shape (3,)."""
    items: tuple[PlacedItem, ...]
    frames: tuple[PlacedFrame, ...]
    devices: tuple[PlacedDevice, ...]
    group: int
    """The rigid group that it belongs to, of those in `Tree.rigid_groups`."""
    floats: bool
    """Whether it is a root that may be pushed along. What is fastened to a root that stands fast stands too."""

    @property
    def mover(self) -> Joint | None:
        """What moves it against its parent; None where nothing does."""
        return self.joint if self.joint is not None and self.joint.kind.moves else None

    @property
    def mimic(self) -> Mimic | None:
        """What its joint follows, if that follows another."""
        return None if self.joint is None else self.joint.mimic

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Of its items together, in the link's frame."""
        return combine(moved(placed.item.mass_properties, placed.pose) for placed in self.items)


@dataclass(frozen=True, eq=False)
class LinkTree:
    """The links of a robot. Make one with :func:`link_tree`."""

    robot: Robot
    name: str
    """The robot's, made legal."""
    links: tuple[Link, ...]
    """Each after its parent."""

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The links that hang on nothing."""
        return tuple(number for number, link in enumerate(self.links) if link.parent is None)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each link those that hang on it."""
        found: list[list[int]] = [[] for _ in self.links]
        for number, link in enumerate(self.links):
            if link.parent is not None:
                found[link.parent].append(number)
        return tuple(map(tuple, found))

    @cached_property
    def joint_names(self) -> Mapping[str, str]:
        """The legal name of each of the robot's joints that is still one."""
        return {link.joint.name: link.joint_name for link in self.links if link.joint is not None}

    @cached_property
    def world_from_link(self) -> tuple[Floats, ...]:
        """Where each link is while every joint stands at zero. Shapes (4, 4)."""
        found: list[Floats] = []
        for link in self.links:
            found.append(link.pose if link.parent is None else found[link.parent] @ link.pose)
        return tuple(found)


def link_tree(
    robot: Robot,
    *,
    merge: Merge = Merge.NONE,
    taken: Sequence[str] = (),
    identifiers: bool = False,
    one_namespace: bool = False,
) -> LinkTree:
    """The robot's tree of links.

    Links and frames have different names, and so have joints; with `one_namespace` no joint has the name of a
    link either. Nothing gets a name that is `taken`; `identifiers` as in :func:`legal_names`.
    """
    pieces = list(_pieces(robot, merge))
    names = _names(robot, pieces, taken, identifiers, one_namespace)
    link_of_item = {item: number for number, piece in enumerate(pieces) for item in piece.items}
    frames_on, devices_on = (
        _sorted_by_link((link_of_item[robot.item_index[one.item]] for one in places), len(pieces))
        for places in (robot.frames, robot.devices)
    )
    world_from_link = [robot.items[piece.items[0]].pose for piece in pieces]
    links = []
    for number, piece in enumerate(pieces):
        here = world_from_link[number]
        joint = None if piece.joint is None else robot.joints[piece.joint]
        parent = None if piece.parent is None else link_of_item[piece.parent]
        parent_from_world = IDENTITY if parent is None else invert(world_from_link[parent])
        link = Link(
            name=names.links[number],
            parent=parent,
            joint=joint,
            joint_name=names.joints[number],
            pose=frozen(parent_from_world @ _at_zero(joint, here)),
            axis=_axis(joint, here),
            anchor=_anchor(joint, here),
            items=tuple(_placed_item(robot, item, here) for item in piece.items),
            frames=tuple(_placed_frame(robot, which, here, names) for which in frames_on[number]),
            devices=tuple(_placed_device(robot, which, here, names) for which in devices_on[number]),
            group=piece.group,
            floats=parent is None and robot.items[piece.items[0]].mobile,
        )
        links.append(link)
    return LinkTree(robot, legal_name(robot.name, identifiers=identifiers), tuple(links))


def _sorted_by_link(links: Iterable[int], count: int) -> list[list[int]]:
    """For each link the numbers of those things that are on it."""
    found: list[list[int]] = [[] for _ in range(count)]
    for number, link in enumerate(links):
        found[link].append(number)
    return found


@dataclass(frozen=True, slots=True)
class _Piece:
    """What becomes one link: indices throughout."""

    items: tuple[int, ...]
    """The first gives the link its name and its frame."""
    joint: int | None
    parent: int | None
    """The item that it hangs on."""
    group: int


def _pieces(robot: Robot, merge: Merge) -> Iterator[_Piece]:
    """The links to be, each after the one that it hangs on."""
    tree = robot.tree
    for number, group in enumerate(tree.rigid_groups):
        if merge is Merge.FIXED or (merge is Merge.WEIGHTLESS and _has_weightless(robot, group)):
            base = None if group.joint is None else robot.item_index[robot.joints[group.joint].base]
            yield _Piece(group.items, group.joint, base, number)
            continue
        for item in group.items:
            joint, parent = tree.joint_of_item[item], tree.parent_of_item[item]
            if joint is not None and item != tree.moves[joint][0]:
                # A joint has one moving side in most formats: what else is on it is fastened to the first.
                parent = group.items[0] if robot.joints[joint].kind.moves else parent
                joint = None
            yield _Piece((item,), joint, parent, number)


def _has_weightless(robot: Robot, group: RigidGroup) -> bool:
    return any(robot.items[item].mass <= 0.0 for item in group.items)


def _at_zero(joint: Joint | None, world_from_link: Floats) -> Floats:
    """The frame of a link once its own joint, and no other, has gone to zero. Shape (4, 4)."""
    return world_from_link if joint is None else motion(joint, -joint.position) @ world_from_link


def _axis(joint: Joint | None, world_from_link: Floats) -> Floats:
    if joint is None or not joint.kind.moves:
        return frozen(np.array([0.0, 0.0, 1.0]))
    return frozen(joint.direction @ world_from_link[:3, :3])


def _anchor(joint: Joint | None, world_from_link: Floats) -> Floats:
    if joint is None or not joint.kind.turns:
        return _ORIGIN
    to_start = joint.start - world_from_link[:3, 3]
    across = to_start - joint.direction * (joint.direction @ to_start)
    if float(np.sqrt(across @ across)) <= _ON_AXIS:
        return _ORIGIN
    return frozen(across @ world_from_link[:3, :3])


def _placed_item(robot: Robot, number: int, world_from_link: Floats) -> PlacedItem:
    item = robot.items[number]
    # The item that gives the link its frame is not moved by the rounding of a product with an inverse.
    pose = IDENTITY if item.pose is world_from_link else frozen(invert(world_from_link) @ item.pose)
    return PlacedItem(number, item, pose)


def _placed_frame(robot: Robot, number: int, world_from_link: Floats, names: "_Names") -> PlacedFrame:
    frame = robot.frames[number]
    on_link = _placed_item(robot, robot.item_index[frame.item], world_from_link)
    return PlacedFrame(names.frames[number], names.frame_joints[number], frame, frozen(on_link.pose @ frame.pose))


def _placed_device(robot: Robot, number: int, world_from_link: Floats, names: "_Names") -> PlacedDevice:
    device = robot.devices[number]
    on_link = _placed_item(robot, robot.item_index[device.item], world_from_link)
    name, joint_name = names.devices[number], names.device_joints[number]
    return PlacedDevice(name, joint_name, device, frozen(on_link.pose @ device.pose))


@dataclass(frozen=True, slots=True)
class _Names:
    links: list[str]
    frames: list[str]
    joints: list[str]
    frame_joints: list[str]
    devices: list[str]
    device_joints: list[str]


def _names(
    robot: Robot, pieces: Sequence[_Piece], taken: Sequence[str], identifiers: bool, one_namespace: bool
) -> _Names:
    leads = [robot.items[piece.items[0]].name for piece in pieces]
    frames = [frame.name for frame in robot.frames]
    bodies = legal_names([*leads, *frames], taken=taken, identifiers=identifiers)
    joints = [
        f"{lead}/{'to-world' if piece.parent is None else 'fixed'}"
        if piece.joint is None
        else robot.joints[piece.joint].name
        for piece, lead in zip(pieces, leads, strict=True)
    ]
    fasteners = [f"{name}/fixed" for name in frames]
    used = [*taken, *bodies] if one_namespace else taken
    ties = legal_names([*joints, *fasteners], taken=used, identifiers=identifiers)
    # After all others, so that a robot's links are called the same with and without devices.
    named = [device.name for device in robot.devices]
    taken_by_bodies = [*taken, *bodies, *(ties if one_namespace else ())]
    devices = legal_names(named, taken=taken_by_bodies, identifiers=identifiers)
    device_ties = legal_names(
        [f"{name}/fixed" for name in named],
        taken=[*used, *ties, *(devices if one_namespace else ())],
        identifiers=identifiers,
    )
    count = len(pieces)
    return _Names(bodies[:count], bodies[count:], ties[:count], ties[count:], devices, device_ties)
