"""Distances, nearest points and contacts, against simple references and an independent library."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rck.collision.scene import HullScene
from rck.geometry import convex_hull
from rck.geometry.primitives import box, cylinder
from rck.geometry.transforms import apply, from_euler, translation
from rck.testing.robots import box_between, joint_vectors, robots
from rck.testing.separation import separation

few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def stands_in(point, shape, pose):
    """How far a point stands out of a polyhedron, in metres; negative inside."""
    in_shape = apply(np.linalg.inv(pose), [point])[0]
    return float((shape.planes[:, :3] @ in_shape - shape.planes[:, 3]).max())


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_nearest_points_are_on_hulls_and_slab_between_them_is_empty(loose, seed):
    rng = np.random.default_rng(seed)
    shapes = [convex_hull(rng.normal(size=(rng.integers(4, 60), 3)) * rng.uniform(0.01, 1.0, 3)) for _ in range(2)]
    poses = [translation(rng.normal(size=3)) @ from_euler(rng.uniform(-3, 3, 3)) for _ in range(2)]
    (found,) = HullScene(loose(shapes, poses)).clearances([])
    for point, shape, pose in zip(found.points, shapes, poses, strict=True):
        assert stands_in(point, shape, pose) < 1e-9
    one, other = map(np.array, found.points)
    if found.distance > 0:
        direction = (other - one) / np.linalg.norm(other - one)
        assert np.linalg.norm(other - one) == pytest.approx(found.distance, abs=1e-9)
        # Nothing of either is between the planes through the points: so nothing is nearer.
        assert (apply(poses[0], shapes[0].vertices) @ direction).max() <= one @ direction + 1e-9
        assert (apply(poses[1], shapes[1].vertices) @ direction).min() >= other @ direction - 1e-9
    else:
        assert -found.distance == pytest.approx(-separation(shapes[0], poses[0], shapes[1], poses[1]), abs=1e-9)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_depth_and_normal_of_contact_are_the_shortest_separation(loose, seed):
    rng = np.random.default_rng(seed)
    shapes = [convex_hull(rng.normal(size=(rng.integers(4, 60), 3)) * rng.uniform(0.01, 1.0, 3)) for _ in range(2)]
    poses = [translation(0.2 * rng.normal(size=3)) @ from_euler(rng.uniform(-3, 3, 3)) for _ in range(2)]
    depth = -separation(shapes[0], poses[0], shapes[1], poses[1])
    contacts = HullScene(loose(shapes, poses)).contacts([])
    if depth < 0:
        assert contacts == []
        return
    (contact,) = contacts
    assert contact.depth == pytest.approx(depth, abs=1e-9)
    assert np.linalg.norm(contact.normal) == pytest.approx(1.0)
    for slack, touches in ((-1e-6, depth > 1e-6), (1e-6, False)):
        away = translation((depth + slack) * np.array(contact.normal)) @ poses[1]
        assert HullScene(loose(shapes, [poses[0], away])).touches([]) == touches
    half = contact.depth / 2 + 1e-9
    assert stands_in(contact.point, shapes[0], poses[0]) <= half
    assert stands_in(contact.point, shapes[1], poses[1]) <= half


@given(st.data())
@few
def test_the_clearance_of_two_items_is_that_of_their_nearest_subitems(data):
    robot = data.draw(robots())
    vector = data.draw(joint_vectors(robot))
    scene = HullScene(robot)
    whole = {found.items: found for found in scene.clearances(vector)}
    assert len(whole) == len(scene.pairs.listed)
    touching = {contact.items for contact in scene.contacts(vector)}
    assert (
        touching == {items for items, found in whole.items() if found.distance <= 1e-9} == set(scene.touching(vector))
    )
    limit = 0.3
    near = [found.items for found in scene.clearances(vector, limit)]
    assert near == [items for items, found in whole.items() if found.distance <= limit]


def test_clearance_limit_applies_to_large_scenes(scattered):
    robot = scattered(90, 3.0)
    scene = HullScene(robot)
    everything = {found.items: found.distance for found in scene.clearances([])}
    within = {found.items: found.distance for found in scene.clearances([], 0.05)}
    assert within == pytest.approx({items: d for items, d in everything.items() if d <= 0.05}, abs=1e-9)
    assert len(within) > 10


def test_contact_of_box_sunk_into_table(loose):
    robot = loose([box(2.0, 2.0, 0.1), box(0.2, 0.2, 0.2)], [np.eye(4), translation((0.3, 0.4, 0.149))])
    (contact,) = HullScene(robot).contacts([])
    assert contact.items == ("item-0", "item-1")
    assert contact.depth == pytest.approx(0.001)
    np.testing.assert_allclose(contact.normal, (0.0, 0.0, 1.0), atol=1e-12)
    assert contact.point[2] == pytest.approx(0.0495)
    assert abs(contact.point[0] - 0.3) <= 0.1
    assert abs(contact.point[1] - 0.4) <= 0.1


def test_rod_inside_drum_is_separated_by_shortest_way(loose):
    robot = loose([cylinder(1.0, 4.0, 64), box(0.1, 0.1, 0.1)], [np.eye(4), translation((0.0, 0.0, 1.8))])
    (contact,) = HullScene(robot).contacts([])
    np.testing.assert_allclose(contact.normal, (0.0, 0.0, 1.0), atol=1e-9)
    assert contact.depth == pytest.approx(0.25)


def test_each_pair_of_subitems_has_its_own_contact():
    from rck.model import build_item, build_robot

    comb = [box_between((x, 0.0, 0.0), (x + 0.1, 1.0, 0.1)) for x in (0.0, 0.2, 0.4)]
    bar = [box_between((-1.0, 0.4, 0.05), (0.25, 0.6, 0.15))]
    robot = build_robot("comb", [build_item("comb", comb).unwrap(), build_item("bar", bar).unwrap()]).unwrap()
    assert [contact.subitems for contact in HullScene(robot).contacts([])] == [(0, 0), (1, 0)]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_distances_are_symmetric_and_independent_of_pose(loose, seed):
    rng = np.random.default_rng(seed)
    shapes = [convex_hull(rng.normal(size=(rng.integers(4, 40), 3)) * 10 ** rng.uniform(-2, 0)) for _ in range(2)]
    poses = [translation(rng.normal(size=3)) @ from_euler(rng.uniform(-3, 3, 3)) for _ in range(2)]
    elsewhere = translation(rng.uniform(-1e4, 1e4, 3)) @ from_euler(rng.uniform(-3, 3, 3))
    (here,) = HullScene(loose(shapes, poses)).clearances([])
    (swapped,) = HullScene(loose(shapes[::-1], poses[::-1])).clearances([])
    (there,) = HullScene(loose(shapes, [elsewhere @ pose for pose in poses])).clearances([])
    assert swapped.distance == pytest.approx(here.distance, abs=1e-12)
    assert there.distance == pytest.approx(here.distance, abs=1e-9)
    np.testing.assert_allclose(apply(elsewhere, here.points)[0] - there.points[0], 0.0, atol=1e-5)
