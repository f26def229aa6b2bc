"""Planes of drawings: the curves in each plane, in the coordinates of that plane."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, cross, dot, lengths
from rck.geometry.mesh import Mesh, face_area_vectors
from rck.geometry.transforms import frame
from rck.geometry.vertex_merge import clusters
from rck_importers.dxf.content import Look, PlacedEntity
from rck_importers.dxf.curves import CircularRun, DrawingCurve

_SAME_DIRECTION = 1e-6
"""Maximum difference between the normals of one plane."""
_MOST_LINES_AT_A_NODE = 8
_MOST_PLANES = 400
_FEWEST_EDGES_OF_A_WIREFRAME = 3
"""Minimum number of lines that lie in two planes of a wireframe."""


@dataclass(frozen=True, eq=False)
class DrawnPath:
    """A drawn curve divided into straight segments; a closed one repeats its first point at the end."""

    points: Floats
    """Shape (N, 3), in metres."""
    coarse: Bools
    """Points of the coarse approximation. Shape (N,)."""
    look: Look
    sweep: Floats
    """Extrusion vector from the entity's thickness; zeros without one."""
    order: int
    """Position in the drawing."""
    entity: str
    handle: str
    closed: bool
    simple: bool
    """True for a single line or arc, which cannot meet itself."""

    @property
    def is_straight(self) -> bool:
        """True for a single line segment."""
        return len(self.points) == 2


@dataclass(frozen=True, eq=False)
class DrawingPlane:
    """A plane of the drawing with its curves."""

    world_from_plane: Floats
    """Shape (4, 4)."""
    paths: tuple[DrawnPath, ...]
    depth: float = 0.0
    """Thickness of the plates of a wireframe: the distance of the parallel plane with the same outlines."""

    def flat(self, points: Floats) -> Floats:
        """Return points of space, shape (N, 3), in the coordinates of the plane. Shape (N, 2)."""
        return np.asarray(((points - self.world_from_plane[:3, 3]) @ self.world_from_plane[:3, :3])[:, :2])


@dataclass(frozen=True, eq=False)
class CurvesByPlane:
    """The planes of a drawing."""

    planes: tuple[DrawingPlane, ...]
    bent: tuple[DrawnPath, ...]
    """Closed curves that do not lie in a plane."""
    stray: tuple[DrawnPath, ...]
    """Open curves in no plane with others."""
    connecting: tuple[DrawnPath, ...]
    """Lines of a wireframe from one of the planes to another."""


def drawn_paths(placed: Sequence[PlacedEntity], deviation: float) -> list[DrawnPath]:
    """Return the curves as paths, without those that have no length."""
    paths = []
    for order, entity in enumerate(placed):
        curve = entity.shape
        assert isinstance(curve, DrawingCurve)
        points, coarse = curve.divided(deviation)
        closed = curve.closed and len(points) > 2
        if closed:
            points, coarse = np.concatenate([points, points[:1]]), np.append(coarse, True)
        simple = (len(curve.runs) == 1 and isinstance(curve.runs[0], CircularRun)) or _is_simple(points, closed)
        if len(points) > 1 and np.ptp(points, axis=0).max() > 0:
            about = (entity.look, curve.sweep, order, entity.entity, entity.handle)
            paths.append(DrawnPath(points, coarse, *about, closed, simple))
    return paths


def _is_simple(points: Floats, closed: bool) -> bool:
    """Return True if the curve turns too little to meet itself: by less than half a turn, or once round if closed."""
    steps = np.diff(points, axis=0)
    steps = steps[steps.any(axis=1)]
    ahead = np.roll(steps, -1, axis=0) if closed else steps[1:]
    here = steps if closed else steps[:-1]
    cosine = dot(here, ahead) / np.maximum(lengths(here) * lengths(ahead), 1e-300)
    turn = float(np.arccos(np.clip(cosine, -1.0, 1.0)).sum())
    return turn < (2 * np.pi + 1e-3 if closed else np.pi - 1e-3)


def area_vector(points: Floats) -> Floats:
    """Return the normal of a ring, shape (N, 3), times the enclosed area. Shape (3,)."""
    ring = Mesh(points, np.array([0, len(points)]), np.arange(len(points)))
    vector: Floats = face_area_vectors(ring)[0]
    return vector


def curves_by_plane(paths: Sequence[DrawnPath], tolerance: float) -> CurvesByPlane:
    """Sort the curves by plane; curves within the tolerance of a plane lie in it."""
    if not paths:
        return CurvesByPlane((), (), (), ())
    common = _common_normal(paths, tolerance)
    if common is not None:
        return CurvesByPlane((_plane(common, paths),), (), (), ())
    planes = _PlaneList(tolerance)
    bent: list[DrawnPath] = []
    straight: list[DrawnPath] = []
    for path in paths:
        normal = None if path.is_straight else _normal_of(path.points, tolerance)
        if normal is not None:
            planes.add(normal, path)
        elif path.closed:
            bent.append(path)
        else:
            straight.append(path)
    lines = [path for path in straight if path.is_straight or _is_collinear(path.points, tolerance)]
    stray = [path for path in straight if not any(path is line for line in lines)]
    connecting, lost = _place_lines(planes, lines)
    found = [_plane(normal, members) for normal, members in planes.filled()]
    if len(connecting) >= _FEWEST_EDGES_OF_A_WIREFRAME:
        return CurvesByPlane(tuple(found), tuple(bent), tuple(stray), tuple(connecting))
    return CurvesByPlane(tuple(found), tuple(bent), (*stray, *lost, *connecting), ())


def _common_normal(paths: Sequence[DrawnPath], tolerance: float) -> Floats | None:
    """Return the normal of the plane of all paths; None if there is none."""
    return _normal_of(np.concatenate([path.points for path in paths]), tolerance)


def _normal_of(points: Floats, tolerance: float) -> Floats | None:
    """Return the normal of the plane of points; None if they do not define one, or do not lie in it."""
    if not np.ptp(points[:, 2]):
        flat = np.ptp(points, axis=0)
        if flat[:2].min() > tolerance:
            return np.array([0.0, 0.0, 1.0])
    centred = points - points.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred.T @ centred)
    normal = axes[2]
    across = centred @ axes[1]
    if spread[0] <= 0 or np.abs(across).max() <= tolerance or np.abs(centred @ normal).max() > tolerance:
        return None
    exact = np.round(normal, 9)
    if np.abs(centred @ exact).max() <= tolerance:
        normal = exact / np.sqrt(exact @ exact)
    return upward(normal)


def _is_collinear(points: Floats, tolerance: float) -> bool:
    along = points[-1] - points[0]
    length = float(np.sqrt(along @ along))
    if length <= tolerance:
        return False
    away = np.cross(points - points[0], along / length)
    return bool(lengths(away).max() <= tolerance)


def upward(normal: Floats) -> Floats:
    """Return the normal or its opposite, so that plates of one plane lie on the same side of it."""
    dominant = int((np.abs(normal) > np.abs(normal).max() - 1e-6).argmax())
    return np.where(normal == 0, 0.0, normal if normal[dominant] > 0 else -normal)


def _plane(normal: Floats, paths: Sequence[DrawnPath]) -> DrawingPlane:
    heights = np.concatenate([path.points @ normal for path in paths])
    height = float((heights.min() + heights.max()) / 2)
    along = None if np.count_nonzero(normal) == 1 else _longest_side(paths, normal)
    return DrawingPlane(frame(normal * height, normal, along), tuple(sorted(paths, key=lambda path: path.order)))


def _longest_side(paths: Sequence[DrawnPath], normal: Floats) -> Floats:
    """Return the direction of the longest straight side, along which a plate in a tilted plane is measured."""
    sides = np.concatenate([np.diff(path.points, axis=0) for path in paths])
    longest = sides[int(lengths(sides).argmax())]
    return np.asarray(longest - (longest @ normal) * normal)


class _PlaneList:
    """Planes found so far."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.normals: list[Floats] = []
        self.heights: list[float] = []
        self.members: list[list[DrawnPath]] = []

    def find(self, normal: Floats, point: Floats) -> int:
        """Return the index of the plane through a point, which is added if it is new."""
        for number, (known, height) in enumerate(zip(self.normals, self.heights, strict=True)):
            if known @ normal > 1 - _SAME_DIRECTION and abs(float(known @ point) - height) <= self.tolerance:
                return number
        self.normals.append(normal)
        self.heights.append(float(normal @ point))
        self.members.append([])
        return len(self.normals) - 1

    def add(self, normal: Floats, path: DrawnPath) -> None:
        """Add a path to its plane."""
        self.members[self.find(normal, path.points.mean(axis=0))].append(path)

    def holding(self, points: Floats) -> list[int]:
        """Return the indices of the planes that contain the points."""
        away = np.abs(points @ np.array(self.normals).T - np.array(self.heights)).max(axis=0)
        return np.flatnonzero(away <= self.tolerance).tolist()

    def filled(self) -> list[tuple[Floats, list[DrawnPath]]]:
        """Return the normals and paths of the planes with paths."""
        return [(normal, members) for normal, members in zip(self.normals, self.members, strict=True) if members]


def _place_lines(planes: _PlaneList, lines: Sequence[DrawnPath]) -> tuple[list[DrawnPath], list[DrawnPath]]:
    """Add lines to the planes that contain them; return those that connect planes, and those in no plane.

    Planes of one direction are preferred: of a wireframe, that of the largest outlines.
    """
    if not lines:
        return [], []
    for normal, point in _corner_planes(lines, planes.tolerance):
        if len(planes.normals) < _MOST_PLANES:
            planes.find(normal, point)
    if not planes.normals:
        return [], list(lines)
    held = [planes.holding(line.points) for line in lines]
    weight = np.zeros(len(planes.normals))
    for number, members in enumerate(planes.members):
        weight[number] += sum(_size(path.points) for path in members)
    for line, numbers in zip(lines, held, strict=True):
        weight[numbers] += _size(line.points)
    turned = np.abs(np.array(planes.normals) @ np.array(planes.normals).T) > 1 - _SAME_DIRECTION
    main = int((turned @ weight).argmax())
    shared = sum(1 for numbers in held if len({bool(turned[main, number]) for number in numbers}) == 2)
    is_wireframe = shared >= _FEWEST_EDGES_OF_A_WIREFRAME
    connecting: list[DrawnPath] = []
    lost: list[DrawnPath] = []
    for line, numbers in zip(lines, held, strict=True):
        chosen = [number for number in numbers if turned[main, number]] if is_wireframe else numbers
        if chosen:
            # A line on several planes, none of them preferred, belongs to the one with most curves.
            planes.members[max(chosen, key=lambda number: float(weight[number]))].append(line)
        else:
            (connecting if is_wireframe and numbers else lost).append(line)
    if is_wireframe:
        for number in range(len(planes.normals)):
            if not turned[main, number]:
                connecting += planes.members[number]
                planes.members[number] = []
    return connecting, lost


def _size(points: Floats) -> float:
    return float(lengths(np.diff(points, axis=0)).sum())


def _corner_planes(lines: Sequence[DrawnPath], tolerance: float) -> list[tuple[Floats, Floats]]:
    """Return normal and point of the planes of lines that end at a common point."""
    ends = np.concatenate([line.points[[0, -1]] for line in lines])
    node: Ints = clusters(ends, tolerance)
    at: dict[int, list[int]] = {}
    for number, name in enumerate(node.tolist()):
        at.setdefault(name, []).append(number)
    found: dict[tuple[int, ...], tuple[Floats, Floats]] = {}
    for numbers in at.values():
        if not 2 <= len(numbers) <= _MOST_LINES_AT_A_NODE:
            continue
        directions = np.array([ends[number ^ 1] - ends[number] for number in numbers])
        directions /= np.maximum(lengths(directions), 1e-300)[:, None]
        for one in range(len(numbers)):
            for other in range(one):
                normal = cross(directions[one : one + 1], directions[other : other + 1])[0]
                sine = float(np.sqrt(normal @ normal))
                if sine < 1e-3:
                    continue
                normal = upward(np.round(normal / sine, 9))
                point = ends[numbers[0]]
                key = (*np.round(normal * 1e5).astype(int).tolist(), round(float(normal @ point) / tolerance))
                found.setdefault(key, (normal, point))
    return list(found.values())


def flattened_wireframe(sorted_curves: CurvesByPlane, areas: Sequence[float]) -> CurvesByPlane | None:
    """Return the lower one of two parallel planes with the same outlines, with its depth; None without such planes.

    `areas` lists the area inside the outlines of each plane. The connecting lines must be normal to the planes.
    """
    planes = sorted_curves.planes
    normal = planes[0].world_from_plane[:3, 2]
    for path in sorted_curves.connecting:
        along = path.points[-1] - path.points[0]
        if not path.is_straight or lengths(np.cross(along, normal)[None])[0] > 1e-3 * _size(path.points):
            return None
    heights = [float(plane.world_from_plane[:3, 3] @ normal) for plane in planes]
    order = np.argsort(heights).tolist()
    full = [number for number in order if areas[number] > 0.98 * max(areas) > 0]
    if len(full) != 2:
        return None
    low, high = full
    depth = heights[high] - heights[low]
    # Exporters of wireframes lose the height of some circles: all parallel curves count.
    paths = tuple(sorted((path for plane in planes for path in plane.paths), key=lambda path: path.order))
    flat = DrawingPlane(planes[low].world_from_plane, paths, depth)
    return replace(sorted_curves, planes=(flat,), connecting=())


def with_circles_at_other_heights(sorted_curves: CurvesByPlane, thickness: float) -> CurvesByPlane | None:
    """Return the plane of an outline with the circles inside it that are drawn at most a thickness higher or lower.

    Return None if there are none, or if anything else lies in other planes.
    """
    planes = sorted_curves.planes
    if len(planes) < 2 or any(path.sweep.any() for plane in planes for path in plane.paths):
        return None
    main = max(planes, key=lambda plane: max(_size(path.points) for path in plane.paths))
    normal = main.world_from_plane[:3, 2]
    flat = [main.flat(path.points) for path in main.paths]
    low, high = np.min([points.min(axis=0) for points in flat], axis=0), np.max([p.max(axis=0) for p in flat], axis=0)
    if all(path.entity == "CIRCLE" for path in main.paths):
        return None
    for plane in planes:
        if plane is main:
            continue
        parallel = float(plane.world_from_plane[:3, 2] @ normal) > 1 - _SAME_DIRECTION
        points = [main.flat(path.points) for path in plane.paths]
        away = abs(float((plane.world_from_plane[:3, 3] - main.world_from_plane[:3, 3]) @ normal))
        parallel = parallel and away <= thickness * (1 + 1e-9)
        inside = all((low < one.min(axis=0)).all() and (one.max(axis=0) < high).all() for one in points)
        if not (parallel and inside and all(path.entity == "CIRCLE" for path in plane.paths)):
            return None
    paths = tuple(sorted((path for plane in planes for path in plane.paths), key=lambda path: path.order))
    return replace(sorted_curves, planes=(DrawingPlane(main.world_from_plane, paths, main.depth),))
