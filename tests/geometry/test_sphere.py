"""No smaller sphere holds the points."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry import primitives
from rck.geometry.bounding_sphere import smallest_sphere
from rck.geometry.transforms import apply, from_euler, translation

# Whole numbers give equal points, points on lines and points on one sphere all the time.
coarse = st.integers(-2, 2).map(float)
fine = st.floats(-1, 1)


def clouds(coordinate, most):
    point = st.tuples(coordinate, coordinate, coordinate)
    return st.lists(point, min_size=1, max_size=most).map(lambda rows: np.array(rows, dtype=float))


def smallest_by_trying_all(points):
    """The least radius of the spheres through two, three or four points that hold every point."""
    best = np.inf if len(np.unique(points, axis=0)) > 1 else 0.0
    for size in (2, 3, 4):
        for chosen in combinations(points, size):
            spans = np.array(chosen[1:]) - chosen[0]
            offset = np.linalg.lstsq(spans, 0.5 * (spans**2).sum(axis=1), rcond=None)[0]
            centre = chosen[0] + offset
            reach = np.linalg.norm(points - centre, axis=1).max()
            best = min(best, reach)
    return best


@settings(max_examples=40, deadline=None)
@given(points=st.one_of(clouds(coarse, 7), clouds(fine, 7)))
def test_no_smaller_sphere_encloses_the_points(points):
    sphere = smallest_sphere(points)
    assert np.linalg.norm(points - sphere.centre, axis=1).max() <= sphere.radius * (1 + 1e-12) + 1e-15
    assert sphere.radius == pytest.approx(smallest_by_trying_all(points), rel=1e-9, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(points=st.one_of(clouds(coarse, 60), clouds(fine, 60)))
def test_the_centre_lies_among_the_points_that_the_sphere_touches(points):
    # That is what makes a sphere the smallest: no way to move it takes it off all of them.
    from scipy.optimize import nnls

    sphere = smallest_sphere(points)
    distances = np.linalg.norm(points - sphere.centre, axis=1)
    touching = points[distances >= sphere.radius * (1 - 1e-7) - 1e-12]
    size = max(sphere.radius, 1e-9)
    weights = np.vstack([(touching - sphere.centre).T / size, np.ones(len(touching))])
    assert nnls(weights, np.array([0.0, 0.0, 0.0, 1.0]))[1] < 1e-5


@pytest.mark.parametrize(
    ("shape", "radius"),
    [
        (primitives.box(1, 2, 3), np.sqrt(14) / 2),
        (primitives.cylinder(0.3, 0.8, 24), 0.5),
        (primitives.cylinder(0.3, 0.8, 25), 0.5),
        (primitives.sphere(0.7, 24, 21), 0.7),
        (primitives.capsule(0.1, 0.4, 40), 0.3),
    ],
    ids=["box", "cylinder", "cylinder of odd segments", "ball of 482 vertices", "capsule"],
)
@pytest.mark.parametrize("far", [0.0, 10.0])
def test_shapes_with_many_vertices_on_one_sphere_have_that_sphere(shape, radius, far):
    motion = translation((far, -2 * far, 3 * far)) @ from_euler((0.3, 0.4, 0.5))
    sphere = smallest_sphere(apply(motion, shape.vertices))
    assert sphere.radius == pytest.approx(radius, rel=1e-9)
    assert np.abs(sphere.centre - motion[:3, 3]).max() < 1e-5


def test_one_point_and_equal_points_have_a_sphere_of_no_size():
    assert smallest_sphere(np.array([[1.0, 2.0, 3.0]])).radius == 0
    assert smallest_sphere(np.tile([0.1, 0.2, 0.3], (9, 1))).radius == 0


def test_points_on_a_line_are_held_by_its_ends():
    sphere = smallest_sphere(np.outer(np.linspace(0, 1, 50), [1, 2, 2]) + 0.3)
    assert sphere.radius == pytest.approx(1.5, rel=1e-12)


def test_sphere_of_no_points_is_refused():
    with pytest.raises(ValueError, match="at least one point"):
        smallest_sphere(np.empty((0, 3)))
