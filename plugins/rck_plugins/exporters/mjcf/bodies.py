"""Bodies of MJCF: links, and chains of links that stand for one body with several joints."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.exporting import ExportLink, LinkTree
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, combine
from rck.geometry.transforms import rotation_about, translation
from rck.model import Joint
from rck.model.frame import IDENTITY
from rck_plugins.exporters.mjcf.names import data_of

_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Body:
    """A body of MJCF."""

    name: str
    links: tuple[ExportLink, ...]
    """The last one gives the frame and the shapes; those before it only add joints, at the same place."""
    parent: int | None
    pose: Floats
    """Parent from body, with the joints at their reference positions. Shape (4, 4)."""
    is_world: bool
    """True if it is the world of MuJoCo itself."""

    @property
    def movers(self) -> Iterator[tuple[ExportLink, Joint]]:
        """The joints that move it relative to its parent, each with its link."""
        return ((link, link.mover) for link in self.links if link.mover is not None)

    @property
    def floats(self) -> bool:
        """True if it is free to move in the world."""
        return self.links[0].floats

    @property
    def mass_properties(self) -> MassProperties:
        """The mass properties of its links together, in its frame."""
        if len(self.links) == 1:
            return self.links[0].mass_properties
        return combine(link.mass_properties for link in self.links)


def reference(joint: Joint) -> float:
    """Return the position of the joint in the configuration that MuJoCo calls qpos0."""
    return float(data_of(joint.extensions).get("ref", "0"))


def bodies_of(tree: LinkTree) -> tuple[list[Body], list[int]]:
    """Return the bodies, parents first, and the index of the body of each link."""
    bodies: list[Body] = []
    body_of: dict[int, int] = {}
    chain: dict[int, tuple[int, ...]] = {}
    for number, link in enumerate(tree.links):
        before = chain.pop(link.parent, ()) if link.parent is not None else ()
        numbers = (*before, number)
        if _joins_child(tree, number):
            chain[number] = numbers
            continue
        links = tuple(tree.links[one] for one in numbers)
        parent = links[0].parent
        pose = links[0].pose if links[0].mover is None else pose_at_reference(links[0])
        is_world = _is_world(links[0])
        body = Body(
            "world" if is_world else link.name, links, None if parent is None else body_of[parent], pose, is_world
        )
        body_of |= dict.fromkeys(numbers, len(bodies))
        bodies.append(body)
    order = _depth_first(bodies)
    place = {old: new for new, old in enumerate(order)}
    moved = [
        replace(bodies[old], parent=None if (above := bodies[old].parent) is None else place[above]) for old in order
    ]
    return moved, [place[body_of[number]] for number in range(len(tree.links))]


def _depth_first(bodies: Sequence[Body]) -> list[int]:
    """Return the indices of the bodies in MuJoCo's order, with the children of a body in the order of the items."""
    children: dict[int | None, list[int]] = {}
    order = [number for number, body in enumerate(bodies) if body.is_world]
    for number, body in enumerate(bodies):
        if not body.is_world:
            children.setdefault(None if body.parent in order else body.parent, []).append(number)

    def on(parent: int | None) -> list[int]:
        return sorted(children.get(parent, []), key=lambda one: -bodies[one].links[0].items[0].number)

    waiting = on(None)
    while waiting:
        order.append(waiting.pop())
        waiting += on(order[-1])
    return order


def pose_at_reference(link: ExportLink) -> Floats:
    """Return the pose of a link on its parent with its joint at its reference. Shape (4, 4)."""
    joint = link.mover
    if joint is None or not (position := reference(joint)):
        return link.pose
    if not joint.kind.turns:
        return link.pose @ translation(position * link.axis)
    return link.pose @ rotation_about(link.axis, position, link.anchor)


def _is_world(link: ExportLink) -> bool:
    marked = "world" in data_of(link.items[0].item.extensions)
    return marked and link.parent is None and not link.floats and bool(np.array_equal(link.pose, IDENTITY))


def _joins_child(tree: LinkTree, number: int) -> bool:
    """Return True if a link only adds a joint to its child, as an importer splits a body with several joints."""
    link = tree.links[number]
    children: Sequence[int] = tree.children[number]
    if "split-from" not in data_of(link.items[0].item.extensions) or link.mover is None or len(children) != 1:
        return False
    child = tree.links[children[0]]
    item = link.items[0].item
    is_plain = not (item.subitems or item.visuals or link.frames or link.devices) and len(link.items) == 1
    return is_plain and child.mover is not None and np.allclose(pose_at_reference(child), IDENTITY, atol=_SAME)
