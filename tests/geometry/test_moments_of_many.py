"""Moments of many polyhedra at once are those of each."""

import numpy as np

from rck.geometry import convex_hull
from rck.geometry.mass_properties import moments, moments_of_many
from rck.geometry.polyhedron import move_polyhedron, prepare_moments
from rck.geometry.primitives import box, cylinder


def some_shapes(count):
    chance = np.random.default_rng(1)
    clouds = [chance.normal(size=(chance.integers(4, 40), 3)) + chance.normal(size=3) for _ in range(count)]
    return [*map(convex_hull, clouds), box(1.0, 2.0, 3.0), cylinder(0.5, 2.0)]


def assert_same(found, expected):
    np.testing.assert_allclose([found.area, found.volume], [expected.area, expected.volume], rtol=1e-12)
    np.testing.assert_allclose(found.first, expected.first, rtol=0, atol=1e-12 * np.abs(expected.second).max())
    np.testing.assert_allclose(found.second, expected.second, rtol=0, atol=1e-12 * np.abs(expected.second).max())


def test_moments_of_many_shapes_are_those_of_each():
    shapes = some_shapes(50)
    for found, shape in zip(moments_of_many(shapes), shapes, strict=True):
        assert_same(found, moments(shape))


def test_prepared_moments_are_those_that_shapes_compute():
    shapes, fresh = some_shapes(60), some_shapes(60)
    prepare_moments(shapes)
    for shape, other in zip(shapes, fresh, strict=True):
        assert_same(shape.moments, other.moments)


def test_shape_that_is_not_moved_stays_the_same_object():
    shape = box(1.0, 1.0, 1.0)
    assert move_polyhedron(shape, np.eye(4)) is shape
