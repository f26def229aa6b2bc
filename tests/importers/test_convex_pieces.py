"""Surfaces as convex pieces, and the exact masses of primitives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry import primitives
from rck.geometry.mass_properties import mass_properties, moments
from rck.geometry.mesh import Mesh, joined_meshes, make_mesh, transformed
from rck.geometry.transforms import from_euler, scaling, translation
from rck.importing import link_shapes
from rck.importing.convex_pieces import Convexity, convex_pieces, small_hull, tight_box

sizes = st.floats(0.05, 2.0)


def surface(shape):
    return Mesh(shape.vertices, shape.face_offsets, shape.face_vertices)


@given(a=sizes, b=sizes, c=sizes)
@settings(max_examples=4, deadline=None)
def test_masses_of_primitives_match_fine_polyhedra(a, b, c):
    fine = 48
    pairs = [
        (link_shapes.sphere(a), primitives.sphere(a, fine)),
        (link_shapes.cylinder(a, b), primitives.cylinder(a, b, fine)),
        (link_shapes.capsule(a, b), primitives.capsule(a, b, fine)),
        (link_shapes.cone(a, b), primitives.cone(a, b, fine)),
        (link_shapes.ellipsoid(a, b, c), primitives.ellipsoid(a, b, c, fine)),
        (link_shapes.box(a, b, c), primitives.box(a, b, c)),
    ]
    for exact, polyhedron in pairs:
        near = mass_properties(polyhedron.moments, 1.0)
        assert exact.solid.mass == pytest.approx(near.mass, rel=1e-2)
        np.testing.assert_allclose(exact.solid.centre, near.centre, atol=1e-2 * b)
        np.testing.assert_allclose(exact.solid.inertia, near.inertia, rtol=2e-2, atol=1e-9)


@given(angles=st.tuples(*[st.floats(-3, 3)] * 3), sides=st.tuples(sizes, sizes, sizes))
@settings(max_examples=20, deadline=None)
def test_tight_box_of_a_rotated_box_is_that_box(angles, sides):
    turned = transformed(surface(primitives.box(*sides)), translation((1, 2, 3)) @ from_euler(angles))
    assert tight_box(turned.vertices).volume == pytest.approx(np.prod(sides), rel=1e-6)


def test_reduced_hull_lies_within_the_full_hull_and_a_box_keeps_its_corners():
    ball = primitives.sphere(1.0, 80)
    small = small_hull(ball.vertices, 60)
    assert len(small.vertices) <= 60
    assert (ball.planes[:, :3] @ small.vertices.T <= ball.planes[:, 3:] + 1e-9).all()
    assert len(small_hull(primitives.box(1, 2, 3).vertices, 60).vertices) == 8


def test_convex_surface_is_exact_with_every_method():
    wedge = surface(primitives.wedge(1, 2, 3))
    for how in ("cut", "hull", "as-is"):
        pieces = convex_pieces(wedge, Convexity(how))
        assert pieces.exact
        assert [shape.volume for shape in pieces.shapes] == pytest.approx([3.0])


def test_two_bodies_in_one_surface_give_two_cut_pieces_or_one_hull():
    box = surface(primitives.box(1, 1, 1))
    both = joined_meshes([box, transformed(box, translation((3, 0, 0)))])
    assert len(convex_pieces(both, Convexity("cut")).shapes) == 2
    hull = convex_pieces(both, Convexity("hull"))
    assert (len(hull.shapes), hull.excess) == (1, pytest.approx(1.0))
    assert not hull.exact


def test_flat_surface_is_refused_with_a_reason():
    square = make_mesh([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)])
    for how in ("cut", "hull", "boxes", "as-is"):
        pieces = convex_pieces(square, Convexity(how))
        assert pieces.shapes == ()
        assert pieces.refused


def test_inverted_surface_has_the_same_hull_and_excess():
    mirrored = surface(primitives.box(1, 1, 1))
    inside_out = Mesh(mirrored.vertices * (-1, 1, 1), mirrored.face_offsets, mirrored.face_vertices)
    assert moments(inside_out).volume < 0
    assert convex_pieces(inside_out, Convexity("hull")).exact
    assert convex_pieces(inside_out, Convexity("cut")).shapes[0].volume == pytest.approx(1)


def test_same_mesh_in_metres_and_millimetres_gives_the_same_piece():
    box = surface(primitives.box(1, 2, 3))
    small = transformed(box, scaling(0.001))
    assert convex_pieces(small, Convexity("cut")).shapes[0].volume == pytest.approx(6e-9)
