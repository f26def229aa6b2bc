"""Points, placements, curves and surfaces of STEP files, in the length unit of the file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import cosh, sinh, tan
from typing import TypeVar

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.curves import Curve, Ellipse, Spline, Straight
from rck.geometry.brep.splines import MOST_ALONG, MOST_DEGREE, MOST_POINTS, KnotAxis, SplineCurve, SplineGrid
from rck.geometry.brep.surfaces import (
    ConeSurface,
    FaceSurface,
    PlaneSurface,
    SphereSurface,
    SplineSurface,
    TorusSurface,
)
from rck.geometry.brep.swept import extruded, revolved, unit
from rck_importers.step.part21 import Exchange, Record, Ref, StepError, Value, as_integer, as_number

_MOST_NESTED = 20
"""Maximum depth of references from curve to curve."""
_CURVE_WRAPPERS = ("SURFACE_CURVE", "SEAM_CURVE", "INTERSECTION_CURVE", "BOUNDED_SURFACE_CURVE")
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class OpenConic:
    """A parabola or hyperbola, of which an edge uses a part: centre + x f(t) + y g(t)."""

    centre: Floats
    x: Floats
    y: Floats
    is_parabola: bool

    def between(self, start: Floats, end: Floats) -> Spline:
        """Return the part between two of its points as an exact quadratic."""
        t, u = (self._parameter(point) for point in (start, end))
        middle = (t + u) / 2
        if self.is_parabola:
            # x t^2 + 2 y t: the tangents of both ends meet at the product and the mean of the parameters.
            tip, weight = self.centre + self.x * (t * u) + self.y * (2 * middle), 1.0
        else:
            weight = cosh((u - t) / 2)
            tip = self.centre + (self.x * cosh(middle) + self.y * sinh(middle)) / weight
        rows = np.array([[*start, 1.0], [*(tip * weight), weight], [*end, 1.0]])
        return Spline(SplineCurve(KnotAxis(2, np.array([0.0, 0, 0, 1, 1, 1])), rows), False)

    def _parameter(self, point: Floats) -> float:
        along = float((point - self.centre) @ self.y / (self.y @ self.y))
        return along / 2 if self.is_parabola else float(np.arcsinh(along))


@dataclass(eq=False)
class GeometryReader:
    """Reader of the geometry of one file; each instance is made once."""

    exchange: Exchange
    degree: float = 1.0
    """The unit of angles, in radians."""
    _made: dict[tuple[str, int], object] = field(default_factory=dict)
    _depth: int = 0

    def _once(self, ref: Ref, make: Callable[[Record], Made]) -> Made:
        key = (make.__name__, ref.number)
        if key not in self._made:
            if self._depth > _MOST_NESTED:
                raise StepError(f"instance #{ref.number} is nested too deeply, or refers to itself")
            self._depth += 1
            try:
                self._made[key] = make(self.exchange.get(ref))
            finally:
                self._depth -= 1
        return self._made[key]  # type: ignore[return-value]

    def point(self, ref: Ref) -> Floats:
        """Return a point. Shape (3,)."""
        return self._once(ref, self._point)

    def _point(self, record: Record) -> Floats:
        return self._triple(record, "CARTESIAN_POINT")

    def _triple(self, record: Record, kind: str) -> Floats:
        if not record.has(kind):
            raise StepError(f"{record.label} stands in place of a {kind}")
        values = [as_number(value, record) for value in record.list(1)]
        if not 2 <= len(values) <= 3:
            raise StepError(f"{record.label} has {len(values)} coordinates")
        return np.array([*values, 0.0][:3])

    def direction(self, ref: Ref) -> Floats:
        """Return a unit vector. Shape (3,)."""
        return self._once(ref, self._direction)

    def _direction(self, record: Record) -> Floats:
        return unit(self._triple(record, "DIRECTION"), record.label)

    def _vector(self, record: Record) -> tuple[Floats, float]:
        return self.direction(record.ref(1)), record.number_at(2)

    def placement(self, ref: Ref) -> Floats:
        """Return a placement with three axes, or one, or a transformation operator. Shape (4, 4)."""
        return self._once(ref, self._placement)

    def _placement(self, record: Record) -> Floats:
        if record.has("CARTESIAN_TRANSFORMATION_OPERATOR_3D"):
            return self._operator(record)
        if not record.has("AXIS2_PLACEMENT_3D", "AXIS1_PLACEMENT"):
            raise StepError(f"{record.label} stands in place of a placement")
        z, x = self._optional_direction(record, 2), None
        if record.has("AXIS2_PLACEMENT_3D"):
            x = self._optional_direction(record, 3)
        return _frame(self.point(record.ref(1)), np.array([0.0, 0, 1]) if z is None else z, x)

    def _optional_direction(self, record: Record, place: int) -> Floats | None:
        value = record.value(place)
        return self.direction(value) if isinstance(value, Ref) else None

    def _operator(self, record: Record) -> Floats:
        """Return a transformation that may also scale and reflect."""
        values = record.parts["CARTESIAN_TRANSFORMATION_OPERATOR_3D"]
        general = record.parts.get("CARTESIAN_TRANSFORMATION_OPERATOR")
        if general is not None:
            values = [*general, *values]
        # Name, and in some versions the name and description of a functional transformation, come first.
        first = next((place for place, value in enumerate(values) if isinstance(value, Ref)), len(values))
        links = [value for value in values[max(first - 2, 0) :] if isinstance(value, Ref)]
        points = [ref for ref in links if self.exchange.get(ref).has("CARTESIAN_POINT")]
        if len(points) != 1:
            raise StepError(f"{record.label} has no origin")
        place = values.index(points[0])
        x, y, z = (
            self.direction(value) if isinstance(value, Ref) else None
            for value in (values[place - 2], values[place - 1], values[-1])
        )
        stated = values[place + 1] if place + 1 < len(values) else None
        scale = as_number(stated, record) if isinstance(stated, int | float) else 1.0
        if not 1e-9 < scale < 1e9:
            raise StepError(f"{record.label} has the scale {scale:g}")
        matrix = _frame(self.point(points[0]), np.array([0.0, 0, 1]) if z is None else z, x)
        if y is not None and matrix[:3, 1] @ y < 0:
            matrix[:3, 1] *= -1
        matrix[:3, :3] *= scale
        return matrix

    def curve(self, ref: Ref) -> Curve | OpenConic:
        """Return a curve."""
        return self._once(ref, self._curve)

    def _curve(self, record: Record) -> Curve | OpenConic:
        if record.has(*_CURVE_WRAPPERS, "TRIMMED_CURVE"):
            return self.curve(
                record.ref(1, next(kind for kind in record.parts if kind in (*_CURVE_WRAPPERS, "TRIMMED_CURVE")))
            )
        if record.has("LINE"):
            direction, _ = self._once(record.ref(2), self._vector)
            return Straight(self.point(record.ref(1)), direction)
        if record.has("CIRCLE", "ELLIPSE", "PARABOLA", "HYPERBOLA"):
            return self._conic(record)
        spline = self._spline_curve(record)
        if spline is None:
            raise StepError(f"{record.label} is of an unsupported type of curve")
        return Spline(spline, False)

    def _conic(self, record: Record) -> Curve | OpenConic:
        frame = self.placement(record.ref(1))
        centre, x, y = frame[:3, 3], frame[:3, 0], frame[:3, 1]
        first = record.number_at(2)
        second = record.number_at(3) if record.has("ELLIPSE", "HYPERBOLA") else first
        if not (first > 0 and second > 0):
            raise StepError(f"{record.label} has no size")
        if record.has("CIRCLE", "ELLIPSE"):
            return Ellipse(centre, x * first, y * second)
        return OpenConic(centre, x * first, y * second, record.has("PARABOLA"))

    def _spline_curve(self, record: Record) -> SplineCurve | None:
        if record.has("POLYLINE"):
            points = np.array([self.point(ref) for ref in record.refs(1)]).reshape(-1, 3)
            if len(points) < 2:
                raise StepError(f"{record.label} has too few points")
            axis = _uniform(1, len(points), record)
            return SplineCurve(axis, np.concatenate([points, np.ones((len(points), 1))], axis=1))
        base = next((kind for kind in _CURVES if kind in record.parts), None)
        if base is None:
            return None
        # A complex instance has the attributes of each of its types without those of the others.
        first = record.parts.get("B_SPLINE_CURVE") or record.parts[base][1:]
        degree, refs = as_integer(_at(first, 0, record), record), _at(first, 1, record)
        if not isinstance(refs, list) or not 2 <= len(refs) <= MOST_POINTS:
            raise StepError(f"{record.label} has no control points")
        points = np.array([self.point(ref) for ref in refs if isinstance(ref, Ref)])
        weights = np.ones(len(points))
        if "RATIONAL_B_SPLINE_CURVE" in record.parts:
            weights = _numbers(record.list(0, "RATIONAL_B_SPLINE_CURVE"), record)
        axis = self._axis(record, base, degree, len(points), 0)
        return SplineCurve(axis, _weighted(points, weights, record))

    def _axis(self, record: Record, base: str, degree: int, count: int, which: int) -> KnotAxis:
        if not (1 <= degree <= MOST_DEGREE and degree < count <= MOST_ALONG):
            raise StepError(f"{record.label} has {count} control points for degree {degree}")
        if base.startswith("BEZIER"):
            return _uniform(degree, count, record, pieces=True)
        if base.startswith("QUASI_UNIFORM"):
            return _uniform(degree, count, record)
        if base.startswith("UNIFORM"):
            return KnotAxis(degree, np.arange(count + degree + 1, dtype=float) - degree)
        kinds = 2 if "SURFACE" in base else 1
        values = record.parts[base][-2 * kinds - 1 : -1]
        if len(values) < 2 * kinds:
            raise StepError(f"{record.label} has too few attributes")
        times, knots = values[which], values[which + kinds]
        if not isinstance(times, list) or not isinstance(knots, list) or len(times) != len(knots):
            raise StepError(f"{record.label} has a knot without multiplicity")
        multiplicities = [as_integer(value, record) for value in times]
        steps = np.diff(_numbers(knots, record))
        if min(multiplicities, default=0) < 1 or not (steps > 0).all() or sum(multiplicities) != count + degree + 1:
            raise StepError(f"{record.label} has knots that do not fit its control points")
        if max(multiplicities[1:-1], default=0) > degree or max(multiplicities) > degree + 1:
            raise StepError(f"{record.label} has a knot of a multiplicity above its degree")
        return KnotAxis(degree, np.repeat(_numbers(knots, record), multiplicities))

    def surface(self, ref: Ref, around: Floats) -> FaceSurface:
        """Return a surface; an unbounded one that needs bounds covers points of shape (N, 3)."""
        record = self.exchange.get(ref)
        if record.has("SURFACE_OF_LINEAR_EXTRUSION", "SURFACE_OF_REVOLUTION"):
            return self._swept(record, around)
        if record.has("RECTANGULAR_TRIMMED_SURFACE", "CURVE_BOUNDED_SURFACE"):
            self._depth += 1
            try:
                if self._depth > _MOST_NESTED:
                    raise StepError(f"{record.label} refers to itself")
                return self.surface(record.ref(1), around)
            finally:
                self._depth -= 1
        return self._once(ref, self._surface)

    def _surface(self, record: Record) -> FaceSurface:
        if record.has(*_SURFACES):
            return SplineSurface(self._grid(record), False)
        if not record.has(*_ELEMENTARY):
            raise StepError(f"{record.label} is of an unsupported type of surface")
        frame = self.placement(record.ref(1))
        centre, x, y, z = frame[:3, 3], frame[:3, 0], frame[:3, 1], frame[:3, 2]
        if record.has("PLANE"):
            return PlaneSurface(centre, x, y)
        size = record.number_at(2)
        if record.has("CONICAL_SURFACE"):
            return self._cone(record, centre, x, y, z)
        if not size > 0:
            raise StepError(f"{record.label} has the radius {size:g}")
        if record.has("CYLINDRICAL_SURFACE"):
            return ConeSurface(centre, z, x * size, y * size, 0.0, False)
        if record.has("SPHERICAL_SURFACE"):
            return SphereSurface(centre, size, x, y, z, False)
        minor = record.number_at(3)
        if not minor > 0:
            raise StepError(f"{record.label} has the radius {minor:g}")
        is_lemon = record.has("DEGENERATE_TOROIDAL_SURFACE") and not record.flag(4)
        return TorusSurface(centre, z, x, y, -size if is_lemon else size, minor, is_lemon)

    def _cone(self, record: Record, centre: Floats, x: Floats, y: Floats, z: Floats) -> ConeSurface:
        radius, slope = record.number_at(2), tan(record.number_at(3) * self.degree)
        if not (radius >= 0 and 1e-9 < abs(slope) < 1e9):
            raise StepError(f"{record.label} has no opening angle")
        if radius <= 1e-9:
            # The frame of the surface is not at its apex.
            centre, radius = centre + z / slope, radius + 1.0
        return ConeSurface(centre, z, x * radius, y * radius, slope, False)

    def _grid(self, record: Record) -> SplineGrid:
        base = next(kind for kind in _SURFACES if kind in record.parts)
        first = record.parts.get("B_SPLINE_SURFACE") or record.parts[base][1:]
        degrees = [as_integer(_at(first, place, record), record) for place in (0, 1)]
        rows = _at(first, 2, record)
        if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
            raise StepError(f"{record.label} has no control points")
        refs = [[ref for ref in row if isinstance(ref, Ref)] for row in rows if isinstance(row, list)]
        if len({len(row) for row in refs}) != 1 or len(refs) * len(refs[0]) > MOST_POINTS:
            raise StepError(f"{record.label} has rows of different lengths, or too many control points")
        points = np.array([[self.point(ref) for ref in row] for row in refs])
        weights = np.ones(points.shape[:2])
        if "RATIONAL_B_SPLINE_SURFACE" in record.parts:
            stated = record.list(0, "RATIONAL_B_SPLINE_SURFACE")
            weights = np.array([_numbers(row, record) for row in stated if isinstance(row, list)])
        u, v = (self._axis(record, base, degrees[k], points.shape[k], k) for k in (0, 1))
        return SplineGrid(u, v, _weighted(points, weights, record))

    def _swept(self, record: Record, around: Floats) -> FaceSurface:
        profile = self.curve(record.ref(1))
        if isinstance(profile, OpenConic):
            raise StepError(f"{record.label} sweeps an open conic, which is not supported")
        if record.has("SURFACE_OF_LINEAR_EXTRUSION"):
            direction, size = self._once(record.ref(2), self._vector)
            return extruded(profile, direction if size > 0 else -direction, around, record.label)
        axis = self.placement(record.ref(2))
        return revolved(profile, axis[:3, 3], axis[:3, 2], record.label)


_CURVES = (
    "B_SPLINE_CURVE_WITH_KNOTS",
    "BEZIER_CURVE",
    "QUASI_UNIFORM_CURVE",
    "UNIFORM_CURVE",
)
_SURFACES = (
    "B_SPLINE_SURFACE_WITH_KNOTS",
    "BEZIER_SURFACE",
    "QUASI_UNIFORM_SURFACE",
    "UNIFORM_SURFACE",
)
_ELEMENTARY = (
    "PLANE",
    "CYLINDRICAL_SURFACE",
    "CONICAL_SURFACE",
    "SPHERICAL_SURFACE",
    "TOROIDAL_SURFACE",
    "DEGENERATE_TOROIDAL_SURFACE",
)


def _uniform(degree: int, count: int, record: Record, pieces: bool = False) -> KnotAxis:
    """Return clamped knots with equal steps; for pieces, each of `degree` further points."""
    if pieces and (count - 1) % degree:
        raise StepError(f"{record.label} has {count} control points for degree {degree}")
    inner = (count - 1) // degree if pieces else count - degree
    times = np.full(inner + 1, degree if pieces else 1)
    times[[0, -1]] = degree + 1
    return KnotAxis(degree, np.repeat(np.arange(inner + 1, dtype=float), times))


def _weighted(points: Floats, weights: Floats, record: Record) -> Floats:
    if weights.shape != points.shape[:-1] or not (weights > 0).all():
        raise StepError(f"{record.label} has weights that do not fit its control points")
    return np.concatenate([points * weights[..., None], weights[..., None]], axis=-1)


def _numbers(values: list[Value], record: Record) -> Floats:
    return np.array([as_number(value, record) for value in values])


def _at(values: list[Value], place: int, record: Record) -> Value:
    if place >= len(values):
        raise StepError(f"{record.label} has too few attributes")
    return values[place]


def _frame(origin: Floats, z: Floats, x: Floats | None) -> Floats:
    """Return a right-handed frame; x is made perpendicular to z, or chosen as ISO 10303-42 does."""
    if x is None or np.abs(np.cross(z, x)).max() < 1e-9:
        x = np.array([1.0, 0, 0]) if abs(z[0]) < 1 - 1e-9 else np.array([0.0, 0, 1])
    across = x - (x @ z) * z
    across /= np.sqrt(across @ across)
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2], matrix[:3, 3] = across, np.cross(z, across), z, origin
    return matrix
