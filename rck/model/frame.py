"""Frames: named places on items, such as the tool centre point."""

from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.model.finding import Built
from rck.model.names import name_findings
from rck.model.pose import IDENTITY, build_pose


@dataclass(frozen=True, eq=False)
class Frame:
    """A named coordinate frame that is fixed to an item. Build one with :func:`build_frame`."""

    name: str
    item: str
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """Item from frame. Shape (4, 4)."""
    tool: bool = field(default=False, kw_only=True)
    """Whether it is a tool of the assembly, the point that its arm is meant to work with."""


def build_frame(name: str, item: str, pose: ArrayLike = IDENTITY, tool: bool = False) -> Built[Frame]:
    """A frame, or the findings that say why it is none."""
    where = f"frame {name}"
    item_from_frame = build_pose(pose, where)
    findings = (*name_findings(name, where), *item_from_frame.findings)
    if findings or item_from_frame.value is None:
        return Built(None, findings)
    return Built(Frame(name, item, item_from_frame.value, tool=tool))
