"""Frames: named places on items, such as the tool centre point."""

from dataclasses import dataclass, field

from rck.geometry.arrays import Floats
from rck.model.item import IDENTITY


@dataclass(frozen=True, eq=False)
class Frame:
    """A named coordinate frame that is fixed to an item."""

    name: str
    item: str
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """Item from frame. Shape (4, 4)."""
