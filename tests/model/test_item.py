"""Items: rigid groups of subitems with a pose and a mass."""

from dataclasses import FrozenInstanceError
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rck_tests import codes

from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.geometry.polyhedron import convex_hull
from rck.geometry.transforms import from_euler, mirror, scaling, translation
from rck.model import Severity, build_frame, build_item, subitem_of
from rck.model.item import mass_findings, place_item
from rck.model.subitem import move_subitem


def block(size=(1.0, 1.0, 1.0), at=(0.0, 0.0, 0.0), **material):
    corners = [[x, y, z] for x in (0, size[0]) for y in (0, size[1]) for z in (0, size[2])]
    return move_subitem(subitem_of(convex_hull(corners), **material).unwrap(), translation(at))


def body(mass=1.0, centre=(0, 0, 0), inertia=(1, 1, 1)):
    return MassProperties(mass, np.array(centre, dtype=float), np.diag(np.array(inertia, dtype=float)))


def test_an_item_keeps_its_subitems_in_order_and_starts_at_the_origin():
    subitems = [block(), block(at=(0, 0, 1))]
    item = build_item("base", subitems).unwrap()
    assert item.subitems == tuple(subitems)
    assert item.pose.tolist() == np.eye(4).tolist()
    assert not item.mobile


def test_two_blocks_have_the_mass_centre_and_inertia_of_both():
    item = build_item("base", [block(density=1.0), block(at=(3, 0, 0), density=2.0)]).unwrap()
    assert item.mass == pytest.approx(3.0)
    np.testing.assert_allclose(item.mass_properties.centre, [2.5, 0.5, 0.5])
    # Two cubes of side 1: m/6 each about its own middle; the arms are 2 and 1.
    about_x = 1 / 6 + 2 / 6
    about_y = about_x + 1 * 2**2 + 2 * 1**2
    np.testing.assert_allclose(item.mass_properties.inertia, np.diag([about_x, about_y, about_y]), atol=1e-12)


def test_sphere_is_the_smallest_that_contains_every_vertex():
    item = build_item("base", [block(), block(at=(3, 0, 0))]).unwrap()
    np.testing.assert_allclose(item.sphere.centre, [2.0, 0.5, 0.5])
    assert item.sphere.radius == pytest.approx(np.linalg.norm([2.0, 0.5, 0.5]))


def test_an_item_without_subitems_has_no_sphere_and_no_mass():
    item = build_item("mark", []).unwrap()
    assert item.sphere is None
    assert item.mass == 0.0


def test_given_mass_overrides_shapes():
    item = build_item("base", [block()], mass=body(5.0, (0, 0, 1), (1, 2, 2.5))).unwrap()
    assert item.mass == 5.0
    assert item.mass_properties.centre.tolist() == [0, 0, 1]


def test_item_is_immutable():
    pose, given_mass = np.eye(4), body()
    item = build_item("base", [block()], pose=pose, mass=given_mass).unwrap()
    pose[0, 3] = given_mass.centre[0] = given_mass.inertia[0, 0] = 9.0
    assert item.pose[0, 3] == item.mass_properties.centre[0] == 0.0
    assert item.mass_properties.inertia[0, 0] == 1.0
    with pytest.raises(FrozenInstanceError):
        item.mobile = True
    for array in (item.pose, item.mass_properties.centre, item.mass_properties.inertia):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize(
    "name", ["", " ", "two words", "a.b", "/a", "a/", "a//b", 'say"so"', "<a>", "bell\a", "x" * 201]
)
def test_name_that_files_cannot_store_is_refused(name):
    built = build_item(name, [])
    assert built.value is None
    assert codes(built) == [102]


@pytest.mark.parametrize("name", ["base", "left/gripper/finger-2", "größe", "関節_1", "x" * 200])
def test_scoped_names_of_any_language_are_accepted(name):
    assert build_item(name, []).unwrap().name == name


BAD_POSES = {
    "a pose that is no matrix": ("here", 101),
    "a pose of three rows": (np.eye(4)[:3], 101),
    "a rotation alone": (np.eye(3), 101),
    "an uneven pose": ([[1, 0], [0]], 101),
    "a pose that is not a number": (np.full((4, 4), nan), 101),
    "an infinite pose": (translation((inf, 0, 0)), 101),
    "a pose that scales": (scaling(2.0), 309),
    "a pose that mirrors": (mirror((0, 0, 1)), 309),
    "a pose that shears": (np.eye(4) + 0.1 * np.eye(4, k=1), 309),
    "a pose with perspective": (np.eye(4) + 0.1 * np.eye(4, k=-3), 309),
}


@pytest.mark.parametrize("what", BAD_POSES)
def test_invalid_pose_of_item_and_frame_is_refused(what):
    pose, code = BAD_POSES[what]
    for built in (build_item("base", [block()], pose=pose), build_frame("tool", "base", pose)):
        assert built.value is None
        assert codes(built) == [code]
        assert built.findings[0].severity is Severity.ERROR


def test_frame_keeps_its_pose_and_is_immutable():
    pose = translation((0, 0, 0.1))
    frame = build_frame("tool", "hand", pose).unwrap()
    pose[2, 3] = 5.0
    assert frame.pose[2, 3] == 0.1
    with pytest.raises(ValueError, match="read-only"):
        frame.pose[2, 3] = 5.0


def test_frame_with_bad_name_and_pose_reports_both():
    assert codes(build_frame("", "hand", scaling(2.0))) == [102, 309]


BAD_MASSES = {
    "a mass that is not a number": (body(nan), 101),
    "an infinite mass": (body(inf), 101),
    "a centre that is not a number": (body(centre=(0, nan, 0)), 101),
    "an inertia that is not a number": (body(inertia=(1, 1, nan)), 101),
    "a centre in the plane": (MassProperties(1.0, np.zeros(2), np.eye(3)), 101),
    "six numbers of inertia": (MassProperties(1.0, np.zeros(3), np.ones(6)), 101),
    "nine numbers of inertia in a row": (MassProperties(1.0, np.zeros(3), np.ones(9)), 101),
    "a negative mass": (body(-1.0), 407),
    "a lopsided inertia": (MassProperties(1.0, np.zeros(3), np.eye(3) + 0.2 * np.eye(3, k=1)), 402),
}
DOUBTFUL_MASSES = {
    "a point mass": (body(inertia=(0, 0, 0)), 402),
    "a negative inertia": (body(inertia=(1, 1, -1)), 402),
    "an inertia of no real body": (body(inertia=(1, 1, 2.1)), 403),
}


@pytest.mark.parametrize("what", BAD_MASSES)
def test_invalid_item_is_refused(what):
    mass, code = BAD_MASSES[what]
    built = build_item("base", [block()], mass=mass)
    assert built.value is None
    assert codes(built) == [code]
    assert built.findings[0].where == "item base"


@pytest.mark.parametrize("what", DOUBTFUL_MASSES)
def test_item_with_an_impossible_inertia_is_accepted_with_a_warning(what):
    mass, code = DOUBTFUL_MASSES[what]
    built = build_item("base", [block()], mass=mass)
    np.testing.assert_array_equal(built.unwrap().mass_properties.inertia, mass.inertia)
    assert [(finding.code, finding.severity) for finding in built.findings] == [(code, Severity.WARNING)]


def test_inertia_of_thin_plate_satisfies_triangle_inequality():
    assert mass_findings(body(inertia=(1, 1, 2)), "plate") == []


def test_a_given_mass_may_be_zero():
    assert build_item("mark", [], mass=body(0.0, inertia=(0, 0, 0))).unwrap().mass == 0.0


def test_all_problems_are_reported_at_once():
    assert codes(build_item("", [], pose=scaling(2.0), mass=body(-1.0))) == [102, 309, 407]


def test_placing_an_item_keeps_properties_in_its_frame():
    item = build_item("base", [block(), block(at=(2, 0, 0))], mobile=True).unwrap()
    known = item.mass_properties, item.sphere
    there = place_item(item, translation((1, 2, 3)))
    assert there.pose[:3, 3].tolist() == [1, 2, 3]
    assert item.pose[:3, 3].tolist() == [0, 0, 0]
    assert (there.mass_properties, there.sphere) == known
    assert (there.name, there.subitems, there.mobile) == (item.name, item.subitems, True)


@given(
    angles=arrays(float, 3, elements=st.floats(-4, 4)),
    sizes=arrays(float, (3, 3), elements=st.floats(0.01, 2)),
    places=arrays(float, (3, 3), elements=st.floats(-2, 2)),
)
@settings(max_examples=25, deadline=None)
def test_item_of_solids_has_physically_valid_inertia(angles, sizes, places):
    turn = from_euler(angles)
    subitems = [move_subitem(block(size, at), turn) for size, at in zip(sizes, places, strict=True)]
    item = build_item("lump", subitems).unwrap()
    assert mass_findings(item.mass_properties, "lump") == []
    # Weighing the parts in another frame and combining them there makes no difference.
    away = translation((1, 2, 3)) @ turn
    whole = moved(item.mass_properties, away)
    parts = combine(moved(subitem.mass_properties, away) for subitem in subitems)
    np.testing.assert_allclose(whole.centre, parts.centre, atol=1e-9)
    np.testing.assert_allclose(whole.inertia, parts.inertia, rtol=1e-6, atol=1e-6)
