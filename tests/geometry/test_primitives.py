"""The shapes that parts are made of first."""

from math import inf, nan, pi, sin

import numpy as np
import pytest

from rck.geometry import primitives as shapes
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import is_closed, make_mesh
from rck.geometry.polyhedron import polyhedron_from_mesh

ALL_CONVEX = {
    "box": (shapes.box(1, 2, 3), (1, 2, 3)),
    "cylinder": (shapes.cylinder(1, 3), (2, 2, 3)),
    "cone": (shapes.cone(1, 3), (2, 2, 3)),
    "truncated cone": (shapes.truncated_cone(1, 0.4, 3), (2, 2, 3)),
    "widening cone": (shapes.truncated_cone(0.4, 1, 3), (2, 2, 3)),
    "sphere": (shapes.sphere(1), (2, 2, 2)),
    "coarse sphere": (shapes.sphere(1, 4, 2), (2, 2, 2)),
    "ellipsoid": (shapes.ellipsoid(1, 2, 3), (2, 4, 6)),
    "capsule": (shapes.capsule(1, 3), (2, 2, 5)),
    "wedge": (shapes.wedge(1, 2, 3), (1, 2, 3)),
    "prism": (shapes.prism([[-1, -1], [1, -1], [1, 1], [-1, 1]], 3), (2, 2, 3)),
    "bar of four sides": (shapes.cylinder(1, 3, 4), (2, 2, 3)),
}


@pytest.mark.parametrize("name", ALL_CONVEX)
def test_a_shape_is_a_sound_polyhedron_centred_on_the_origin(name):
    shape, size = ALL_CONVEX[name]
    assert is_closed(shape)
    assert polyhedron_from_mesh(make_mesh(shape.vertices, shape.faces))[1] == ()
    assert shape.vertices.max(axis=0) == pytest.approx(np.array(size) / 2, rel=1e-12)
    assert shape.vertices.min(axis=0) == pytest.approx(-np.array(size) / 2, rel=1e-12)


@pytest.mark.parametrize("segments", [3, 4, 7, 24])
def test_round_shapes_are_inscribed_in_the_true_ones_and_have_their_volume(segments):
    ball = shapes.sphere(0.5, segments)
    assert np.linalg.norm(ball.vertices, axis=1) == pytest.approx(np.full(len(ball.vertices), 0.5), rel=1e-12)
    bar = shapes.cylinder(0.5, 1.0, segments)
    assert np.hypot(*bar.vertices[:, :2].T) == pytest.approx(np.full(2 * segments, 0.5), rel=1e-12)
    assert moments(bar).volume == pytest.approx(segments / 2 * 0.25 * sin(2 * pi / segments), rel=1e-12)
    assert bar.volume == pytest.approx(pi * 0.25, rel=1e-12)


def test_round_shapes_have_as_many_faces_as_segments_ask():
    assert len(shapes.cylinder(1, 1, 24).faces) == 24 + 2
    assert len(shapes.cone(1, 1, 24).faces) == 24 + 1
    assert len(shapes.sphere(1, 24, 10).faces) == 24 * 10
    assert len(shapes.capsule(1, 1, 24).faces) == 24 * 13


def test_volumes_that_have_a_closed_form():
    assert shapes.wedge(1, 2, 3).volume == pytest.approx(3, rel=1e-12)
    assert shapes.prism([[0, 0], [3, 0], [0, 4]], 2).volume == pytest.approx(12, rel=1e-12)
    assert shapes.truncated_cone(1, 0.5, 2).volume == pytest.approx(pi * 2 * (1 + 0.5 + 0.25) / 3, rel=1e-12)
    assert shapes.ellipsoid(1, 2, 3).volume == pytest.approx(6 * 4 / 3 * pi, rel=1e-12)
    assert shapes.capsule(1, 3).volume == pytest.approx((4 / 3 + 3) * pi, rel=1e-12)


def test_the_faces_of_a_round_shape_have_their_own_area():
    assert shapes.cylinder(1, 3, 4).moments.area == pytest.approx(2 * 2 + 4 * 2**0.5 * 3, rel=1e-12)


def test_a_wedge_falls_from_minus_x_to_plus_x():
    top = shapes.wedge(1, 2, 3).vertices
    assert top[top[:, 2] > 0][:, 0] == pytest.approx([-0.5, -0.5])


def test_a_cone_points_up():
    tip = shapes.cone(1, 2).vertices
    assert tip[tip[:, 2] > 0] == pytest.approx(np.array([[0, 0, 1]]))


def test_a_torus_is_filled_by_its_pieces():
    ring = shapes.torus(0.1, 0.02, 30, 16)
    assert len(ring.pieces) == 30
    assert is_closed(ring.surface)
    # Pappus, for a ring of straight bars: area of the tube's section times the polygon round the axis.
    section = 16 / 2 * 0.02**2 * sin(2 * pi / 16)
    assert moments(ring.surface).volume == pytest.approx(section * 0.1 * 30 * sin(2 * pi / 30), rel=1e-12)
    assert sum(moments(piece).volume for piece in ring.pieces) == pytest.approx(moments(ring.surface).volume, rel=1e-12)
    # The true ring is round both ways.
    assert ring.volume == pytest.approx(2 * pi**2 * 0.1 * 0.02**2, rel=1e-12)
    assert ring.centroid == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("bad", [0.0, -1.0, nan, inf])
@pytest.mark.parametrize(
    "make",
    [
        lambda bad: shapes.box(1, bad, 1),
        lambda bad: shapes.cylinder(bad, 1),
        lambda bad: shapes.cone(1, bad),
        lambda bad: shapes.truncated_cone(1, bad, 1),
        lambda bad: shapes.sphere(bad),
        lambda bad: shapes.ellipsoid(1, 1, bad),
        lambda bad: shapes.capsule(1, bad),
        lambda bad: shapes.torus(bad, 1),
        lambda bad: shapes.wedge(bad, 1, 1),
        lambda bad: shapes.prism([[0, 0], [1, 0], [0, 1]], bad),
    ],
)
def test_impossible_lengths_are_refused_by_name(make, bad):
    with pytest.raises(ValueError, match=r"^an? [a-z ]+ needs a positive [a-z ]+, not .* m$"):
        make(bad)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: shapes.cylinder(1, 1, 2), "at least 3 segments, not 2"),
        (lambda: shapes.sphere(1, 8, 1), "at least 2 rings, not 1"),
        (lambda: shapes.torus(1, 1), "must leave a hole"),
        (lambda: shapes.torus(1, 0.2, 2), "at least 3 segments"),
        (lambda: shapes.prism([[0, 0], [2, 0], [1, 0.2], [1, 1]], 1), "not convex"),
        (lambda: shapes.prism([[0, 0], [1, 1], [1, 0], [0, 1]], 1), "crosses or touches itself"),
    ],
)
def test_impossible_shapes_are_refused_with_the_reason(make, message):
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
