"""Subitems: solid convex polyhedra with what they are made of (SEEDS L1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.geometry.mass import MassProperties, mass_properties
from rck.geometry.polyhedron import Flaw, FoundFlaw, Polyhedron, make_polyhedron, move_polyhedron
from rck.geometry.sphere import Sphere
from rck.model.finding import Built, Finding, Severity

Colour = tuple[float, float, float, float]
"""Red, green, blue, opacity, each 0 to 1."""

GREY: Colour = (0.7, 0.7, 0.72, 1.0)

_CODE_OF_FLAW = {
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
    density: float = 1000.0
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
    shape, flaws = make_polyhedron(vertices, faces, sphere)
    findings = [flaw_finding(flaw, where, mended=shape is not None) for flaw in flaws]
    if shape is None:
        return Built(None, tuple(findings))
    return _with_material(shape, findings, colour, density, mass, strength, name, where)


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
    if not all(0.0 <= channel <= 1.0 for channel in colour):
        findings.append(Finding(104, Severity.ERROR, where, f"colour {colour} is not within 0 to 1"))
    if density is None:
        density = 1000.0 if mass is None else mass / shape.volume
    if not 0 <= density < float("inf"):
        findings.append(Finding(407, Severity.ERROR, where, f"density {density:g} kg/m3 is not possible"))
    if strength is not None and not strength >= 0:
        findings.append(Finding(104, Severity.ERROR, where, f"strength {strength:g} Pa is not possible"))
    if any(finding.severity is Severity.ERROR for finding in findings):
        return Built(None, tuple(findings))
    return Built(Subitem(shape, colour, density, strength, name), tuple(findings))


def flaw_finding(flaw: FoundFlaw, where: str, *, mended: bool) -> Finding:
    """What a geometric flaw means to the user."""
    message = flaw.flaw.value + (f": {flaw.detail}" if flaw.detail else "")
    severity = Severity.NOTE if mended else Severity.ERROR
    return Finding(_CODE_OF_FLAW[flaw.flaw], severity, where, message, _FIX_OF_FLAW.get(flaw.flaw, ""))


def move_subitem(subitem: Subitem, matrix: Floats) -> Subitem:
    """The subitem under an affine map."""
    moved = move_polyhedron(subitem.shape, matrix)
    return Subitem(moved, subitem.colour, subitem.density, subitem.strength, subitem.name)
