"""Triangles of lumps: every edge is divided once, so that the faces on both sides share its points.

The triangles of a face are computed in the plane of its map. Their corners lie on the true surface; no chord is
farther from it than the deviation. The moments come from two further divisions of the triangles on the true surface
and an extrapolation of the three results, because the error of each is a quarter of that before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import pi, tau

import numpy as np

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.brep.errors import BrepError, CrossingError
from rck.geometry.brep.face_maps import SHARES, BoundaryLoop, FaceMap, map_face
from rck.geometry.brep.refinement import RefinedTriangles
from rck.geometry.brep.surfaces import FaceSurface, SphereSurface, SplineSurface, TorusSurface
from rck.geometry.brep.topology import Coedge, Edge, Face, FaceLoop, Lump, Vertex
from rck.geometry.contour import Contour, ring_area
from rck.geometry.mass_properties import Moments, map_moments, moments
from rck.geometry.mesh import Mesh
from rck.geometry.transforms import translation

_LEVELS = 2
"""Number of further divisions for the moments; SHARES is 2 to this power."""


@dataclass(frozen=True, eq=False)
class LumpMesh:
    """Triangles of a lump in the coordinates of its body, facing outward if it is closed."""

    mesh: Mesh
    is_closed: bool
    moments: Moments
    """Mass properties of the true solid for unit density; meaningless if it is open."""
    face_points: tuple[Floats, ...] = ()
    """Corners of the triangles of each face. Shapes (N, 3)."""
    face_counts: tuple[int, ...] = ()
    """Number of triangles of each face; those of one face follow those of the face before it."""


@dataclass(frozen=True, eq=False)
class _FaceTriangles:
    """Triangles of a face: by node, and as corners in space after each further division."""

    triangles: Ints
    """Shape (T, 3)."""
    divided: tuple[Floats, ...]
    """Shapes (4 T, 3, 3) and (16 T, 3, 3)."""


def tessellate(lump: Lump, deviation: float) -> LumpMesh:
    """Return the triangles of a lump whose chords stay within the deviation."""
    builder = _Builder(deviation)
    try:
        with np.errstate(all="ignore"):
            faces = [builder.face(face) for face in lump.faces]
    except (ArithmeticError, LookupError, np.linalg.LinAlgError) as error:
        raise BrepError(f"its data is damaged ({type(error).__name__})") from error
    points = builder.points
    if not np.isfinite(points).all():
        raise BrepError("its data is damaged: a point is not finite")
    triangles = np.concatenate([np.empty((0, 3), dtype=np.int64), *(face.triangles for face in faces)])
    used, numbers = np.unique(triangles, return_inverse=True)
    mesh = _mesh(points[used], numbers.reshape(-1, 3))
    soups = [points[triangles], *(np.concatenate([face.divided[k] for face in faces]) for k in range(_LEVELS))]
    centre = points[used].mean(axis=0) if len(used) else np.zeros(3)
    measured = [
        moments(_mesh((soup - centre).reshape(-1, 3), np.arange(3 * len(soup)).reshape(-1, 3))) for soup in soups
    ]
    true = map_moments(_extrapolated(measured), translation(centre))
    is_closed = _is_closed(mesh)
    if is_closed and true.volume < 0:
        mesh = _mesh(mesh.vertices, mesh.face_vertices.reshape(-1, 3)[:, ::-1])
        true = replace(true * -1.0, area=true.area)
    corners = tuple(points[np.unique(face.triangles)] for face in faces)
    return LumpMesh(mesh, is_closed, true, corners, tuple(len(face.triangles) for face in faces))


def _mesh(points: Floats, triangles: Ints) -> Mesh:
    return Mesh(frozen(points), np.arange(0, 3 * len(triangles) + 1, 3), triangles.reshape(-1))


def _soup_moments(corners: Floats) -> Moments:
    """Return the moments of triangles given by their corners, shape (T, 3, 3)."""
    return moments(_mesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)))


def _is_closed(mesh: Mesh) -> bool:
    """Return True if each edge of a triangle is that of exactly one other one, in the other direction."""
    corners = mesh.face_vertices.reshape(-1, 3)
    if not len(corners):
        return False
    there = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    count = len(mesh.vertices)
    forward, backward = there[:, 0] * count + there[:, 1], there[:, 1] * count + there[:, 0]
    return len(np.unique(forward)) == len(forward) and bool((np.sort(forward) == np.sort(backward)).all())


@dataclass(eq=False)
class _Builder:
    deviation: float
    count: int = 0
    _buffer: Floats = field(default_factory=lambda: np.empty((1024, 3)))
    _vertices: dict[int, int] = field(default_factory=dict)
    _edges: dict[int, tuple[Ints, Floats]] = field(default_factory=dict)

    @property
    def points(self) -> Floats:
        """Points of all nodes so far. Shape (N, 3)."""
        return self._buffer[: self.count]

    def _add(self, points: Floats) -> Ints:
        first, self.count = self.count, self.count + len(points)
        if self.count > len(self._buffer):
            grown = np.empty((2 * self.count, 3))
            grown[:first] = self._buffer[:first]
            self._buffer = grown
        self._buffer[first : self.count] = points
        return np.arange(first, self.count)

    def _vertex(self, vertex: Vertex) -> int:
        if id(vertex) not in self._vertices:
            self._vertices[id(vertex)] = int(self._add(vertex.point[None])[0])
        return self._vertices[id(vertex)]

    def edge(self, edge: Edge) -> tuple[Ints, Floats]:
        """Return the nodes and points of an edge from its start to its end, SHARES for each segment."""
        known = self._edges.get(id(edge))
        if known is None:
            known = self._edges[id(edge)] = self._divided(edge)
        return known

    def _divided(self, edge: Edge) -> tuple[Ints, Floats]:
        assert edge.curve is not None
        is_ring = edge.start is edge.end
        start, end = edge.curve.span(edge.start.point, edge.end.point, is_ring, edge.is_reversed)
        steps = edge.curve.steps(start, end, self.deviation)
        if is_ring and len(steps) < 4:
            steps = np.linspace(start, end, 4)
        shares = np.arange(len(steps) * SHARES - SHARES + 1) / SHARES
        places = np.interp(shares, np.arange(len(steps)), steps)
        points = edge.curve.evaluate(places)
        # The vertices may be off the curve by the tolerance of the model.
        blend = np.linspace(0.0, 1.0, len(points))[:, None]
        points = points + (1 - blend) * (edge.start.point - points[0]) + blend * (edge.end.point - points[-1])
        nodes = np.empty(len(points), dtype=np.int64)
        nodes[0], nodes[-1] = self._vertex(edge.start), self._vertex(edge.end)
        nodes[1:-1] = self._add(points[1:-1])
        return nodes, points

    def _boundary(self, loop: FaceLoop) -> BoundaryLoop | None:
        """Return the points of a loop; None for one without length, such as the apex of a cone."""
        nodes, points = [], []
        for coedge in loop.coedges:
            if coedge.edge.curve is None:
                continue
            some_nodes, some_points = self._coedge(coedge)
            nodes.append(some_nodes[:-1])
            points.append(some_points[:-1])
        return BoundaryLoop(np.concatenate(nodes), np.concatenate(points)) if nodes else None

    def _coedge(self, coedge: Coedge) -> tuple[Ints, Floats]:
        nodes, points = self.edge(coedge.edge)
        return (nodes[::-1], points[::-1]) if coedge.is_reversed else (nodes, points)

    def face(self, face: Face) -> _FaceTriangles:
        """Return the triangles of a face."""
        inward = face.is_reversed != face.surface.turned
        loops = [loop for loop in map(self._boundary, face.loops) if loop is not None]
        if not loops:
            return self._whole(face, inward)
        mapped = map_face(face.surface, inward, loops, self.deviation, face.label)
        try:
            return self._bounded(mapped)
        except ValueError as error:
            if isinstance(error, BrepError):
                raise
            raise CrossingError(f"the boundary of {face.label} crosses itself, or its surface folds") from error

    def _bounded(self, mapped: FaceMap) -> _FaceTriangles:
        coarse = [(nodes[::SHARES], ring[::SHARES]) for nodes, ring in mapped.loops]
        areas = [ring_area(ring) for _, ring in coarse]
        order = sorted(range(len(coarse)), key=lambda number: -abs(areas[number]))
        is_mirrored = areas[order[0]] < 0
        rings, numbers = [], []
        for place, number in enumerate(order):
            nodes, ring = coarse[number]
            backwards = (areas[number] > 0) != (place == 0)
            rings.append(ring[::-1] if backwards else ring)
            numbers.append(nodes[::-1] if backwards else nodes)
        refined = RefinedTriangles(Contour(frozen(rings[0]), tuple(frozen(ring) for ring in rings[1:])))
        nodes = np.concatenate(numbers)
        points = self.points[nodes]
        for x, y in mapped.inner.tolist():
            if refined.insert((x, y)) is None:
                raise BrepError("the apex of a cone lies outside of its face")
            points = np.concatenate([points, mapped.to_space(np.array([[x, y]]))])
        known = len(nodes)
        points = refined.follow(mapped, points, self.deviation)
        nodes = np.concatenate([nodes, self._add(points[known:])])
        corners = refined.triangles
        if is_mirrored:
            corners = corners[:, ::-1]
        triangles = nodes[corners]
        sound = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
        division = _Division(mapped, np.array(refined.places), points, corners[sound])
        division.know_boundary(mapped, self.points, order, areas)
        return _FaceTriangles(triangles[sound], division.levels())

    def _whole(self, face: Face, inward: bool) -> _FaceTriangles:
        """Return the triangles of a closed surface without a boundary."""
        surface = face.surface
        step_u, step_v = surface.steps(self.deviation)
        if isinstance(surface, SphereSurface):
            domain = (0.0, tau, -pi / 2, pi / 2)
        elif isinstance(surface, TorusSurface):
            domain = (0.0, tau, -surface.pole, surface.pole)
        elif isinstance(surface, SplineSurface) and _closes(surface):
            u, v = surface.grid.u, surface.grid.v
            domain = (u.low, u.high, v.low, v.high)
        else:
            raise BrepError(f"{face.label} has no boundary")
        counts = [max(4, 2 * round((domain[k + 1] - domain[k]) / (2 * step))) for k, step in ((0, step_u), (2, step_v))]
        grids = [_grid_points(surface, domain, counts, 2**level) for level in range(_LEVELS + 1)]
        nodes, triangles = _grid_triangles(surface, grids[0])
        numbers = self._add(grids[0].reshape(-1, 3))[nodes]
        divided = [grid.reshape(-1, 3)[_grid_triangles(surface, grid)[1]] for grid in grids[1:]]
        found = numbers[triangles]
        if not inward:
            return _FaceTriangles(found, tuple(divided))
        return _FaceTriangles(found[:, ::-1], tuple(corners[:, ::-1] for corners in divided))


def _closes(surface: SplineSurface) -> bool:
    """Return True if a spline surface has no border: it is periodic, or shrinks to points at both ends."""
    return all(surface.periods) or (surface.periods[0] > 0 and [k for k, _ in surface.poles] == [1, 1])


def _grid_points(
    surface: FaceSurface, domain: tuple[float, float, float, float], counts: Sequence[int], fine: int
) -> Floats:
    """Return the points of a grid over a closed surface, both ends included. Shape (U + 1, V + 1, 3)."""
    u = np.linspace(domain[0], domain[1], counts[0] * fine + 1)
    v = np.linspace(domain[2], domain[3], counts[1] * fine + 1)
    places = np.stack(np.meshgrid(u, v, indexing="ij"), axis=-1).reshape(-1, 2)
    return surface.evaluate(places).reshape(len(u), len(v), 3)


def _grid_triangles(surface: FaceSurface, grid: Floats) -> tuple[Ints, Ints]:
    """Return the node that stands for each point of a grid, and the triangles by point, without those at a pole."""
    rows, columns = grid.shape[:2]
    nodes = np.arange(rows * columns).reshape(rows, columns)
    nodes[-1] = nodes[0]
    has_poles = isinstance(surface, SplineSurface) and not all(surface.periods)
    if has_poles or isinstance(surface, SphereSurface) or (isinstance(surface, TorusSurface) and surface.pole < pi):
        nodes[:, 0], nodes[:, -1] = nodes[0, 0], nodes[0, -1]
    else:
        nodes[:, -1] = nodes[:, 0]
    points = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    triangles = np.concatenate([np.stack(some, axis=-1).reshape(-1, 3) for some in ((a, b, c), (a, c, d))])
    numbers = nodes.reshape(-1)[triangles]
    sound = (numbers != np.roll(numbers, 1, axis=1)).all(axis=1)
    return nodes.reshape(-1), triangles[sound]


@dataclass(eq=False)
class _Division:
    """Division of the triangles of a face into four, with new corners on the true edges and the true surface."""

    mapped: FaceMap
    places: Floats
    """Shape (N, 2)."""
    points: Floats
    """Shape (N, 3)."""
    triangles: Ints
    """Shape (T, 3)."""
    known: dict[tuple[int, int], int] = field(default_factory=dict)
    """Middle of each side on the boundary."""

    def know_boundary(self, mapped: FaceMap, everything: Floats, order: Sequence[int], areas: Sequence[float]) -> None:
        """Add the fine points of the boundary; the coarse ones come first, in the order of the contour."""
        offset = 0
        places, points = [self.places], [self.points]
        count = len(self.places)
        for place, number in enumerate(order):
            nodes, ring = mapped.loops[number]
            size = len(nodes) // SHARES
            # Index of the coarse points along the loop, which the contour may run through backwards.
            index = np.arange(size)
            if (areas[number] > 0) != (place == 0):
                index = index[::-1]
            index = index + offset
            fine = np.arange(len(nodes)).reshape(size, SHARES)[:, 1:].reshape(-1)
            places.append(ring[fine])
            points.append(everything[nodes[fine]])
            for k in range(size):
                a, b = int(index[k]), int(index[(k + 1) % size])
                first = count + (SHARES - 1) * k
                for (i, j), middle in (((a, b), first + 1), ((a, first + 1), first), ((first + 1, b), first + 2)):
                    self.known[min(i, j), max(i, j)] = middle
            count += len(fine)
            offset += size
        self.places, self.points = np.concatenate(places), np.concatenate(points)

    def levels(self) -> tuple[Floats, ...]:
        """Return the corners of the triangles in space after each division."""
        found = []
        for _ in range(_LEVELS):
            self._divide()
            found.append(self.points[self.triangles])
        return tuple(found)

    def _divide(self) -> None:
        corners = self.triangles
        sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
        edges, index = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True)
        middle = np.array([self.known.get((a, b), -1) for a, b in edges.tolist()], dtype=np.int64)
        new = np.flatnonzero(middle < 0)
        middle[new] = len(self.places) + np.arange(len(new))
        spots = self.places[edges[new]].mean(axis=1)
        self.places = np.concatenate([self.places, spots])
        self.points = np.concatenate([self.points, self.mapped.to_space(spots)])
        a, b, c = corners.T
        ab, bc, ca = middle[index.reshape(3, -1)]
        self.triangles = np.concatenate(
            [np.stack(some, axis=1) for some in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )


def _extrapolated(measured: Sequence[Moments]) -> Moments:
    """Return the limit of moments whose error is divided by four at each step (Richardson 1911)."""
    coarse, fine = measured[-2], measured[-1]
    return fine * (4.0 / 3.0) + coarse * (-1.0 / 3.0)
