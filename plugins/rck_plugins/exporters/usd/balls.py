"""Ball joints: RCK holds each as three hinges in series, with a mark."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rck.exporting import ExportLink, LinkTree
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, combine
from rck.model import Joint
from rck_plugins.exporters.usd.kept import MJCF

_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball joint: the hinges of three links at one place, of which only the last has shapes."""

    title: str
    links: tuple[int, int, int]
    hinges: tuple[Joint, Joint, Joint]
    pose: Floats
    """Parent from the last link, with the hinges at zero. Shape (4, 4)."""
    anchor: Floats
    """Its centre, in the frame of the last link. Shape (3,)."""
    mass: MassProperties
    """The mass properties of the three links together."""


def balls_of(tree: LinkTree) -> Iterator[Ball]:
    """Yield the ball joints of a robot."""
    used = {one.joint for one in tree.robot.actuators if "ball" not in one.extensions.get(MJCF, {})}
    used |= {name for tendon in tree.robot.tendons for name, _ in tendon.joints}
    for last, link in enumerate(tree.links):
        second = link.parent
        first = None if second is None else tree.links[second].parent
        if first is None or second is None or tree.links[first].parent is None:
            continue
        numbers = (first, second, last)
        links = [tree.links[number] for number in numbers]
        names = {_ball(one) for one in links}
        hinges = [one.mover for one in links if one.mover is not None]
        if len(names) > 1 or names == {""} or len(hinges) < 3 or used & {joint.name for joint in hinges}:
            continue
        if _is_ball(links) and all(_is_empty(tree, number) for number in numbers[:2]):
            mass = combine(one.mass_properties for one in links)
            yield Ball(names.pop(), numbers, (hinges[0], hinges[1], hinges[2]), links[0].pose, links[0].anchor, mass)


def _ball(link: ExportLink) -> str:
    return "" if link.mover is None else link.mover.extensions.get(MJCF, {}).get("ball", "")


def _is_ball(links: list[ExportLink]) -> bool:
    """Return True if the hinges turn about x, y and z of one frame, through one point."""
    axes = np.array([link.axis for link in links])
    anchors = np.array([link.anchor for link in links])
    poses = np.array([link.pose for link in links[1:]])
    return (
        np.allclose(axes, np.eye(3), atol=_SAME)
        and np.allclose(anchors, anchors[0], atol=_SAME)
        and np.allclose(poses, np.eye(4), atol=_SAME)
        and len({(one.mover.damping, one.mover.stiffness, one.mover.mimic) for one in links if one.mover}) == 1
    )


def _is_empty(tree: LinkTree, number: int) -> bool:
    """Return True if a link only adds a joint to its one child."""
    link = tree.links[number]
    (placed, *others) = link.items
    has_shapes = placed.item.subitems or placed.item.visuals
    return not (has_shapes or others or link.frames or link.devices) and len(tree.children[number]) == 1
