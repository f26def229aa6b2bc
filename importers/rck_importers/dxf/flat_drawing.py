"""Flat content of a drawing: its planes, outlines and regions, with the findings about them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from rck.geometry.arrays import Floats
from rck.model import Finding, Severity
from rck_importers.dxf.content import PlacedEntity
from rck_importers.dxf.hole_notes import HoleNotes, classify_steps
from rck_importers.dxf.outlines import OpenOutline, Outlines, outlines_of
from rck_importers.dxf.planes import (
    CurvesByPlane,
    DrawingPlane,
    DrawnPath,
    area_vector,
    curves_by_plane,
    drawn_paths,
    flattened_wireframe,
    with_circles_at_other_heights,
)
from rck_importers.dxf.plates import Thicknesses
from rck_importers.dxf.regions import (
    COUNTERBORE,
    GROUP,
    IGNORED,
    PART,
    POCKET,
    SCRAP,
    STATED,
    Region,
    named_roles,
    regions_of,
)
from rck_importers.dxf.solids import RejectedSolid

_COUNTERSINK = "countersink"
_MOST_GAPS = 5
"""Maximum number of closed gaps reported individually."""


@dataclass(frozen=True, slots=True)
class FlatSettings:
    """Settings for reading outlines; lengths in metres."""

    deviation: float
    gap: float
    chosen_gap: bool
    """True if the user set the gap."""
    recognise: bool
    thicknesses: Thicknesses = field(default_factory=Thicknesses)
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role of regions by name pattern, which override the proposed roles."""
    file: str = ""


@dataclass(frozen=True, eq=False)
class FlatDrawing:
    """The outlines of each plane with their regions."""

    planes: tuple[tuple[Outlines, tuple[Region, ...]], ...] = ()
    refused: tuple[RejectedSolid, ...] = ()
    findings: tuple[Finding, ...] = ()
    curves: tuple[PlacedEntity, ...] = ()
    """Curves that it was made of; `DrawnPath.order` is an index of this list."""

    def regions(self) -> Iterable[tuple[Outlines, Region]]:
        """Yield all regions with the outlines that they belong to, those inside another after it."""
        for outlines, roots in self.planes:
            for root in roots:
                for region in root.descendants():
                    yield outlines, region


def flat_drawing(
    curves: Sequence[PlacedEntity],
    labels: Floats,
    settings: FlatSettings,
    *,
    has_annotations: bool,
    notes: HoleNotes | None = None,
) -> FlatDrawing:
    """Return the flat drawing that curves form; `labels` are the positions of texts, shape (N, 3)."""
    sorted_curves = curves_by_plane(drawn_paths(curves, settings.deviation), 2 * settings.gap)
    refused = [_not_planar(path) for path in sorted_curves.bent]
    findings: list[Finding] = []
    thickness = settings.thicknesses.everywhere or 0.0
    if sorted_curves.connecting:
        sorted_curves = _without_wireframe(sorted_curves, settings, refused, findings)
    elif (flattened := with_circles_at_other_heights(sorted_curves, thickness)) is not None:
        sorted_curves = flattened
        message = "circles drawn between the faces of the plate were read as its holes"
        findings.append(Finding(504, Severity.NOTE, settings.file, message))
    traced = [
        outlines_of(part, settings.gap, settings.deviation, chosen_gap=settings.chosen_gap)
        for plane in sorted_curves.planes
        for part in _by_thickness(plane, settings.thicknesses)
    ]
    roles = named_roles(traced, settings.roles)
    planes = []
    for outlines in traced:
        flat_labels = outlines.plane.flat(labels) if len(labels) else np.empty((0, 2))
        roots = regions_of(
            outlines, flat_labels, settings.gap, roles, recognise=settings.recognise, has_annotations=has_annotations
        )
        if notes is not None:
            classify_steps(outlines, roots, notes)
        planes.append((outlines, tuple(roots)))
    drawing = FlatDrawing(tuple(planes))
    refused += [_unclosed(outlines, one) for outlines, _ in planes for one in outlines.unclosed]
    for outlines, regions in drawing.planes:
        if outlines.unclosed:
            _ignore_holes_of_unclosed(outlines, regions)
    findings += _unknown_names(settings, set(roles.names.values()))
    findings += _findings(drawing, sorted_curves.stray, settings.file)
    return FlatDrawing(drawing.planes, tuple(refused), tuple(findings), tuple(curves))


def _by_thickness(plane: DrawingPlane, thicknesses: Thicknesses) -> list[DrawingPlane]:
    """Return the plane with the curves that belong together: a layer with a stated thickness is separate."""
    groups: dict[str, list[DrawnPath]] = {}
    for path in plane.paths:
        layer = path.look.layer.lower()
        groups.setdefault(layer if thicknesses.for_layer(layer) is not None else "", []).append(path)
    return [DrawingPlane(plane.world_from_plane, tuple(paths), plane.depth) for paths in groups.values()]


def _without_wireframe(
    sorted_curves: CurvesByPlane, settings: FlatSettings, refused: list[RejectedSolid], findings: list[Finding]
) -> CurvesByPlane:
    """Return the plane of a wireframe of plates; refuse the wireframe of other solids."""
    areas = []
    for plane in sorted_curves.planes:
        outlines = outlines_of(plane, settings.gap, settings.deviation, chosen_gap=settings.chosen_gap)
        areas.append(sum(component.area for component in outlines.components))
    flat = flattened_wireframe(sorted_curves, areas) if sum(areas) else None
    if flat is not None:
        depth = flat.planes[0].depth * 1000
        message = f"a wireframe was read as an outline {depth:.4g} mm thick"
        findings.append(Finding(504, Severity.NOTE, settings.file, message, "set thickness to change it"))
        return flat
    first = sorted_curves.connecting[0]
    count = len(sorted_curves.connecting) + sum(len(plane.paths) for plane in sorted_curves.planes)
    why = f"{count} curves form a 3D wireframe, not the outline of a plate"
    points = np.concatenate([path.points for path in sorted_curves.connecting])
    fix = "export its solid as MESH or STL, or draw its outline in one plane"
    refused.append(RejectedSolid(first.look, first.entity, first.handle, why, fix, points))
    return CurvesByPlane((), (), sorted_curves.stray, ())


def _not_planar(path: DrawnPath) -> RejectedSolid:
    vector = area_vector(path.points[:-1])
    length = float(np.sqrt(vector @ vector))
    depth = float(np.ptp(path.points @ (vector / length))) * 1000 if length else 0.0
    why = f"a closed {path.entity} is not planar: it is {depth:.4g} mm deep"
    return RejectedSolid(path.look, path.entity, "", why, "flatten it, or export its solid as MESH", path.points)


def _unclosed(outlines: Outlines, outline: OpenOutline) -> RejectedSolid:
    first = outlines.source(outline.sources[0])
    (ax, ay, az), (bx, by, bz) = outlines.in_space(outline.ends) * 1000
    where = f"({ax:.6g}, {ay:.6g}, {az:.6g}) and ({bx:.6g}, {by:.6g}, {bz:.6g}) mm"
    many = f"{len(outline.sources)} curves" if len(outline.sources) > 1 else "1 curve"
    why = f"an outline of {many} has a gap of {outline.gap * 1000:.4g} mm between {where}"
    fix = f"close it in the drawing, or set gap={outline.gap * 1010:.3g}mm"
    return RejectedSolid(first.look, first.entity, "", why, fix, points=outlines.in_space(outline.points))


def _ignore_holes_of_unclosed(outlines: Outlines, roots: Sequence[Region]) -> None:
    """Mark the regions inside an outline with a gap as ignored: they are its holes, not parts."""
    for region in roots:
        low, high = region.points.min(axis=0), region.points.max(axis=0)
        for outline in outlines.unclosed:
            if (outline.points.min(axis=0) <= low).all() and (high <= outline.points.max(axis=0)).all():
                for one in region.descendants():
                    if one.why != STATED:
                        one.role, one.why = IGNORED, "it lies in an outline with a gap"


def _unknown_names(settings: FlatSettings, names: set[str]) -> list[Finding]:
    """Return warnings about regions in the recipe that are not in the drawing."""
    unknown = [pattern for pattern in settings.roles if not any(fnmatchcase(name, pattern) for name in names)]
    if not unknown:
        return []
    message = f"the import recipe states the role of {', '.join(unknown)}, which the drawing does not contain"
    fix = "state the roles again: the drawing has changed"
    return [Finding(504, Severity.WARNING, settings.file, message, fix)]


def _findings(drawing: FlatDrawing, stray: Sequence[DrawnPath], file: str) -> list[Finding]:
    findings = []
    gaps = [outlines.in_space(ends) for outlines, _ in drawing.planes for ends in outlines.closed_gaps]
    for ends in gaps[:_MOST_GAPS]:
        length = float(np.sqrt(((ends[1] - ends[0]) ** 2).sum())) * 1000
        place = "({:.6g}, {:.6g}, {:.6g}) mm".format(*ends[0] * 1000)
        findings.append(Finding(502, Severity.NOTE, file, f"closed a gap of {length:.4g} mm at {place}"))
    if len(gaps) > _MOST_GAPS:
        findings.append(Finding(502, Severity.NOTE, file, f"closed {len(gaps) - _MOST_GAPS} other gaps"))
    lost = [*stray, *(outlines.source(number) for outlines, _ in drawing.planes for number in outlines.stray)]
    if lost:
        place = "({:.6g}, {:.6g}, {:.6g}) mm".format(*lost[0].points[0] * 1000)
        many = f"{len(lost)} curves that form no outline were ignored; the first is"
        message = f"{many if len(lost) > 1 else '1 curve that forms no outline was ignored; it is'} at {place}"
        findings.append(Finding(503, Severity.WARNING, file, message, "check the outlines for gaps"))
    for outlines, _ in drawing.planes:
        for why, count in sorted(Counter(outlines.dividing.values()).items()):
            lines = "1 line" if count == 1 else f"{count} lines"
            message = f"{lines} across an outline not used to divide it: {why}"
            findings.append(Finding(503, Severity.NOTE, file, message))
    return findings + _role_findings(drawing, file)


def _role_findings(drawing: FlatDrawing, file: str) -> list[Finding]:
    """Return a note for each kind of region that is not a part, and one about counterbores."""
    groups: dict[str, list[Region]] = {}
    for _, roots in drawing.planes:
        for root in roots:
            if root.role not in (PART, SCRAP, GROUP):
                groups.setdefault(root.role, []).append(root)
            for region in root.descendants():
                if region.role in (COUNTERBORE, POCKET, SCRAP) or region.hidden_step:
                    role = COUNTERBORE if region.hidden_step else region.role
                    groups.setdefault(_COUNTERSINK if region.is_countersink else role, []).append(region)
    findings = []
    for role, regions in groups.items():
        names = ", ".join(region.name for region in regions[:4]) + (", ..." if len(regions) > 4 else "")
        many = f"{len(regions)} regions" if len(regions) > 1 else "1 region"
        if role in (COUNTERBORE, POCKET, _COUNTERSINK):
            told = f" ({regions[0].why})" if regions[0].why.startswith(("a note", "its layer")) else ""
            told = told or (" (nothing says countersink)" if role == COUNTERBORE else "")
            message = f"{many} ({names}) read as {role}{told}: the holes are cut, its depth is not in the drawing"
        else:
            message = f"{many} ({names}) read as {role}, not as a part: {regions[0].why}"
        fix = f"to make a plate of one, add `regions: {{{regions[0].name}: plate}}` to the import recipe"
        findings.append(Finding(503, Severity.NOTE, file, message, fix))
    return findings
