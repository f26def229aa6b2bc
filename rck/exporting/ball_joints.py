"""Ball joints: three hinges in series in the model, which importers mark with the name of the joint in the file."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rck.exporting.link_tree import ExportLink, LinkTree
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, combine
from rck.model import Joint

_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class BallJoint:
    """Three hinges that a format with ball joints writes as one."""

    name: str
    """The name in the source file."""
    links: tuple[int, int, int]
    """The numbers of the links that the hinges move; the last one is the link that the ball joint moves."""
    pose: Floats
    """Pose of the last link on the parent of the first one, with the joint at zero. Shape (4, 4)."""
    centre: Floats
    """The centre in the frame of the last link. Shape (3,)."""
    mass_properties: MassProperties
    """The mass properties of the three links together, in the frame of the last one."""


def ball_of(joint: Joint) -> str:
    """Return the name of the ball joint that a hinge is a part of; empty if it is none."""
    return next((data["ball"] for data in joint.extensions.values() if data.get("ball")), "")


def ball_joints(tree: LinkTree) -> Iterator[BallJoint]:
    """Yield the ball joints of a tree whose hinges still meet at right angles in one point."""
    for number, link in enumerate(tree.links):
        if link.mover is None or not ball_of(link.mover) or link.mover.source_name != f"{ball_of(link.mover)}-x":
            continue
        chain = [number]
        while len(chain) < 3 and len(tree.children[chain[-1]]) == 1 and _is_plain(tree.links[chain[-1]]):
            chain.append(tree.children[chain[-1]][0])
        links = [tree.links[one] for one in chain]
        if len(chain) == 3 and _is_ball(links):
            first, second, last = links
            pose = first.pose @ second.pose @ last.pose
            # Each hinge states its place up to its axis.
            centre = sum((np.eye(3) - np.outer(one.axis, one.axis)) @ one.anchor for one in links) / 2
            mass = combine(one.mass_properties for one in links)
            yield BallJoint(ball_of(link.mover), (number, chain[1], chain[2]), pose, np.asarray(centre), mass)


def _is_plain(link: ExportLink) -> bool:
    return not (link.frames or link.devices or any(one.item.subitems or one.item.visuals for one in link.items))


def _is_ball(links: list[ExportLink]) -> bool:
    """Return True if three links are at one place, and their hinges meet at right angles without limits."""
    joints = [link.mover for link in links if link.mover is not None]
    if len(joints) < 3 or len({ball_of(joint) for joint in joints}) > 1:
        return False
    free = all(joint.kind.turns and joint.limits is None and not joint.mimic for joint in joints)
    together = all(np.allclose(link.pose, np.eye(4), atol=_SAME) for link in links[1:])
    axes = np.array([link.axis for link in links])
    return free and together and np.allclose(axes @ axes.T, np.eye(3), atol=_SAME)
