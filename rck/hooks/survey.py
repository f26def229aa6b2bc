"""Survey of a file: its contents and the proposals of the importer, shown to the user before the import."""

from dataclasses import dataclass, field

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.polyhedron import Polyhedron
from rck.model.joint import Joint
from rck.model.part_definition import Port
from rck.model.subitem import GREY, Colour
from rck.support.finding import Finding


@dataclass(frozen=True, eq=False)
class SurveyPart:
    """Solid, or candidate for one, in the file."""

    name: str
    """Unique in the file; stable as long as the drawing does not change."""
    content: str
    """Type of the drawn entity, for display: `plate`, `solid`, `axis`."""
    layer: str = ""
    block: str = ""
    """Block that contains it; empty if none does."""
    colour: Colour = GREY
    shapes: tuple[Polyhedron, ...] = ()
    """Convex pieces in world coordinates, for the preview."""
    volume: float = 0.0
    """Volume of the exact solid, in m3."""
    low: Floats = field(default_factory=lambda: frozen(np.zeros(3)))
    """Minimum x, y and z. Shape (3,), in metres."""
    high: Floats = field(default_factory=lambda: frozen(np.zeros(3)))
    """Maximum x, y and z. Shape (3,), in metres."""
    item: str = ""
    """Proposed item; may be empty."""
    refused: str = ""
    """The reason why it cannot be used; empty if it can."""

    @property
    def size(self) -> Floats:
        """Extent along x, y and z. Shape (3,), in metres."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class ProposedJoint(Joint):
    """Joint that the file suggests; `base` and `moves` are empty if they are unknown."""

    entity: str = ""
    """Entity that defines it; empty for a line."""
    doubt: str = ""
    """Question that the user must answer before the joint can be created."""


@dataclass(frozen=True, eq=False)
class Survey:
    """Contents of a file, with a proposal for each."""

    pieces: tuple[SurveyPart, ...] = ()
    joints: tuple[ProposedJoint, ...] = ()
    ports: tuple[Port, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: str = ""
    """One line for display."""
