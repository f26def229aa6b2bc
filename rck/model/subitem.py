"""Subitems: solid convex polyhedra with material properties."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from operator import index

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.geometry.bounding_sphere import Sphere
from rck.geometry.contour import Contour
from rck.geometry.mass_properties import MassProperties, mass_properties
from rck.geometry.polyhedron import Flaw, FoundFlaw, Polyhedron, make_polyhedron, move_polyhedron
from rck.model.extensions import Extensions, no_extensions
from rck.model.primitive import Primitive, map_primitive
from rck.support.finding import Built, Finding, Severity, errors_of

Colour = tuple[float, float, float, float]
"""Red, green, blue, opacity, each 0 to 1."""

GREY: Colour = (0.7, 0.7, 0.72, 1.0)

WATER = 1000.0
"""Density in kg/m3 of a subitem without density and mass."""

LARGEST = 1e9
"""Largest coordinate, in metres: beyond it, areas and volumes lose precision."""

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
    Flaw.OPEN: "close the gap, or import it as a mesh, which repairs small gaps",
    Flaw.NOT_CONVEX: "cut it into convex pieces, or import it as a mesh, which cuts it",
    Flaw.DEGENERATE_FACE: "remove the face",
}


@dataclass(frozen=True, eq=False)
class Extrusion:
    """A contour with a thickness; subitems are its convex pieces."""

    contour: Contour
    pose: Floats
    """Item from contour; the thickness is along z, from 0. Shape (4, 4)."""
    thickness: float
    """In metres."""


@dataclass(frozen=True, slots=True)
class ContactGroups:
    """Sets of contact groups, as bit masks: two subitems can collide if one is in a group that the other tests."""

    member_of: int = 1
    tests: int = 1

    def meets(self, other: "ContactGroups") -> bool:
        """Return True if the two can collide."""
        return bool(self.member_of & other.tests or other.member_of & self.tests)


@dataclass(frozen=True, eq=False)
class Subitem:
    """A convex polyhedron with colour, density and strength. Build one with :func:`build_subitem`."""

    shape: Polyhedron
    colour: Colour = GREY
    density: float = WATER
    """In kg/m3."""
    strength: float | None = None
    """Tensile strength in Pa, if known."""
    name: str = ""
    extrusion: Extrusion | None = None
    """The extrusion that it is a piece of; adjacent pieces of one extrusion share the object."""
    primitive: Primitive | None = None
    """The primitive that the polyhedron approximates, if it is one."""
    friction: float | None = None
    """Coefficient of sliding friction; None to use that of the item."""
    contact_groups: ContactGroups | None = None
    """None for the groups of everything; see :class:`ContactGroups`."""
    extensions: Extensions = field(default_factory=no_extensions)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass properties of the solid polyhedron, in the frame of the item."""
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
    """Build a subitem from raw data, or return the findings that prevent it.

    Pass `density` in kg/m3 or `mass` in kg; the default is the density of water.
    """
    points = _points(vertices)
    polygons = _polygons(faces)
    if points is None:
        return Built(None, (Finding(101, Severity.ERROR, where, "the vertices are not rows of x, y and z"),))
    if polygons is None:
        message = "a face is not a list of vertex indices, which start at zero"
        return Built(None, (Finding(302, Severity.ERROR, where, message),))
    too_far = np.isfinite(points) & (abs(points) > LARGEST)
    if too_far.any():
        message = f"vertex {int(too_far.any(axis=1).argmax())} is more than {LARGEST:g} m from the origin"
        return Built(None, (Finding(104, Severity.ERROR, where, message, "check the unit of length"),))
    findings: list[Finding] = []
    usable = None if sphere is None else _checked_sphere(sphere)
    if sphere is not None and usable is None:
        findings.append(Finding(308, Severity.NOTE, where, "the bounding sphere is not finite and was recomputed"))
    shape, flaws = make_polyhedron(points, polygons, usable)
    findings += [flaw_finding(flaw, where, repaired=shape is not None) for flaw in flaws]
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


def _checked_sphere(sphere: Sphere) -> Sphere | None:
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
    """Build a subitem from a valid polyhedron."""
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
        message = f"mass {mass:g} kg is too large for a volume of {shape.volume:g} m3"
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
        findings.append(Finding(104, Severity.ERROR, where, "has both a density and a mass", "omit one of them"))
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


def flaw_finding(flaw: FoundFlaw, where: str, *, repaired: bool) -> Finding:
    """Return the finding for a geometric flaw."""
    message = flaw.flaw.value + (f": {flaw.detail}" if flaw.detail else "")
    severity = Severity.NOTE if repaired else Severity.ERROR
    return Finding(CODE_OF_FLAW[flaw.flaw], severity, where, message, _FIX_OF_FLAW.get(flaw.flaw, ""))


def move_subitem(subitem: Subitem, matrix: Floats) -> Subitem:
    """Apply an affine map to a subitem."""
    moved = move_polyhedron(subitem.shape, matrix)
    primitive = subitem.primitive and map_primitive(subitem.primitive, matrix)
    return replace(subitem, shape=moved, extrusion=None, primitive=primitive)
