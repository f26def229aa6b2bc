"""B-splines and helices in ACIS records."""

from math import tau

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.curves import Helix
from rck.geometry.brep.splines import MOST_ALONG, MOST_DEGREE, MOST_POINTS, KnotAxis, SplineCurve, SplineGrid
from rck_importers.dxf.acis.records import AcisError, Fields, is_number

_SKIPPED = (4, 5, 2)
"""Numbers of fields between the degrees of a surface and its knot counts, most frequent first."""


def find_curve(fields: Fields) -> SplineCurve | None:
    """Return the curve at the start of a spline's data, after its type; None if it holds only a summary."""
    name = _skip_to_form(fields)
    if name is None:
        return None
    degree = fields.integer()
    fields.take()  # open, closed or periodic
    axis = _axis(fields, degree, fields.integer())
    return SplineCurve(axis, _control_points(fields, axis.count, name == "nurbs"))


def find_helix(fields: Fields) -> Helix:
    """Return the helix of a spline's data: limits, centre, both half-axes, pitch, growth for each turn, axis."""
    numbers: list[float] = []
    while fields.following is not None and fields.following != "null_surface":
        if is_number(fields.following):
            numbers.append(fields.number())
        else:
            fields.take()
    # A version comes first in new ones, and infinite limits have no numbers.
    if len(numbers) < 16:
        raise AcisError(f"{fields.record.label} ends too early")
    vectors = np.array(numbers[-16:-4]).reshape(4, 3)
    if not vectors[1:].any(axis=1).all():
        raise AcisError(f"{fields.record.label} is a helix without radius or pitch")
    return Helix(vectors[0], vectors[1], vectors[2], vectors[3] / tau, numbers[-4] / tau)


def find_surface(fields: Fields) -> SplineGrid | None:
    """Return the surface of a spline's data: the first B-spline with two degrees; None without one."""
    depth = 0
    while fields.following is not None:
        token = fields.take()
        depth += {"{": 1, "}": -1}.get(token, 0) if isinstance(token, str) else 0
        if depth == 0 and token in ("nubs", "nurbs"):
            start = fields.place
            try:
                return _grid(fields, token == "nurbs")
            except AcisError:
                fields.place = start
    return None


def _skip_to_form(fields: Fields) -> str | None:
    for _ in range(4):
        token = fields.following
        if token in ("nubs", "nurbs"):
            return str(fields.take())
        if token is None or token == "nullbs":
            return None
        fields.take()
    return None


def _grid(fields: Fields, rational: bool) -> SplineGrid:
    """Return the surface after its type, whichever of its optional fields are present."""
    degrees = fields.integer(), fields.integer()
    start = fields.place
    # Closures and singularities of u and v; first, in some rational ones, which of them is rational; old ones less.
    for skipped in _SKIPPED:
        fields.place = start + skipped
        try:
            u_count, v_count = fields.integer(), fields.integer()
            u, v = _axis(fields, degrees[0], u_count), _axis(fields, degrees[1], v_count)
            points = _control_points(fields, u.count * v.count, rational)
        except AcisError:
            if skipped == _SKIPPED[-1]:
                raise
        else:
            return SplineGrid(u, v, points.reshape(v.count, u.count, 4).transpose(1, 0, 2))
    raise AssertionError


def _axis(fields: Fields, degree: int, count: int) -> KnotAxis:
    if not (1 <= degree <= MOST_DEGREE and 2 <= count <= MOST_ALONG):
        raise AcisError(f"{fields.record.label} has a spline of degree {degree} with {count} knots")
    knots: list[float] = []
    multiplicities: list[int] = []
    for _ in range(count):
        knots.append(fields.number())
        multiplicities.append(fields.integer())
    steps = np.diff(knots)
    if not (steps > 0).all() or min(multiplicities) < 1 or max(multiplicities) > degree + 1:
        raise AcisError(f"{fields.record.label} has a spline whose knots do not ascend")
    # The first and last knot are stored with a multiplicity of the degree.
    multiplicities[0] = multiplicities[-1] = degree + 1
    axis = KnotAxis(degree, np.repeat(np.array(knots, dtype=float), multiplicities))
    if not degree < axis.count <= MOST_ALONG:
        raise AcisError(f"{fields.record.label} has a spline with {axis.count} control points")
    return axis


def _control_points(fields: Fields, count: int, rational: bool) -> Floats:
    width = 4 if rational else 3
    if count > MOST_POINTS or fields.place + count * width > len(fields.tokens):
        raise AcisError(f"{fields.record.label} ends too early")
    rows = np.array([fields.number() for _ in range(count * width)]).reshape(count, width)
    weights = rows[:, 3:] if rational else np.ones((count, 1))
    if not (weights > 0).all():
        raise AcisError(f"{fields.record.label} has a weight that is not positive")
    return np.concatenate([rows[:, :3] * weights, weights], axis=1)
