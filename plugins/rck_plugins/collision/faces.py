"""Collision checking face by face, as in the seed simulator: slow, but easy to follow (Lingman 1996, 3.3).

Two faces cross if the line in which their planes intersect runs through both of them at the same point. Polyhedra whose
faces do not cross are apart, or one is inside the other: then one of its vertices is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rck.collision.pairwise import PairwiseScene
from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply
from rck.hooks import CollisionBackend, CollisionScene, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import Robot

# Distances in metres, and sines of angles, below this count as zero.
TOLERANCE = 1e-9

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False, slots=True)
class Face:
    """A convex polygon in space."""

    corners: Floats
    """Shape (corners, 3), in metres."""
    normal: Floats
    """Unit vector; seen from its tip, the corners are counter-clockwise."""
    height: float
    """Distance of its plane from the origin along the normal."""

    def heights(self, other: "Face") -> Floats:
        """Return the heights of the corners of another face above this plane. Shape (corners,)."""
        above: Floats = other.corners @ self.normal - self.height
        return above


def polyhedra_touch(one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> bool:
    """Return True if the two are in contact, or one is inside the other."""
    a, b = apply(world_from_one, one.vertices), apply(world_from_other, other.vertices)
    # Relative to a vertex of the first, because planes lose precision far from the origin.
    origin = a[0].copy()
    a, b = a - origin, b - origin
    faces_a, faces_b = (
        [face_of(placed[list(face)]) for face in shape.faces] for shape, placed in ((one, a), (other, b))
    )
    if _contains(faces_a, b[0]) or _contains(faces_b, a[0]):
        return True
    return any(faces_cross(face, another) for face in faces_a for another in faces_b)


def faces_cross(one: Face, other: Face) -> bool:
    """Return True if two faces have a point in common."""
    above, below = one.heights(other), other.heights(one)
    if max(above.min(), below.min()) > TOLERANCE or min(above.max(), below.max()) < -TOLERANCE:
        return False
    along = np.cross(one.normal, other.normal)
    size = np.linalg.norm(along)
    if size < TOLERANCE:
        return _overlap_in_plane(one, other)
    # The point of both planes nearest to the origin, and the direction of their intersection.
    point = np.linalg.solve([one.normal, other.normal, along], [one.height, other.height, 0.0])
    along = along / size
    first, second = _inside(one, point, along), _inside(other, point, along)
    return max(first[0], second[0]) <= min(first[1], second[1]) + TOLERANCE


def _inside(face: Face, point: Floats, along: Floats) -> Interval:
    """Return the interval of a line, from `point` along `along`, inside a face whose plane contains it."""
    start, end = -np.inf, np.inf
    for corner, inward in _sides(face):
        # Speed of the line towards the inside of this side, and its distance outside at the point.
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
    """Return True if two faces of one plane overlap: no side of either separates them."""
    for face, another in ((one, other), (other, one)):
        for corner, inward in _sides(face):
            if ((another.corners - corner) @ inward < -TOLERANCE).all():
                return False
    return True


def _sides(face: Face) -> Iterator[tuple[Floats, Floats]]:
    """Yield a corner of each side, and the unit vector that points from the side into the face."""
    for corner, after in zip(face.corners, np.roll(face.corners, -1, axis=0), strict=True):
        inward = np.cross(face.normal, after - corner)
        yield corner, inward / np.linalg.norm(inward)


def face_of(corners: Floats) -> Face:
    """Return the face with these corners, counter-clockwise seen from outside. Shape (corners, 3)."""
    after = np.roll(corners, -1, axis=0)
    area: Floats = np.cross(corners - corners[0], after - corners[0]).sum(axis=0)
    normal = area / np.linalg.norm(area)
    return Face(corners, normal, float((corners @ normal).mean()))


def _contains(faces: list[Face], point: Floats) -> bool:
    """Return True if a point is behind every face."""
    return all(face.normal @ point <= face.height + TOLERANCE for face in faces)


def _make(robot: Robot, allowed: ItemPairs) -> CollisionScene:
    return PairwiseScene(robot, allowed, polyhedra_touch)


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """Return the backend of the seed simulator."""
    return [CollisionBackend("faces", "every face against every face, as in 1996; a readable reference", _make)]
