"""Do two convex polyhedra touch? Each face of one against each face of the other (Lingman 1996, 3.3).

Two faces cross where the line in which their planes meet runs through both of them at the same place. Polyhedra whose
faces do not cross are apart, or one is inside the other: then it has a vertex there.
"""

from collections.abc import Iterator

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply

# In metres, and as the sine of an angle: what is nearer or more parallel than this counts as one.
TOLERANCE = 1e-9

Interval = tuple[float, float]


def polyhedra_touch(one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> bool:
    """Whether the two touch, or one is inside the other."""
    a, b = apply(world_from_one, one.vertices), apply(world_from_other, other.vertices)
    # Seen from a vertex of the first: far from the origin, planes would lose their last digits.
    origin = a[0].copy()
    a, b = a - origin, b - origin
    faces_a, faces_b = list(_faces(one, a)), list(_faces(other, b))
    if _holds(faces_a, b[0]) or _holds(faces_b, a[0]):
        return True
    return any(faces_cross(face, another) for face in faces_a for another in faces_b)


def faces_cross(one: Floats, other: Floats) -> bool:
    """Whether two convex polygons in space, each of shape (corners, 3), have a point in common."""
    normal, height = _plane(one)
    another, height_of_other = _plane(other)
    along = np.cross(normal, another)
    size = np.linalg.norm(along)
    if size < TOLERANCE:
        in_one_plane = abs(np.dot(normal, other[0]) - height) < TOLERANCE
        return in_one_plane and _overlap_in_plane(one, other, normal)
    # The point of both planes that is nearest to the origin, then along the line that they share.
    point = np.linalg.solve([normal, another, along], [height, height_of_other, 0.0])
    along = along / size
    first, second = _inside(one, normal, point, along), _inside(other, another, point, along)
    return max(first[0], second[0]) <= min(first[1], second[1]) + TOLERANCE


def _inside(polygon: Floats, normal: Floats, point: Floats, along: Floats) -> Interval:
    """Between which shares of the line, from the point along, it runs inside a polygon in whose plane it is."""
    start, end = -np.inf, np.inf
    for corner, inward in _sides(polygon, normal):
        # How fast the line comes in over this side, and how far out it is at the point.
        speed, outside = float(inward @ along), float(inward @ (corner - point))
        if abs(speed) < TOLERANCE:
            if outside > TOLERANCE:
                return np.inf, -np.inf
        elif speed > 0:
            start = max(start, outside / speed)
        else:
            end = min(end, outside / speed)
    return start, end


def _overlap_in_plane(one: Floats, other: Floats, normal: Floats) -> bool:
    """Whether two polygons of one plane overlap: no side of either has all of the other outside."""
    for polygon, another in ((one, other), (other, one)):
        # The sides turn about the normal of their own polygon, which may face the other way.
        own = normal if _plane(polygon)[0] @ normal > 0 else -normal
        for corner, inward in _sides(polygon, own):
            if ((another - corner) @ inward < -TOLERANCE).all():
                return False
    return True


def _sides(polygon: Floats, normal: Floats) -> Iterator[tuple[Floats, Floats]]:
    """A corner of each side, and the unit vector that points from the side into the polygon."""
    for corner, after in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        inward = np.cross(normal, after - corner)
        yield corner, inward / np.linalg.norm(inward)


def _plane(polygon: Floats) -> tuple[Floats, float]:
    """The unit normal, from which the corners run counter-clockwise, and the height of the plane along it."""
    after = np.roll(polygon, -1, axis=0)
    area: Floats = np.cross(polygon - polygon[0], after - polygon[0]).sum(axis=0)
    normal = area / np.linalg.norm(area)
    return normal, float((polygon @ normal).mean())


def _faces(shape: Polyhedron, vertices: Floats) -> Iterator[Floats]:
    """The corners of each face. Shape (corners, 3)."""
    for face in shape.faces:
        yield vertices[list(face)]


def _holds(faces: list[Floats], point: Floats) -> bool:
    """Whether a point is behind every face."""
    return all(normal @ point <= height + TOLERANCE for normal, height in map(_plane, faces))
