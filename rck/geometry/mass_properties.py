"""Area, volume, moments and inertia of closed surfaces, by the divergence theorem."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, cross, dot, frozen, lengths
from rck.geometry.mesh import Faceted, Mesh, triangles


@dataclass(frozen=True, eq=False)
class Moments:
    """Integrals over a solid of density one."""

    area: float
    """Surface, in m2."""
    volume: float
    """In m3; negative for a surface that is inside out."""
    first: Floats
    """Integral of x. Shape (3,), in m4."""
    second: Floats
    """Integral of x xT. Shape (3, 3), in m5."""

    @property
    def centroid(self) -> Floats:
        """Shape (3,), in metres."""
        return self.first / self.volume

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(
            self.area + other.area,
            self.volume + other.volume,
            frozen(self.first + other.first),
            frozen(self.second + other.second),
        )

    def __mul__(self, factor: float) -> "Moments":
        return Moments(
            self.area * factor, self.volume * factor, frozen(self.first * factor), frozen(self.second * factor)
        )


def moments(shape: Faceted) -> Moments:
    """Return the moments of a closed surface, summed over the tetrahedra from one point to every triangle."""
    corners_of = triangles(shape)
    pivot = shape.vertices.sum(axis=0) / len(shape.vertices)
    points = shape.vertices - pivot
    a, b, c = (points.take(corners_of[:, k], axis=0) for k in range(3))
    crosses = cross(b - a, c - a)
    # The area of a planar face, convex or not, is the length of the sum of its triangles' area vectors.
    first_triangle = shape.face_offsets[:-1] - 2 * np.arange(len(shape.face_offsets) - 1)
    area = 0.5 * float(lengths(np.add.reduceat(crosses, first_triangle, axis=0)).sum())
    determinants = dot(a, crosses)
    sums = a + b + c
    volume = float(determinants.sum()) / 6.0
    first = determinants @ sums / 24.0
    weights = determinants[:, None]
    second = sum((weights * side).T @ side for side in (a, b, c, sums)) / 120.0
    # Move the reference point from the pivot back to the origin.
    shift = pivot[:, None] * first
    shifted = second + shift + shift.T + volume * (pivot[:, None] * pivot)
    return Moments(area, volume, frozen(first + volume * pivot), frozen(shifted))


def moments_of_many(shapes: Sequence[Faceted]) -> list[Moments]:
    """Return the :func:`moments` of each closed surface, computed in common arrays."""
    counts = np.array([len(shape.vertices) for shape in shapes])
    faces = np.array([len(shape.face_offsets) - 1 for shape in shapes])
    corners = np.array([len(shape.face_vertices) for shape in shapes])
    vertices = np.concatenate([shape.vertices for shape in shapes])
    first_vertex = np.concatenate([[0], np.cumsum(counts)])
    pivots = np.add.reduceat(vertices, first_vertex[:-1], axis=0) / counts[:, None]
    first_corner = np.concatenate([[0], np.cumsum(corners)])
    starts = np.concatenate([shape.face_offsets[:-1] for shape in shapes]) + first_corner[:-1].repeat(faces)
    offsets = np.append(starts, first_corner[-1])
    numbers = np.concatenate([shape.face_vertices for shape in shapes]) + first_vertex[:-1].repeat(corners)
    points = vertices - pivots.repeat(counts, axis=0)
    cut = triangles(Mesh(points, offsets, numbers))
    a, b, c = (points.take(cut[:, k], axis=0) for k in range(3))
    crosses = cross(b - a, c - a)
    first_triangle = offsets[:-1] - 2 * np.arange(len(offsets) - 1)
    first_face = np.concatenate([[0], np.cumsum(faces)])[:-1]
    areas = 0.5 * np.add.reduceat(lengths(np.add.reduceat(crosses, first_triangle, axis=0)), first_face)
    of_shape = first_triangle[first_face]
    determinants = dot(a, crosses)
    sums = a + b + c
    volumes = np.add.reduceat(determinants, of_shape) / 6.0
    firsts = np.add.reduceat(determinants[:, None] * sums, of_shape, axis=0) / 24.0
    products = sum(side[:, :, None] * side[:, None, :] for side in (a, b, c, sums))
    seconds = np.add.reduceat(determinants[:, None, None] * products, of_shape, axis=0) / 120.0
    shifts = pivots[:, :, None] * firsts[:, None, :]
    seconds += shifts + shifts.transpose(0, 2, 1) + volumes[:, None, None] * pivots[:, :, None] * pivots[:, None, :]
    firsts += volumes[:, None] * pivots
    rows = zip(areas.tolist(), volumes.tolist(), frozen(firsts), frozen(seconds), strict=True)
    return [Moments(*row) for row in rows]


def map_moments(integrals: Moments, matrix: Floats) -> Moments:
    """Return the moments under an affine map; the area does not change, which is right for rigid motions only."""
    linear, shift = matrix[:3, :3], matrix[:3, 3]
    growth = abs(float(np.linalg.det(linear)))
    first = linear @ integrals.first
    crossed = np.outer(first, shift)
    second = linear @ integrals.second @ linear.T + crossed + crossed.T + integrals.volume * np.outer(shift, shift)
    return Moments(
        integrals.area,
        growth * integrals.volume,
        frozen(growth * (first + integrals.volume * shift)),
        frozen(growth * second),
    )


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, centre of mass and inertia of a rigid body."""

    mass: float
    """In kg."""
    centre: Floats
    """Centre of mass. Shape (3,), in metres."""
    inertia: Floats
    """About the centre of mass, along the axes of the frame. Shape (3, 3), in kg m2."""


NO_MASS = MassProperties(0.0, frozen(np.zeros(3)), frozen(np.zeros((3, 3))))


def inertia_from_second(second: Floats) -> Floats:
    """Return the inertia tensor of an integral of x xT."""
    return float(np.trace(second)) * np.eye(3) - second


def mass_properties(integrals: Moments, density: float) -> MassProperties:
    """Return the mass properties of a solid of uniform density, in kg/m3."""
    centre = integrals.centroid
    about_centre = integrals.second - integrals.volume * np.outer(centre, centre)
    return MassProperties(
        density * integrals.volume, frozen(centre), frozen(density * inertia_from_second(about_centre))
    )


def unsigned_mass_properties(mesh: Faceted) -> MassProperties:
    """Return the mass properties that MuJoCo computes for a mesh by default, at density 1.

    It sums the unsigned volumes of the pyramids from the centroid of the surface to every face, so that open
    surfaces have a mass too, and repeats the sum from the resulting centre of mass.
    """
    corners = mesh.vertices[triangles(mesh)]
    areas = lengths(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    if not areas.sum() > 0:
        return NO_MASS
    middle = areas @ corners.mean(axis=1) / areas.sum()
    volumes = _volumes(corners - middle)
    if not volumes.sum() > 0:
        return NO_MASS
    centre = middle + volumes @ (corners - middle).sum(axis=1) / 4 / volumes.sum()
    sides = corners - centre
    volumes = _volumes(sides)
    sums = sides.sum(axis=1)
    second = sum(
        ((volumes[:, None] * rays).T @ rays for rays in (sides[:, 0], sides[:, 1], sides[:, 2], sums)), np.zeros((3, 3))
    )
    return MassProperties(float(volumes.sum()), frozen(centre), frozen(inertia_from_second(second / 20)))


def _volumes(corners: Floats) -> Floats:
    """Return the unsigned volumes of the pyramids from the origin to triangles of shape (T, 3, 3). Shape (T,)."""
    return np.abs(dot(corners[:, 0], cross(corners[:, 1], corners[:, 2]))) / 6


def combine_solids(integrals: Sequence[Moments], densities: Sequence[float]) -> MassProperties:
    """Return the mass properties of solids of uniform densities in one frame, computed in common arrays."""
    density = np.array(densities, dtype=float)
    volumes = np.array([one.volume for one in integrals])
    heavy = density * volumes > 0
    if not heavy.any():
        return NO_MASS
    density, volumes = density[heavy], volumes[heavy]
    chosen = [one for one, counts in zip(integrals, heavy.tolist(), strict=True) if counts]
    centres = np.array([one.first for one in chosen]) / volumes[:, None]
    seconds = np.array([one.second for one in chosen])
    masses = density * volumes
    mass = float(masses.sum())
    centre = masses @ centres / mass
    arms = centres - centre
    about_own = seconds - volumes[:, None, None] * centres[:, :, None] * centres[:, None, :]
    about_centre = np.tensordot(density, about_own, 1) + (arms * masses[:, None]).T @ arms
    return MassProperties(mass, frozen(centre), frozen(inertia_from_second(about_centre)))


def combine(bodies: Iterable[MassProperties]) -> MassProperties:
    """Combine several bodies in one frame into one rigid body."""
    listed = [body for body in bodies if body.mass > 0]
    if not listed:
        return NO_MASS
    if len(listed) == 1:
        return listed[0]
    masses = np.array([body.mass for body in listed])
    centres = np.array([body.centre for body in listed])
    mass = float(masses.sum())
    centre = masses @ centres / mass
    arms = centres - centre
    inertia = np.sum([body.inertia for body in listed], axis=0)
    inertia = inertia + inertia_from_second((arms * masses[:, None]).T @ arms)
    return MassProperties(mass, frozen(centre), frozen(inertia))


def moved(body: MassProperties, matrix: Floats) -> MassProperties:
    """Return the body in another frame: `matrix` is new-frame-from-old, a rigid motion."""
    turn = matrix[:3, :3]
    return MassProperties(body.mass, frozen(turn @ body.centre + matrix[:3, 3]), frozen(turn @ body.inertia @ turn.T))


def is_positive_definite(inertia: Floats) -> bool:
    """Return True if the inertia is symmetric and positive definite."""
    return bool(
        np.allclose(inertia, inertia.T, rtol=0, atol=1e-9 * np.abs(inertia).max())
        and np.linalg.eigvalsh(inertia)[0] > 0
    )


def keeps_triangle_inequality(inertia: Floats, tolerance: float = 1e-6) -> bool:
    """Return True if no principal moment exceeds the sum of the other two, as for every real body."""
    low, middle, high = np.linalg.eigvalsh(inertia)
    return bool(low + middle >= high * (1 - tolerance))


def nearest_inertia(inertia: Floats, least: float = 0.0) -> Floats:
    """Return the inertia itself if a rigid body can have it, otherwise the nearest one that a body can have.

    Nearest is meant in the Frobenius norm; the principal axes stay. No principal moment exceeds the sum of the others,
    none is negative, and none is less than `least`. Shape (3, 3).
    """
    moments, axes = np.linalg.eigh((inertia + inertia.T) / 2)
    low, middle, high = moments.tolist()
    excess = high - low - middle
    wanted = moments
    if excess > 0:
        # The nearest point of the plane on which the highest moment is the sum of the others...
        wanted = np.array([low + excess / 3, middle + excess / 3, high - excess / 3])
        if wanted[0] < 0:
            # ... or of its edge, the inertias of a rod without thickness.
            along = max((middle + high) / 2, 0.0)
            wanted = np.array([0.0, along, along])
    wanted = np.maximum(wanted, least)
    return inertia if (wanted == moments).all() else np.asarray((axes * wanted) @ axes.T)
