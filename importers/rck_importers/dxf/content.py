"""Contents of a drawing, independent of the file format: shapes with a layer, a colour and a block."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.brep.topology import Lump, extreme_points
from rck.geometry.mesh import Mesh, offsets_of, transformed
from rck.geometry.transforms import apply
from rck.model.subitem import Colour
from rck_importers.dxf.curves import DrawingCurve


class Style(NamedTuple):
    """Style attributes of an entity, before they are resolved by layer and block."""

    layer: str
    aci: int = 256
    """AutoCAD colour index; 256 is the layer's colour, 0 the block's."""
    true_colour: int | None = None
    """Red, green and blue, one byte each; takes precedence over the index."""
    linetype: str = "BYLAYER"
    opacity: float = 1.0


class Look(NamedTuple):
    """Resolved look of an entity."""

    layer: str
    colour: Colour
    linetype: str
    block: str = ""
    """Unique name of its insert, the outermost one of nested blocks; empty outside of blocks."""


@dataclass(frozen=True, eq=False)
class FaceHeap:
    """Polygons that may enclose solids: those of one mesh, or all 3DFACEs of a layer."""

    mesh: Mesh
    """No two polygons share a vertex."""
    styles: tuple[Style, ...]
    style_of_face: Ints
    """Index of each polygon's style."""

    def moved(self, matrix: Floats) -> "FaceHeap":
        """Return it transformed by an affine matrix."""
        return FaceHeap(transformed(self.mesh, matrix), self.styles, self.style_of_face)


def one_style(mesh: Mesh, style: Style) -> FaceHeap:
    """Return a heap whose polygons all have the same style."""
    return FaceHeap(mesh, (style,), np.zeros(len(mesh.face_offsets) - 1, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class LumpShape:
    """A lump of an ACIS body; it is divided into triangles last, when its true size is known."""

    lump: Lump
    matrix: Floats
    """Container from body. Shape (4, 4)."""
    is_solid: bool
    """False for a surface, which need not be closed."""

    def moved(self, matrix: Floats) -> "LumpShape":
        """Return it transformed by an affine matrix."""
        return LumpShape(self.lump, matrix @ self.matrix, self.is_solid)

    @property
    def corners(self) -> Floats:
        """Points whose bounding box holds it. Shape (N, 3)."""
        return apply(self.matrix, extreme_points(self.lump))


@dataclass(frozen=True, eq=False)
class Spot:
    """A point and its normal."""

    point: Floats
    normal: Floats

    def moved(self, matrix: Floats) -> "Spot":
        """Return it transformed by an affine matrix."""
        return Spot(apply(matrix, self.point), matrix[:3, :3] @ self.normal)


@dataclass(frozen=True, eq=False)
class TextLabel:
    """A text."""

    point: Floats
    """Start of its first line."""
    text: str = ""
    height: float = 0.0

    def moved(self, matrix: Floats) -> "TextLabel":
        """Return it transformed by an affine matrix."""
        scale = float(np.sqrt((matrix[:3, 1] ** 2).sum()))
        return TextLabel(apply(matrix, self.point), self.text, self.height * scale)


@dataclass(frozen=True, eq=False)
class ArrowHead:
    """The arrowhead of an exploded dimension or leader."""

    ends: Floats
    """Its tip, and the middle of its base. Shape (2, 3)."""

    def moved(self, matrix: Floats) -> "ArrowHead":
        """Return it transformed by an affine matrix."""
        return ArrowHead(apply(matrix, self.ends))


@dataclass(frozen=True, eq=False)
class DrawingLocation:
    """Pose of an inserted block that marks a location."""

    matrix: Floats
    """World from block. Shape (4, 4)."""
    kind: str = ""
    """Value of the block's attribute KIND."""

    def moved(self, matrix: Floats) -> "DrawingLocation":
        """Return it transformed by an affine matrix."""
        return DrawingLocation(matrix @ self.matrix, self.kind)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An entity that cannot be read, with the reason and a fix."""

    why: str
    fix: str

    def moved(self, matrix: Floats) -> "Refusal":
        """Return the refusal itself: it has no position."""
        return self


@dataclass(frozen=True, eq=False)
class Reference:
    """A block inserted once for each matrix."""

    block: str
    matrices: Floats
    """Container from block. Shape (N, 4, 4)."""
    kind: str = ""

    def moved(self, matrix: Floats) -> "Reference":
        """Return it transformed by an affine matrix."""
        return Reference(self.block, matrix @ self.matrices, self.kind)


Shape = FaceHeap | LumpShape | DrawingCurve | Spot | TextLabel | ArrowHead | DrawingLocation | Refusal

FARTHEST = 1e6
"""Maximum distance from the origin in metres; coordinates lose precision beyond it."""


def reach(shape: Shape) -> float:
    """Return the largest absolute coordinate of the shape; NaN if a coordinate is NaN."""
    if isinstance(shape, FaceHeap):
        return float(np.abs(shape.mesh.vertices).max())
    if isinstance(shape, LumpShape):
        return float(np.abs(shape.corners).max(initial=0.0))
    if isinstance(shape, DrawingCurve):
        return shape.reach
    if isinstance(shape, Spot):
        return float(np.abs(shape.point).max())
    return float(np.abs(shape.matrix).max()) if isinstance(shape, DrawingLocation) else 0.0


@dataclass(frozen=True, eq=False)
class DrawnShape:
    """An entity in the coordinates of its container: the drawing, or a block."""

    entity: str
    """DXF type."""
    handle: str
    style: Style
    shape: Shape | Reference


@dataclass(frozen=True, eq=False)
class PlacedEntity:
    """An entity in the world, in metres."""

    entity: str
    handle: str
    look: Look
    shape: Shape
    looks: tuple[Look, ...] = ()
    """Look for each style of a heap of faces."""


@dataclass(frozen=True, eq=False)
class LooseFaces:
    """3DFACEs of one container."""

    corners: Floats
    """A triangle repeats its last corner. Shape (F, 4, 3)."""
    styles: tuple[Style, ...]
    style_of_face: Ints
    """Index of each face's style. Shape (F,)."""
    place: Ints
    """Index of each face among the faces of the container, in file order. Shape (F,)."""


def in_order(first: LooseFaces, second: LooseFaces) -> LooseFaces:
    """Merge two sets of faces of one container in file order; the second set was numbered without the first."""
    total = len(first.place) + int(second.place.max(initial=-1)) + 1
    free = np.setdiff1d(np.arange(max(total, int(first.place.max(initial=-1)) + 1)), first.place)
    place = np.concatenate([first.place, free[second.place]])
    order = np.argsort(place, kind="stable")
    corners = np.concatenate([first.corners, second.corners])
    style = np.concatenate([first.style_of_face, second.style_of_face + len(first.styles)])
    return LooseFaces(corners[order], first.styles + second.styles, style[order], place[order])


def heaps_of(faces: LooseFaces) -> Iterator[DrawnShape]:
    """Yield one heap of faces for each layer, in the order of their first faces."""
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
            yield DrawnShape("3DFACE", "", Style(layer), Refusal(why, "erase them in the drawing"))
        chosen = chosen[finite]
        if not len(chosen):
            continue
        four = corners[chosen]
        keep = np.ones((len(four), 4), dtype=bool)
        keep[:, 3] = (four[:, 3] != four[:, 2]).any(axis=1)
        offsets = offsets_of(keep.sum(axis=1))
        mesh = Mesh(four[keep], offsets, np.arange(offsets[-1]))
        yield DrawnShape("3DFACE", "", Style(layer), FaceHeap(mesh, styles, style_of_face[chosen]))


@dataclass(frozen=True, eq=False)
class Content:
    """Entities of a drawing that may become solids, and the count of ignored ones."""

    placed: tuple[PlacedEntity, ...]
    ignored: Counter[str] = field(default_factory=Counter)
    """Number of ignored entities by type and reason."""
    is_paper_space: bool = False
    """True if the entities are those of the paper space, because the model space is empty."""
