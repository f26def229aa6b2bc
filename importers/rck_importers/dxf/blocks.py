"""Expansion of a document: the entities of the model space and of its inserted blocks, in world coordinates."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import scaling
from rck.hooks import Job
from rck.importing.file_errors import refused
from rck_importers.dxf.appearance import Looks, is_invisible, layer_looks, style_of
from rck_importers.dxf.content import (
    FARTHEST,
    Content,
    DrawingLocation,
    DrawnShape,
    FaceHeap,
    Look,
    LooseFaces,
    PlacedEntity,
    Reference,
    Refusal,
    heaps_of,
    in_order,
    reach,
)
from rck_importers.dxf.entities import CURVE_TYPES, damage, loose_faces, shapes_of
from rck_importers.dxf.names import is_joint, is_port, readable

if TYPE_CHECKING:
    from ezdxf.document import Drawing

_PAPER_SPACE = "*Paper_Space"
"""Block of the first sheet."""

Bulk = Mapping[str, LooseFaces]
"""Faces read separately from the document, by the lower-case name of their block; "" is the model space."""


def content_of(document: "Drawing", bulk: Bulk, unit: float, limit: int, where: str, job: Job) -> Content:
    """Return the visible content of the model space in metres; a drawing unit is `unit` metres.

    Raise an error above `limit` entities and faces, a number that nested blocks reach quickly.
    """
    try:
        expansion = _Expansion(document, bulk, Looks(layer_looks(document)), limit, where, job)
        model = expansion.container("")
        is_empty = not model and not expansion.ignored and document.blocks.get(_PAPER_SPACE) is not None
        drawn = expansion.container(_PAPER_SPACE) if is_empty else model
        placed = tuple(expansion.placed(drawn, scaling(unit), None, ()))
    except damage() as error:
        fix = "open it in a CAD program with RECOVER and save it as DXF again"
        raise refused(
            where, f"its tables are too damaged to be read ({type(error).__name__}: {error})", fix=fix
        ) from error
    return Content(placed, expansion.ignored, is_empty and bool(placed))


@dataclass(eq=False)
class _Expansion:
    """State of the expansion of blocks."""

    document: "Drawing"
    bulk: Bulk
    looks: Looks
    limit: int
    where: str
    job: Job
    ignored: Counter[str] = field(default_factory=Counter)
    count: int = 0
    inserts: Counter[str] = field(default_factory=Counter)
    """Number of inserts of each block in the model space."""
    _drawn: dict[str, list[DrawnShape]] = field(default_factory=dict)

    def container(self, block: str) -> list[DrawnShape]:
        """Return the contents of a block; an empty name means the model space."""
        known = self._drawn.get(block)
        if known is None:
            # In damaged files the model-space layout may have lost its block, which contains the entities.
            entities = self.document.blocks.get(block or "*Model_Space")
            known = self._drawn[block] = list(self._read_container(entities, self.bulk.get(block.lower())))
        return known

    def _read_container(self, entities: Iterable[Any], bulk: LooseFaces | None) -> Iterator[DrawnShape]:
        faces = []
        for number, entity in enumerate(entities):
            if number % 1000 == 0:
                self.job.progress(0.3, "entities")
            is_face = entity.dxftype() == "3DFACE"
            if is_face:
                faces.append(entity)
            if not is_face or is_invisible(entity):
                yield from self._read_entity(entity)
        loose, broken = loose_faces((place, face) for place, face in enumerate(faces) if not is_invisible(face))
        yield from broken
        yield from heaps_of(loose if bulk is None else in_order(bulk, loose))

    def _read_entity(self, entity: Any) -> Iterator[DrawnShape]:
        kind, handle, style = readable(entity.dxftype()), str(entity.dxf.handle), style_of(entity)
        if is_invisible(entity):
            self.ignored[f"invisible {kind}"] += 1
        elif kind == "INSERT":
            yield DrawnShape(kind, handle, style, self._reference(entity))
        else:
            shapes = shapes_of(entity)
            if not shapes:
                lack = " without thickness" if kind in ("SOLID", "TRACE") else ""
                lack = " without length" if kind in CURVE_TYPES else lack
                self.ignored[kind + lack] += 1
            for shape in shapes:
                yield DrawnShape(kind, handle, style, shape)

    def _reference(self, insert: Any) -> Reference | Refusal:
        name = str(insert.dxf.get("name", ""))
        block = self.document.blocks.get(name)
        if block is None:
            return Refusal(
                f"it inserts the block {readable(name)}, which does not exist", "define the block, or erase the insert"
            )
        if block.block is not None and (block.block.is_xref or block.block.is_xref_overlay):
            path = str(block.block.dxf.get("xref_path", "")) or name
            return Refusal(f"it is in another drawing, {readable(path)}", "bind the reference: XREF, Bind, Insert")
        try:
            matrices = _matrices(insert, self.limit)
        except _TooManyError as error:
            return Refusal(str(error), "raise the option most-entities if you trust the file")
        except damage() as error:
            return Refusal(f"its placement is damaged ({error})", "erase it and insert it again")
        kinds = [attrib.dxf.get("text", "") for attrib in insert.attribs if attrib.dxf.get("tag", "").upper() == "KIND"]
        return Reference(name, matrices, str(kinds[0]) if kinds else "")

    def placed(
        self, container: Iterable[DrawnShape], world: Floats, parent: Look | None, opened: tuple[str, ...]
    ) -> Iterator[PlacedEntity]:
        """Yield the entities of a container in the world; `opened` lists the blocks being expanded, outermost first."""
        for drawn in container:
            look = self.looks.resolve(drawn.style, parent)
            hidden = self.looks.layer(look.layer).hidden
            self._count(drawn)
            if hidden:
                self.ignored[f"{drawn.entity} on layer {look.layer}, which is {hidden}"] += 1
            elif isinstance(drawn.shape, Reference):
                yield from self._expand_insert(drawn, drawn.shape.moved(world), look, opened)
            else:
                shape = drawn.shape.moved(world)
                if not reach(shape) <= FARTHEST:
                    shape = Refusal(
                        f"it extends more than {FARTHEST / 1000:,.0f} km from the origin", "check the unit of length"
                    )
                heap = shape if isinstance(shape, FaceHeap) else None
                looks = tuple(self.looks.resolve(style, parent) for style in heap.styles) if heap else ()
                yield PlacedEntity(drawn.entity, drawn.handle, look, shape, looks)

    def _expand_insert(
        self, drawn: DrawnShape, reference: Reference, look: Look, opened: tuple[str, ...]
    ) -> Iterator[PlacedEntity]:
        name = reference.block
        if name in opened:
            ring = " → ".join((*opened[opened.index(name) :], name))
            refusal = Refusal(
                f"the block contains itself: {readable(ring)}", "remove the insert of the block from its own definition"
            )
            yield PlacedEntity(drawn.entity, drawn.handle, look, refusal)
            return
        for matrix in reference.matrices:
            self.count += 1
            own = look._replace(block=self._name(name, look.block))
            if is_port(name):
                yield PlacedEntity(drawn.entity, drawn.handle, own, DrawingLocation(matrix, reference.kind))
            else:
                yield from self.placed(self.container(name), matrix, own, (*opened, name))

    def _name(self, block: str, outer: str) -> str:
        """Return the name of an insert: that of the outermost block, except for joints and ports inside a block."""
        if outer and not is_joint(block) and not is_port(block):
            return outer
        self.inserts[block] += 1
        name = readable(block)
        return name if self.inserts[block] == 1 else f"{name}-{self.inserts[block]}"

    def _count(self, drawn: DrawnShape) -> None:
        self.count += len(drawn.shape.mesh.face_offsets) if isinstance(drawn.shape, FaceHeap) else 1
        if self.count > self.limit:
            message = f"it draws more than {self.limit:,} entities and faces, including nested blocks"
            raise refused(self.where, message, code=509, fix="raise the option most-entities if you trust the file")
        if self.count % 1000 == 0:
            self.job.progress(0.4, "blocks")


class _TooManyError(ValueError):
    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(f"it is an array of {rows:,} x {columns:,}, more than the limit")


def _matrices(insert: Any, limit: int) -> Floats:
    """Return container from block for an insert, or for each element of an array of inserts. Shape (N, 4, 4)."""
    for name in ("xscale", "yscale", "zscale"):
        # Programs for 2D drawings write a zero scale along z; AutoCAD reads it as 1.
        if float(insert.dxf.get(name, 1.0)) == 0:
            insert.dxf.set(name, 1.0)
    matrix = np.array(list(insert.matrix44()), dtype=float).reshape(4, 4).T
    if not np.isfinite(matrix).all():
        raise ValueError("a number is not finite")
    scales = np.linalg.norm(matrix[:3, :3], axis=0)
    if not abs(np.linalg.det(matrix[:3, :3])) > 1e-9 * scales.prod() > 0:
        raise ValueError("its scale is zero")
    dxf = insert.dxf
    rows = max(1, int(dxf.get("row_count", 1))) if float(dxf.get("row_spacing", 0.0)) else 1
    columns = max(1, int(dxf.get("column_count", 1))) if float(dxf.get("column_spacing", 0.0)) else 1
    if rows * columns == 1:
        return matrix[None]
    if rows * columns > limit:
        raise _TooManyError(rows, columns)
    steps = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2)
    # The array lies along the axes of the insert; its spacing is not scaled.
    along = matrix[:3, :2] / scales[:2] * np.sign([dxf.get("xscale", 1.0), dxf.get("yscale", 1.0)])
    offsets = steps * (float(dxf.column_spacing), float(dxf.row_spacing)) @ along.T
    if not np.isfinite(offsets).all():
        raise ValueError("a number is not finite")
    matrices = np.tile(matrix, (len(steps), 1, 1))
    matrices[:, :3, 3] += offsets
    return matrices
