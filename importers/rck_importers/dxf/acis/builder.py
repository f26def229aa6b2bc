"""Bodies from the records of a stream. Every reference is followed once, so that damaged streams take bounded work."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.curves import Curve, Ellipse, Spline, Straight
from rck.geometry.brep.rings import chained, find_seams
from rck.geometry.brep.surfaces import (
    ConeSurface,
    FaceSurface,
    PlaneSurface,
    SphereSurface,
    SplineSurface,
    TorusSurface,
)
from rck.geometry.brep.swept import extruded, moved, revolved, translated
from rck.geometry.brep.topology import BrepBody, Coedge, Edge, Face, FaceLoop, Lump, Vertex
from rck_importers.dxf.acis.records import CLOSE, OPEN, AcisError, Fields, Record, Stream, Token, is_number
from rck_importers.dxf.acis.sat import read_word
from rck_importers.dxf.acis.spline_data import find_curve, find_helix, find_surface

_INTERVALS = 106
"""Version from which cones state a range of their ellipse."""
_CONE_SCALE = 400
"""Version from which cones state a scale of their parameter."""
_SWEPT = {
    "sumsur": "sum",
    "sum_spl_sur": "sum",
    "cylsur": "cylinder",
    "cyl_spl_sur": "cylinder",
    "rotsur": "rotation",
    "rot_spl_sur": "rotation",
}
"""Types of spline surfaces that are defined by the curves that they sweep."""
_MOST_NESTED = 20
"""Maximum depth of subshells, and of references from spline to spline."""

Made = TypeVar("Made")


def build_bodies(stream: Stream) -> tuple[BrepBody, ...]:
    """Return the bodies of a stream."""
    builder = _Builder(stream)
    return tuple(builder.body(record) for record in stream.records.values() if record.kind == "body")


@dataclass(eq=False)
class _Builder:
    stream: Stream
    _made: dict[tuple[str, int], object] = field(default_factory=dict)
    _vertices: dict[bytes, Vertex] = field(default_factory=dict)
    _blocks: list[tuple[Record, tuple[Token, ...]]] | None = None

    def record(self, index: int, family: str, source: Record) -> Record:
        """Return a record that must exist and be of this family."""
        record = self.stream.records.get(index)
        if record is None:
            raise AcisError(f"{source.label} refers to record {index}, which does not exist")
        if family and record.family != family and record.kind != family:
            raise AcisError(f"{source.label} refers to {record.label} in place of a {family}")
        return record

    def _once(self, record: Record, make: Callable[[Record], Made]) -> Made:
        """Return what a record describes, made once however often it is referred to."""
        key = (make.__name__, record.index)
        if key not in self._made:
            self._made[key] = make(record)
        return self._made[key]  # type: ignore[return-value]

    def _chain(self, first: int, family: str, source: Record, place: int = 0) -> Iterator[Record]:
        """Yield the records of a linked list; the link is the reference at this place after the header."""
        seen: set[int] = set()
        while first >= 0:
            if first in seen:
                raise AcisError(f"the {family}s of {source.label} form a cycle")
            seen.add(first)
            record = self.record(first, family, source)
            yield record
            fields = _start(record)
            for _ in range(place):
                fields.ref()
            first = fields.ref()

    def body(self, record: Record) -> BrepBody:
        """Return a body with its lumps."""
        fields = _start(record)
        first, _wire = fields.ref(), fields.ref()
        transform = fields.ref() if fields.following is not None else -1
        matrix = np.eye(4) if transform < 0 else _matrix(self.record(transform, "transform", record))
        used: set[int] = set()
        lumps = tuple(self._lump(lump, used) for lump in self._chain(first, "lump", record))
        return BrepBody(tuple(lump for lump in lumps if lump.faces), matrix)

    def _lump(self, record: Record, used: set[int]) -> Lump:
        fields = _start(record)
        fields.ref()
        faces: list[Face] = []
        for shell in self._chain(fields.ref(), "shell", record):
            links = _start(shell)
            links.ref()
            subshell, first = links.ref(), links.ref()
            faces += self._faces(first, shell, used)
            faces += self._subshell_faces(subshell, shell, used, 0)
        return Lump(tuple(faces))

    def _subshell_faces(self, first: int, source: Record, used: set[int], depth: int) -> list[Face]:
        """Return the faces of a list of subshells, whose fields are owner, next, child and face."""
        if depth > _MOST_NESTED:
            raise AcisError(f"the subshells of {source.label} are nested too deeply")
        faces: list[Face] = []
        for record in self._chain(first, "subshell", source, 1):
            if record.index in used:
                raise AcisError(f"{record.label} is in two lists of subshells")
            used.add(record.index)
            fields = _start(record)
            fields.ref()
            fields.ref()
            child, face = fields.ref(), fields.ref()
            faces += self._faces(face, record, used)
            faces += self._subshell_faces(child, record, used, depth + 1)
        return faces

    def _faces(self, first: int, source: Record, used: set[int]) -> list[Face]:
        faces = []
        for record in self._chain(first, "face", source):
            if record.index in used:
                raise AcisError(f"{record.label} is in two lists of faces")
            used.add(record.index)
            faces.append(self._face(record))
        return faces

    def _face(self, record: Record) -> Face:
        fields = _start(record)
        fields.ref()
        first = fields.ref()
        fields.ref()
        fields.ref()
        surface = self._once(self.record(fields.ref(), "surface", record), self.surface)
        is_reversed = fields.flag("reversed", "reverse")
        is_double = fields.flag("double")
        loops = [self._loop(loop) for loop in self._chain(first, "loop", record)]
        return Face(surface, is_reversed, _without_seams(surface, loops, record), is_double, record.label)

    def _loop(self, record: Record) -> FaceLoop:
        fields = _start(record)
        fields.ref()
        first = current = self.record(fields.ref(), "coedge", record)
        coedges = []
        seen: set[int] = set()
        while current.index not in seen:
            seen.add(current.index)
            links = _start(current)
            following, _previous, _partner = links.ref(), links.ref(), links.ref()
            edge = self._once(self.record(links.ref(), "edge", current), self.edge)
            coedges.append(Coedge(edge, links.flag("reversed", "reverse")))
            if following < 0 and edge.start is edge.end:
                following = first.index
            if following < 0:
                raise AcisError(f"{record.label} is open")
            current = self.record(following, "coedge", current)
        if current is not first:
            raise AcisError(f"the coedges of {record.label} form a cycle")
        for one, other in zip(coedges, coedges[1:] + coedges[:1], strict=True):
            end = one.edge.start if one.is_reversed else one.edge.end
            if end is not other.start:
                raise AcisError(f"{record.label} is not connected")
        return FaceLoop(tuple(coedges))

    def edge(self, record: Record) -> Edge:
        """Return an edge; its parameters are found again from its vertices."""
        fields = _start(record)
        start = self._once(self.record(fields.ref(), "vertex", record), self.vertex)
        fields.skip_optional_number()
        end = self._once(self.record(fields.ref(), "vertex", record), self.vertex)
        fields.skip_optional_number()
        fields.ref()
        curve = fields.ref()
        is_reversed = fields.flag("reversed", "reverse")
        if curve < 0 and start is not end:
            along = end.point - start.point
            return Edge(start, end, Straight(start.point, _unit(along, record)), False)
        if curve < 0:
            return Edge(start, end, None, is_reversed)
        return Edge(start, end, self._once(self.record(curve, "curve", record), self.curve), is_reversed)

    def vertex(self, record: Record) -> Vertex:
        """Return a vertex."""
        fields = _start(record)
        fields.ref()
        fields.skip_optional_number()
        point = _start(self.record(fields.ref(), "point", record)).vector()
        # Some writers repeat a vertex for each edge.
        return self._vertices.setdefault(point.tobytes(), Vertex(point))

    def curve(self, record: Record) -> Curve | None:
        """Return a curve; None for a degenerate one."""
        return self._curve(_start(record), record.kind.split("-")[0])

    def _curve(self, fields: Fields, kind: str) -> Curve | None:
        record = fields.record
        if kind == "straight":
            return Straight(fields.vector(), _unit(fields.vector(), record))
        if kind == "ellipse":
            centre, normal, x = fields.vector(), _unit(fields.vector(), record), fields.vector()
            ratio = fields.number()
            _require_length(x, ratio, record)
            return Ellipse(centre, x, np.cross(normal, x) * ratio)
        if kind == "intcurve":
            is_reversed = fields.flag("reversed", "reverse")
            where, tokens = self._block(fields)
            curve = find_curve(Fields(where, tokens[1:]))
            if curve is not None:
                return Spline(curve, is_reversed)
            name = tokens[0] if tokens else "nothing"
            if name == "helix_int_cur":
                return find_helix(Fields(where, tokens[1:]))
            raise AcisError(f"{record.label} has no B-spline ({name})")
        if kind == "degenerate_curve":
            return None
        raise AcisError(f"{record.label} is of an unknown type of curve")

    def _inner_curve(self, fields: Fields) -> Curve:
        """Return a curve that is stated inside of the data of a surface."""
        curve = self._curve(fields, str(fields.take()))
        if self.stream.version >= _INTERVALS:
            fields.skip_interval()
        if curve is None:
            raise AcisError(f"{fields.record.label} sweeps a curve without length")
        return curve

    def surface(self, record: Record) -> FaceSurface:
        """Return a surface."""
        fields = _start(record)
        kind = record.kind.split("-")[0]
        if kind == "plane":
            origin, normal = fields.vector(), _unit(fields.vector(), record)
            x = _perpendicular(normal)
            return PlaneSurface(origin, x, np.cross(normal, x))
        if kind == "cone":
            return self._cone(fields)
        if kind == "sphere":
            centre, radius = fields.vector(), fields.number()
            if radius == 0:
                raise AcisError(f"{record.label} has no radius")
            x, axis = np.eye(3)[0], np.eye(3)[2]
            return SphereSurface(centre, abs(radius), x, np.cross(axis, x), axis, radius < 0)
        if kind == "torus":
            centre, axis = fields.vector(), _unit(fields.vector(), record)
            major, minor = fields.number(), fields.number()
            if minor == 0 or major <= -abs(minor):
                raise AcisError(f"{record.label} has the radii {major:g} and {minor:g}")
            x = _perpendicular(axis)
            return TorusSurface(centre, axis, x, np.cross(axis, x), major, abs(minor), minor < 0)
        if kind == "spline":
            is_reversed = fields.flag("reversed", "reverse")
            where, tokens = self._block(fields)
            grid = find_surface(Fields(where, tokens[1:]))
            return self._swept(Fields(where, tokens)) if grid is None else SplineSurface(grid, is_reversed)
        raise AcisError(f"{record.label} is of an unknown type of surface")

    def _cone(self, fields: Fields) -> ConeSurface:
        centre, axis, x = fields.vector(), _unit(fields.vector(), fields.record), fields.vector()
        ratio = fields.number()
        _require_length(x, ratio, fields.record)
        if self.stream.version >= _INTERVALS:
            fields.skip_interval()
        sine, cosine = fields.number(), fields.number()
        if abs(cosine) < 1e-9:
            raise AcisError(f"{fields.record.label} is a flat cone")
        return ConeSurface(centre, axis, x, np.cross(axis, x) * ratio, sine / cosine, cosine < 0)

    def _swept(self, fields: Fields) -> FaceSurface:
        """Return a surface without a B-spline, as old versions store those of extrusion and revolution."""
        label, name = fields.record.label, fields.take() if fields.tokens else "nothing"
        if name not in _SWEPT:
            raise AcisError(f"{label} has no B-spline ({name})")
        if _SWEPT[str(name)] == "cylinder":
            profile = self._inner_curve(fields)
            return extruded(profile, _unit(fields.vector(), fields.record), self._corners, label)
        one = self._inner_curve(fields)
        if _SWEPT[str(name)] == "rotation":
            return revolved(one, fields.vector(), _unit(fields.vector(), fields.record), label)
        other, origin = self._inner_curve(fields), fields.vector()
        if isinstance(one, Straight):
            one, other = other, one
        if isinstance(other, Straight):
            return extruded(moved(one, other.root - origin), other.direction, self._corners, label)
        return translated(moved(one, -origin), other, label)

    @cached_property
    def _corners(self) -> Floats:
        """Points of all vertices. Shape (N, 3)."""
        points = [_start(record).vector() for record in self.stream.records.values() if record.kind == "point"]
        return np.array(points).reshape(-1, 3)

    def _block(self, fields: Fields) -> tuple[Record, tuple[Token, ...]]:
        """Return the tokens of the next block in braces, with a reference to an earlier block resolved."""
        record, tokens = fields.record, _braces(fields.tokens, fields.place, fields.record)
        fields.place += len(tokens) + 2
        for _ in range(_MOST_NESTED):
            if not _is_reference(tokens):
                return record, tokens
            if self._blocks is None:
                self._blocks = list(_all_blocks(self.stream))
            number = tokens[-1]
            if not isinstance(number, int) or not 0 <= number < len(self._blocks):
                raise AcisError(f"{record.label} refers to spline {number}, which does not exist")
            record, tokens = self._blocks[number]
        raise AcisError(f"{record.label} refers to itself")


def _without_seams(surface: FaceSurface, loops: list[FaceLoop], record: Record) -> tuple[FaceLoop, ...]:
    """Return the loops without edges that have the face on both sides, and the points between them."""
    coedges = [coedge for loop in loops for coedge in loop.coedges if coedge.edge.curve is not None]
    seams = find_seams(coedges)
    # A tube of splines, which may be long, is cut open at its seam.
    if not seams or (isinstance(surface, SplineSurface) and not surface.poles):
        return tuple(loops)
    rings = chained([coedge for coedge in coedges if id(coedge.edge) not in seams], either_way=False)
    if rings is None:
        raise AcisError(f"the boundary of {record.label} is open")
    return tuple(FaceLoop(tuple(ring)) for ring in rings)


def _start(record: Record) -> Fields:
    fields = Fields(record)
    fields.skip_header()
    return fields


def _braces(tokens: tuple[Token, ...], place: int, record: Record) -> tuple[Token, ...]:
    """Return the tokens between the next opening brace and its closing brace."""
    if place >= len(tokens) or tokens[place] != OPEN:
        raise AcisError(f"{record.label} has no spline data")
    depth = 0
    for end in range(place, len(tokens)):
        if tokens[end] == OPEN:
            depth += 1
        elif tokens[end] == CLOSE:
            depth -= 1
            if depth == 0:
                return tokens[place + 1 : end]
    raise AcisError(f"{record.label} ends too early")


def _is_reference(tokens: tuple[Token, ...]) -> bool:
    """Return True for the number of an earlier block, with the word `ref` or alone."""
    return tokens[:1] == ("ref",) or (len(tokens) == 1 and isinstance(tokens[0], int))


def _all_blocks(stream: Stream) -> Iterator[tuple[Record, tuple[Token, ...]]]:
    """Yield the blocks in braces that are no references, in the order in which references number them."""
    for record in stream.records.values():
        opened: list[int] = []
        for place, token in enumerate(record.tokens):
            if token == OPEN:
                opened.append(place)
                if len(opened) > _MOST_NESTED:
                    raise AcisError(f"the data of {record.label} is nested too deeply")
                tokens = _braces(record.tokens, place, record)
                if not _is_reference(tokens):
                    yield record, tokens
            elif token == CLOSE and opened:
                opened.pop()


def _matrix(record: Record) -> Floats:
    """Return the transformation of a record: rows of a matrix for row vectors, translation and scale."""
    tokens: list[Token] = []
    for token in record.tokens:
        # Some writers of binary data store the fields as one text.
        tokens += map(read_word, token.split()) if isinstance(token, str) else [token]
    numbers = [float(token) for token in tokens if is_number(token)]  # type: ignore[arg-type]
    if len(numbers) >= 16 and not any(isinstance(token, bool | str) for token in tokens):
        numbers = numbers[:-3]  # flags of the oldest versions
    if len(numbers) < 13:
        raise AcisError(f"{record.label} ends too early")
    turn = np.array(numbers[-13:-4]).reshape(3, 3)
    matrix = np.eye(4)
    matrix[:3, :3] = turn.T * numbers[-1]
    matrix[:3, 3] = numbers[-4:-1]
    if not np.isfinite(matrix).all() or not abs(np.linalg.det(matrix[:3, :3])) > 1e-30:
        raise AcisError(f"{record.label} has no inverse")
    return matrix


def _unit(vector: Floats, record: Record) -> Floats:
    length = float(np.sqrt(vector @ vector))
    if not length > 1e-9:
        raise AcisError(f"{record.label} has a direction without length")
    return vector / length


def _require_length(x: Floats, ratio: float, record: Record) -> None:
    if not x.any() or ratio == 0:
        raise AcisError(f"{record.label} has no radius")


def _perpendicular(axis: Floats) -> Floats:
    x = np.cross(np.eye(3)[int(np.abs(axis).argmin())], axis)
    return np.asarray(x / np.sqrt(x @ x))
