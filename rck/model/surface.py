"""Subitems from closed surfaces that need not be convex, as files of polygons give them."""

from rck.geometry.mass import moments
from rck.geometry.mesh import Mesh
from rck.geometry.polyhedron import Flaw, Polyhedron, convex_hull, polyhedron_from_mesh
from rck.model.finding import Built, Finding, RckError, Severity, errors_of
from rck.model.subitem import GREY, Colour, Subitem, flaw_finding, subitem_of


def subitems_of_surface(
    surface: Mesh,
    *,
    density: float | None = None,
    colour: Colour = GREY,
    hull: bool = False,
    where: str = "surface",
) -> Built[tuple[Subitem, ...]]:
    """The solid as convex subitems: itself, or what it is cut into, or with `hull` its hull.

    What is not the solid itself is reported with its volume against the solid's.
    """
    shape, flaws = polyhedron_from_mesh(surface)
    if shape is not None:
        findings = [flaw_finding(flaw, where, mended=True) for flaw in flaws]
        return _as_subitems((shape,), findings, density, colour, where)
    if flaws[0].flaw is not Flaw.NOT_CONVEX:
        return Built(None, tuple(flaw_finding(flaw, where, mended=False) for flaw in flaws))
    try:
        pieces = (convex_hull(surface.vertices),) if hull else _cut(surface)
    except (RckError, ValueError) as error:
        fix = "" if hull else "take its hull instead"
        return Built(None, (Finding(306, Severity.ERROR, where, f"could not be made convex: {error}", fix),))
    done = "was replaced by its hull" if hull else f"was cut into {len(pieces)} convex pieces"
    volume = moments(surface).volume
    return _as_subitems(pieces, [_approximation(done, pieces, volume, where)], density, colour, where)


def _cut(surface: Mesh) -> tuple[Polyhedron, ...]:
    from rck.geometry.decompose import decompose

    return decompose(surface).pieces


def _approximation(done: str, pieces: tuple[Polyhedron, ...], volume: float, where: str) -> Finding:
    excess = sum(piece.volume for piece in pieces) / volume - 1.0
    message = f"is not convex and {done}; volume {excess:+.2%}"
    return Finding(310, Severity.NOTE if abs(excess) < 0.01 else Severity.WARNING, where, message)


def _as_subitems(
    pieces: tuple[Polyhedron, ...], findings: list[Finding], density: float | None, colour: Colour, where: str
) -> Built[tuple[Subitem, ...]]:
    built = [subitem_of(piece, density=density, colour=colour, where=where) for piece in pieces]
    findings = findings + [finding for one in built for finding in one.findings]
    if errors_of(findings):
        return Built(None, tuple(findings))
    return Built(tuple(one.unwrap() for one in built), tuple(findings))
