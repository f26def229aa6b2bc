"""Flat drawings of a survey: curves and texts as drawn, and the closed regions with their roles."""

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.model.subitem import GREY, Colour

RegionRole = Literal["plate", "hole", "counterbore", "pocket", "sheet border", "view", "title block", "ignored"]
"""Roles of regions that users can choose. An importer may propose others, which it explains with `DrawnRegion.why`."""
REGION_ROLES: tuple[RegionRole, ...] = get_args(RegionRole)

Stroke = Literal["solid", "dashed", "dotted", "centre"]
"""Pattern of a line; `centre` alternates long and short dashes."""

CurveUse = Literal["outline", "annotation", "stray", "joint", "port", "excluded"]
"""Use of a curve: part of an outline, annotation, part of no outline, marks a joint or a port, or excluded by an
option."""


@dataclass(frozen=True, eq=False, slots=True)
class DrawnCurve:
    """Curve of a drawing."""

    points: Floats
    """Shape (N, 3), in metres; a closed curve repeats its first point."""
    layer: str = ""
    colour: Colour = GREY
    stroke: Stroke = "solid"
    use: CurveUse = "outline"


@dataclass(frozen=True, slots=True)
class DrawnText:
    """Text of a drawing."""

    text: str
    point: tuple[float, float, float]
    """Start of the first line, in metres."""
    height: float
    """Height of capital letters, in metres."""
    layer: str = ""
    colour: Colour = GREY


@dataclass(frozen=True, eq=False, slots=True)
class DrawnRegion:
    """Closed region of a drawing, with its role."""

    name: str
    """Unique in the file; stable as long as the drawing does not change."""
    role: str
    points: Floats
    """Ring in world coordinates. Shape (N, 3), in metres."""
    why: str = ""
    """Reason for the role; empty if it is obvious."""
    parent: str = ""
    """Region around it; empty for an outermost one. Regions are listed after the region around them."""
    shape: str = ""
    """Shape for display, such as `slot`; empty if it has no name."""
    size: tuple[float, float] = (0.0, 0.0)
    """Length and width in metres; the diameter twice for a round region."""
    layer: str = ""
    plane: int = 0
    """Index of its plane in `Drawing.planes`."""


@dataclass(frozen=True, eq=False, slots=True)
class Drawing:
    """Flat content of a file, as drawn, and the regions that its curves enclose."""

    curves: tuple[DrawnCurve, ...] = ()
    regions: tuple[DrawnRegion, ...] = ()
    texts: tuple[DrawnText, ...] = ()
    planes: tuple[Floats, ...] = field(default_factory=lambda: (frozen(np.eye(4)),))
    """World from plane, shape (4, 4), for each plane; it is shown from its +z side, with x to the right."""
    roles: tuple[RegionRole, ...] = ()
    """Roles that the user can choose for a region; empty if the importer does not use the recipe for that."""
