"""Volumes, centroids and inertias against formulas, and against each other."""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry import circle, convex_hull, extrude, make_contour, make_mesh, moments, move_polyhedron, rectangle
from rck.geometry import primitives as shapes
from rck.geometry.mass_properties import (
    NO_MASS,
    combine,
    inertia_from_second,
    is_positive_definite,
    keeps_triangle_inequality,
    mass_properties,
    moved,
    nearest_inertia,
)
from rck.geometry.mesh import triangles
from rck.geometry.sweep import revolve, sweep_along
from rck.geometry.transforms import from_euler, mirror, rotation_about, scaling, translation

MOTION = translation((0.4, -1.2, 2.5)) @ from_euler((0.3, -0.8, 1.9))


def test_a_box_has_the_moments_of_a_box():
    a, b, c = 0.2, 0.5, 0.9
    found = moments(shapes.box(a, b, c))
    assert found.area == pytest.approx(2 * (a * b + b * c + c * a), rel=1e-12)
    assert found.volume == pytest.approx(a * b * c, rel=1e-12)
    assert np.abs(found.first).max() < 1e-15
    assert found.second == pytest.approx(a * b * c / 12 * np.diag([a * a, b * b, c * c]), rel=1e-12, abs=1e-15)


def test_the_tetrahedron_of_the_axes_has_its_moments():
    corner = convex_hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert corner.moments.area == pytest.approx(1.5 + sqrt(3) / 2, rel=1e-12)
    assert corner.volume == pytest.approx(1 / 6, rel=1e-12)
    assert corner.moments.first == pytest.approx(np.full(3, 1 / 24), rel=1e-12)
    assert corner.moments.second == pytest.approx((np.ones((3, 3)) + np.eye(3)) / 120, rel=1e-12)


@pytest.mark.parametrize("sides", [3, 4, 6, 24, 101])
def test_a_faceted_cylinder_has_the_moments_of_the_prism_it_is(sides):
    radius, height = 0.3, 0.7
    base = sides / 2 * radius**2 * sin(2 * pi / sides)
    across = base * radius**2 * (2 + cos(2 * pi / sides)) / 12
    found = moments(shapes.cylinder(radius, height, sides))
    assert found.volume == pytest.approx(base * height, rel=1e-12)
    assert found.area == pytest.approx(2 * base + 2 * sides * radius * sin(pi / sides) * height, rel=1e-12)
    wanted = np.diag([across * height, across * height, base * height**3 / 12])
    assert found.second == pytest.approx(wanted, rel=1e-11, abs=1e-14)


def test_centroid_of_a_cone_is_at_a_quarter_of_its_height():
    found = moments(shapes.cone(0.4, 1.0, 12))
    assert found.volume == pytest.approx(12 / 2 * 0.4**2 * sin(pi / 6) / 3, rel=1e-12)
    assert found.centroid == pytest.approx([0, 0, -0.25], abs=1e-12)


def test_fine_sphere_converges_to_the_true_sphere():
    found = moments(shapes.sphere(0.5, 80))
    assert found.volume == pytest.approx(4 / 3 * pi * 0.5**3, rel=3e-3)
    assert found.area == pytest.approx(4 * pi * 0.5**2, rel=3e-3)
    assert found.second == pytest.approx(4 / 15 * pi * 0.5**5 * np.eye(3), rel=5e-3, abs=1e-12)


def test_an_octahedron_has_the_moments_of_an_octahedron():
    found = convex_hull(np.concatenate([np.eye(3), -np.eye(3)])).moments
    assert found.volume == pytest.approx(4 / 3, rel=1e-12)
    assert found.area == pytest.approx(4 * sqrt(3), rel=1e-12)
    assert found.second == pytest.approx(2 / 15 * np.eye(3), rel=1e-12, abs=1e-15)


def test_a_face_need_not_be_convex():
    outline = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [0, 2]]
    low, high = ([[x, y, z] for x, y in outline] for z in (0, 1))
    sides = [[i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6] for i in range(6)]
    found = moments(make_mesh(low + high, [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *sides]))
    assert found.volume == pytest.approx(4, rel=1e-12)
    assert found.area == pytest.approx(2 * 4 + 10, rel=1e-12)
    assert found.centroid == pytest.approx([(3 * 1.5 + 1 * 0.5) / 4, (3 * 0.5 + 1 * 1.5) / 4, 0.5], rel=1e-12)


def same_as_trimesh(shape):
    peer = trimesh.Trimesh(shape.vertices, triangles(shape), process=False)
    found = moments(shape)
    body = mass_properties(found, 1.0)
    size = float(np.ptp(shape.vertices, axis=0).max())
    assert found.area == pytest.approx(peer.area, rel=1e-9)
    assert found.volume == pytest.approx(peer.volume, rel=1e-9)
    assert found.centroid == pytest.approx(peer.center_mass, abs=1e-9 * size)
    assert body.inertia == pytest.approx(peer.moment_inertia, rel=1e-9, abs=1e-9 * np.abs(body.inertia).max())


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(5, 60), size=st.sampled_from([1e-3, 1.0, 50.0]))
def test_hulls_of_random_points_agree_with_trimesh(seed, count, size):
    random = np.random.default_rng(seed)
    same_as_trimesh(convex_hull(random.normal(size=(count, 3)) * size + size * random.normal(size=3)))


TUBE = make_contour(circle(0.02, 16), [circle(0.015, 16)])
ANGLE = make_contour([[0, 0], [0.04, 0], [0.04, 0.01], [0.01, 0.01], [0.01, 0.03], [0, 0.03]])
RISE = np.linspace(0, 1, 9)


@pytest.mark.parametrize(
    "solid",
    [
        extrude(make_contour(rectangle(0.2, 0.1), [circle(0.01, 12, (x, 0.02)) for x in (-0.05, 0, 0.05)]), 0.01),
        revolve(make_contour(circle(0.01, 12, (0.05, 0))), segments=20),
        revolve(make_contour(rectangle(0.03, 0.02, (0.015, 0))), 1.0),
        sweep_along(ANGLE, np.c_[0 * RISE, 0 * RISE, RISE], twist=RISE, scale=1 + RISE),
        sweep_along(TUBE, [[0, 0, 0], [0.2, 0, 0], [0.2, 0.2, 0.1]]),
    ],
    ids=["plate with holes", "ring", "sector", "twisted angle", "bent tube"],
)
def test_surfaces_with_dents_and_holes_agree_with_trimesh(solid):
    same_as_trimesh(solid.surface)


@pytest.mark.parametrize("matrix", [MOTION, scaling((2, 0.5, 3)), mirror((1, 2, 3)), MOTION @ scaling(0.1)])
def test_moments_follow_an_affine_map(matrix):
    # Integrals of x and of x xT transform with any map.
    shape = move_polyhedron(shapes.wedge(0.3, 0.4, 0.5), translation((1, 2, 3)))
    before, after = shape.moments, move_polyhedron(shape, matrix).moments
    linear, shift = matrix[:3, :3], matrix[:3, 3]
    stretch = abs(np.linalg.det(linear))
    turned = linear @ before.first
    assert after.volume == pytest.approx(before.volume * stretch, rel=1e-11)
    assert after.first == pytest.approx(stretch * (turned + before.volume * shift), rel=1e-9, abs=1e-12)
    cross = np.outer(turned, shift)
    wanted = linear @ before.second @ linear.T + cross + cross.T + before.volume * np.outer(shift, shift)
    assert after.second == pytest.approx(stretch * wanted, rel=1e-9, abs=1e-12)


def test_a_surface_seen_from_inside_has_a_negative_volume():
    shape = shapes.box(1, 1, 1)
    assert moments(make_mesh(shape.vertices, [face[::-1] for face in shape.faces])).volume == pytest.approx(-1)


def test_small_parts_far_from_the_origin_keep_their_digits():
    far = move_polyhedron(shapes.box(1e-3, 1e-3, 1e-3), translation((100, 100, 100)))
    assert far.volume == pytest.approx(1e-9, rel=1e-9)
    assert mass_properties(far.moments, 1.0).mass == pytest.approx(1e-9, rel=1e-9)


def test_a_box_of_steel_has_the_inertia_of_the_textbook():
    body = mass_properties(moments(shapes.box(0.1, 0.2, 0.3)), 7850.0)
    assert body.mass == pytest.approx(47.1)
    wanted = 47.1 / 12 * np.diag([0.2**2 + 0.3**2, 0.1**2 + 0.3**2, 0.1**2 + 0.2**2])
    assert body.inertia == pytest.approx(wanted, rel=1e-12, abs=1e-15)


def test_two_halves_make_the_whole():
    halves = [move_polyhedron(shapes.box(1, 1, 2), MOTION @ translation((0, 0, z))) for z in (-1, 1)]
    whole = mass_properties(move_polyhedron(shapes.box(1, 1, 4), MOTION).moments, 3.0)
    joined = combine(mass_properties(half.moments, 3.0) for half in halves)
    assert joined.mass == pytest.approx(whole.mass, rel=1e-12)
    assert joined.centre == pytest.approx(whole.centre, rel=1e-12)
    assert joined.inertia == pytest.approx(whole.inertia, rel=1e-10, abs=1e-10)


def test_combining_no_bodies_gives_zero_mass():
    assert combine([]) is NO_MASS
    assert combine([NO_MASS, NO_MASS]).mass == 0


def test_mass_in_another_frame_is_that_of_the_moved_body():
    shape = shapes.wedge(0.3, 0.4, 0.5)
    here = moved(mass_properties(shape.moments, 2.0), MOTION)
    there = mass_properties(move_polyhedron(shape, MOTION).moments, 2.0)
    assert here.centre == pytest.approx(there.centre, rel=1e-12)
    assert here.inertia == pytest.approx(there.inertia, rel=1e-9, abs=1e-12)


def test_impossible_inertias_are_detected():
    assert is_positive_definite(np.diag([1.0, 2.0, 2.5]))
    assert not is_positive_definite(np.diag([1.0, -2.0, 2.5]))
    assert not is_positive_definite(np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]))
    assert keeps_triangle_inequality(np.diag([1.0, 2.0, 3.0]))
    assert not keeps_triangle_inequality(np.diag([1.0, 1.0, 3.0]))
    assert keeps_triangle_inequality(inertia_from_second(np.diag([0.0, 1.0, 5.0])))


principal = st.tuples(*[st.floats(-3, 3)] * 3)


@given(principal, st.floats(-3, 3), st.tuples(principal, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)))
def test_nearest_inertia_is_possible_and_no_random_possible_inertia_is_nearer(stated, angle, other):
    turn = rotation_about((1, 2, 3), angle)[:3, :3]
    inertia = turn @ np.diag(stated) @ turn.T
    nearest = nearest_inertia(inertia)
    low, middle, high = np.linalg.eigvalsh(nearest)
    assert low >= -1e-12
    assert low + middle >= high - 1e-12
    euler, a, b, c = other
    tilt = from_euler(euler)[:3, :3]
    possible = inertia_from_second(tilt @ np.diag([a, b, c]) @ tilt.T)
    assert np.linalg.norm(nearest - inertia) <= np.linalg.norm(possible - inertia) + 1e-12
