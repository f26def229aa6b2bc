"""Link trees: a robot as a tree of rigid bodies, as simulators describe it.

A link is an item, or several of one rigid group, in the frame of the first. The axis of its joint need not pass through
the origin of that frame: `ExportLink.anchor` is the offset. All joints are at zero, regardless of `Joint.position`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.geometry.transforms import invert
from rck.model.device import Device
from rck.model.frame import IDENTITY, Frame
from rck.model.item import Item
from rck.model.joint import Joint, Mimic, motion
from rck.model.robot import Robot
from rck.model.tree import RigidGroup
from rck.model.world import split
from rck.support.names import legal_name, legal_names, unique_names

_ON_AXIS = 1e-9
"""The largest distance of a link's origin from an axis that passes through it, in metres."""
_ORIGIN = frozen(np.zeros(3))


class Merge(Enum):
    """The items that become one link."""

    NONE = "none"
    """Every item is a link."""
    WEIGHTLESS = "weightless"
    """The items of a rigid group become one link if one has no mass, for formats in which every body has a mass."""
    MOVING_WEIGHTLESS = "moving-weightless"
    """The same as `WEIGHTLESS`, but only for groups that move: what stands still needs no mass."""
    FIXED = "fixed"
    """The items of every rigid group become one link."""


@dataclass(frozen=True, eq=False)
class PlacedItem:
    """An item on a link."""

    number: int
    """Index in `Robot.items`."""
    item: Item
    pose: Floats
    """Link from item. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class PlacedFrame:
    """A frame on a link."""

    name: str
    """Legal, and different from the names of all links."""
    joint_name: str
    """The name of its fixed joint, for formats in which a frame is a link."""
    frame: Frame
    pose: Floats
    """Link from frame. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class PlacedDevice:
    """A sensor or gripper on a link."""

    name: str
    """Legal, and different from the names of all links and frames."""
    joint_name: str
    """The name of its fixed joint, for formats in which a frame is a link."""
    device: Device
    pose: Floats
    """Link from device, with the axes of :class:`rck.model.DeviceKind`. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class ExportLink:
    """A rigid body of the tree."""

    name: str
    """Legal in every format; see :func:`rck.support.names.legal_name`."""
    parent: int | None
    """The number of the parent link; None for a root."""
    joint: Joint | None
    """The joint to the parent. None for a root, and for a link that is fixed to the first link that a joint moves."""
    joint_name: str
    """The legal name of the joint to the parent; for a root, of a joint to the world."""
    pose: Floats
    """Parent from link, or world from link for a root, with the joint at zero. Shape (4, 4)."""
    axis: Floats
    """Direction of the joint axis in the link's frame; z for a fixed joint. Shape (3,)."""
    anchor: Floats
    """The point of a rotation axis nearest to the link's origin, in its frame; zero for other joints. Shape (3,)."""
    items: tuple[PlacedItem, ...]
    frames: tuple[PlacedFrame, ...]
    devices: tuple[PlacedDevice, ...]
    group: int
    """The index of its rigid group in `Tree.rigid_groups`."""
    floats: bool
    """True for a root that is free to move in the world."""

    @property
    def mover(self) -> Joint | None:
        """The joint that moves it relative to its parent; None if it is fixed."""
        return self.joint if self.joint is not None and self.joint.kind.moves else None

    @property
    def mimic(self) -> Mimic | None:
        """The joint that its joint mimics, if any."""
        return None if self.joint is None else self.joint.mimic

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The mass properties of its items together, in the link's frame."""
        return combine(moved(placed.item.mass_properties, placed.pose) for placed in self.items)


@dataclass(frozen=True, eq=False)
class LinkTree:
    """The links of a robot. Build one with :func:`link_tree`."""

    robot: Robot
    name: str
    """The legal name of the robot."""
    links: tuple[ExportLink, ...]
    """Parents come before their children."""

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The numbers of the links without a parent."""
        return tuple(number for number, link in enumerate(self.links) if link.parent is None)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the children of each link."""
        found: list[list[int]] = [[] for _ in self.links]
        for number, link in enumerate(self.links):
            if link.parent is not None:
                found[link.parent].append(number)
        return tuple(map(tuple, found))

    @cached_property
    def joint_names(self) -> Mapping[str, str]:
        """The legal name of each joint of the robot that is not merged into a link."""
        return {link.joint.name: link.joint_name for link in self.links if link.joint is not None}

    @cached_property
    def link_of_item(self) -> Mapping[str, tuple[int, Floats]]:
        """The number of the link that has each item, and link from item, shape (4, 4)."""
        return {
            placed.item.name: (number, placed.pose) for number, link in enumerate(self.links) for placed in link.items
        }

    @cached_property
    def world_from_link(self) -> tuple[Floats, ...]:
        """The pose of each link with every joint at zero. Shapes (4, 4)."""
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
    """Return the link tree of a robot.

    Names are unique among links, frames and devices, and among joints; with `one_namespace`, among all of them. No name
    in `taken` is used; `identifiers` is as in :func:`legal_names`.
    """
    drafts = list(_drafts(robot, merge))
    names = _assign_names(robot, drafts, taken, identifiers, one_namespace)
    link_of_item = {item: number for number, draft in enumerate(drafts) for item in draft.items}
    frames_on, devices_on = (
        _group_by_link((link_of_item[robot.item_index[one.item]] for one in places), len(drafts))
        for places in (robot.frames, robot.devices)
    )
    world_from_link = [robot.items[draft.items[0]].pose for draft in drafts]
    links = []
    for number, draft in enumerate(drafts):
        here = world_from_link[number]
        joint = None if draft.joint is None else robot.joints[draft.joint]
        parent = None if draft.parent is None else link_of_item[draft.parent]
        parent_from_world = IDENTITY if parent is None else invert(world_from_link[parent])
        link = ExportLink(
            name=names.links[number],
            parent=parent,
            joint=joint,
            joint_name=names.joints[number],
            pose=frozen(parent_from_world @ _at_zero(joint, here)),
            axis=_axis(joint, here),
            anchor=_anchor(joint, here),
            items=tuple(_placed_item(robot, item, here) for item in draft.items),
            frames=tuple(_placed_frame(robot, which, here, names) for which in frames_on[number]),
            devices=tuple(_placed_device(robot, which, here, names) for which in devices_on[number]),
            group=draft.group,
            floats=parent is None and robot.items[draft.items[0]].mobile,
        )
        links.append(link)
    return LinkTree(robot, legal_name(robot.name, identifiers=identifiers), tuple(links))


def _group_by_link(links: Iterable[int], count: int) -> list[list[int]]:
    """Return for each link the numbers of the things on it."""
    found: list[list[int]] = [[] for _ in range(count)]
    for number, link in enumerate(links):
        found[link].append(number)
    return found


@dataclass(frozen=True, eq=False)
class LinkModel:
    """One robot, or one loose object, of a world."""

    name: str
    """Legal, and different from the names of the other models."""
    links: tuple[int, ...]
    """Numbers of links, parents first."""
    loose: bool
    """True for a loose object, which has neither joints nor frames."""

    def roots(self, tree: LinkTree) -> Sequence[ExportLink]:
        """Return its root links; there are several if joints of different trees mimic each other."""
        return [tree.links[number] for number in self.links if tree.links[number].parent is None]


def models_of(tree: LinkTree) -> tuple[LinkModel, ...]:
    """Return the models of a world; those that a loop connects are one model.

    A single robot keeps its name; several are named after their first roots.
    """
    world = split(tree.robot)
    parts = [(robot.items, False) for robot in world.robots] + [((item,), True) for item in world.objects]
    groups = [({tree.link_of_item[item.name][0] for item in items}, loose) for items, loose in parts]
    for loop in tree.robot.loops:
        ends = {tree.link_of_item[item][0] for item in loop.items}
        joined = [group for group in groups if ends & group[0]]
        if len(joined) > 1:
            groups[groups.index(joined[0])] = (set().union(*(links for links, _ in joined)), False)
            groups = [group for group in groups if group not in joined[1:]]
    return tuple(
        LinkModel(tree.name if len(groups) == 1 else tree.links[min(links)].name, tuple(sorted(links)), loose)
        for links, loose in groups
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A link before it is built: indices of items and joints."""

    items: tuple[int, ...]
    """The first gives the link its name and its frame."""
    joint: int | None
    parent: int | None
    """The item that it is joined to."""
    group: int


def _drafts(robot: Robot, merge: Merge) -> Iterator[_Draft]:
    """Yield the drafts of links, parents first."""
    tree = robot.tree
    weightless = (Merge.WEIGHTLESS, Merge.MOVING_WEIGHTLESS)
    for number, group in enumerate(tree.rigid_groups):
        if merge is Merge.FIXED or (merge in weightless and _has_weightless(robot, group, merge)):
            base = None if group.joint is None else robot.item_index[robot.joints[group.joint].base]
            yield _Draft(group.items, group.joint, base, number)
            continue
        for item in group.items:
            joint, parent = tree.joint_of_item[item], tree.parent_of_item[item]
            if joint is not None and item != tree.moves[joint][0]:
                # In most formats a joint moves one link: the other items are fixed to the first.
                parent = group.items[0] if robot.joints[joint].kind.moves else parent
                joint = None
            yield _Draft((item,), joint, parent, number)


def _has_weightless(robot: Robot, group: RigidGroup, merge: Merge) -> bool:
    moves = group.joint is not None or any(robot.items[item].mobile for item in group.items)
    return (moves or merge is Merge.WEIGHTLESS) and any(robot.items[item].mass <= 0.0 for item in group.items)


def _at_zero(joint: Joint | None, world_from_link: Floats) -> Floats:
    """Return the pose of a link after its own joint, and no other, has moved to zero. Shape (4, 4)."""
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
    # The product with an inverse would move the first item by its rounding error.
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


def _source_or_legal(
    names: Sequence[str], source_names: Sequence[str], taken: Sequence[str], identifiers: bool
) -> list[str]:
    """Return the name of each element in the file that it comes from, otherwise a legal name.

    Elements with the same name in different instances have the name of the instance as prefix. Identifiers are made
    of the same names.
    """
    count = Counter(source_names)
    scoped = [
        source if not source or count[source] == 1 else legal_name("/".join([*name.split("/")[:-1], source]))
        for name, source in zip(names, source_names, strict=True)
    ]
    count = Counter(scoped)
    kept = [name if name and count[name] == 1 and name not in taken else "" for name in scoped]
    given = [source or name for name, source in zip(names, kept, strict=True)]
    wanted = [
        source if source and not identifiers else legal_name(source or name, identifiers=identifiers)
        for name, source in zip(names, kept, strict=True)
    ]
    return unique_names(given, wanted, "_", taken)


def _unlike(source_names: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the names in files, empty where they are among the others, which have priority."""
    known = set(others)
    return ["" if name in known else name for name in source_names]


def _assign_names(
    robot: Robot, drafts: Sequence[_Draft], taken: Sequence[str], identifiers: bool, one_namespace: bool
) -> _Names:
    heads = [robot.items[draft.items[0]] for draft in drafts]
    leads = [item.name for item in heads]
    frames = [frame.name for frame in robot.frames]
    of_links = [item.source_name for item in heads]
    of_frames = _unlike((frame.source_name for frame in robot.frames), of_links)
    bodies = _source_or_legal([*leads, *frames], [*of_links, *of_frames], taken, identifiers)
    joints = [
        f"{lead}/{'to-world' if draft.parent is None else 'fixed'}"
        if draft.joint is None
        else robot.joints[draft.joint].name
        for draft, lead in zip(drafts, leads, strict=True)
    ]
    fixed = [f"{frame.source_name or frame.name}/fixed" for frame in robot.frames]
    used = [*taken, *bodies] if one_namespace else taken
    in_source = ["" if draft.joint is None else robot.joints[draft.joint].source_name for draft in drafts]
    joint_names = _source_or_legal([*joints, *fixed], [*in_source, *("" for _ in fixed)], used, identifiers)
    # Last, so that the links of a robot have the same names with and without devices.
    named = [device.name for device in robot.devices]
    taken_by_bodies = [*taken, *bodies, *(joint_names if one_namespace else ())]
    of_devices = [device.source_name for device in robot.devices]
    devices = _source_or_legal(named, of_devices, taken_by_bodies, identifiers)
    device_joints = legal_names(
        [f"{device.source_name or device.name}/fixed" for device in robot.devices],
        taken=[*used, *joint_names, *(devices if one_namespace else ())],
        identifiers=identifiers,
    )
    count = len(drafts)
    return _Names(bodies[:count], bodies[count:], joint_names[:count], joint_names[count:], devices, device_joints)
