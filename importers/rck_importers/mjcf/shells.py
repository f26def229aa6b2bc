"""Mass properties of hollow geoms of MJCF: shells with one kilogram per square metre, about their centre of mass."""

from collections.abc import Iterable
from math import pi

import numpy as np

from rck.geometry.arrays import Floats, cross, frozen, lengths
from rck.geometry.mass_properties import MassProperties
from rck.geometry.mesh import Mesh, triangles
from rck.model.primitive import PrimitiveKind

_EXPONENT = 1.6075
"""Exponent of Thomsen's formula for the area of an ellipsoid, which MuJoCo uses."""

_THICKNESS = 1e-6
"""Thickness of the shell of an ellipsoid in MuJoCo, in metres."""


def mesh_shell(mesh: Mesh) -> MassProperties:
    """Return the mass properties of the triangles of a mesh."""
    corners = mesh.vertices[triangles(mesh)]
    areas = lengths(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])) / 2
    mass = float(areas.sum())
    centre = areas @ corners.mean(axis=1) / mass
    about = corners - centre
    sums = about.sum(axis=1)
    second = np.einsum("t,tki,tkj->ij", areas / 12, about, about) + np.einsum("t,ti,tj->ij", areas / 12, sums, sums)
    return _made(mass, np.trace(second) * np.eye(3) - second, centre)


def primitive_shell(kind: PrimitiveKind, sizes: Iterable[float]) -> MassProperties:
    """Return the mass properties of the surface of a primitive, by the sizes of the model."""
    a, b, c = (*sizes, 0.0, 0.0)[:3]
    if kind is PrimitiveKind.SPHERE:
        mass = 4 * pi * a**2
        return _diagonal(mass, [2 / 3 * mass * a**2] * 3)
    if kind is PrimitiveKind.BOX:
        return _box(a, b, c)
    return _ellipsoid(a, b, c) if kind is PrimitiveKind.ELLIPSOID else _round(kind, a, b)


def _box(x: float, y: float, z: float) -> MassProperties:
    """Return the shell of a box by its side lengths."""
    pairs = np.array([2 * y * z, 2 * x * z, 2 * x * y])
    squares = np.array([x, y, z]) ** 2
    # The integral of each squared coordinate: at the ends for two faces, spread over the other four.
    spread = (pairs.sum() - pairs) * squares / 12 + pairs * squares / 4
    return _diagonal(float(pairs.sum()), spread.sum() - spread)


def _round(kind: PrimitiveKind, radius: float, length: float) -> MassProperties:
    """Return the shell of a cylinder with its ends, or of a capsule."""
    side, half = 2 * pi * radius * length, length / 2
    along = side * radius**2
    across = side * (radius**2 / 2 + length**2 / 12)
    if kind is PrimitiveKind.CAPSULE:
        ends = 4 * pi * radius**2
        along += 2 / 3 * ends * radius**2
        # The centre of a hemispherical shell is half a radius from its base.
        across += ends * (2 / 3 * radius**2 - radius**2 / 4 + (half + radius / 2) ** 2)
    else:
        ends = 2 * pi * radius**2
        along += ends * radius**2 / 2
        across += ends * (radius**2 / 4 + half**2)
    return _diagonal(side + ends, [across, across, along])


def _ellipsoid(a: float, b: float, c: float) -> MassProperties:
    """Return the shell of an ellipsoid of uniform thickness by its semi-axes, as MuJoCo approximates it."""
    products = np.array([b * c, a * c, a * b])
    area = 4 * pi * float(((products**_EXPONENT).sum() / 3) ** (1 / _EXPONENT))
    axes = np.array([a, b, c])
    outer = axes + _THICKNESS
    volume = 4 / 3 * pi * (outer.prod() - axes.prod())
    spread = 4 / 15 * pi * (outer.prod() * outer**2 - axes.prod() * axes**2)
    return _diagonal(area, area / volume * (spread.sum() - spread))


def _diagonal(mass: float, inertia: Iterable[float] | Floats) -> MassProperties:
    return _made(mass, np.diag(np.asarray(inertia, dtype=float)), np.zeros(3))


def _made(mass: float, inertia: Floats, centre: Floats) -> MassProperties:
    return MassProperties(mass, frozen(centre), frozen(inertia))
