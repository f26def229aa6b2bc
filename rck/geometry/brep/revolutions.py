"""Recognition of solids of revolution; their convex pieces are discs where they are full, sectors where hollow."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, pi, tau

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.brep.curves import Ellipse, count_steps
from rck.geometry.brep.surfaces import ConeSurface, PlaneSurface, SphereSurface, TorusSurface
from rck.geometry.brep.tessellation import LumpMesh
from rck.geometry.brep.topology import Face, Lump
from rck.geometry.contour import Contour, contours_from_rings
from rck.geometry.partition import convex_polygons
from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.geometry.transforms import frame

_SAME = 1e-7
"""Maximum difference of directions, and of places as a fraction of the size."""
_MOST_SECTORS = 48
_MOST_PIECES = 1_000


@dataclass(frozen=True, eq=False)
class Revolution:
    """A solid of revolution about the z axis of a frame."""

    frame: Floats
    """BrepBody from revolution. Shape (4, 4)."""
    contours: tuple[Contour, ...]
    """Half of its section: x is the distance from the axis, y the height."""

    def pieces(self, matrix: Floats, deviation: float) -> tuple[Polyhedron, ...] | None:
        """Return convex pieces in the world, which the matrix leads to; None if there would be too many."""
        radius = max(float(contour.main[:, 0].max()) for contour in self.contours)
        steps = count_steps(radius, tau, deviation)
        clouds = [cloud for contour in self.contours for cloud in _clouds(contour, steps)]
        if len(clouds) > _MOST_PIECES:
            return None
        world = matrix @ self.frame
        try:
            return tuple(convex_hull(cloud @ world[:3, :3].T + world[:3, 3]) for cloud in clouds)
        except ValueError:
            return None


def _clouds(contour: Contour, steps: int) -> list[Floats]:
    """Return the corners of each convex piece."""
    stack = _stack(contour)
    if stack is not None:
        return [_turned(section, np.linspace(0.0, tau, steps, endpoint=False)) for section in stack]
    sectors = min(steps, _MOST_SECTORS)
    found = []
    for section in convex_polygons(contour):
        found += [_turned(section, np.array([k, k + 1]) * (tau / sectors)) for k in range(sectors)]
    return found


def _turned(section: Floats, angles: Floats) -> Floats:
    radius, height = section[:, 0], section[:, 1]
    rings = [np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1) for angle in angles.tolist()]
    return np.concatenate(rings)


def _stack(contour: Contour) -> list[Floats] | None:
    """Return convex sections that reach the axis, one above the other; None if the section is not such a stack."""
    if contour.holes:
        return None
    ring = contour.main
    on_axis = ring[:, 0] <= 0.0
    starts = np.flatnonzero(on_axis & ~np.roll(on_axis, 1))
    if on_axis.sum() < 2 or len(starts) != 1:
        return None
    # Counter-clockwise: down along the axis, then up along the outside.
    ring = np.roll(ring, -int(starts[0]), axis=0)
    chain = ring[int(on_axis.sum()) - 1 :]
    chain = np.concatenate([chain, ring[:1]])
    if not (np.diff(chain[:, 1]) >= 0).all():
        return None
    along = np.diff(chain, axis=0)
    turns = along[:-1, 0] * along[1:, 1] - along[:-1, 1] * along[1:, 0]
    cuts = [0, *(np.flatnonzero(turns < 0) + 1).tolist(), len(chain) - 1]
    sections = []
    for first, last in pairwise(cuts):
        low, high = chain[first, 1], chain[last, 1]
        if high > low:
            sections.append(np.concatenate([chain[first : last + 1], [[0.0, high], [0.0, low]]]))
    return sections


def find_revolution(lump: Lump, mesh: LumpMesh, deviation: float) -> Revolution | None:
    """Return a closed lump as a solid of revolution if it is one."""
    axis = _axis(lump)
    if axis is None:
        return None
    size = float(np.ptp(mesh.mesh.vertices, axis=0).max())
    if not all(_turns_about(face, axis, size) for face in lump.faces):
        return None
    paths = []
    for face, nodes in zip(lump.faces, mesh.face_points, strict=True):
        places = (nodes - axis[:3, 3]) @ axis[:3, :3]
        flat = np.stack([np.hypot(places[:, 0], places[:, 1]), places[:, 2]], axis=1)
        paths.append(_profile(face, flat, axis, deviation))
    rings = _chained(paths, 1e-6 * size)
    if rings is None:
        return None
    try:
        contours = contours_from_rings(rings)
    except ValueError:
        return None
    volume = sum(_pappus(contour) for contour in contours)
    if not abs(volume - mesh.moments.volume) <= 0.02 * mesh.moments.volume:
        return None
    return Revolution(axis, contours)


def _axis(lump: Lump) -> Floats | None:
    """Return the frame of the axis of the first cone or torus."""
    for face in lump.faces:
        if isinstance(face.surface, ConeSurface | TorusSurface):
            return frame(face.surface.centre, face.surface.axis)
    return None


def _turns_about(face: Face, axis: Floats, size: float) -> bool:
    """Return True if a face is all round the axis."""
    surface = face.surface
    if isinstance(surface, PlaneSurface):
        fits = _is_parallel(surface.normal, axis)
    elif isinstance(surface, ConeSurface):
        fits = surface.is_circular and _is_parallel(surface.axis, axis) and _is_on(surface.centre, axis, size)
    elif isinstance(surface, TorusSurface):
        fits = _is_parallel(surface.axis, axis) and _is_on(surface.centre, axis, size)
    else:
        fits = isinstance(surface, SphereSurface) and _is_on(surface.centre, axis, size)
    for loop in face.loops:
        for coedge in loop.coedges:
            edge, curve = coedge.edge, coedge.edge.curve
            if curve is None:
                continue
            is_circle = isinstance(curve, Ellipse) and edge.start is edge.end
            if not isinstance(curve, Ellipse) or not is_circle or not _is_on(curve.centre, axis, size):
                return False
            normal = np.cross(curve.x, curve.y)
            if not _is_parallel(normal / np.sqrt(normal @ normal), axis):
                return False
    return fits


def _is_parallel(direction: Floats, axis: Floats) -> bool:
    return bool(lengths(np.cross(direction, axis[:3, 2])[None])[0] <= _SAME)


def _is_on(point: Floats, axis: Floats, size: float) -> bool:
    away = (point - axis[:3, 3]) @ axis[:3, :2]
    return bool(np.abs(away).max() <= _SAME * size)


def _profile(face: Face, flat: Floats, axis: Floats, deviation: float) -> Floats:
    """Return the section of a face, from the (radius, height) of its points. Shape (N, 2)."""
    surface = face.surface
    if isinstance(surface, PlaneSurface):
        inner = 0.0 if len(face.loops) == 1 else float(flat[:, 0].min())
        height = float(flat[:, 1].mean())
        return np.array([[inner, height], [float(flat[:, 0].max()), height]])
    if isinstance(surface, ConeSurface):
        return flat[[int(flat[:, 1].argmin()), int(flat[:, 1].argmax())]]
    assert isinstance(surface, SphereSurface | TorusSurface)
    centre_height = float((surface.centre - axis[:3, 3]) @ axis[:3, 2])
    if isinstance(surface, SphereSurface):
        centre, radius = np.array([0.0, centre_height]), surface.radius
        low_limit, high_limit = -pi / 2, pi / 2
    else:
        centre, radius = np.array([surface.major, centre_height]), surface.minor
        low_limit, high_limit = -surface.pole, surface.pole
    angles = np.sort(np.arctan2(flat[:, 1] - centre[1], flat[:, 0] - centre[0]))
    if not face.loops:
        low, high = low_limit, high_limit
    elif isinstance(surface, SphereSurface):
        low, high = float(angles[0]), float(angles[-1])
        # The pole of a cap is inside a triangle, not at a corner.
        if len(face.loops) == 1:
            low, high = (low_limit, high) if abs(low) > abs(high) else (low, high_limit)
    else:
        gaps = np.diff(np.append(angles, angles[0] + tau))
        widest = int(gaps.argmax())
        low, high = float(angles[(widest + 1) % len(angles)]), float(angles[widest])
        high += tau if high < low else 0.0
    steps = max(2, ceil((high - low) / tau * count_steps(radius, tau, deviation)))
    turn = np.linspace(low, high, steps + 1)
    arc = centre + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    arc[np.abs(arc[:, 0]) <= 1e-9 * radius, 0] = 0.0
    return arc


def _chained(paths: Sequence[Floats], tolerance: float) -> list[Floats] | None:
    """Return the rings that paths form end to end, together with the axis; None if an end is left over."""
    whole = [path[:-1] for path in paths if np.abs(path[0] - path[-1]).max() <= tolerance]
    open_paths = [path for path in paths if np.abs(path[0] - path[-1]).max() > tolerance]
    open_paths += _axis_pieces(open_paths, tolerance)
    rings = list(whole)
    while open_paths:
        ring = open_paths.pop()
        while np.abs(ring[0] - ring[-1]).max() > tolerance:
            for number, path in enumerate(open_paths):
                if np.abs(path[0] - ring[-1]).max() <= tolerance:
                    ring = np.concatenate([ring, path[1:]])
                elif np.abs(path[-1] - ring[-1]).max() <= tolerance:
                    ring = np.concatenate([ring, path[-2::-1]])
                else:
                    continue
                del open_paths[number]
                break
            else:
                return None
        rings.append(ring[:-1])
    return rings


def _axis_pieces(paths: Sequence[Floats], tolerance: float) -> list[Floats]:
    """Return the pieces of the axis inside the solid: its crossings with the section, in pairs."""
    heights = sorted(float(end[1]) for path in paths for end in (path[0], path[-1]) if end[0] <= tolerance)
    return [np.array([[0.0, low], [0.0, high]]) for low, high in zip(heights[::2], heights[1::2], strict=False)]


def _pappus(contour: Contour) -> float:
    """Return the volume of a section that is turned about the axis."""
    total = 0.0
    for ring in (contour.main, *contour.holes):
        (x, y), (p, q) = ring.T, np.roll(ring, -1, axis=0).T
        total += float(((x * q - p * y) * (x + p)).sum()) / 6.0
    return tau * total
