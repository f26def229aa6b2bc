"""Do two convex polyhedra touch? Each face of one against each face of the other (Lingman 1996, 3.3).

Two faces cross where the line in which their planes meet runs through both of them at the same place. Polyhedra whose
faces do not cross are apart, or one is inside the other: then it has a vertex there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply

# In metres, and as the sine of an angle: what is nearer or more parallel than this counts as one.
TOLERANCE = 1e-9

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False, slots=True)
class Face:
    """A convex polygon in space."""

    corners: Floats
    """Shape (corners, 3), in metres."""
    normal: Floats
    """The unit vector from which the corners run counter-clockwise."""
    height: float
    """Of its plane along the normal."""

    def heights(self, other: "Face") -> Floats:
        """How far the corners of another face are above this one's plane. Shape (corners,)."""
        above: Floats = other.corners @ self.normal - self.height
        return above


def polyhedra_touch(one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> bool:
    """Whether the two touch, or one is inside the other."""
    a, b = apply(world_from_one, one.vertices), apply(world_from_other, other.vertices)
    # Seen from a vertex of the first: far from the origin, planes would lose their last digits.
    origin = a[0].copy()
    a, b = a - origin, b - origin
    faces_a, faces_b = (
        [face_of(placed[list(face)]) for face in shape.faces] for shape, placed in ((one, a), (other, b))
    )
    if _holds(faces_a, b[0]) or _holds(faces_b, a[0]):
        return True
    return any(faces_cross(face, another) for face in faces_a for another in faces_b)


def faces_cross(one: Face, other: Face) -> bool:
    """Whether two faces have a point in common."""
    above, below = one.heights(other), other.heights(one)
    if max(above.min(), below.min()) > TOLERANCE or min(above.max(), below.max()) < -TOLERANCE:
        return False
    along = np.cross(one.normal, other.normal)
    size = np.linalg.norm(along)
    if size < TOLERANCE:
        return _overlap_in_plane(one, other)
    # The point of both planes that is nearest to the origin, then along the line that they share.
    point = np.linalg.solve([one.normal, other.normal, along], [one.height, other.height, 0.0])
    along = along / size
    first, second = _inside(one, point, along), _inside(other, point, along)
    return max(first[0], second[0]) <= min(first[1], second[1]) + TOLERANCE


def _inside(face: Face, point: Floats, along: Floats) -> Interval:
    """Between which shares of the line, from the point along, it runs inside a face in whose plane it is."""
    start, end = -np.inf, np.inf
    for corner, inward in _sides(face):
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


def _overlap_in_plane(one: Face, other: Face) -> bool:
    """Whether two faces of one plane overlap: no side of either has all of the other outside."""
    for face, another in ((one, other), (other, one)):
        for corner, inward in _sides(face):
            if ((another.corners - corner) @ inward < -TOLERANCE).all():
                return False
    return True


def _sides(face: Face) -> Iterator[tuple[Floats, Floats]]:
    """A corner of each side, and the unit vector that points from the side into the face."""
    for corner, after in zip(face.corners, np.roll(face.corners, -1, axis=0), strict=True):
        inward = np.cross(face.normal, after - corner)
        yield corner, inward / np.linalg.norm(inward)


def face_of(corners: Floats) -> Face:
    """The face with these corners, counter-clockwise as seen from outside. Shape (corners, 3)."""
    after = np.roll(corners, -1, axis=0)
    area: Floats = np.cross(corners - corners[0], after - corners[0]).sum(axis=0)
    normal = area / np.linalg.norm(area)
    return Face(corners, normal, float((corners @ normal).mean()))


def _holds(faces: list[Face], point: Floats) -> bool:
    """Whether a point is behind every face."""
    return all(face.normal @ point <= face.height + TOLERANCE for face in faces)
