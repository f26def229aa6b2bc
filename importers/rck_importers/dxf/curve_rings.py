"""Rings formed by curves joined end to end, such as outlines drawn with lines and arcs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import atan2

import numpy as np

from rck.geometry.arrays import Bools, Floats, lengths
from rck.geometry.mesh import Mesh, face_area_vectors
from rck.geometry.transforms import frame
from rck.geometry.vertex_merge import clusters
from rck_importers.dxf.content import Look, PlacedEntity
from rck_importers.dxf.curves import DrawingCurve


@dataclass(frozen=True, eq=False)
class CurvePath:
    """A curve divided into straight segments."""

    points: Floats
    """Shape (N, 3), in metres."""
    coarse: Bools
    """Points of the coarse approximation. Shape (N,)."""
    look: Look
    sweep: Floats
    normal: Floats
    order: int
    """Position in drawing order."""
    entity: str

    @property
    def length(self) -> float:
        """Length in metres."""
        return float(lengths(np.diff(self.points, axis=0)).sum())


@dataclass(frozen=True, eq=False)
class Ring(CurvePath):
    """A closed path; it does not repeat its first point at the end."""


@dataclass(frozen=True, eq=False)
class OpenChain:
    """Connected paths that do not form a ring."""

    paths: tuple[CurvePath, ...]
    ends: Floats
    """The closest pair of free ends; empty if there is none. Shape (2, 3) or (0, 3)."""

    @property
    def gap(self) -> float:
        """Distance between those ends in metres; infinite without them."""
        return float(lengths(self.ends[1:] - self.ends[:1])[0]) if len(self.ends) else np.inf

    @property
    def length(self) -> float:
        """Total length of the paths in metres."""
        return sum(path.length for path in self.paths)

    @property
    def points(self) -> Floats:
        """Points of all paths. Shape (N, 3)."""
        return np.concatenate([path.points for path in self.paths])


def rings_of(placed: Sequence[PlacedEntity], deviation: float, tolerance: float) -> tuple[list[Ring], list[OpenChain]]:
    """Return the rings that the curves form, in drawing order, and the chains that do not close.

    Ends within the tolerance are joined. Where more than two ends join, each enclosed area becomes a ring.
    """
    rings: list[Ring] = []
    paths: list[CurvePath] = []
    for order, entity in enumerate(placed):
        assert isinstance(entity.shape, DrawingCurve)
        points, coarse = entity.shape.divided(deviation)
        about = (entity.look, entity.shape.sweep, entity.shape.normal, order, entity.entity)
        if entity.shape.closed and len(points) > 2:
            rings.append(Ring(points, coarse, *about))
        elif len(points) > 1:
            paths.append(CurvePath(points, coarse, *about))
    paths = _remove_duplicates([path for path in paths if path.length > tolerance], tolerance)
    found, loose = _join_paths(paths, tolerance)
    return sorted(rings + found, key=lambda ring: ring.order), loose


def _remove_duplicates(paths: list[CurvePath], tolerance: float) -> list[CurvePath]:
    """Return the paths without duplicates."""
    seen: dict[tuple[int, ...], list[CurvePath]] = {}
    kept = []
    for path in paths:
        ends = np.sort(np.round(path.points[[0, -1]] / max(tolerance, 1e-12)), axis=0)
        twins = seen.setdefault(tuple(int(x) for x in ends.ravel()), [])
        middle = path.points[len(path.points) // 2]
        if not any(_is_near(middle, twin, tolerance) and abs(twin.length - path.length) <= tolerance for twin in twins):
            twins.append(path)
            kept.append(path)
    return kept


def _is_near(point: Floats, path: CurvePath, tolerance: float) -> bool:
    starts, along = path.points[:-1], np.diff(path.points, axis=0)
    share = np.einsum("ij,ij->i", point - starts, along) / np.maximum(np.einsum("ij,ij->i", along, along), 1e-30)
    nearest = starts + np.clip(share, 0, 1)[:, None] * along
    return bool(lengths(nearest - point).min() <= tolerance)


@dataclass(frozen=True, eq=False)
class _Edge:
    """A path between two nodes, in the direction of its points."""

    path: CurvePath
    start: int
    end: int


def _join_paths(paths: list[CurvePath], tolerance: float) -> tuple[list[Ring], list[OpenChain]]:
    if not paths:
        return [], []
    ends = np.concatenate([path.points[[0, -1]] for path in paths])
    node = clusters(ends, tolerance)
    sums: Floats = np.stack([np.bincount(node, ends[:, axis]) for axis in range(3)], axis=1)
    centre = sums / np.maximum(np.bincount(node), 1)[:, None]
    edges = []
    for number, path in enumerate(paths):
        a, b = int(node[2 * number]), int(node[2 * number + 1])
        points = path.points.copy()
        points[0], points[-1] = centre[a], centre[b]
        moved = CurvePath(points, path.coarse, path.look, path.sweep, path.normal, path.order, path.entity)
        edges.append(_Edge(moved, a, b))
    rings: list[Ring] = []
    loose: list[OpenChain] = []
    for component in _components(edges):
        core = _remove_dangling(component)
        dangling = [edge for edge in component if edge not in core]
        loose += [_open_chain(some) for some in _components(dangling)]
        for section in _components(core):
            traced = _trace_rings(section, tolerance)
            if traced is None:
                loose.append(OpenChain(tuple(edge.path for edge in section), np.empty((0, 3))))
            else:
                rings += traced
    return rings, loose


def _components(edges: Sequence[_Edge]) -> list[list[_Edge]]:
    """Return the connected components of the edges."""
    label: dict[int, int] = {}

    def root(node: int) -> int:
        while label.setdefault(node, node) != node:
            label[node] = label[label[node]]
            node = label[node]
        return node

    for edge in edges:
        label[root(edge.start)] = root(edge.end)
    groups: dict[int, list[_Edge]] = {}
    for edge in edges:
        groups.setdefault(root(edge.start), []).append(edge)
    return list(groups.values())


def _remove_dangling(edges: Sequence[_Edge]) -> list[_Edge]:
    """Return the edges after repeatedly removing those with a free end."""
    at: dict[int, set[int]] = {}
    for number, edge in enumerate(edges):
        at.setdefault(edge.start, set()).add(number)
        at.setdefault(edge.end, set()).add(number)
    is_loop = {number for number, edge in enumerate(edges) if edge.start == edge.end}
    waiting = [node for node, there in at.items() if len(there) == 1 and not there & is_loop]
    gone: set[int] = set()
    while waiting:
        node = waiting.pop()
        if len(at[node]) != 1 or at[node] & is_loop:
            continue
        (number,) = at[node]
        gone.add(number)
        for end in (edges[number].start, edges[number].end):
            at[end].discard(number)
            waiting.append(end)
    return [edge for number, edge in enumerate(edges) if number not in gone]


def _open_chain(edges: Sequence[_Edge]) -> OpenChain:
    count: dict[int, int] = {}
    place: dict[int, Floats] = {}
    for edge in edges:
        for end, point in ((edge.start, edge.path.points[0]), (edge.end, edge.path.points[-1])):
            count[end] = count.get(end, 0) + 1
            place[end] = point
    free = np.array([place[end] for end, times in count.items() if times == 1]).reshape(-1, 3)
    ends = np.empty((0, 3))
    if 2 <= len(free) <= 200:
        apart = lengths((free[:, None] - free[None]).reshape(-1, 3)).reshape(len(free), -1)
        apart[np.diag_indices(len(free))] = np.inf
        ends = free[list(divmod(int(apart.argmin()), len(free)))]
    return OpenChain(tuple(edge.path for edge in edges), ends)


def area_vector(points: Floats) -> Floats:
    """Return the normal of a ring, shape (N, 3), times the enclosed area. Shape (3,)."""
    ring = Mesh(points, np.array([0, len(points)]), np.arange(len(points)))
    vector: Floats = face_area_vectors(ring)[0]
    return vector


def _trace_rings(edges: Sequence[_Edge], tolerance: float) -> list[Ring] | None:
    """Return the rings round the areas of a connected, planar graph; None if it is not planar."""
    points = np.concatenate([edge.path.points for edge in edges])
    centred = points - points.mean(axis=0)
    normal = np.linalg.svd(centred[:: max(1, len(centred) // 2000)], full_matrices=False)[2][2]
    if np.abs(centred @ normal).max() > tolerance:
        return None
    if normal @ edges[0].path.normal < 0:
        normal = -normal
    plane = frame((0.0, 0.0, 0.0), normal)[:3, :2]
    while True:
        faces = _faces(edges, plane)
        # An edge with the same area on both sides is a bridge.
        bridges = {number for face in faces for number, _ in face if (number, False) in face and (number, True) in face}
        if not bridges:
            break
        edges = [edge for number, edge in enumerate(edges) if number not in bridges]
    rings = [_ring([(edges[number], back) for number, back in face], plane) for face in faces]
    return [ring for ring in rings if ring is not None]


def _faces(edges: Sequence[_Edge], plane: Floats) -> list[list[tuple[int, bool]]]:
    """Return the walk round each area of the graph, with the area on the left, as (edge, is backward) pairs."""
    leaving: dict[int, list[tuple[float, int, bool]]] = {}
    for number, edge in enumerate(edges):
        for back, node in ((False, edge.start), (True, edge.end)):
            way = (edge.path.points[::-1] if back else edge.path.points) @ plane
            # Sample away from the node, to distinguish an arc from its tangent.
            step = way[min(max(1, len(way) // 8), len(way) - 1)] - way[0]
            leaving.setdefault(node, []).append((atan2(step[1], step[0]), number, back))
    following: dict[tuple[int, bool], tuple[int, bool]] = {}
    for ways in leaving.values():
        ways.sort()
        for place, (_, number, back) in enumerate(ways):
            # A walk that arrives along this edge leaves along the next edge to the right.
            _, after, after_back = ways[place - 1]
            following[number, not back] = (after, after_back)
    faces = []
    while following:
        face = []
        step_key = next(iter(following))
        while step_key in following:
            face.append(step_key)
            step_key = following.pop(step_key)
        faces.append(face)
    return faces


def _ring(walk: Iterable[tuple[_Edge, bool]], plane: Floats) -> Ring | None:
    """Return the ring of a walk; None for the walk round the outside of the graph."""
    listed = list(walk)
    points = np.concatenate([(edge.path.points[::-1] if back else edge.path.points)[:-1] for edge, back in listed])
    flat = points @ plane
    x, y = (flat - flat[0]).T
    if not x @ np.roll(y, -1) - y @ np.roll(x, -1) > 0:
        return None
    coarse = np.concatenate([(edge.path.coarse[::-1] if back else edge.path.coarse)[:-1] for edge, back in listed])
    first = min((edge.path for edge, _ in listed), key=lambda path: path.order)
    swept = next((edge.path.sweep for edge, _ in listed if edge.path.sweep.any()), first.sweep)
    return Ring(points, coarse, first.look, swept, first.normal, first.order, first.entity)
