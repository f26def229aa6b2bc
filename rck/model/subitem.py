"""Subitems: solid convex polyhedra with what they are made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from operator import index

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass import MassProperties, mass_properties
from rck.geometry.polyhedron import Flaw, FoundFlaw, Polyhedron, make_polyhedron, move_polyhedron
from rck.geometry.sphere import Sphere
from rck.model.finding import Built, Finding, Severity, errors_of

Colour = tuple[float, float, float, float]
"""Red, green, blue, opacity, each 0 to 1."""

GREY: Colour = (0.7, 0.7, 0.72, 1.0)

WATER = 1000.0
"""Density in kg/m3 of a subitem that says neither density nor mass."""

LARGEST = 1e9
"""Coordinates beyond it, in metres, lose their digits in areas and volumes; no robot needs them."""

CODE_OF_FLAW = {
    Flaw.NOT_FINITE: 101,
    Flaw.TOO_FEW: 301,
    Flaw.BAD_INDEX: 302,
    Flaw.DEGENERATE_FACE: 303,
    Flaw.OPEN: 304,
    Flaw.FLAT: 305,
    Flaw.NOT_CONVEX: 306,
    Flaw.INSIDE_OUT: 307,
    Flaw.SPHERE: 308,
}
_FIX_OF_FLAW = {
    Flaw.OPEN: "close the gap, or import it as a mesh, which mends small gaps",
    Flaw.NOT_CONVEX: "cut it into convex pieces, or import it as a mesh, which does that",
    Flaw.DEGENERATE_FACE: "remove the face",
}


@dataclass(frozen=True, eq=False)
class Subitem:
    """A convex polyhedron with colour, density and strength. Build one with :func:`build_subitem`."""

    shape: Polyhedron
    colour: Colour = GREY
    density: float = WATER
    """In kg/m3."""
    strength: float | None = None
    """Tensile strength in Pa, where known."""
    name: str = ""

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Of the polyhedron filled with the density, in the frame of the item."""
        return mass_properties(self.shape.moments, self.density)

    @property
    def mass(self) -> float:
        """In kg."""
        return self.density * self.shape.volume


def build_subitem(
    vertices: ArrayLike,
    faces: Iterable[Sequence[int]],
    *,
    colour: Colour = GREY,
    density: float | None = None,
    mass: float | None = None,
    strength: float | None = None,
    sphere: Sphere | None = None,
    name: str = "",
    where: str = "subitem",
) -> Built[Subitem]:
    """A subitem from raw data, or the findings that say why it is none.

    Give `density` in kg/m3 or `mass` in kg; without either the density of water is taken.
    """
    points = _points(vertices)
    polygons = _polygons(faces)
    if points is None:
        return Built(None, (Finding(101, Severity.ERROR, where, "the vertices are not rows of x, y and z"),))
    if polygons is None:
        message = "a face is not a list of vertex numbers, which count from zero"
        return Built(None, (Finding(302, Severity.ERROR, where, message),))
    too_far = np.isfinite(points) & (abs(points) > LARGEST)
    if too_far.any():
        message = f"vertex {int(too_far.any(axis=1).argmax())} is more than {LARGEST:g} m away"
        return Built(None, (Finding(104, Severity.ERROR, where, message, "check the unit of length"),))
    findings: list[Finding] = []
    given_sphere = None if sphere is None else _usable(sphere)
    if sphere is not None and given_sphere is None:
        findings.append(Finding(308, Severity.NOTE, where, "the bounding sphere is not finite; computed anew"))
    shape, flaws = make_polyhedron(points, polygons, given_sphere)
    findings += [flaw_finding(flaw, where, mended=shape is not None) for flaw in flaws]
    if shape is None:
        return Built(None, tuple(findings))
    return _with_material(shape, findings, colour, density, mass, strength, name, where)


def _points(vertices: ArrayLike) -> Floats | None:
    try:
        points = np.asarray(vertices, dtype=float)
    except (TypeError, ValueError):
        return None
    if points.size == 0:
        return np.empty((0, 3))
    return points if points.ndim == 2 and points.shape[1] == 3 else None


def _polygons(faces: Iterable[Sequence[int]]) -> list[list[int]] | None:
    try:
        polygons = [[index(vertex) for vertex in face] for face in faces]
    except TypeError:
        return None
    return polygons if all(abs(vertex) < 2**62 for face in polygons for vertex in face) else None


def _usable(sphere: Sphere) -> Sphere | None:
    centre = np.asarray(sphere.centre, dtype=float)
    if centre.shape != (3,) or not np.isfinite(centre).all() or not 0 <= sphere.radius < np.inf:
        return None
    return Sphere(frozen(centre), float(sphere.radius))


def subitem_of(
    shape: Polyhedron,
    *,
    colour: Colour = GREY,
    density: float | None = None,
    mass: float | None = None,
    strength: float | None = None,
    name: str = "",
    where: str = "subitem",
) -> Built[Subitem]:
    """A subitem from a polyhedron that is known to be one."""
    return _with_material(shape, [], colour, density, mass, strength, name, where)


def _with_material(
    shape: Polyhedron,
    findings: list[Finding],
    colour: Colour,
    density: float | None,
    mass: float | None,
    strength: float | None,
    name: str,
    where: str,
) -> Built[Subitem]:
    findings += _material_findings(colour, density, mass, strength, where)
    if errors_of(findings):
        return Built(None, tuple(findings))
    if density is None:
        density = WATER if mass is None else mass / shape.volume
    if not isfinite(density):
        message = f"mass {mass:g} kg does not fit into {shape.volume:g} m3"
        return Built(None, (*findings, Finding(104, Severity.ERROR, where, message)))
    red, green, blue, opacity = map(float, colour)
    return Built(Subitem(shape, (red, green, blue, opacity), float(density), strength, name), tuple(findings))


def _material_findings(
    colour: Colour, density: float | None, mass: float | None, strength: float | None, where: str
) -> list[Finding]:
    findings = []
    if len(colour) != 4 or not all(0.0 <= channel <= 1.0 for channel in colour):
        message = f"colour {tuple(colour)} is not red, green, blue and opacity from 0 to 1"
        findings.append(Finding(104, Severity.ERROR, where, message))
    if density is not None and mass is not None:
        findings.append(Finding(104, Severity.ERROR, where, "has both a density and a mass", "leave one of them out"))
    for label, value in (("density", density), ("mass", mass), ("strength", strength)):
        if value is not None and not isfinite(value):
            findings.append(Finding(101, Severity.ERROR, where, f"{label} {value} is not finite"))
    if density is not None and density < 0:
        findings.append(Finding(407, Severity.ERROR, where, f"density {density:g} kg/m3 is negative"))
    if mass is not None and mass < 0:
        findings.append(Finding(407, Severity.ERROR, where, f"mass {mass:g} kg is negative"))
    if strength is not None and strength < 0:
        findings.append(Finding(104, Severity.ERROR, where, f"strength {strength:g} Pa is negative"))
    return findings


def flaw_finding(flaw: FoundFlaw, where: str, *, mended: bool) -> Finding:
    """What a geometric flaw means to the user."""
    message = flaw.flaw.value + (f": {flaw.detail}" if flaw.detail else "")
    severity = Severity.NOTE if mended else Severity.ERROR
    return Finding(CODE_OF_FLAW[flaw.flaw], severity, where, message, _FIX_OF_FLAW.get(flaw.flaw, ""))


def move_subitem(subitem: Subitem, matrix: Floats) -> Subitem:
    """The subitem under an affine map."""
    moved = move_polyhedron(subitem.shape, matrix)
    return Subitem(moved, subitem.colour, subitem.density, subitem.strength, subitem.name)
