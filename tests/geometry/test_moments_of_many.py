"""Moments of many polyhedra at once are those of each."""

import numpy as np

from rck.geometry import convex_hull
from rck.geometry.mass_properties import NO_MASS, combine, combine_solids, mass_properties, moments, moments_of_many
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


def test_mass_of_many_solids_is_that_of_one_after_the_other():
    integrals = [shape.moments for shape in some_shapes(40)]
    densities = np.random.default_rng(3).uniform(0.0, 8000.0, len(integrals))
    densities[3] = 0.0
    together = combine_solids(integrals, densities)
    expected = combine(mass_properties(one, density) for one, density in zip(integrals, densities, strict=True))
    np.testing.assert_allclose(together.mass, expected.mass, rtol=1e-12)
    np.testing.assert_allclose(together.centre, expected.centre, rtol=0, atol=1e-12)
    np.testing.assert_allclose(together.inertia, expected.inertia, rtol=0, atol=1e-9 * np.abs(expected.inertia).max())
    assert combine_solids(integrals, np.zeros(len(integrals))) is NO_MASS
