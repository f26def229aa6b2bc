"""Round holes, shafts and slots of lumps: cylinders around an axis, also those that are divided into several faces."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.brep.surfaces import ConeSurface
from rck.geometry.brep.tessellation import LumpMesh
from rck.geometry.brep.topology import Face, Lump

_STRAIGHT = 1e-7
_SAME_DIRECTION = 1e-6
_SAME_AXIS = 1e-5
"""Maximum distance between equal axes, as a fraction of the radius."""
_SECTORS = 12
"""Number of parts of the circle of which each must have points of a full cylinder."""
_CLOSED_WITHIN = 1.0
"""Distance beyond its end, in radii, up to which material closes a hole."""


@dataclass(frozen=True, eq=False)
class RoundFeature:
    """A hole or shaft: coaxial cylinders one after the other."""

    start: Floats
    """Centre of one end. Shape (3,)."""
    end: Floats
    """Centre of the other end. Shape (3,)."""
    radius: float
    """Radius of the narrowest cylinder of a hole, or of the widest of a shaft."""
    is_hole: bool
    open_start: bool
    """True if the hole is open at its start, or if the shaft ends there."""
    open_end: bool
    radii: tuple[float, ...] = ()
    """Different radii of its cylinders, ascending."""
    slot: Floats | None = None
    """For a slot, the vector from the axis of one round end to that of the other, with `start` and `end` in the middle;
    shape (3,). None for a round hole or shaft."""


@dataclass(frozen=True, eq=False)
class _Band:
    """A full cylinder: its heights along the axis of its surface."""

    surface: ConeSurface
    is_hole: bool
    low: float
    high: float

    def along(self, centre: Floats, axis: Floats) -> tuple[float, float]:
        """Return its heights along another axis, ascending."""
        ends = [self.surface.centre + height * self.surface.axis for height in (self.low, self.high)]
        first, second = sorted(float((end - centre) @ axis) for end in ends)
        return first, second


def find_round_features(lump: Lump, mesh: LumpMesh) -> list[RoundFeature]:
    """Return the round holes, shafts and slots of a closed lump."""
    faces = [(face, points) for face, points in zip(lump.faces, mesh.face_points, strict=True) if _is_round(face)]
    groups = _coaxial_groups(faces)
    bands = [band for group in groups for band in _bands(group)]
    features = []
    while bands:
        first = bands[0]
        stack = [band for band in bands if band.is_hole == first.is_hole and _is_coaxial(band.surface, first.surface)]
        bands = [band for band in bands if not any(band is other for other in stack)]
        features += _features(stack, mesh)
    return [*features, *_slots(groups, mesh)]


def _is_round(face: Face) -> bool:
    surface = face.surface
    return isinstance(surface, ConeSurface) and abs(surface.slope) <= _STRAIGHT and surface.is_circular


def _is_coaxial(one: ConeSurface, other: ConeSurface) -> bool:
    if lengths(np.cross(one.axis, other.axis)[None])[0] > _SAME_DIRECTION:
        return False
    away = np.cross(one.centre - other.centre, other.axis)
    return bool(lengths(away[None])[0] <= _SAME_AXIS * max(one.radius, other.radius))


def _coaxial_groups(faces: Sequence[tuple[Face, Floats]]) -> list[list[tuple[Face, Floats]]]:
    """Return the faces on equal cylinders with material on the same side."""
    groups: list[list[tuple[Face, Floats]]] = []
    for face, points in faces:
        for group in groups:
            other = group[0][0]
            assert isinstance(face.surface, ConeSurface)
            assert isinstance(other.surface, ConeSurface)
            same_size = abs(face.surface.radius - other.surface.radius) <= _SAME_AXIS * other.surface.radius
            if same_size and _faces_inward(face) == _faces_inward(other) and _is_coaxial(face.surface, other.surface):
                group.append((face, points))
                break
        else:
            groups.append([(face, points)])
    return groups


def _faces_inward(face: Face) -> bool:
    return face.surface.turned != face.is_reversed


def _bands(group: Sequence[tuple[Face, Floats]]) -> list[_Band]:
    """Return the full cylinders of faces on one cylinder: those that overlap along the axis are taken together."""
    surface = group[0][0].surface
    assert isinstance(surface, ConeSurface)
    rows = []
    for _, points in group:
        if len(points):
            places = surface.invert(points)
            rows.append((float(places[:, 1].min()), float(places[:, 1].max()), places[:, 0]))
    rows.sort(key=lambda row: row[0])
    merged: list[tuple[float, float, Floats]] = []
    for low, high, angles in rows:
        if merged and low <= merged[-1][1] + _SAME_AXIS * surface.radius:
            before = merged.pop()
            merged.append((before[0], max(before[1], high), np.concatenate([before[2], angles])))
        else:
            merged.append((low, high, angles))
    bands = []
    for low, high, angles in merged:
        sectors = np.unique(np.floor(angles / (2 * np.pi) * _SECTORS - 1e-9).astype(int) % _SECTORS)
        if len(sectors) == _SECTORS:
            bands.append(_Band(surface, _faces_inward(group[0][0]), low, high))
    return bands


def _features(stack: Sequence[_Band], mesh: LumpMesh) -> list[RoundFeature]:
    """Return the features of coaxial cylinders; those with a gap between them are separate."""
    centre, axis = stack[0].surface.centre, stack[0].surface.axis
    rows = sorted(((*band.along(centre, axis), band.surface.radius) for band in stack), key=lambda row: row[0])
    groups: list[list[tuple[float, float, float]]] = []
    for row in rows:
        # Chamfers and countersinks lie between the cylinders of one hole.
        if groups and row[0] <= max(other[1] for other in groups[-1]) + 0.5 * row[2]:
            groups[-1].append(row)
        else:
            groups.append([row])
    found = []
    for group in groups:
        low, high = group[0][0], max(row[1] for row in group)
        radii = tuple(sorted({round(row[2], 12) for row in group}))
        is_hole = stack[0].is_hole
        ends = []
        for height, row, sign in ((low, group[0], -1.0), (high, max(group, key=lambda row: row[1]), 1.0)):
            inside = centre + (row[0] + row[1]) / 2 * axis
            hit = _first_hit(mesh, inside, sign * axis)
            beyond = hit - abs(height - (row[0] + row[1]) / 2)
            is_closed = beyond <= _CLOSED_WITHIN * row[2]
            ends.append(not is_closed if is_hole else is_closed)
        radius = radii[0] if is_hole else radii[-1]
        found.append(RoundFeature(centre + low * axis, centre + high * axis, radius, is_hole, ends[0], ends[1], radii))
    return found


@dataclass(frozen=True, eq=False)
class _HollowEnd:
    """Hollow faces of one height on a cylinder, which may be the round end of a slot."""

    surface: ConeSurface
    low: float
    high: float
    points: Floats
    """Shape (N, 3)."""

    def closes(self, along: Floats) -> bool:
        """Return True if the faces are the half of the cylinder on the far side of a direction across it."""
        radial = self.points - self.surface.centre
        outward, sideways = radial @ along, radial @ np.cross(self.surface.axis, along)
        slack = 1e-3 * self.surface.radius
        reaches = np.abs(outward) <= slack
        sides = sideways[reaches]
        both_sides = sides.max(initial=0.0) > 0 > sides.min(initial=0.0)
        return bool(outward.max() <= slack and outward.min() < -0.9 * self.surface.radius and both_sides)


def _slots(groups: Sequence[Sequence[tuple[Face, Floats]]], mesh: LumpMesh) -> list[RoundFeature]:
    """Return the slots: two hollow half cylinders of one height, with nothing between them."""
    ends = [end for group in groups if _faces_inward(group[0][0]) for end in _hollow_ends(group)]
    found = []
    while ends:
        first, *ends = ends
        for number, other in enumerate(ends):
            slot = _slot(first, other, mesh)
            if slot is not None:
                found.append(slot)
                del ends[number]
                break
    return found


def _hollow_ends(group: Sequence[tuple[Face, Floats]]) -> list[_HollowEnd]:
    surface = group[0][0].surface
    assert isinstance(surface, ConeSurface)
    by_height: dict[tuple[float, float], list[Floats]] = {}
    for _, points in group:
        if len(points):
            heights = (points - surface.centre) @ surface.axis
            digits = int(np.ceil(-np.log10(_SAME_AXIS * surface.radius)))
            key = round(float(heights.min()), digits), round(float(heights.max()), digits)
            by_height.setdefault(key, []).append(points)
    return [_HollowEnd(surface, *key, np.concatenate(points)) for key, points in by_height.items()]


def _slot(one: _HollowEnd, other: _HollowEnd, mesh: LumpMesh) -> RoundFeature | None:
    """Return the slot with these ends; None if they do not belong together."""
    radius, axis = one.surface.radius, one.surface.axis
    parallel = lengths(np.cross(axis, other.surface.axis)[None])[0] <= _SAME_DIRECTION
    if not parallel or abs(other.surface.radius - radius) > _SAME_AXIS * radius:
        return None
    away = other.surface.centre - one.surface.centre
    across = away - (away @ axis) * axis
    distance = float(lengths(across[None])[0])
    offset, sign = float(away @ axis), float(np.sign(axis @ other.surface.axis))
    heights = np.sort([offset + sign * other.low, offset + sign * other.high])
    if distance <= radius * _SAME_AXIS or np.abs(heights - [one.low, one.high]).max() > 1e-3 * radius:
        return None
    along = across / distance
    if not (one.closes(along) and other.closes(-along)):
        return None
    middle = one.surface.centre + across / 2
    inside = middle + (one.low + one.high) / 2 * axis
    sideways = np.cross(axis, along)
    widths = [_first_hit(mesh, inside, sign * sideways) for sign in (-1.0, 1.0)]
    if any(abs(width - radius) > 1e-3 * radius for width in widths):
        return None
    depth = (one.high - one.low) / 2
    is_open = [_first_hit(mesh, inside, sign * axis) - depth > _CLOSED_WITHIN * radius for sign in (-1.0, 1.0)]
    start, end = middle + one.low * axis, middle + one.high * axis
    return RoundFeature(start, end, radius, True, is_open[0], is_open[1], (radius,), across)


def _first_hit(mesh: LumpMesh, origin: Floats, direction: Floats) -> float:
    """Return the distance to the first triangle along a ray; infinite without one (Moeller and Trumbore 1997)."""
    corners = mesh.mesh.vertices[mesh.mesh.face_vertices.reshape(-1, 3)]
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(direction, other)
    det = (one * across).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = origin - corners[:, 0]
        u = (away * across).sum(axis=1) / det
        turned = np.cross(away, one)
        v = (turned @ direction) / det
        distance = (other * turned).sum(axis=1) / det
        tolerance = 1e-9
        is_hit = (u >= -tolerance) & (v >= -tolerance) & (u + v <= 1 + tolerance) & (distance > tolerance)
    return float(distance[is_hit].min(initial=np.inf))
