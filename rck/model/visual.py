"""Visuals: surfaces that are displayed, with their materials."""

from dataclasses import dataclass, field, replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mesh import Mesh, flipped, transformed
from rck.model.extensions import Extensions, no_extensions
from rck.model.primitive import Primitive, map_primitive
from rck.model.subitem import GREY, Colour


@dataclass(frozen=True, eq=False)
class Texture:
    """An image on a surface."""

    name: str
    """The file name, with the extension `.png` or `.jpg`."""
    content: bytes
    """The image file."""


@dataclass(frozen=True, eq=False)
class Visual:
    """A surface that is displayed. It may be open or concave: collision and mass do not use it."""

    surface: Mesh
    """In the item's frame, in metres."""
    colour: Colour = GREY
    name: str = ""
    primitive: Primitive | None = None
    """The primitive that the surface shows, if it is one."""
    texture: Texture | None = None
    """Multiplied by the colour."""
    texture_points: Floats | None = None
    """The point of the image at each corner of `surface.face_vertices`, from 0 at the left and the bottom to 1.
    Shape (corners, 2)."""
    roughness: float | None = None
    """From 0, a mirror, to 1, matt; None if unknown."""
    metallic: float | None = None
    """From 0, an insulator, to 1, a metal; None if unknown."""
    material: str = ""
    """The name of the material in the file that it comes from."""
    extensions: Extensions = field(default_factory=no_extensions)


def map_visual(visual: Visual, matrix: Floats, colour: Colour | None = None) -> Visual:
    """Apply an affine map to a visual, and paint it in another colour if one is given."""
    points = visual.texture_points
    if points is not None and np.linalg.det(matrix[:3, :3]) < 0:
        # The faces of a mirrored surface run the other way round.
        points = points[flipped(visual.surface.face_offsets, np.arange(len(points)))]
    return replace(
        visual,
        surface=transformed(visual.surface, matrix),
        colour=colour or visual.colour,
        primitive=visual.primitive and map_primitive(visual.primitive, matrix),
        texture=visual.texture if colour is None else None,
        texture_points=points,
    )
