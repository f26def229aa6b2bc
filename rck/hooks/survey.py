"""What an importer found in a file and what it would make of it: shown to the user before anything is decided."""

from dataclasses import dataclass, field

import numpy as np

from rck.geometry.arrays import Floats, Point, frozen
from rck.geometry.polyhedron import Polyhedron
from rck.model.finding import Finding
from rck.model.frame import Frame
from rck.model.joint import JointKind, Limits
from rck.model.subitem import GREY, Colour


@dataclass(frozen=True, eq=False)
class PortFrame(Frame):
    """A place on an item where other parts can be fastened; its z axis points out of the item."""

    kind: str = "any"
    """The mechanical interface, as part manifests name it."""
    note: str = ""
    """Why it is not on the surface, where it is not."""


@dataclass(frozen=True, eq=False)
class FoundPiece:
    """A solid, or something that should be one, that the file holds."""

    name: str
    """Unique in the file, and the same again as long as the drawing stays the same."""
    content: str
    """What it was drawn as, for people: `plate`, `solid`, `axis`."""
    layer: str = ""
    block: str = ""
    """The block that it was inserted as; empty where the format has none, or it is in none."""
    colour: Colour = GREY
    shapes: tuple[Polyhedron, ...] = ()
    """Convex pieces in the world, for the preview."""
    volume: float = 0.0
    """Of the true solid, in m3."""
    low: Floats = field(default_factory=lambda: frozen(np.zeros(3)))
    """The least x, y and z. Shape (3,), in metres."""
    high: Floats = field(default_factory=lambda: frozen(np.zeros(3)))
    """The greatest x, y and z. Shape (3,), in metres."""
    item: str = ""
    """The item that it is proposed for; empty if for none."""
    refused: str = ""
    """Why it cannot be used; empty if it can."""

    @property
    def size(self) -> Floats:
        """Along x, y and z. Shape (3,), in metres."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class ProposedJoint:
    """A joint that the file seems to mean."""

    name: str
    kind: JointKind
    start: Point
    """The axis, in the world, in metres."""
    end: Point
    piece: str = ""
    """The piece that it comes from; empty for a line."""
    base: str = ""
    """The item that stays; empty where that could not be found out."""
    moves: tuple[str, ...] = ()
    limits: Limits | None = None
    """In radians or metres."""
    doubt: str = ""
    """Why the proposal is none yet: what the user has to say."""


@dataclass(frozen=True, eq=False)
class Survey:
    """Everything that was found, with a proposal for each thing."""

    pieces: tuple[FoundPiece, ...] = ()
    joints: tuple[ProposedJoint, ...] = ()
    ports: tuple[PortFrame, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: str = ""
    """One line for people."""
