"""Plates from planar rings: the rings are nested into contours with holes and extruded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints
from rck.geometry.contour import Contour, make_contour, points_inside, ring_area
from rck.geometry.mass_properties import Moments, map_moments
from rck.geometry.region_integrals import extruded_moments, polygon_integrals
from rck.geometry.solid import move_solid
from rck.geometry.sweep import extrude
from rck.geometry.transforms import apply, frame, rotation_about
from rck.hooks import Job
from rck.model import Finding, Severity
from rck_importers.dxf.curve_rings import Ring, area_vector
from rck_importers.dxf.solids import RejectedSolid, SolidBody, SurfaceHole, place_of

_DIGITS = 12
"""Decimals of the corners of plates in metres, as many as files store, so that a reloaded plate is divided alike."""
_MAX_CIRCLE_STEP = np.pi / 8
"""Maximum angle in radians between adjacent corners of a ring that counts as a circle."""
_MIN_CIRCLE_CORNERS = 16
"""Minimum number of corners for testing the coarse corners alone for a circle."""


@dataclass(frozen=True, slots=True)
class Thicknesses:
    """Thicknesses of plates in metres."""

    everywhere: float | None = None
    of_layer: Mapping[str, float] | None = None
    """By lower-case layer name; the rings of such a layer are nested separately."""

    def for_layer(self, layer: str) -> float | None:
        """Return the thickness stated for a layer; None if there is none."""
        return (self.of_layer or {}).get(layer.lower())


@dataclass(frozen=True, eq=False)
class _FlatRing:
    """A ring in the coordinates of its plane."""

    ring: Ring
    flat: Floats
    """Shape (N, 2)."""
    inside: Floats
    """A point inside it. Shape (2,)."""
    area: float


def plates_of(
    rings: Sequence[Ring], thicknesses: Thicknesses, tolerance: float, job: Job
) -> tuple[list[SolidBody], list[RejectedSolid], list[Finding]]:
    """Return the plates that the rings outline, the rejected rings, and the findings."""
    bodies: list[tuple[int, SolidBody]] = []
    refused: list[RejectedSolid] = []
    findings: list[Finding] = []
    for plane, members in _planes(rings, tolerance, refused):
        for group in _groups(members, thicknesses):
            for outer, holes in _nest(_remove_crossing(_remove_duplicates(group, tolerance), tolerance, refused)):
                try:
                    body, noticed = _plate(plane, outer, holes, thicknesses, job)
                except _NoPlateError as error:
                    refused.append(_refusal(outer.ring, str(error), error.fix))
                else:
                    bodies.append((outer.ring.order, body))
                    findings += noticed
    bodies.sort(key=lambda pair: pair[0])
    return [body for _, body in bodies], refused, findings


class _NoPlateError(ValueError):
    def __init__(self, message: str, fix: str) -> None:
        self.fix = fix
        super().__init__(message)


def _refusal(ring: Ring, why: str, fix: str) -> RejectedSolid:
    return RejectedSolid(ring.look, ring.entity, "", why, fix, ring.points)


def _planes(
    rings: Sequence[Ring], tolerance: float, refused: list[RejectedSolid]
) -> list[tuple[Floats, list[_FlatRing]]]:
    """Group the rings by plane: world from plane, shape (4, 4), and the rings in it."""
    planes: list[tuple[Floats, list[_FlatRing]]] = []
    for ring in rings:
        vector = area_vector(ring.points)
        area = float(np.sqrt(vector @ vector))
        if not area > tolerance * tolerance:
            continue
        normal = vector / area
        if normal @ ring.normal < 0:
            normal = -normal
        heights = ring.points @ normal
        if np.ptp(heights) > 2 * tolerance:
            why = f"a closed {ring.entity} is not planar: it is {np.ptp(heights) * 1000:.4g} mm deep"
            refused.append(_refusal(ring, why, "flatten it, or export its solid as MESH"))
            continue
        height = float(heights.mean())
        for plane, members in planes:
            if plane[:3, 2] @ normal > 1 - 1e-9 and abs(plane[:3, 3] @ normal - height) <= tolerance:
                members.append(_flatten(ring, plane))
                break
        else:
            plane = frame(normal * height, normal)
            planes.append((plane, [_flatten(ring, plane)]))
    return planes


def _flatten(ring: Ring, plane: Floats) -> _FlatRing:
    flat = ((ring.points - plane[:3, 3]) @ plane[:3, :3])[:, :2]
    return _FlatRing(ring, flat, _point_inside(flat), abs(ring_area(flat)))


def _point_inside(flat: Floats) -> Floats:
    """Return a point inside the ring: the middle of the widest interval at a height without corners."""
    heights = np.unique(flat[:, 1])
    gaps = np.diff(heights)
    height = float(heights[gaps.argmax()] + gaps.max() / 2) if len(gaps) else float(heights[0])
    a, b = flat, np.roll(flat, -1, axis=0)
    crossing = (a[:, 1] > height) != (b[:, 1] > height)
    a, b = a[crossing], b[crossing]
    if not len(a):
        return np.asarray(flat.mean(axis=0))
    places = np.sort(a[:, 0] + (height - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0]))
    stretches = places[1::2] - places[::2]
    widest = int(stretches.argmax())
    return np.array([places[2 * widest] + stretches[widest] / 2, height])


def _groups(members: Sequence[_FlatRing], thicknesses: Thicknesses) -> list[list[_FlatRing]]:
    """Group the rings that are nested together: a layer with a stated thickness is a separate group."""
    groups: dict[str, list[_FlatRing]] = {}
    for member in members:
        layer = member.ring.look.layer.lower()
        groups.setdefault(layer if thicknesses.for_layer(layer) is not None else "", []).append(member)
    return list(groups.values())


def _remove_duplicates(members: Sequence[_FlatRing], tolerance: float) -> list[_FlatRing]:
    """Return the rings without duplicates."""
    kept: dict[tuple[int, ...], _FlatRing] = {}
    for member in members:
        box = np.concatenate([member.flat.min(axis=0), member.flat.max(axis=0)])
        span = max(float(np.ptp(member.flat, axis=0).max()), tolerance)
        key = (*np.round(box / (2 * tolerance)).astype(np.int64).tolist(), round(member.area / (2 * tolerance * span)))
        kept.setdefault(key, member)
    return list(kept.values())


def _remove_crossing(members: Sequence[_FlatRing], tolerance: float, refused: list[RejectedSolid]) -> list[_FlatRing]:
    """Return the rings without those that cross a larger one; add these to `refused`."""
    by_area = sorted(members, key=lambda member: -member.area)
    low = np.array([member.flat.min(axis=0) for member in by_area])
    high = np.array([member.flat.max(axis=0) for member in by_area])
    kept = np.zeros(len(by_area), dtype=bool)
    for number, member in enumerate(by_area):
        near = np.flatnonzero(kept & (low <= high[number]).all(axis=1) & (low[number] <= high).all(axis=1)).tolist()
        crossed = next((k for k in near if _rings_cross(by_area[k], member, tolerance)), None)
        if crossed is None:
            kept[number] = True
        else:
            other = by_area[crossed].ring
            why = f"it crosses a {other.entity} on {place_of(other.look)}"
            refused.append(
                _refusal(
                    member.ring,
                    why,
                    "correct the drawing there, or exclude the layer that is not cut with the option skip",
                )
            )
    chosen = {id(by_area[k]) for k in np.flatnonzero(kept).tolist()}
    return [member for member in members if id(member) in chosen]


def _rings_cross(larger: _FlatRing, smaller: _FlatRing, tolerance: float) -> bool:
    """Return True if the rings cross; mere contact does not count."""
    outer, inner = larger.flat[larger.ring.coarse], smaller.flat[smaller.ring.coarse]
    for ring, points in ((outer, inner), (inner, outer)):
        clear = points[_distances(points, ring) > tolerance]
        within = points_inside(clear, ring)
        if within.any() and not within.all():
            return True
    # Crossing bars have all their corners outside of each other.
    p, q, r, s = outer, np.roll(outer, -1, axis=0), inner, np.roll(inner, -1, axis=0)
    return bool(((_sides(p, q, r) * _sides(p, q, s) < 0) & (_sides(r, s, p) * _sides(r, s, q) < 0).T).any())


def _distances(points: Floats, ring: Floats) -> Floats:
    """Return the distance from each point, shape (K, 2), to the nearest edge of the ring. Shape (K,)."""
    along = np.roll(ring, -1, axis=0) - ring
    away = points[:, None] - ring[None]
    share = (away * along).sum(axis=2) / np.maximum((along * along).sum(axis=1), 1e-30)
    rest = away - np.clip(share, 0.0, 1.0)[..., None] * along
    return np.asarray(np.sqrt((rest * rest).sum(axis=2).min(axis=1)))


def _sides(a: Floats, b: Floats, points: Floats) -> Floats:
    """Return the side of each point for each line from a to b: 1 on its left, -1 on its right, 0 on it."""
    along, away = (b - a)[:, None], points[None] - a[:, None]
    cross = along[..., 0] * away[..., 1] - along[..., 1] * away[..., 0]
    cross[np.abs(cross) <= 1e-9 * np.hypot(along[..., 0], along[..., 1]) * np.ptp(points, axis=0).max()] = 0.0
    return np.sign(cross)


def _nest(members: Sequence[_FlatRing]) -> list[tuple[_FlatRing, list[_FlatRing]]]:
    """Return each outer ring with its holes; a ring inside a hole is an outer ring again."""
    points = np.array([member.inside for member in members])
    areas = np.array([member.area for member in members])
    low = np.array([member.flat.min(axis=0) for member in members])
    high = np.array([member.flat.max(axis=0) for member in members])
    depth = np.zeros(len(members), dtype=np.int64)
    holds: list[Ints] = []
    for number, member in enumerate(members):
        maybe = (low[number] <= points).all(axis=1) & (points <= high[number]).all(axis=1) & (areas < areas[number])
        chosen = np.flatnonzero(maybe)
        within: Bools = points_inside(points[chosen], member.flat)
        holds.append(chosen[within])
        depth[chosen[within]] += 1
    return [
        (members[number], [members[k] for k in holds[number].tolist() if depth[k] == depth[number] + 1])
        for number in range(len(members))
        if depth[number] % 2 == 0
    ]


def _plate(
    plane: Floats, outer: _FlatRing, holes: Sequence[_FlatRing], thicknesses: Thicknesses, job: Job
) -> tuple[SolidBody, list[Finding]]:
    height, findings = _height(plane, outer, thicknesses)
    if height < 0:
        # Rotate by 180 degrees about x, so that the thickness is along +z.
        plane = plane @ rotation_about((1, 0, 0), np.pi)
        outer, holes = _mirror(outer), [_mirror(hole) for hole in holes]
        height = -height
    doing = f"plate of {place_of(outer.ring.look)}, {len(holes)} holes"
    job.progress(0.6, doing)
    contour = _contour(outer, holes)
    try:
        solid = move_solid(extrude(contour, height, job.part(0.6, 0.8, doing)), plane)
    except ValueError as error:
        raise _NoPlateError(
            f"its outline cannot be divided into convex pieces: {error}", "simplify the outline"
        ) from error
    true = _true_moments(outer, holes, height, plane)
    bores = tuple(bore for hole in holes if (bore := _bore(hole, plane)) is not None)
    look = outer.ring.look
    return SolidBody("plate", look, solid.pieces, true.volume, true, (), bores, plane, height, contour), findings


def _mirror(member: _FlatRing) -> _FlatRing:
    return replace(member, flat=member.flat * (1.0, -1.0), inside=member.inside * (1.0, -1.0))


def _height(plane: Floats, outer: _FlatRing, thicknesses: Thicknesses) -> tuple[float, list[Finding]]:
    """Return the thickness of the plate, negative along the plane's -z axis, and a finding if two values differ."""
    layer = outer.ring.look.layer
    drawn = float(outer.ring.sweep @ plane[:3, 2])
    stated = thicknesses.for_layer(layer)
    stated = thicknesses.everywhere if stated is None else stated
    if stated is None and drawn == 0:
        fix = "set its thickness: --thickness 4mm, in the editor and in scripts thickness=4mm"
        raise _NoPlateError("it is flat and has no thickness", fix)
    if stated is None or drawn == 0:
        return drawn if stated is None else stated, []
    if abs(abs(drawn) - stated) <= 1e-9:
        return drawn, []
    message = f"it is drawn {abs(drawn) * 1000:.4g} mm thick; the option's {stated * 1000:.4g} mm was used"
    return float(np.copysign(stated, drawn)), [Finding(504, Severity.WARNING, place_of(outer.ring.look), message)]


def _contour(outer: _FlatRing, holes: Sequence[_FlatRing]) -> Contour:
    """Return the contour with coarse corners, or with all corners where the coarse rings would touch."""
    try:
        main = np.round(outer.flat[outer.ring.coarse], _DIGITS)
        return make_contour(main, [np.round(_coarse_corners(hole), _DIGITS) for hole in holes])
    except ValueError:
        pass
    try:
        main, *inner = (np.round(member.flat, _DIGITS) for member in (outer, *holes))
        return make_contour(main, inner)
    except ValueError as error:
        fix = "correct the drawing there, or exclude the layer that does not belong to it with the option skip"
        raise _NoPlateError(str(error), fix) from error


def _coarse_corners(hole: _FlatRing) -> Floats:
    """Return the coarse corners of a hole, scaled to keep the area if it is a circle. Shape (N, 2)."""
    coarse = hole.flat[hole.ring.coarse]
    circle = _circle(hole)
    if circle is None or len(coarse) == len(hole.flat):
        return coarse
    centre, radius = circle
    return np.asarray(centre + (coarse - centre) * np.sqrt(np.pi * radius**2 / abs(ring_area(coarse))))


def _true_moments(outer: _FlatRing, holes: Sequence[_FlatRing], height: float, plane: Floats) -> Moments:
    """Return the moments of the plate with all corners of its rings, which need no division into convex pieces."""
    region = polygon_integrals(outer.flat)
    for hole in holes:
        region = region - polygon_integrals(hole.flat)
    return map_moments(extruded_moments(region, 0.0, height), plane)


def _bore(hole: _FlatRing, plane: Floats) -> SurfaceHole | None:
    """Return the bore of a round hole; None if the hole is not round."""
    circle = _circle(hole)
    if circle is None:
        return None
    centre, radius = circle
    return SurfaceHole(apply(plane, [*centre, 0.0]), 2.0 * radius)


def _circle(hole: _FlatRing) -> tuple[Floats, float] | None:
    """Return the centre, shape (2,), and radius of a round hole; None for other holes."""
    coarse = hole.flat[hole.ring.coarse]
    # Fine points lie slightly off the circle, but there may be too few coarse points to detect a circle.
    flat = coarse if len(coarse) >= _MIN_CIRCLE_CORNERS else hole.flat
    # Kasa 1976: the circle equation is linear in the centre and in radius squared minus centre squared.
    middle = flat.mean(axis=0)
    shifted = flat - middle
    system = np.c_[2 * shifted, np.ones(len(flat))]
    (x, y, rest), *_ = np.linalg.lstsq(system, (shifted**2).sum(axis=1), rcond=None)
    radius = float(np.sqrt(max(rest + x * x + y * y, 0.0)))
    spokes = shifted - (x, y)
    if not radius > 0 or np.abs(np.hypot(*spokes.T) - radius).max() > 1e-3 * radius:
        return None
    angles = np.sort(np.arctan2(spokes[:, 1], spokes[:, 0]))
    if np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() > _MAX_CIRCLE_STEP + 1e-6:
        return None
    return middle + np.array([x, y]), radius
