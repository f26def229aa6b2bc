"""Subitems: convex polyhedra with materials."""

from dataclasses import FrozenInstanceError
from math import inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rck_tests import codes

from rck.geometry.bounding_sphere import Sphere
from rck.geometry.polyhedron import convex_hull
from rck.geometry.transforms import rotation_about, scaling, translation
from rck.model import GREY, Severity, build_subitem, subitem_of
from rck.model.subitem import move_subitem

CUBE = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
CUBE_FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def cube(**given):
    return build_subitem(CUBE, CUBE_FACES, **given)


def test_cube_has_unique_vertices_and_faces_in_order():
    shape = cube().unwrap().shape
    assert shape.vertices.tolist() == CUBE
    assert [list(face) for face in shape.faces] == CUBE_FACES


def test_planes_of_cube_point_outward():
    shape = cube().unwrap().shape
    expected = {(-1, 0, 0, 0), (1, 0, 0, 1), (0, -1, 0, 0), (0, 1, 0, 1), (0, 0, -1, 0), (0, 0, 1, 1)}
    assert {tuple(plane) for plane in np.round(shape.planes, 12).tolist()} == expected


def test_centroid_and_sphere_of_cube():
    shape = cube().unwrap().shape
    np.testing.assert_allclose(shape.centroid, [0.5, 0.5, 0.5])
    np.testing.assert_allclose(shape.sphere.centre, [0.5, 0.5, 0.5])
    assert shape.sphere.radius == pytest.approx(sqrt(3) / 2)


def test_default_density_is_that_of_water():
    assert cube().unwrap().mass == pytest.approx(1000.0)
    assert cube().unwrap().colour == GREY


def test_mass_follows_from_density_and_density_from_mass():
    assert cube(density=2700.0).unwrap().mass == pytest.approx(2700.0)
    assert cube(mass=3.0).unwrap().density == pytest.approx(3.0)


def test_mass_properties_are_those_of_a_solid_cube():
    body = cube(mass=6.0).unwrap().mass_properties
    np.testing.assert_allclose(body.centre, [0.5, 0.5, 0.5])
    np.testing.assert_allclose(body.inertia, np.eye(3), atol=1e-12)


def test_colour_strength_and_name_are_kept():
    subitem = cube(colour=(1, 0, 0.5, 1), strength=2.5e8, name="flange").unwrap()
    assert subitem.colour == (1.0, 0.0, 0.5, 1.0)
    assert (subitem.strength, subitem.name) == (2.5e8, "flange")


def test_subitem_is_immutable():
    vertices = np.array(CUBE)
    subitem = build_subitem(vertices, CUBE_FACES).unwrap()
    vertices[:] = 7.0
    assert subitem.shape.vertices.tolist() == CUBE
    with pytest.raises(FrozenInstanceError):
        subitem.density = 1.0
    for array in (subitem.shape.vertices, subitem.shape.planes, subitem.mass_properties.inertia):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


def test_inside_out_solid_is_flipped_with_finding():
    built = build_subitem(CUBE, [face[::-1] for face in CUBE_FACES])
    assert built.unwrap().shape.volume == pytest.approx(1.0)
    assert [(finding.code, finding.severity) for finding in built.findings] == [(307, Severity.NOTE)]
    assert "reversed" in built.findings[0].message


def test_valid_bounding_sphere_is_kept():
    sphere = Sphere(np.array([0.5, 0.5, 0.5]), 2.0)
    built = cube(sphere=sphere)
    sphere.centre[:] = 9.0
    assert built.findings == ()
    assert built.unwrap().shape.sphere.radius == 2.0
    assert built.unwrap().shape.sphere.centre.tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    "sphere",
    [
        Sphere(np.zeros(3), 0.1),
        Sphere(np.zeros(3), nan),
        Sphere(np.zeros(3), inf),
        Sphere(np.array([nan, 0, 0]), 5.0),
        Sphere(np.zeros(2), 5.0),
    ],
)
def test_invalid_bounding_sphere_is_recomputed_with_finding(sphere):
    built = cube(sphere=sphere)
    assert built.unwrap().shape.sphere.radius == pytest.approx(sqrt(3) / 2)
    assert [(finding.code, finding.severity) for finding in built.findings] == [(308, Severity.NOTE)]


def changed(place, value):
    vertices = [list(vertex) for vertex in CUBE]
    vertices[place[0]][place[1]] = value
    return vertices


BAD_SOLIDS = {
    "a coordinate that is not a number": (changed((3, 1), nan), CUBE_FACES, 101),
    "an infinite coordinate": (changed((3, 1), inf), CUBE_FACES, 101),
    "vertices in the plane": ([vertex[:2] for vertex in CUBE], CUBE_FACES, 101),
    "vertices of uneven length": ([[0, 0, 0], [1, 0]], CUBE_FACES, 101),
    "vertices that are words": ([["a", "b", "c"]] * 8, CUBE_FACES, 101),
    "one flat list of numbers": ([x for vertex in CUBE for x in vertex], CUBE_FACES, 101),
    "a vertex farther than the sun": (changed((3, 1), 2e11), CUBE_FACES, 104),
    "no vertices": ([], CUBE_FACES, 301),
    "three vertices": (CUBE[:3], CUBE_FACES, 301),
    "no faces": (CUBE, [], 301),
    "three faces": (CUBE, CUBE_FACES[:3], 301),
    "a face of a vertex that is not there": (CUBE, [[0, 1, 3, 8], *CUBE_FACES[1:]], 302),
    "a face that counts backwards": (CUBE, [[0, 1, 3, -6], *CUBE_FACES[1:]], 302),
    "a face of fractions": (CUBE, [[0, 1, 3, 2.5], *CUBE_FACES[1:]], 302),
    "a face of an absurd number": (CUBE, [[0, 1, 3, 10**30], *CUBE_FACES[1:]], 302),
    "a face that is no list": (CUBE, [7, *CUBE_FACES[1:]], 302),
    "a face of two vertices": (CUBE, [*CUBE_FACES, [0, 1]], 303),
    "empty faces": (CUBE, [[], [], [], []], 303),
    "a face without area": (CUBE, [*CUBE_FACES, [0, 1, 1]], 303),
    "a missing face": (CUBE, CUBE_FACES[:5], 304),
    "one face the wrong way round": (CUBE, [CUBE_FACES[0][::-1], *CUBE_FACES[1:]], 304),
    "a face listed twice": (CUBE, [*CUBE_FACES, CUBE_FACES[0]], 304),
    "no thickness": ([[x, y, 0] for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], [[0, 1, 2], [0, 2, 1]] * 2, 304),
    "a cube pressed flat": ([[x, y, 0.0] for x, y, _ in CUBE], CUBE_FACES, 303),
    "a dented corner": (changed((7, 0), 0.2), CUBE_FACES, 306),
    "the same solid twice": (CUBE + CUBE, CUBE_FACES + [[i + 8 for i in face] for face in CUBE_FACES], 306),
}


@pytest.mark.parametrize("what", BAD_SOLIDS)
def test_invalid_subitem_is_refused(what):
    vertices, faces, code = BAD_SOLIDS[what]
    built = build_subitem(vertices, faces, where="subitem 4 of hand")
    assert built.value is None
    assert codes(built) == [code]
    assert built.findings[0].severity is Severity.ERROR
    assert built.findings[0].where == "subitem 4 of hand"


def test_a_closed_solid_without_volume_is_flat():
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    built = build_subitem(corners, [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    assert codes(built) == [305]


@pytest.mark.parametrize(
    ("material", "code"),
    [
        ({"colour": (0.5, 0.5, 1.5, 1.0)}, 104),
        ({"colour": (0.5, 0.5, nan, 1.0)}, 104),
        ({"colour": (0.5, 0.5, 0.5)}, 104),
        ({"density": -1.0}, 407),
        ({"density": nan}, 101),
        ({"density": inf}, 101),
        ({"mass": -2.0}, 407),
        ({"mass": nan}, 101),
        ({"mass": 1.0, "density": 1.0}, 104),
        ({"strength": -1.0}, 104),
        ({"strength": nan}, 101),
    ],
)
def test_invalid_material_is_refused(material, code):
    for built in (cube(**material), subitem_of(cube().unwrap().shape, **material)):
        assert built.value is None
        assert codes(built) == [code]


def test_mass_with_infinite_density_is_refused():
    tiny = [[x * 1e-4 for x in vertex] for vertex in CUBE]
    assert codes(build_subitem(tiny, CUBE_FACES, mass=1e300)) == [104]


def test_all_problems_of_material_are_reported_at_once():
    assert sorted(codes(cube(colour=(2, 0, 0, 1), density=-1.0, strength=-1.0))) == [104, 104, 407]


def test_subitem_may_have_no_mass():
    assert cube(density=0.0).unwrap().mass == 0.0


@given(points=arrays(float, (12, 3), elements=st.floats(-1, 1, width=16)), angle=st.floats(-4, 4))
@settings(max_examples=30, deadline=None)
def test_moving_a_subitem_moves_its_centre_of_mass(points, angle):
    try:
        shape = convex_hull(points)
    except ValueError:
        reject()
    subitem = subitem_of(shape, density=800.0, strength=1e6, name="lump").unwrap()
    motion = translation((0.1, -2.0, 3.0)) @ rotation_about((1, 2, 3), angle)
    moved = move_subitem(subitem, motion)
    centre = motion[:3, :3] @ subitem.shape.centroid + motion[:3, 3]
    np.testing.assert_allclose(moved.shape.centroid, centre, atol=1e-6)
    assert moved.mass == pytest.approx(subitem.mass, rel=1e-6)
    assert (moved.colour, moved.density, moved.strength, moved.name) == (GREY, 800.0, 1e6, "lump")


def test_scaling_a_subitem_scales_its_mass_by_the_volume():
    moved = move_subitem(cube(density=10.0).unwrap(), scaling((2, 3, -1)))
    assert moved.mass == pytest.approx(60.0)
    assert moved.shape.planes[:, 3].min() >= -1e-12


@given(
    vertices=arrays(
        float, st.tuples(st.integers(0, 9), st.integers(0, 4)), elements=st.floats(allow_nan=True, allow_infinity=True)
    ),
    faces=st.lists(st.lists(st.integers(-2, 9), max_size=5), max_size=8),
    sphere=st.builds(Sphere, arrays(float, 3, elements=st.floats()), st.floats()),
)
@settings(max_examples=100, deadline=None)
def test_any_numbers_give_a_subitem_or_findings(vertices, faces, sphere):
    built = build_subitem(vertices, faces, sphere=sphere)
    assert (built.value is None) == any(finding.severity is Severity.ERROR for finding in built.findings)


@given(
    vertices=st.lists(st.lists(st.floats(width=32), min_size=3, max_size=3), min_size=8, max_size=8), seed=st.randoms()
)
@settings(max_examples=100, deadline=None)
def test_cube_with_damaged_corners_gives_a_subitem_or_findings(vertices, seed):
    corners = [seed.choice((bad, good)) for bad, good in zip(vertices, CUBE, strict=True)]
    built = build_subitem(corners, CUBE_FACES)
    assert (built.value is None) == any(finding.severity is Severity.ERROR for finding in built.findings)
