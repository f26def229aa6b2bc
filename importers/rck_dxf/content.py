"""What a drawing is made of, freed of the file format: shapes with a layer, a colour and the block they came in."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.mesh import Mesh, offsets_of, transformed
from rck.geometry.transforms import apply
from rck.model.subitem import Colour
from rck_dxf.curves import Curve


class Style(NamedTuple):
    """What an entity says about its look; layers and blocks complete it."""

    layer: str
    aci: int = 256
    """AutoCAD colour index; 256 is the layer's colour, 0 the block's."""
    true_colour: int | None = None
    """Red, green and blue, a byte each; counts before the index."""
    linetype: str = "BYLAYER"
    opacity: float = 1.0


class Look(NamedTuple):
    """How an entity looks in the end."""

    layer: str
    colour: Colour
    linetype: str
    block: str = ""
    """The block that it was inserted as, the outermost of several; each insert has a name of its own."""


@dataclass(frozen=True, eq=False)
class FaceHeap:
    """Polygons that may close to solids: those of one mesh, or all the loose ones of a layer."""

    mesh: Mesh
    """No two polygons share a vertex."""
    styles: tuple[Style, ...]
    style_of_face: Ints
    """Which of the styles each polygon has."""

    def moved(self, matrix: Floats) -> "FaceHeap":
        """Under an affine map."""
        return FaceHeap(transformed(self.mesh, matrix), self.styles, self.style_of_face)


def one_style(mesh: Mesh, style: Style) -> FaceHeap:
    """A heap whose polygons all look the same."""
    return FaceHeap(mesh, (style,), np.zeros(len(mesh.face_offsets) - 1, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Spot:
    """A point, and the direction that it looks."""

    point: Floats
    normal: Floats

    def moved(self, matrix: Floats) -> "Spot":
        """Under an affine map."""
        return Spot(apply(matrix, self.point), matrix[:3, :3] @ self.normal)


@dataclass(frozen=True, eq=False)
class Place:
    """Where a block was inserted that means a place."""

    matrix: Floats
    """World from block. Shape (4, 4)."""
    kind: str = ""
    """What the block's attribute KIND says."""

    def moved(self, matrix: Floats) -> "Place":
        """Under an affine map."""
        return Place(matrix @ self.matrix, self.kind)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something solid that cannot be read."""

    why: str
    fix: str

    def moved(self, matrix: Floats) -> "Refusal":
        """It is nowhere."""
        return self


@dataclass(frozen=True, eq=False)
class Reference:
    """Blocks put into the drawing, once for each matrix."""

    block: str
    matrices: Floats
    """Container from block. Shape (N, 4, 4)."""
    kind: str = ""

    def moved(self, matrix: Floats) -> "Reference":
        """Under an affine map."""
        return Reference(self.block, matrix @ self.matrices, self.kind)


Shape = FaceHeap | Curve | Spot | Place | Refusal

FARTHEST = 1e6
"""Metres from the origin; beyond that there are no robots, and numbers lose their digits."""


def reach(shape: Shape) -> float:
    """How far from the origin the shape goes at most; not a number where it has none."""
    if isinstance(shape, FaceHeap):
        return float(np.abs(shape.mesh.vertices).max())
    if isinstance(shape, Curve):
        return shape.reach
    if isinstance(shape, Spot):
        return float(np.abs(shape.point).max())
    return float(np.abs(shape.matrix).max()) if isinstance(shape, Place) else 0.0


@dataclass(frozen=True, eq=False)
class Drawn:
    """An entity in the coordinates of its container: the drawing, or a block."""

    entity: str
    """Its type, as DXF names it."""
    handle: str
    style: Style
    shape: Shape | Reference


@dataclass(frozen=True, eq=False)
class Placed:
    """An entity in the world, in metres."""

    entity: str
    handle: str
    look: Look
    shape: Shape
    looks: tuple[Look, ...] = ()
    """Of a heap of faces: the look for each of its styles."""


@dataclass(frozen=True, eq=False)
class LooseFaces:
    """3DFACEs of one container."""

    corners: Floats
    """A triangle repeats its last corner. Shape (F, 4, 3)."""
    styles: tuple[Style, ...]
    style_of_face: Ints
    """Which of the styles each face has. Shape (F,)."""
    place: Ints
    """Which of the container's faces each is, in the order of the file. Shape (F,)."""


def in_order(first: LooseFaces, second: LooseFaces) -> LooseFaces:
    """Two lots of faces of one container as one; the second lot was numbered without the first."""
    total = len(first.place) + int(second.place.max(initial=-1)) + 1
    free = np.setdiff1d(np.arange(max(total, int(first.place.max(initial=-1)) + 1)), first.place)
    place = np.concatenate([first.place, free[second.place]])
    order = np.argsort(place, kind="stable")
    corners = np.concatenate([first.corners, second.corners])
    style = np.concatenate([first.style_of_face, second.style_of_face + len(first.styles)])
    return LooseFaces(corners[order], first.styles + second.styles, style[order], place[order])


def heaps_of(faces: LooseFaces) -> Iterator[Drawn]:
    """The faces as one heap for each layer, in the order of first faces."""
    used, first_face = np.unique(faces.style_of_face, return_index=True)
    styles = tuple(dict.fromkeys(faces.styles[number] for number in used[np.argsort(first_face)].tolist()))
    number = {style: k for k, style in enumerate(styles)}
    renumbered = np.array([number.get(style, -1) for style in faces.styles], dtype=np.int64)
    style_of_face = renumbered[faces.style_of_face]
    corners = faces.corners
    layers: dict[str, int] = {}
    layer_of_style = np.array([layers.setdefault(style.layer, len(layers)) for style in styles], dtype=np.int64)
    for layer, layer_number in layers.items():
        chosen = np.flatnonzero(layer_of_style[style_of_face] == layer_number)
        finite = np.isfinite(corners[chosen]).all(axis=(1, 2))
        if not finite.all():
            why = f"a coordinate of {int((~finite).sum())} faces is not a finite number"
            yield Drawn("3DFACE", "", Style(layer), Refusal(why, "erase them in the drawing"))
        chosen = chosen[finite]
        if not len(chosen):
            continue
        four = corners[chosen]
        keep = np.ones((len(four), 4), dtype=bool)
        keep[:, 3] = (four[:, 3] != four[:, 2]).any(axis=1)
        offsets = offsets_of(keep.sum(axis=1))
        mesh = Mesh(four[keep], offsets, np.arange(offsets[-1]))
        yield Drawn("3DFACE", "", Style(layer), FaceHeap(mesh, styles, style_of_face[chosen]))


@dataclass(frozen=True, eq=False)
class Content:
    """Everything in a drawing that may be solid, and what was left out."""

    placed: tuple[Placed, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    """How many entities were not looked at, by the reason for it."""
