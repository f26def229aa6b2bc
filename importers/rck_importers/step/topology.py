"""Lumps from the shells of a STEP file, in the length unit of the file."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import pi, tau

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.curves import Ellipse, Straight
from rck.geometry.brep.rings import chained, find_seams, is_ring, reversed_ring
from rck.geometry.brep.surfaces import PlaneSurface, SplineSurface
from rck.geometry.brep.topology import Coedge, Edge, Face, FaceLoop, Lump, Vertex
from rck_importers.step.geometry import GeometryReader, OpenConic
from rck_importers.step.part21 import Exchange, Record, Ref, StepError

SOLIDS = ("MANIFOLD_SOLID_BREP", "BREP_WITH_VOIDS", "FACETED_BREP")
SHEETS = ("SHELL_BASED_SURFACE_MODEL", "FACE_BASED_SURFACE_MODEL")
_FACES = ("ADVANCED_FACE", "FACE_SURFACE", "FACE")
_MOST_FACES = 200_000
_SAME_EDGE = 1e-6
"""Maximum distance of the middles of equal edges, as a fraction of their size."""


@dataclass(eq=False)
class TopologyReader:
    """Reader of the solids and sheets of one file."""

    exchange: Exchange
    geometry: GeometryReader
    _vertices: dict[bytes, Vertex] = field(default_factory=dict)
    _edges: dict[int, Coedge] = field(default_factory=dict)
    _between: dict[frozenset[int], list[tuple[Edge, Floats]]] = field(default_factory=dict)
    """Edges by their vertices, with three points of each."""
    _lines: dict[tuple[int, int], Edge] = field(default_factory=dict)
    _healed: list[FaceLoop] = field(default_factory=list)
    """Loops whose direction is not known."""

    def lump(self, solid: Record) -> tuple[Lump, list[int]]:
        """Return a solid or sheet, and the number of the instance of each of its faces."""
        faces: list[Face] = []
        numbers: list[int] = []
        for shell, is_turned in self._shells(solid):
            for ref in self._face_refs(shell):
                numbers.append(ref.number)
                face = self._face(self.exchange.get(ref))
                faces.append(_turned(face) if is_turned else face)
                if len(faces) > _MOST_FACES:
                    raise StepError(f"{solid.label} has more than {_MOST_FACES:,} faces")
        if not faces:
            raise StepError(f"{solid.label} has no faces")
        return Lump(tuple(_consistent(faces, self._healed))), numbers

    def _shells(self, solid: Record) -> list[tuple[Record, bool]]:
        refs: list[Ref] = []
        if solid.has(*SHEETS):
            refs = solid.refs(1)
        elif solid.has("MANIFOLD_SOLID_BREP") and len(solid.parts) > 1:
            refs = [solid.ref(0, "MANIFOLD_SOLID_BREP")]
            refs += solid.refs(0, "BREP_WITH_VOIDS") if solid.has("BREP_WITH_VOIDS") else []
        else:
            refs = [solid.ref(1), *(solid.refs(2) if solid.has("BREP_WITH_VOIDS") else [])]
        return [self._shell(ref) for ref in refs]

    def _shell(self, ref: Ref) -> tuple[Record, bool]:
        record = self.exchange.get(ref)
        is_turned = False
        for _ in range(8):
            if not record.has("ORIENTED_CLOSED_SHELL", "ORIENTED_OPEN_SHELL"):
                return record, is_turned
            is_turned ^= not record.flag(3)
            record = self.exchange.get(record.ref(2))
        raise StepError(f"{record.label} refers to itself")

    def _face_refs(self, shell: Record) -> list[Ref]:
        if not shell.has("CLOSED_SHELL", "OPEN_SHELL", "CONNECTED_FACE_SET"):
            raise StepError(f"{shell.label} stands in place of a shell")
        return shell.refs(1)

    def _face(self, record: Record) -> Face:
        if record.has("ORIENTED_FACE"):
            face = self._face(self.exchange.get(record.ref(2)))
            return face if record.flag(3) else _turned(face)
        if not record.has(*_FACES):
            raise StepError(f"{record.label} stands in place of a face")
        loops = [loop for ref in record.refs(1) if (loop := self._bound(self.exchange.get(ref))) is not None]
        around = np.array([coedge.start.point for loop in loops for coedge in loop]).reshape(-1, 3)
        if record.has("FACE"):
            rings = self._rings(loops, record.label)
            return Face(_plane_of(around, record), False, rings, False, record.label)
        surface = self.geometry.surface(record.ref(2), around)
        # A tube of splines, which may be long, is cut open at its seam.
        keeps_seams = isinstance(surface, SplineSurface) and not surface.poles
        rings = self._rings(loops, record.label, keeps_seams)
        return Face(surface, not record.flag(3), rings, False, record.label)

    def _rings(self, loops: Sequence[Sequence[Coedge]], label: str, keeps_seams: bool = False) -> tuple[FaceLoop, ...]:
        """Return the boundaries of a face as connected rings, without edges that have the face on both sides.

        Such edges are the seams of closed surfaces: without its seam, the side of a cylinder has two loops, and a
        whole torus none. Some writers list the edges of a loop out of order, or in the wrong direction.
        """
        everything = [coedge for loop in loops for coedge in loop]
        seams = find_seams(everything)
        is_sound = all(map(is_ring, loops))
        if is_sound and (keeps_seams or not seams):
            return tuple(FaceLoop(tuple(loop)) for loop in loops)
        rest = [one for one in everything if id(one.edge) not in seams]
        rings = chained(rest, either_way=False)
        if rings is None:
            rings = chained(rest, either_way=True)
        if rings is None:
            raise StepError(f"the boundary of {label} is open")
        found = tuple(FaceLoop(tuple(ring)) for ring in rings)
        if not is_sound:
            self._healed += found
        return found

    def _bound(self, record: Record) -> list[Coedge] | None:
        """Return a boundary with the face on its left; None for a point, such as the apex of a cone."""
        loop = self.exchange.get(record.ref(1))
        if loop.has("VERTEX_LOOP"):
            return None
        if loop.has("POLY_LOOP"):
            coedges = self._polygon(loop)
        elif loop.has("EDGE_LOOP"):
            coedges = [self._coedge(self.exchange.get(ref)) for ref in loop.refs(1)]
        else:
            raise StepError(f"{loop.label} is of an unsupported type of loop")
        if not coedges:
            raise StepError(f"{loop.label} is empty")
        return coedges if record.flag(2) else reversed_ring(coedges)

    def _polygon(self, loop: Record) -> list[Coedge]:
        vertices = [self._vertex_at(self.geometry.point(ref)) for ref in loop.refs(1)]
        vertices = [one for one, other in zip(vertices, vertices[1:] + vertices[:1], strict=True) if one is not other]
        if len(vertices) < 3:
            raise StepError(f"{loop.label} has fewer than three corners")
        coedges = []
        for start, end in zip(vertices, vertices[1:] + vertices[:1], strict=True):
            first, last = sorted((start, end), key=id)
            key = (id(first), id(last))
            if key not in self._lines:
                along = last.point - first.point
                line = Straight(first.point, along / np.sqrt(along @ along))
                self._lines[key] = Edge(first, last, line, False)
            coedges.append(Coedge(self._lines[key], start is last))
        return coedges

    def _coedge(self, record: Record) -> Coedge:
        if not record.has("ORIENTED_EDGE"):
            return self._edge(record)
        coedge = self._edge(self.exchange.get(record.ref(3)))
        return Coedge(coedge.edge, coedge.is_reversed == record.flag(4))

    def _edge(self, record: Record) -> Coedge:
        """Return the use of an edge in its own direction; the edge may be an equal one that is known already."""
        known = self._edges.get(record.number)
        if known is None:
            if not record.has("EDGE_CURVE"):
                raise StepError(f"{record.label} stands in place of an edge")
            start, end = self._vertex(record.ref(1)), self._vertex(record.ref(2))
            curve = self.geometry.curve(record.ref(3))
            is_reversed = not record.flag(4)
            if isinstance(curve, OpenConic):
                curve, is_reversed = curve.between(start.point, end.point), False
            edge = Edge(start, end, curve, is_reversed != (record.number in self._contrary_arcs))
            known = self._edges[record.number] = self._shared(edge)
        return known

    @cached_property
    def _contrary_arcs(self) -> set[int]:
        """Numbers of the edges that are the wrong part of their circle: together, those in one loop overlap."""
        found: set[int] = set()
        for loop in self.exchange.of_kind("EDGE_LOOP"):
            sweeps: dict[tuple[float, ...], dict[int, float]] = {}
            for ref in loop.refs(1):
                coedge = self.exchange.get(ref)
                edge = self.exchange.get(coedge.ref(3)) if coedge.has("ORIENTED_EDGE") else coedge
                arc = self._arc(edge)
                if arc is not None:
                    sweeps.setdefault(arc[0], {})[edge.number] = arc[1]
            for group in sweeps.values():
                if sum(group.values()) > tau + 1e-6:
                    found.update(number for number, sweep in group.items() if sweep > pi)
        return found

    def _arc(self, edge: Record) -> tuple[tuple[float, ...], float] | None:
        """Return a key of the circle of an edge that is a part of one, and its angle."""
        curve = self.geometry.curve(edge.ref(3)) if edge.has("EDGE_CURVE") else None
        if not isinstance(curve, Ellipse):
            return None
        start, end = self._vertex(edge.ref(1)), self._vertex(edge.ref(2))
        if start is end:
            return None
        first, last = curve.span(start.point, end.point, False, not edge.flag(4))
        size = float(np.sqrt(curve.x @ curve.x))
        normal = np.abs(np.cross(curve.x, curve.y)) / size**2
        return (*np.round(curve.centre / size, 4), *np.round(normal, 4), round(float(np.log(size)), 4)), abs(
            last - first
        )

    def _shared(self, edge: Edge) -> Coedge:
        """Return the use of the known edge with the same ends and middle, or of this one: some writers repeat edges."""
        assert edge.curve is not None
        first, last = edge.curve.span(edge.start.point, edge.end.point, edge.start is edge.end, edge.is_reversed)
        third, middle, beyond = edge.curve.evaluate(first + (last - first) * np.array([0.3, 0.5, 0.7]))
        others = self._between.setdefault(frozenset((id(edge.start), id(edge.end))), [])
        for other, points in others:
            size = float(np.abs(points - edge.start.point).max())
            if np.abs(points[1] - middle).max() <= _SAME_EDGE * size:
                if edge.start is not edge.end:
                    return Coedge(other, other.start is not edge.start)
                if np.abs(points[0] - third).max() <= _SAME_EDGE * size:
                    return Coedge(other, False)
                if np.abs(points[2] - third).max() <= _SAME_EDGE * size:
                    return Coedge(other, True)
        others.append((edge, np.array([third, middle, beyond])))
        return Coedge(edge, False)

    def _vertex(self, ref: Ref) -> Vertex:
        record = self.exchange.get(ref)
        if not record.has("VERTEX_POINT"):
            raise StepError(f"{record.label} stands in place of a vertex")
        return self._vertex_at(self.geometry.point(record.ref(1)))

    def _vertex_at(self, point: Floats) -> Vertex:
        # Some writers repeat a vertex for each edge; adding zero makes -0.0 equal to 0.0.
        return self._vertices.setdefault((point + 0.0).tobytes(), Vertex(point))


def _turned(face: Face) -> Face:
    """Return a face that looks to the other side."""
    return replace(_with_reversed_loops(face), is_reversed=not face.is_reversed)


def _consistent(faces: Sequence[Face], healed: Sequence[FaceLoop]) -> list[Face]:
    """Return the faces with loops that run through each shared edge in opposite directions.

    Some writers state the boundary of a face in the wrong direction, but its normal in the right one. Of faces that
    contradict each other, the smaller number is changed. Each healed loop is turned alone.
    """
    alone = {id(loop) for loop in healed}
    group_of = [
        [id(loop) if id(loop) in alone else -1 - number for loop in face.loops] for number, face in enumerate(faces)
    ]
    uses: dict[int, list[tuple[int, bool]]] = {}
    for groups, face in zip(group_of, faces, strict=True):
        for group, loop in zip(groups, face.loops, strict=True):
            for one in loop.coedges:
                uses.setdefault(id(one.edge), []).append((group, one.is_reversed))
    neighbours: dict[int, list[tuple[int, bool]]] = {}
    for sides in uses.values():
        if len(sides) == 2 and sides[0][0] != sides[1][0]:
            (one_side, way), (other_side, back) = sides
            neighbours.setdefault(one_side, []).append((other_side, way == back))
            neighbours.setdefault(other_side, []).append((one_side, way == back))
    flipped: dict[int, bool] = {}
    for root in (group for groups in group_of for group in groups):
        if root in flipped:
            continue
        flipped[root] = False
        connected = [root]
        for group in connected:
            for other, is_contrary in neighbours.get(group, ()):
                if other not in flipped:
                    flipped[other] = flipped[group] ^ is_contrary
                    connected.append(other)
        if 2 * sum(flipped[group] for group in connected) > len(connected):
            for group in connected:
                flipped[group] = not flipped[group]
    return [
        replace(
            face,
            loops=tuple(
                FaceLoop(tuple(reversed_ring(loop.coedges))) if flipped[group] else loop
                for group, loop in zip(groups, face.loops, strict=True)
            ),
        )
        for groups, face in zip(group_of, faces, strict=True)
    ]


def _with_reversed_loops(face: Face) -> Face:
    return replace(face, loops=tuple(FaceLoop(tuple(reversed_ring(loop.coedges))) for loop in face.loops))


def _plane_of(points: Floats, record: Record) -> PlaneSurface:
    """Return the plane of a polygon, with its normal by Newell's method."""
    following = np.roll(points, -1, axis=0)
    normal = np.cross(points, following).sum(axis=0) if len(points) else np.zeros(3)
    size = float(np.sqrt(normal @ normal))
    along = (following - points)[0] if len(points) else np.zeros(3)
    if not size > 0:
        raise StepError(f"{record.label} has no area")
    normal = normal / size
    x = along - (along @ normal) * normal
    x = x / np.sqrt(x @ x)
    return PlaneSurface(points[0], x, np.cross(normal, x))
