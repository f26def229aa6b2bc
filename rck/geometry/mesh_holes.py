"""Round holes in triangle meshes, such as the visuals of robots: concave prisms with eight or more sides."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, lengths
from rck.geometry.mesh import Faceted, triangles
from rck.geometry.transforms import frame
from rck.geometry.vertex_merge import clusters, linked_groups

_MERGE = 1e-7
"""Vertices at most this far apart are one, in metres."""
_STEEPEST = np.cos(np.radians(46.0))
"""Cosine of the largest angle between the sides of a hole: one of eight sides has 45 degrees."""
_FLAT = np.cos(np.radians(1.0))
_FEWEST = 8
_ROUND = 0.02
"""Largest difference of distances from the axis, as a fraction of the radius."""
_ALONG = 1e-3
"""Largest mean square of the component of normals along the axis."""
_EVEN = 0.1
"""Largest difference between the mean squares of the other components, which are one half all round a circle."""
_RADII = (0.5e-3, 30e-3)
"""Smallest and largest radius of a mounting hole, in metres."""
_SHORTEST = 0.15
"""Smallest length, in radii."""
_MOST_TRIANGLES = 500_000
"""Larger meshes are not searched."""


@dataclass(frozen=True, eq=False)
class RoundHole:
    """A round hole."""

    start: Floats
    """Centre of one end. Shape (3,)."""
    end: Floats
    """Centre of the other end. Shape (3,)."""
    radius: float
    is_open: tuple[bool, bool]
    """True for each end where the surface turns outward; a blind hole ends at a floor."""


@dataclass(frozen=True, eq=False)
class _Surface:
    """Triangles, and the edges that two of them share."""

    corners: Floats
    """Shape (triangles, 3, 3)."""
    normals: Floats
    areas: Floats
    pairs: Ints
    """The two triangles at each shared edge. Shape (edges, 2)."""
    middles: Floats
    """The middle of each shared edge. Shape (edges, 3)."""
    is_concave: Bools
    """True for each shared edge whose faces lean toward each other."""
    cosines: Floats
    """Cosine of the angle between the normals at each shared edge."""


def round_holes(shape: Faceted) -> list[RoundHole]:
    """Return the round holes of a mesh, in the order of its triangles."""
    whole = triangles(shape)
    if not 2 * _FEWEST <= len(whole) <= _MOST_TRIANGLES:
        return []
    surface = _surface(shape.vertices, whole)
    is_side = (surface.cosines >= _FLAT) | (surface.is_concave & (surface.cosines >= _STEEPEST))
    some, others = surface.pairs[is_side].T
    group = linked_groups(some, others, len(surface.corners))
    found = []
    for number in _cylindrical(group, surface):
        hole = _hole(np.flatnonzero(group == number), group == number, surface)
        if hole is not None:
            found.append(hole)
    return found


def open_ends(hole: RoundHole) -> Iterator[Floats]:
    """Yield a frame at each open end, with z out of the material. Shapes (4, 4)."""
    for point, inside, is_open in ((hole.start, hole.end, hole.is_open[0]), (hole.end, hole.start, hole.is_open[1])):
        if is_open:
            yield frame(point, z=point - inside)


def _surface(vertices: Floats, corners: Ints) -> _Surface:
    merged = clusters(vertices, _MERGE)[corners]
    sides = np.diff(vertices[corners], axis=1)
    crossed = np.cross(sides[:, 0], sides[:, 1])
    sizes = lengths(crossed)
    is_proper = (sizes > 0) & (merged != np.roll(merged, 1, axis=1)).all(axis=1)
    corners, merged, crossed, sizes = corners[is_proper], merged[is_proper], crossed[is_proper], sizes[is_proper]
    normals = crossed / sizes[:, None]
    edges = np.sort(np.stack([merged, np.roll(merged, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    order = np.lexsort(edges.T)
    listed = edges[order]
    starts = np.flatnonzero(np.append(True, (listed[1:] != listed[:-1]).any(axis=1)))
    shared = starts[np.diff(np.append(starts, len(listed))) == 2]
    first, second = order[shared], order[shared + 1]
    pairs = np.stack([first // 3, second // 3], axis=1)
    points = vertices[corners]
    middles = (points[first // 3, first % 3] + points[first // 3, (first % 3 + 1) % 3]) / 2
    beyond = points[second // 3, (second % 3 + 2) % 3] - middles
    height = np.einsum("ij,ij->i", beyond, normals[pairs[:, 0]])
    cosines = np.einsum("ij,ij->i", normals[pairs[:, 0]], normals[pairs[:, 1]])
    return _Surface(points, normals, sizes / 2, pairs, middles, height > 0, cosines)


def _cylindrical(group: Ints, surface: _Surface) -> list[int]:
    """Return the groups whose normals are all round one axis, ascending by their first triangle."""
    count = int(group.max(initial=-1)) + 1
    squares = np.zeros((count, 3, 3))
    np.add.at(squares, group, surface.areas[:, None, None] * np.einsum("ij,ik->ijk", surface.normals, surface.normals))
    areas = np.bincount(group, surface.areas, count)
    values = np.linalg.eigvalsh(squares / areas[:, None, None])
    is_round = (values[:, 0] <= _ALONG) & (values[:, 2] - values[:, 1] <= _EVEN)
    is_round &= np.bincount(group, minlength=count) >= _FEWEST
    _, first = np.unique(group, return_index=True)
    chosen = np.flatnonzero(is_round)
    return [int(number) for number in chosen[np.argsort(first[chosen])]]


def _hole(members: Ints, is_member: Bools, surface: _Surface) -> RoundHole | None:
    """Return the hole that triangles with normals round one axis form; None for shafts and other surfaces."""
    points = surface.corners[members].reshape(-1, 3)
    normals, areas = surface.normals[members], surface.areas[members]
    axis = np.linalg.eigh((normals * areas[:, None]).T @ normals)[1][:, 0]
    axis *= np.sign(axis[np.abs(axis).argmax()])
    plane = frame(points.mean(axis=0), z=axis)
    flat = (points - plane[:3, 3]) @ plane[:3, :3]
    # The circle through points (x, y): x^2 + y^2 = 2 a x + 2 b y + c.
    (a, b, _), *_ = np.linalg.lstsq(
        np.column_stack([2 * flat[:, :2], np.ones(len(flat))]), (flat[:, :2] ** 2).sum(axis=1), rcond=None
    )
    away = flat[:, :2] - (a, b)
    distances = np.sqrt((away**2).sum(axis=1))
    radius = float(distances.mean())
    low, high = float(flat[:, 2].min()), float(flat[:, 2].max())
    if not _RADII[0] <= radius <= _RADII[1] or high - low < _SHORTEST * radius:
        return None
    if np.abs(distances - radius).max() > _ROUND * radius:
        return None
    inward = (surface.corners[members].mean(axis=1) - plane[:3, 3]) @ plane[:3, :3][:, :2] - (a, b)
    if (np.einsum("ij,ij->i", inward, normals @ plane[:3, :3][:, :2]) >= 0).any():
        return None
    angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
    if np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() > 2 * np.pi / _FEWEST + 0.01:
        return None
    is_rim = is_member[surface.pairs].sum(axis=1) == 1
    heights = (surface.middles[is_rim] - plane[:3, 3]) @ axis
    is_open = [_is_open(np.abs(heights - end) <= 0.1 * (high - low), surface.is_concave[is_rim]) for end in (low, high)]
    centre = plane[:3, 3] + plane[:3, :2] @ (a, b)
    return RoundHole(centre + low * axis, centre + high * axis, radius, (is_open[0], is_open[1]))


def _is_open(at_end: Bools, is_concave: Bools) -> bool:
    """Return True if the surface turns outward at most edges of an end."""
    return bool(at_end.any() and not is_concave[at_end].mean() > 0.5)
