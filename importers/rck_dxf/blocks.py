"""From a document to the world: every entity of the model space, and of the blocks inserted there, in its place."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import scaling
from rck.hooks import Job
from rck.importing.refusals import refused
from rck_dxf.content import (
    FARTHEST,
    Content,
    Drawn,
    FaceHeap,
    Look,
    LooseFaces,
    Place,
    Placed,
    Reference,
    Refusal,
    heaps_of,
    in_order,
    reach,
)
from rck_dxf.entities import damage, loose_faces, shapes_of
from rck_dxf.looks import Looks, is_invisible, layer_looks, style_of
from rck_dxf.names import is_joint, is_port, readable

if TYPE_CHECKING:
    from ezdxf.document import Drawing

Bulk = Mapping[str, LooseFaces]
"""Faces that were read apart from the document, by the block that they are in, in small letters; "" is no block."""


def content_of(document: "Drawing", bulk: Bulk, unit: float, limit: int, where: str, job: Job) -> Content:
    """What the model space shows, in metres, where a drawing unit is `unit` metres.

    More than `limit` entities and faces, which blocks within blocks can reach fast, are refused.
    """
    try:
        expansion = _Expansion(document, bulk, Looks(layer_looks(document)), limit, where, job)
        placed = tuple(expansion.placed(expansion.container(""), scaling(unit), None, ()))
    except damage() as error:
        fix = "open it in a CAD program with RECOVER and save it as DXF again"
        raise refused(
            where, f"its tables are too damaged to be read ({type(error).__name__}: {error})", fix=fix
        ) from error
    return Content(placed, expansion.left_out)


@dataclass(eq=False)
class _Expansion:
    """The work of placing blocks, and what it remembers."""

    document: "Drawing"
    bulk: Bulk
    looks: Looks
    limit: int
    where: str
    job: Job
    left_out: Counter[str] = field(default_factory=Counter)
    count: int = 0
    inserts: Counter[str] = field(default_factory=Counter)
    """How often each block was inserted in the model space."""
    _drawn: dict[str, list[Drawn]] = field(default_factory=dict)

    def container(self, block: str) -> list[Drawn]:
        """What a block holds; the model space for an empty name."""
        known = self._drawn.get(block)
        if known is None:
            # In damaged files the layout of the model space may have lost its block, which holds the entities.
            entities = self.document.blocks.get(block or "*Model_Space")
            known = self._drawn[block] = list(self._read(entities, self.bulk.get(block.lower())))
        return known

    def _read(self, entities: Iterable[Any], bulk: LooseFaces | None) -> Iterator[Drawn]:
        faces = []
        for number, entity in enumerate(entities):
            if number % 1000 == 0:
                self.job.progress(0.3, "entities")
            is_face = entity.dxftype() == "3DFACE"
            if is_face:
                faces.append(entity)
            if not is_face or is_invisible(entity):
                yield from self._drawn_as(entity)
        loose, broken = loose_faces((place, face) for place, face in enumerate(faces) if not is_invisible(face))
        yield from broken
        yield from heaps_of(loose if bulk is None else in_order(bulk, loose))

    def _drawn_as(self, entity: Any) -> Iterator[Drawn]:
        kind, handle, style = readable(entity.dxftype()), str(entity.dxf.handle), style_of(entity)
        if is_invisible(entity):
            self.left_out[f"invisible {kind}"] += 1
        elif kind == "INSERT":
            yield Drawn(kind, handle, style, self._reference(entity))
        else:
            shapes = shapes_of(entity)
            if not shapes:
                flat = " without thickness" if kind in ("SOLID", "TRACE") else ""
                self.left_out[kind + flat] += 1
            for shape in shapes:
                yield Drawn(kind, handle, style, shape)

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
            return Refusal(f"its place is damaged ({error})", "erase and insert it again")
        kinds = [attrib.dxf.get("text", "") for attrib in insert.attribs if attrib.dxf.get("tag", "").upper() == "KIND"]
        return Reference(name, matrices, str(kinds[0]) if kinds else "")

    def placed(
        self, container: Iterable[Drawn], world: Floats, parent: Look | None, opened: tuple[str, ...]
    ) -> Iterator[Placed]:
        """The entities of a container under a map; `opened` are the blocks being expanded, outermost first."""
        for drawn in container:
            look = self.looks.resolved(drawn.style, parent)
            hidden = self.looks.layer(look.layer).hidden
            self._count(drawn)
            if hidden:
                self.left_out[f"{drawn.entity} on layer {look.layer}, which is {hidden}"] += 1
            elif isinstance(drawn.shape, Reference):
                yield from self._inserted(drawn, drawn.shape.moved(world), look, opened)
            else:
                shape = drawn.shape.moved(world)
                if not reach(shape) <= FARTHEST:
                    shape = Refusal(
                        f"it is more than {FARTHEST / 1000:,.0f} km away or large", "check the unit of length"
                    )
                heap = shape if isinstance(shape, FaceHeap) else None
                looks = tuple(self.looks.resolved(style, parent) for style in heap.styles) if heap else ()
                yield Placed(drawn.entity, drawn.handle, look, shape, looks)

    def _inserted(self, drawn: Drawn, reference: Reference, look: Look, opened: tuple[str, ...]) -> Iterator[Placed]:
        name = reference.block
        if name in opened:
            ring = " → ".join((*opened[opened.index(name) :], name))
            refusal = Refusal(f"the block contains itself: {readable(ring)}", "take the block out of itself")
            yield Placed(drawn.entity, drawn.handle, look, refusal)
            return
        for matrix in reference.matrices:
            self.count += 1
            own = look._replace(block=self._name(name, look.block))
            if is_port(name):
                yield Placed(drawn.entity, drawn.handle, own, Place(matrix, reference.kind))
            else:
                yield from self.placed(self.container(name), matrix, own, (*opened, name))

    def _name(self, block: str, outer: str) -> str:
        """The outermost block gives the name; but a joint within a block is a joint."""
        if outer and not is_joint(block) and not is_port(block):
            return outer
        self.inserts[block] += 1
        name = readable(block)
        return name if self.inserts[block] == 1 else f"{name}-{self.inserts[block]}"

    def _count(self, drawn: Drawn) -> None:
        self.count += len(drawn.shape.mesh.face_offsets) if isinstance(drawn.shape, FaceHeap) else 1
        if self.count > self.limit:
            message = f"it draws more than {self.limit:,} entities and faces, blocks within blocks counted"
            raise refused(self.where, message, code=509, fix="raise the option most-entities if you trust the file")
        if self.count % 1000 == 0:
            self.job.progress(0.4, "blocks")


class _TooManyError(ValueError):
    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(f"it is an array of {rows:,} x {columns:,}, more than is allowed")


def _matrices(insert: Any, limit: int) -> Floats:
    """Container from block, for each place of an insert or of an array of inserts. Shape (N, 4, 4)."""
    for name in ("xscale", "yscale", "zscale"):
        # Programs for flat drawings write no scale along z; AutoCAD takes that as 1.
        if float(insert.dxf.get(name, 1.0)) == 0:
            insert.dxf.set(name, 1.0)
    matrix = np.array(list(insert.matrix44()), dtype=float).reshape(4, 4).T
    if not np.isfinite(matrix).all():
        raise ValueError("a number is not finite")
    scales = np.linalg.norm(matrix[:3, :3], axis=0)
    if not abs(np.linalg.det(matrix[:3, :3])) > 1e-9 * scales.prod() > 0:
        raise ValueError("it is scaled to nothing")
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
