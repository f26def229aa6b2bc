"""Plates from the closed regions of flat drawings, extruded with their holes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.contour import Contour, make_contour, ring_area
from rck.geometry.mass_properties import Moments, map_moments
from rck.geometry.region_integrals import extruded_moments, polygon_integrals
from rck.geometry.solid import move_solid
from rck.geometry.sweep import extrude
from rck.geometry.transforms import apply, rotation_about
from rck.hooks import Job
from rck.model import Finding, Severity
from rck_importers.dxf.content import Look
from rck_importers.dxf.openings import circle_of, describe_step, slot_of
from rck_importers.dxf.outlines import Outlines
from rck_importers.dxf.regions import COUNTERBORE, HOLE, PART, Region
from rck_importers.dxf.solids import RejectedSolid, SolidBody, SurfaceHole, place_of

_DIGITS = 12
"""Decimals of the corners of plates in metres, as many as files store, so that a reloaded plate is divided alike."""


_MANY_CORNERS = 20_000
"""Number of corners of the holes of a plate above which round holes get fewer than 24 sides."""
_FEWEST_SIDES = 8
"""Minimum number of sides of a round hole in such a plate."""


_Step = tuple[float, bool]
"""Diameter of a counterbore or countersink, and whether it is a countersink."""
_NO_STEP: _Step = (0.0, False)


@dataclass(frozen=True, slots=True)
class Thicknesses:
    """Thicknesses of plates in metres."""

    everywhere: float | None = None
    of_layer: Mapping[str, float] | None = None
    """By lower-case layer name; the curves of such a layer are separate from others."""

    def for_layer(self, layer: str) -> float | None:
        """Return the thickness stated for a layer; None if there is none."""
        return (self.of_layer or {}).get(layer.lower())


@dataclass(frozen=True, eq=False)
class _Ring:
    """The ring of a region, in a plane whose z axis is along the thickness of the plate."""

    flat: Floats
    """Shape (N, 2)."""
    region: Region
    step: float = 0.0
    """Diameter of the step around it; 0 without one."""
    is_countersink: bool = False

    @property
    def coarse(self) -> Floats:
        """Corners of the coarse approximation. Shape (M, 2)."""
        return np.asarray(self.flat[self.region.coarse])

    @cached_property
    def circle(self) -> tuple[Floats, float] | None:
        """Centre, shape (2,), and radius if it is round."""
        return circle_of(self.flat, self.region.coarse)


class NoPlateError(ValueError):
    """Error: a region cannot become a plate."""

    def __init__(self, message: str, fix: str, option: str = "") -> None:
        self.fix = fix
        self.option = option
        """Option that is missing; empty for other reasons."""
        super().__init__(message)

    def refusal(self, outlines: Outlines, region: Region) -> RejectedSolid:
        """Return the refusal of the region."""
        first = region.sources[0]
        points = outlines.in_space(region.points)
        return RejectedSolid(first.look, first.entity, "", str(self), self.fix, points, self.option, region.name)


def plate_of(
    outlines: Outlines, region: Region, thicknesses: Thicknesses, deviation: float, job: Job
) -> tuple[SolidBody, list[Finding]]:
    """Return the plate with this outline and the findings about it; NoPlateError says why there is none.

    `deviation` is the maximum distance in metres of straight segments from a curve.
    """
    plane = outlines.plane.world_from_plane
    look = region.sources[0].look
    height, findings = _height(outlines, region, thicknesses)
    outer = _Ring(region.points, region)
    holes = [_Ring(hole.points, hole, *step) for hole, step in _holes(region.children, _NO_STEP)]
    if height < 0:
        # Rotate by 180 degrees about x, so that the thickness is along +z.
        plane = plane @ rotation_about((1, 0, 0), np.pi)
        outer, holes = _mirror(outer), [_mirror(hole) for hole in holes]
        height = -height
    doing = f"plate of {place_of(look)}, {len(holes)} holes"
    job.progress(0.6, doing)
    skipped = _skipped_corners(holes, deviation)
    if max(skipped, default=1) > 1:
        findings = [*findings, _coarse_holes(look, len(holes))]
    contour = _contour(outer, holes, skipped)
    try:
        solid = move_solid(extrude(contour, height, job.part(0.6, 0.8, doing)), plane)
    except ValueError as error:
        message = f"its outline cannot be divided into convex pieces: {error}"
        raise NoPlateError(message, "simplify the outline") from error
    true = _true_moments(outer, holes, height, plane)
    openings = tuple(replace(hole.region.opening, step=hole.step, is_countersink=hole.is_countersink) for hole in holes)
    bores = tuple(
        SurfaceHole(
            apply(plane, [*hole.circle[0], 0.0]),
            2.0 * hole.circle[1],
            step=describe_step(hole.step, hole.is_countersink),
        )
        for hole in holes
        if hole.circle is not None
    )
    slots = tuple(
        slot
        for hole, opening in zip(holes, openings, strict=True)
        if opening.shape == "slot" and (slot := slot_of(hole.flat)) is not None
    )
    body = SolidBody(
        "plate",
        look,
        solid.pieces,
        true.volume,
        true,
        (),
        bores,
        plane,
        height,
        contour,
        openings=openings,
        slots=slots,
    )
    return body, findings


def _holes(regions: Sequence[Region], step: _Step) -> list[tuple[Region, _Step]]:
    """Return the holes among the regions inside a plate, each with the step around it."""
    found: list[tuple[Region, _Step]] = []
    for region in regions:
        if region.role in (HOLE, PART):
            # A plate drawn in another lies in a hole of its shape.
            hidden = (region.hidden_step, region.is_countersink)
            found.append((region, hidden if region.hidden_step and not step[0] else step))
        else:
            own = (region.opening.width, region.is_countersink) if region.role == COUNTERBORE else _NO_STEP
            found += _holes(region.children, step if step[0] else own)
    return found


def _mirror(ring: _Ring) -> _Ring:
    return replace(ring, flat=ring.flat * (1.0, -1.0))


def _height(outlines: Outlines, region: Region, thicknesses: Thicknesses) -> tuple[float, list[Finding]]:
    """Return the thickness of the plate, negative along the plane's -z axis, and a finding if two values differ."""
    look = region.sources[0].look
    sweep = next((path.sweep for path in region.sources if path.sweep.any()), np.zeros(3))
    drawn = float(sweep @ outlines.plane.world_from_plane[:3, 2]) or outlines.plane.depth
    stated = thicknesses.for_layer(look.layer)
    stated = thicknesses.everywhere if stated is None else stated
    if stated is None and drawn == 0:
        fix = "set its thickness: --thickness 4mm, in the editor and in scripts thickness=4mm"
        raise NoPlateError("it is flat and has no thickness", fix, "thickness")
    if stated is None or drawn == 0:
        return drawn if stated is None else stated, []
    if abs(abs(drawn) - stated) <= 1e-9:
        return drawn, []
    message = f"it is drawn {abs(drawn) * 1000:.4g} mm thick; the option's {stated * 1000:.4g} mm was used"
    return float(np.copysign(stated, drawn)), [Finding(504, Severity.WARNING, place_of(look), message)]


def _skipped_corners(holes: Sequence[_Ring], deviation: float) -> list[int]:
    """Return for each hole which of its coarse corners to keep: every, every second or every third.

    Half of the corners of the holes is a lower bound for the number of convex pieces (Chazelle 1980), so round holes
    of a plate of very many get as few corners as the deviation allows.
    """
    if sum(int(hole.region.coarse.sum()) for hole in holes) <= _MANY_CORNERS:
        return [1] * len(holes)
    return [next((step for step in (3, 2) if _fits(hole, step, deviation)), 1) for hole in holes]


def _fits(hole: _Ring, step: int, deviation: float) -> bool:
    """Return True if the hole is round and stays within the deviation if only each `step`-th corner is kept."""
    corners = int(hole.region.coarse.sum())
    if corners % step or corners // step < _FEWEST_SIDES or hole.circle is None:
        return False
    centre, radius = hole.circle
    return bool(np.abs(lengths(_coarse_corners(hole, step) - centre) - radius).max() <= deviation)


def _coarse_holes(look: Look, count: int) -> Finding:
    message = f"some of the {count} holes have fewer than 24 sides, still within the deviation, to need fewer pieces"
    return Finding(504, Severity.NOTE, place_of(look), message, "set a smaller deviation for more sides")


def _contour(outer: _Ring, holes: Sequence[_Ring], skipped: Sequence[int]) -> Contour:
    """Return the contour with coarse corners, or with all corners where the coarse rings would touch."""
    try:
        main = np.round(outer.coarse, _DIGITS)
        inner = [_coarse_corners(hole, step) for hole, step in zip(holes, skipped, strict=True)]
        return make_contour(main, [np.round(ring, _DIGITS) for ring in inner])
    except ValueError:
        pass
    try:
        main, *inner = (np.round(ring.flat, _DIGITS) for ring in (outer, *holes))
        return make_contour(main, inner)
    except ValueError as error:
        fix = "correct the drawing there, or exclude the layer that does not belong to it with the option skip"
        raise NoPlateError(str(error), fix) from error


def _coarse_corners(hole: _Ring, step: int) -> Floats:
    """Return each `step`-th coarse corner of a hole, scaled to keep the area if it is a circle. Shape (N, 2)."""
    coarse = hole.coarse[::step]
    if hole.circle is None or len(coarse) == len(hole.flat):
        return coarse
    centre, radius = hole.circle
    return np.asarray(centre + (coarse - centre) * np.sqrt(np.pi * radius**2 / abs(ring_area(coarse))))


def _true_moments(outer: _Ring, holes: Sequence[_Ring], height: float, plane: Floats) -> Moments:
    """Return the moments of the plate with all corners of its rings, which need no division into convex pieces."""
    region = polygon_integrals(outer.flat)
    for hole in holes:
        region = region - polygon_integrals(hole.flat)
    return map_moments(extruded_moments(region, 0.0, height), plane)
