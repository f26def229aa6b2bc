"""Primitive shapes: boxes, cylinders, spheres and others.

Every shape is centred on the origin: half of its extent along each axis lies on either side. Axes of
revolution and of prisms run along z. Lengths are in metres.

Round shapes have flat faces. Their corners lie on the true surface, so that sizes are nominal and the polyhedron is
contained in the shape that it stands for. Volume, centre and moments are those of the true shape: a cylinder weighs
pi r^2 h times its density, for any number of segments. The first corner is at angle 0, on the x axis.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import pi, tau

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.contour import circle, make_contour
from rck.geometry.mass_properties import Moments
from rck.geometry.polyhedron import Polyhedron, move_polyhedron, sound_polyhedron
from rck.geometry.region_integrals import disc_integrals, moments_about_centre, polygon_integrals, turned_moments
from rck.geometry.solid import Solid
from rck.geometry.sweep import turned_solid
from rck.geometry.transforms import scaling


def box(x: float, y: float, z: float) -> Polyhedron:
    """Return a cuboid with the given sides."""
    _require("a box", x=x, y=y, z=z)
    corners = [[i * x / 2, j * y / 2, k * z / 2] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return sound_polyhedron(corners, faces)


def cylinder(radius: float, height: float, segments: int = 24) -> Polyhedron:
    """Return a cylinder along z."""
    _require("a cylinder", radius=radius, height=height)
    return _turned([(radius, -height / 2), (radius, height / 2)], segments)


def cone(radius: float, height: float, segments: int = 24) -> Polyhedron:
    """Return a cone along z, with the tip up."""
    _require("a cone", radius=radius, height=height)
    return _turned([(radius, -height / 2), (0.0, height / 2)], segments)


def truncated_cone(bottom_radius: float, top_radius: float, height: float, segments: int = 24) -> Polyhedron:
    """Return a truncated cone along z."""
    _require("a truncated cone", bottom_radius=bottom_radius, top_radius=top_radius, height=height)
    return _turned([(bottom_radius, -height / 2), (top_radius, height / 2)], segments)


def sphere(radius: float, segments: int = 24, rings: int | None = None) -> Polyhedron:
    """Return a sphere with `segments` around the z axis and `rings` from pole to pole (default: half as many)."""
    _require("a sphere", radius=radius)
    bands = max(2, segments // 2) if rings is None else rings
    if bands < 2:
        raise ValueError(f"a sphere needs at least 2 rings, not {bands}")
    ball = moments_about_centre(4 / 3 * pi * radius**3, np.full(3, radius**2 / 5))
    return _turned([(radius * sine, -radius * cosine) for sine, cosine in _half_circle(bands)], segments, ball)


def ellipsoid(x: float, y: float, z: float, segments: int = 24, rings: int | None = None) -> Polyhedron:
    """Return an ellipsoid with these half axes."""
    _require("an ellipsoid", x=x, y=y, z=z)
    return move_polyhedron(sphere(1.0, segments, rings), scaling((x, y, z)))


def capsule(radius: float, length: float, segments: int = 24) -> Polyhedron:
    """Return a capsule: a cylinder along z with hemispheres at both ends, length + 2 radius in total."""
    _require("a capsule", radius=radius, length=length)
    arc = _half_circle(2 * max(1, segments // 4))
    middle = len(arc) // 2
    lower = [(radius * sine, -radius * cosine - length / 2) for sine, cosine in arc[: middle + 1]]
    upper = [(radius * sine, -radius * cosine + length / 2) for sine, cosine in arc[middle:]]
    bar, ball = pi * radius**2 * length, 4 / 3 * pi * radius**3
    across = bar * radius**2 / 4 + ball * radius**2 / 5
    # The centroid of each hemisphere is 3/8 of the radius beyond the end of the cylinder.
    along = bar * length**2 / 12 + ball * (radius**2 / 5 + length**2 / 4 + 3 / 8 * length * radius)
    true = moments_about_centre(bar + ball, np.array([across, across, along]) / (bar + ball))
    return _turned(lower + upper, segments, true)


def torus(radius: float, tube_radius: float, segments: int = 24, tube_segments: int = 12) -> Solid:
    """Return a torus around the z axis; `radius` is from the axis to the centre of the tube."""
    _require("a torus", radius=radius, tube_radius=tube_radius)
    if not tube_radius < radius:
        raise ValueError(f"the tube of a torus must leave a hole: {tube_radius:g} m is not less than {radius:g} m")
    section = disc_integrals(tube_radius, (radius, 0.0))
    contour = make_contour(circle(tube_radius, tube_segments, (radius, 0.0)))
    return turned_solid(contour, tau, segments, lambda polygon: section)


def wedge(x: float, y: float, z: float) -> Polyhedron:
    """Return a wedge: half a box, with full height at -x and zero height at +x."""
    _require("a wedge", x=x, y=y, z=z)
    profile = [(-x / 2, -z / 2), (x / 2, -z / 2), (-x / 2, z / 2)]
    corners = [[a, side * y / 2, c] for side in (-1, 1) for a, c in profile]
    return sound_polyhedron(corners, [[0, 1, 2], [5, 4, 3], [0, 3, 4, 1], [1, 4, 5, 2], [2, 5, 3, 0]])


def prism(contour: ArrayLike, height: float) -> Polyhedron:
    """Return a prism: a convex polygon in the xy plane, shape (N, 2), extruded from -height / 2 to height / 2."""
    _require("a prism", height=height)
    outline = make_contour(contour).main
    count = len(outline)
    corners = np.concatenate([np.c_[outline, np.full(count, level)] for level in (-height / 2, height / 2)])
    sides = [[i, (i + 1) % count, (i + 1) % count + count, i + count] for i in range(count)]
    return sound_polyhedron(corners, [[*range(count)][::-1], [*range(count, 2 * count)], *sides])


def _require(shape: str, **lengths: float) -> None:
    for name, length in lengths.items():
        if not 0.0 < length < np.inf:
            raise ValueError(f"{shape} needs a positive {name.replace('_', ' ')}, not {length:g} m")


def _half_circle(steps: int) -> list[tuple[float, float]]:
    """Return sine and cosine from 0 to pi, exact at the ends and in the middle."""
    angles = np.arange(steps + 1) * (np.pi / steps)
    sines, cosines = np.sin(angles), np.cos(angles)
    sines[-1] = 0.0
    if steps % 2 == 0:
        cosines[steps // 2] = 0.0
    return list(zip(sines.tolist(), cosines.tolist(), strict=True))


def _turned(profile: Sequence[tuple[float, float]], segments: int, true: Moments | None = None) -> Polyhedron:
    """Return the convex solid of revolution of a profile of (radius, z), from bottom to top, around the z axis.

    `true` are the moments of the round solid, by default those of the profile with straight lines.
    """
    if segments < 3:
        raise ValueError(f"a round shape needs at least 3 segments, not {segments}")
    corners: list[tuple[float, float, float]] = []
    levels: list[list[int]] = []
    round_axis = circle(1.0, segments).tolist()
    for radius, z in profile:
        fresh = [(radius * x, radius * y, z) for x, y in round_axis] if radius > 0 else [(0.0, 0.0, z)]
        levels.append(list(range(len(corners), len(corners) + len(fresh))))
        corners += fresh
    faces = [levels[0][::-1], levels[-1]]
    for low, high in pairwise(levels):
        for i in range(segments):
            quad = [low[i % len(low)], low[(i + 1) % len(low)], high[(i + 1) % len(high)], high[i % len(high)]]
            faces.append(list(dict.fromkeys(quad)))
    shape = sound_polyhedron(corners, [face for face in faces if len(face) > 2])
    if true is None:
        section = np.array([(0.0, profile[0][1]), *profile, (0.0, profile[-1][1])])
        true = turned_moments(polygon_integrals(section), 0.0, tau)
    return replace(shape, given_moments=true)
