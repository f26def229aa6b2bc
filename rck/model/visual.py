"""Visuals: how an item looks, where that is not how it collides."""

from dataclasses import dataclass, replace

from rck.geometry.arrays import Floats
from rck.geometry.mesh import Mesh, transformed
from rck.model.subitem import GREY, Colour


@dataclass(frozen=True, eq=False)
class Visual:
    """A surface to look at. It may be open, bent and as fine as it likes: nothing touches or weighs it."""

    surface: Mesh
    """In the item's frame, in metres."""
    colour: Colour = GREY
    name: str = ""


def move_visual(visual: Visual, matrix: Floats) -> Visual:
    """The visual under an affine map."""
    return replace(visual, surface=transformed(visual.surface, matrix))
