"""Basis functions of B-splines, against SciPy."""

import numpy as np
import pytest
from scipy.interpolate import BSpline

from rck.geometry.brep.splines import KnotAxis, SplineCurve


def _axis(degree: int) -> KnotAxis:
    inner = [0.2, 0.2, 0.5, 0.9]
    return KnotAxis(degree, np.array([0.0] * (degree + 1) + inner + [1.0] * (degree + 1)))


@pytest.mark.parametrize(
    ("degree", "derivative"), [(1, False), (2, False), (3, False), (7, False), (2, True), (3, True), (7, True)]
)
def test_basis_functions_agree_with_scipy(degree: int, derivative: bool) -> None:
    axis = _axis(degree)
    expected = BSpline(axis.knots, np.eye(axis.count), degree)
    places = np.append(np.linspace(0.0, 1.0, 101), axis.spans)
    found = axis.basis(places, derivative)
    assert np.allclose(found, expected.derivative()(places) if derivative else expected(places), atol=1e-12)


def test_periodic_knots_keep_to_their_domain() -> None:
    axis = KnotAxis(3, np.arange(12.0))
    expected = BSpline(axis.knots, np.eye(axis.count), 3)
    assert (axis.low, axis.high) == (3.0, 8.0)
    places = np.linspace(3.0, 8.0, 31)
    assert np.allclose(axis.basis(places), expected(places), atol=1e-14)


def test_a_rational_quarter_circle_has_its_radius() -> None:
    half = np.sqrt(0.5)
    points = np.array([[1.0, 0, 0, 1], [half, half, 0, half], [0, 1, 0, 1]])
    curve = SplineCurve(KnotAxis(2, np.array([0.0, 0, 0, 1, 1, 1])), points)
    assert np.linalg.norm(curve.evaluate(np.linspace(0, 1, 50)), axis=1) == pytest.approx(1.0)


def test_too_many_end_knots_leave_the_end_in_place() -> None:
    curve = SplineCurve(
        KnotAxis(1, np.array([0.0, 0, 0.5, 1, 1, 1])), np.array([[float(k), 0, 0, 1] for k in range(4)])
    )
    assert curve.evaluate(np.array([1.0])).tolist() == [[2.0, 0.0, 0.0]]
