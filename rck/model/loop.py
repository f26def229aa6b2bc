"""Loops: constraints that close kinematic chains, which the tree of joints cannot express."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from rck.geometry.arrays import Floats
from rck.model.extensions import Extensions, no_extensions
from rck.model.frame import IDENTITY, build_pose
from rck.support.finding import Finding
from rck.support.names import name_findings


class LoopKind(str, Enum):
    """The constraint of a loop on its two frames; each frame is the pose of an item times that of the loop."""

    CONNECT = "connect"
    """The origins of the two frames coincide, as in a ball joint."""
    WELD = "weld"
    """The two frames coincide."""
    REVOLUTE = "revolute"
    """The origins and the z axes coincide."""
    PRISMATIC = "prismatic"
    """The frames coincide, except for a translation along z."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A constraint between two items that are already connected through the tree."""

    name: str
    kind: LoopKind
    items: tuple[str, str]
    poses: tuple[Floats, Floats] = field(default_factory=lambda: (IDENTITY, IDENTITY))
    """Item from frame, for each of the two items. Shapes (4, 4)."""
    extensions: Extensions = field(default_factory=no_extensions)


def loop_findings(loop: Loop) -> Iterator[Finding]:
    """Yield the errors in the values of a loop."""
    where = f"loop {loop.name}"
    yield from name_findings(loop.name, where)
    for pose in loop.poses:
        yield from build_pose(pose, where).findings
