"""Survey of a file: its contents and the proposals of the importer, shown to the user before the import."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.polyhedron import Polyhedron
from rck.hooks.drawing import Drawing
from rck.model.joint import Joint
from rck.model.part_definition import Port
from rck.model.subitem import GREY, Colour
from rck.model.visual import Visual
from rck.support.finding import Finding
from rck.support.job import Job


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
    visuals: tuple[Visual, ...] = ()
    """Surfaces in world coordinates that are displayed instead of the pieces; empty to display the pieces."""
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
    fix: str = ""
    """Remedy if it cannot be used."""
    option: str = ""
    """Option of the importer that has to be set so that it can be used; empty if there is none."""
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Options by the label of an answer, one of which makes it usable; empty if the user has to type a value."""
    region: str = ""
    """Region of the drawing that outlines it; empty if it was not made of one."""

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


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """Doubt of an importer that the user settles before the import."""

    text: str
    answers: Mapping[str, Mapping[str, str]]
    """Options by the label of the answer."""


@dataclass(frozen=True, eq=False)
class Survey:
    """Contents of a file, with a proposal for each."""

    pieces: tuple[SurveyPart, ...] = ()
    joints: tuple[ProposedJoint, ...] = ()
    ports: tuple[Port, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: str = ""
    """One line for display."""
    drawing: Drawing | None = None
    """Flat content of the file, as drawn; None if it has none."""
    length_unit: str = ""
    """Unit in which lengths of the file were read; empty if the format has a fixed unit."""
    question: SurveyQuestion | None = None
    revise: Callable[[Mapping[str, Any], Job], "Survey"] | None = None
    """Returns the survey with other option values or another recipe, without reading the file again. None: it has to
    be read again."""
