"""Surfaces that a curve sweeps: along a line, about an axis, or along another curve."""

from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.brep.curves import Curve, Ellipse, Spline, Straight
from rck.geometry.brep.errors import BrepError
from rck.geometry.brep.splines import KnotAxis, SplineCurve, SplineGrid
from rck.geometry.brep.surfaces import ConeSurface, FaceSurface, PlaneSurface, SplineSurface, TorusSurface

_SAME = 1e-9
_HALF = np.sqrt(0.5)
_CIRCLE_KNOTS = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], dtype=float)
_CIRCLE_POINTS = np.array([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)], dtype=float)
_CIRCLE_WEIGHTS = np.array([1, _HALF, 1, _HALF, 1, _HALF, 1, _HALF, 1])
"""A full circle as a rational B-spline (Piegl and Tiller 1997, section 7.5)."""


def extruded(profile: Curve, direction: Floats, around: Floats, label: str) -> FaceSurface:
    """Return the surface that a curve sweeps along a direction; u is the parameter of the curve."""
    if isinstance(profile, Straight):
        normal = unit(np.cross(profile.direction, direction), label)
        return PlaneSurface(profile.root, profile.direction, np.cross(normal, profile.direction))
    if isinstance(profile, Ellipse):
        plane = unit(np.cross(profile.x, profile.y), label)
        along = float(plane @ direction)
        if abs(along) > 1.0 - 1e-12:
            side = np.sign(along)
            return ConeSurface(profile.centre, plane * side, profile.x, profile.y * side, 0.0, along < 0)
    curve = _spline_of(profile, label)
    places = np.concatenate([around, curve.points[:, :3] / curve.points[:, 3:]])
    depth = float(np.ptp(places @ direction)) * 2 + 1e-9
    low = curve.points.copy()
    low[:, :3] -= direction * depth * low[:, 3:]
    high = curve.points.copy()
    high[:, :3] += direction * depth * high[:, 3:]
    line = KnotAxis(1, np.array([-depth, -depth, depth, depth]))
    return SplineSurface(SplineGrid(curve.axis, line, np.stack([low, high], axis=1)), False)


def revolved(profile: Curve, origin: Floats, axis: Floats, label: str) -> FaceSurface:
    """Return the surface that a curve sweeps about an axis; u is the angle, v the parameter of the curve."""
    if isinstance(profile, Straight):
        return _revolved_line(profile, origin, axis, label)
    if isinstance(profile, Ellipse):
        turned = _revolved_circle(profile, origin, axis)
        if turned is not None:
            return turned
    curve = _spline_of(profile, label)
    weights = curve.points[:, 3]
    away = curve.points[:, :3] / weights[:, None] - origin
    height = away @ axis
    flat = away - height[:, None] * axis
    # Points that rounding moved off the axis would make a hole around it.
    flat[lengths(flat) < 1e-9 * max(1.0, float(lengths(away).max()))] = 0.0
    side = np.cross(axis, flat)
    rows = [
        (origin + height[:, None] * axis + cosine * flat + sine * side, weights * weight)
        for (cosine, sine), weight in zip(_CIRCLE_POINTS.tolist(), _CIRCLE_WEIGHTS.tolist(), strict=True)
    ]
    points = np.array([np.concatenate([place * weight[:, None], weight[:, None]], axis=1) for place, weight in rows])
    return SplineSurface(SplineGrid(KnotAxis(2, _CIRCLE_KNOTS), curve.axis, points), False)


def _revolved_line(profile: Straight, origin: Floats, axis: Floats, label: str) -> FaceSurface:
    along = float(profile.direction @ axis)
    away = profile.root - origin
    radial = away - (away @ axis) * axis
    outward = profile.direction - along * axis
    if abs(along) < _SAME:
        x = unit(profile.direction - along * axis, label)
        plane_y = np.cross(axis, x)
        # The angle comes first: around times outward is against the axis if the line leads outward.
        inward = float(radial @ outward) < 0
        return PlaneSurface(origin + (away @ axis) * axis, x, plane_y, turned=not inward)
    slope = float(radial @ outward)
    size = float(np.sqrt(radial @ radial))
    slope = (slope / size if size > 0 else float(np.sqrt(outward @ outward))) / along
    if size > 0 and abs(float(np.sqrt(outward @ outward)) - abs(slope * along)) > 1e-7:
        raise BrepError(f"{label} is a hyperboloid, which is not supported")
    centre = origin + (away @ axis) * axis
    if size <= 1e-9:
        radial = unit(outward, label)
        centre = centre + axis / slope
    return ConeSurface(centre, axis, radial, np.cross(axis, radial), slope, along < 0)


def _revolved_circle(profile: Ellipse, origin: Floats, axis: Floats) -> FaceSurface | None:
    """Return the torus or sphere of a circle in a plane through the axis; None for another one."""
    radius = float(np.sqrt(profile.x @ profile.x))
    if abs(float(np.sqrt(profile.y @ profile.y)) - radius) > _SAME * radius:
        return None
    normal = np.cross(profile.x, profile.y) / radius**2
    away = profile.centre - origin
    height = float(away @ axis)
    radial = away - height * axis
    major = float(np.sqrt(radial @ radial))
    if abs(float(normal @ axis)) > _SAME or abs(float(normal @ away)) > _SAME * max(1.0, radius):
        return None
    centre = origin + height * axis
    if major <= 1e-9 * radius:
        return None
    x = radial / major
    y = np.cross(axis, x)
    # u times v points out of the tube if the circle runs from outward to the axis.
    turned = float(normal @ y) > 0
    if major < radius:
        return None
    return TorusSurface(centre, axis, x, y, major, radius, turned)


def _spline_of(profile: Curve, label: str) -> SplineCurve:
    if isinstance(profile, Ellipse):
        return _ellipse_spline(profile)
    if not isinstance(profile, Spline):
        raise BrepError(f"{label} sweeps an unsupported type of curve")
    return profile.curve


def _ellipse_spline(profile: Ellipse) -> SplineCurve:
    places = profile.centre + _CIRCLE_POINTS @ np.array([profile.x, profile.y])
    weights = _CIRCLE_WEIGHTS[:, None]
    return SplineCurve(KnotAxis(2, _CIRCLE_KNOTS), np.concatenate([places * weights, weights], axis=1))


def translated(one: Curve, other: Curve, label: str) -> SplineSurface:
    """Return the surface of the sums of a point of one bounded curve and one of another."""
    first, second = (_spline_of(curve, label) for curve in (one, other))
    u, v = first.points[:, None], second.points[None]
    weights = u[..., 3:] * v[..., 3:]
    points = np.concatenate([u[..., :3] * v[..., 3:] + v[..., :3] * u[..., 3:], weights], axis=2)
    return SplineSurface(SplineGrid(first.axis, second.axis, points), False)


def moved(curve: Curve, shift: Floats) -> Curve:
    """Return a line, ellipse or spline elsewhere."""
    if isinstance(curve, Straight):
        return replace(curve, root=curve.root + shift)
    if isinstance(curve, Ellipse):
        return replace(curve, centre=curve.centre + shift)
    if isinstance(curve, Spline):
        points = curve.curve.points
        points = np.concatenate([points[:, :3] + points[:, 3:] * shift, points[:, 3:]], axis=1)
        return replace(curve, curve=replace(curve.curve, points=points))
    return curve


def unit(vector: Floats, label: str) -> Floats:
    """Return a vector of length 1; none without length."""
    length = float(np.sqrt(vector @ vector))
    if not 1e-12 < length < 1e100:
        raise BrepError(f"{label} has a direction without length")
    return vector / length
