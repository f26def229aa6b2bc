"""The shapes that an overlay adds to the 3D views. Positions are in the world, in metres."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Ints, Point

Rgb: TypeAlias = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

LARGEST = 1e6
"""Largest coordinate in metres: drawing computes with squares."""


@dataclass(frozen=True, eq=False, slots=True)
class OverlayPoints:
    """Points."""

    positions: Floats
    """Shape (points, 3)."""
    colour: Rgb
    size: float = 0.0
    """Diameter in metres; at least one or two pixels are drawn."""


@dataclass(frozen=True, eq=False, slots=True)
class OverlayLines:
    """Straight lines."""

    ends: Floats
    """Shape (lines, 2, 3)."""
    colour: Rgb
    width: float = 1.5
    """Width in pixels."""
    hidden: float = 0.3
    """Opacity behind solids, 0 to 1."""


@dataclass(frozen=True, eq=False, slots=True)
class OverlayMesh:
    """A surface of triangles; it is drawn transparent, and not in wireframes."""

    vertices: Floats
    """Shape (vertices, 3)."""
    triangles: Ints
    """Indices of vertices, anticlockwise as seen from outside. Shape (triangles, 3)."""
    colour: Rgb
    opacity: float = 0.5


@dataclass(frozen=True, slots=True)
class OverlayText:
    """A text at a point."""

    text: str
    at: Point


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A line of the legend below the view."""

    colour: Rgb
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class OverlayShapes:
    """Everything that an overlay draws."""

    points: tuple[OverlayPoints, ...] = ()
    lines: tuple[OverlayLines, ...] = ()
    meshes: tuple[OverlayMesh, ...] = ()
    texts: tuple[OverlayText, ...] = ()
    item_colours: Mapping[str, Rgb] = field(default_factory=dict)
    """Colours of items, by name."""
    legend: tuple[LegendEntry, ...] = ()


def check_shapes(shapes: OverlayShapes) -> None:
    """Raise :class:`ValueError` if an array or a colour has a wrong shape or value."""
    for points in shapes.points:
        _check_array(points.positions, (3,), "points")
    for lines in shapes.lines:
        _check_array(lines.ends, (2, 3), "lines")
    for mesh in shapes.meshes:
        _check_array(mesh.vertices, (3,), "vertices of the mesh")
        triangles = np.asarray(mesh.triangles)
        if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu" or not triangles.size:
            raise ValueError(f"triangles of the mesh have the shape {triangles.shape}, not (triangles, 3) of integers")
        if not 0 <= triangles.min() <= triangles.max() < len(mesh.vertices):
            raise ValueError(f"a triangle of the mesh names a vertex that is not among the {len(mesh.vertices)}")
    for text in shapes.texts:
        _check_array([text.at], (3,), "positions of texts")
    colours = [one.colour for group in (shapes.points, shapes.lines, shapes.meshes, shapes.legend) for one in group]
    for colour in (*colours, *shapes.item_colours.values()):
        if len(colour) != 3 or not all(0 <= value <= 255 for value in colour):
            raise ValueError(f"the colour {colour!r} is not three numbers from 0 to 255")


def _check_array(values: ArrayLike, row: tuple[int, ...], what: str) -> None:
    array = np.array(values, dtype=float)
    if array.size and array.shape[1:] != row:
        raise ValueError(f"{what} have the shape {array.shape}, not (n, {', '.join(map(str, row))})")
    if not (np.isfinite(array).all() and np.abs(array).max(initial=0.0) <= LARGEST):
        raise ValueError(f"{what} have coordinates that are not numbers below {LARGEST:g} m")
