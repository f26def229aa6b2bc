"""Convex polyhedra: every flaw is found, and hulls are hulls."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from rck.geometry import primitives as shapes
from rck.geometry.bounding_sphere import Sphere
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import is_closed, make_mesh
from rck.geometry.polyhedron import (
    Flaw,
    Polyhedron,
    convex_hull,
    make_polyhedron,
    move_polyhedron,
    polyhedron_from_mesh,
    sound_polyhedron,
)
from rck.geometry.transforms import apply, from_euler, mirror, scaling, translation

CORNERS = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)]
FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
MOTION = translation((5, -3, 2)) @ from_euler((0.3, 0.4, 0.5))


def damaged(corners=CORNERS, faces=FACES, sphere=None):
    shape, flaws = make_polyhedron(corners, faces, sphere)
    (found,) = flaws
    assert (shape is not None) == (found.flaw in {Flaw.INSIDE_OUT, Flaw.SPHERE})
    return found


def test_a_box_is_a_polyhedron_without_flaws():
    shape, flaws = make_polyhedron(CORNERS, FACES)
    assert flaws == ()
    assert shape.volume == pytest.approx(6)
    assert shape.faces == tuple(map(tuple, FACES))
    assert len(shape.edges) == 12


def test_non_finite_coordinate_is_found():
    corners = [list(corner) for corner in CORNERS]
    corners[3][1] = float("nan")
    found = damaged(corners)
    assert (found.flaw, found.detail) == (Flaw.NOT_FINITE, "vertex 3")


def test_too_few_vertices_or_faces_are_found():
    assert damaged(CORNERS[:3], [[0, 1, 2]]).flaw is Flaw.TOO_FEW
    assert damaged(faces=FACES[:3]).detail == "8 vertices, 3 faces"


def test_no_data_at_all_is_too_few():
    assert damaged([], []).flaw is Flaw.TOO_FEW


@pytest.mark.parametrize("wrong", [8, -1, 10**6])
def test_a_vertex_that_does_not_exist_is_found(wrong):
    found = damaged(faces=[*FACES[:5], [1, 5, wrong, 3]])
    assert (found.flaw, found.detail) == (Flaw.BAD_INDEX, f"face 5 refers to vertex {wrong} of 8")


@pytest.mark.parametrize("face", [[], [1], [1, 5]])
def test_a_face_with_too_few_vertices_is_found(face):
    found = damaged(faces=[*FACES, face])
    assert (found.flaw, found.detail) == (Flaw.DEGENERATE_FACE, f"face 6 has {len(face)} vertices")


def test_a_face_without_area_is_found():
    found = damaged([*CORNERS, [0.5, 0, 0]], [*FACES, [0, 8, 4]])
    assert (found.flaw, found.detail) == (Flaw.DEGENERATE_FACE, "face 6 has no area")


def test_a_missing_face_is_found_by_its_edge():
    found = damaged(faces=FACES[:5])
    assert found.flaw is Flaw.OPEN
    assert "has no neighbour" in found.detail


def test_reversed_face_is_found_by_its_edge():
    found = damaged(faces=[FACES[0][::-1], *FACES[1:]])
    assert found.flaw is Flaw.OPEN
    assert "in the same direction" in found.detail


def test_faces_without_volume_are_flat():
    flat = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    found = damaged(flat, [[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]])
    assert found.flaw in (Flaw.FLAT, Flaw.OPEN)
    assert damaged(np.array(CORNERS) * (1, 1, 1e-14)).flaw is Flaw.DEGENERATE_FACE
    thin = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 1e-13]]
    assert damaged(thin, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).flaw is Flaw.FLAT


def test_a_dent_is_found_with_its_depth():
    corners = [*CORNERS[:7], [0.5, 1.0, 1.5]]
    triangles = [part for a, b, c, d in FACES for part in ([a, b, c], [a, c, d])]
    found = damaged(corners, triangles)
    assert found.flaw is Flaw.NOT_CONVEX
    assert "outside the plane of face" in found.detail


def test_a_box_given_twice_is_not_one_polyhedron():
    found = damaged(CORNERS + CORNERS, FACES + [[v + 8 for v in face] for face in FACES])
    assert (found.flaw, found.detail) == (Flaw.NOT_CONVEX, "its faces form several closed surfaces")


def test_inward_faces_are_reversed():
    shape, flaws = make_polyhedron(CORNERS, [face[::-1] for face in FACES])
    assert [found.flaw for found in flaws] == [Flaw.INSIDE_OUT]
    assert shape.volume == pytest.approx(6)
    assert_planes_are_those_of_the_faces(shape)


def test_given_sphere_is_kept_or_recomputed():
    generous = Sphere(np.array([0.5, 1, 1.5]), 9.0)
    assert make_polyhedron(CORNERS, FACES, generous)[0].sphere is generous
    found = damaged(sphere=Sphere(np.zeros(3), 1.0))
    assert found.flaw is Flaw.SPHERE
    for useless in (Sphere(np.zeros(3), 1.0), Sphere(np.zeros(3), np.nan), Sphere(np.full(3, np.nan), 9.0)):
        shape, _ = polyhedron_from_mesh(make_mesh(CORNERS, FACES), useless)
        assert shape.sphere.radius == pytest.approx(14**0.5 / 2)


def test_unused_vertex_is_accepted():
    shape, flaws = make_polyhedron([*CORNERS, [0.5, 1, 1]], FACES)
    assert flaws == ()
    assert shape.volume == pytest.approx(6)


def test_bulge_within_rounding_counts_as_convex():
    corners = np.array(CORNERS)
    corners[7] += 5e-7
    assert make_polyhedron(corners, FACES)[1] == ()


def test_invalid_polyhedron_raises_the_reason():
    with pytest.raises(ValueError, match=r"the surface is not closed \(edge 1-3 of face 0"):
        sound_polyhedron(CORNERS, FACES[:5])


def test_a_polyhedron_cannot_be_changed():
    shape = sound_polyhedron(CORNERS, FACES)
    for array in (shape.vertices, shape.face_offsets, shape.face_vertices, shape.planes, shape.edges):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_changing_the_source_points_does_not_change_the_polyhedron():
    corners = np.array(CORNERS)
    shape = sound_polyhedron(corners, FACES)
    corners += 1
    assert shape.volume == pytest.approx(6)
    assert shape.vertices.min() == 0


def assert_planes_are_those_of_the_faces(shape):
    fresh = Polyhedron(shape.vertices, shape.face_offsets, shape.face_vertices)
    assert shape.planes == pytest.approx(fresh.planes, abs=1e-12)
    heights = shape.vertices @ shape.planes[:, :3].T - shape.planes[:, 3]
    for number, face in enumerate(shape.faces):
        assert heights[list(face), number] == pytest.approx(np.zeros(len(face)), abs=1e-9)
    assert heights.max() < 1e-6
    assert np.linalg.norm(shape.planes[:, :3], axis=1) == pytest.approx(np.ones(len(shape.faces)))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(4, 40))
def test_hulls_enclose_their_points_and_have_planar_faces(seed, count):
    cloud = np.random.default_rng(seed).normal(size=(count, 3))
    hull = convex_hull(cloud)
    assert is_closed(hull)
    assert_planes_are_those_of_the_faces(hull)
    assert (cloud @ hull.planes[:, :3].T <= hull.planes[:, 3] + 1e-9).all()
    corners = {tuple(point) for point in cloud.tolist()}
    assert all(tuple(vertex) in corners for vertex in hull.vertices.tolist())


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    noise=st.sampled_from([0, 1e-15, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9]),
    size=st.sampled_from([0.01, 1.0, 30.0]),
)
def test_hull_of_a_rounded_grid_is_a_box(seed, noise, size):
    random = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 4)] * 3), axis=-1).reshape(-1, 3)
    matrix = from_euler(random.uniform(-3, 3, 3))
    hull = convex_hull(size * (apply(matrix, grid) + noise * random.uniform(-0.5, 0.5, grid.shape)))
    assert len(hull.faces) == 6
    assert len(hull.vertices) == 8
    assert hull.volume == pytest.approx(8 * size**3, rel=1e-8)


@pytest.mark.parametrize("noise", [1e-10, 1e-8, 1e-7, 1e-6])
def test_points_that_almost_coincide_have_a_hull(noise):
    random = np.random.default_rng(3)
    crowded = np.repeat(shapes.sphere(0.2, 12).vertices, 5, axis=0)
    hull = convex_hull(crowded + noise * random.normal(size=crowded.shape))
    assert hull.volume == pytest.approx(moments(shapes.sphere(0.2, 12)).volume, rel=1e-3)


def test_points_that_qhull_merges_badly_at_one_tolerance_have_a_hull():
    points = np.array([
        [-0.024521466344594955, -0.07398360222578049, -0.04942702874541283],
        [-0.024406597018241882, -0.07397127896547318, -0.049383752048015594],
        [0.024379752576351166, -0.07388048619031906, -0.04908008873462677],
        [0.024406597018241882, -0.07397127896547318, -0.049383752048015594],
        [0.024457287043333054, -0.07397671788930893, -0.04940285161137581],
        [0.024521466344594955, -0.07398360222578049, -0.04942702874541283],
        [0.025128863751888275, 0.024366576224565506, -0.014027711935341358],
        [0.04232050105929375, -0.06940164417028427, -0.047106850892305374],
        [0.04540460184216499, -0.06317067891359329, -0.06223483011126518],
        [0.04542951658368111, -0.05880272760987282, -0.047975245863199234],
    ])  # fmt: skip
    assert convex_hull(points).volume == pytest.approx(ConvexHull(points).volume, rel=1e-6)


@pytest.mark.parametrize(
    "points",
    [
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]],
        [[0, 0, 0]] * 5,
        [[np.inf, 0, 0]] * 4,
    ],
    ids=["three", "flat", "one place", "infinite"],
)
def test_points_that_span_no_solid_have_no_hull(points):
    with pytest.raises(ValueError, match=r"four points|one plane"):
        convex_hull(points)


@pytest.mark.parametrize("matrix", [MOTION, mirror((1, 2, 3)), scaling((1, 2, 3))])
def test_moved_polyhedron_is_valid(matrix):
    shape = move_polyhedron(shapes.wedge(1, 2, 3), matrix)
    checked, flaws = polyhedron_from_mesh(make_mesh(shape.vertices, shape.faces))
    assert flaws == ()
    assert checked.volume == pytest.approx(3 * abs(np.linalg.det(matrix[:3, :3])))


def test_a_given_sphere_moves_along_but_is_not_stretched():
    shape = make_polyhedron(CORNERS, FACES, Sphere(np.array([0.5, 1, 1.5]), 3.0))[0]
    turned = move_polyhedron(shape, MOTION)
    assert turned.given_sphere.radius == 3.0
    assert turned.given_sphere.centre == pytest.approx(apply(MOTION, (0.5, 1, 1.5)))
    assert move_polyhedron(shape, scaling((1, 1, 2))).given_sphere is None


def test_a_ball_of_thousands_of_faces_is_checked_in_parts():
    fine = shapes.sphere(1.0, 96, 64)
    assert len(fine.vertices) * len(fine.faces) > 30_000_000
    assert fine.volume == pytest.approx(4 / 3 * np.pi, rel=0.01)
