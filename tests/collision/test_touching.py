"""Pairs of items in contact, against simple references."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rck.collision import pairs_to_test
from rck.collision.scene import HullScene
from rck.geometry import convex_hull
from rck.geometry.primitives import box
from rck.geometry.transforms import from_euler, translation
from rck.model import RckError, World, at_positions, build_item, build_joint, build_robot, flatten
from rck.testing.robots import box_between, joint_vectors, planar_arm, robots, six_axis_arm
from rck.testing.separation import separation

few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def by_plain_means(robot, pairs):
    """The pairs of items that touch, with the pairs of their subitems that do, and the narrowest escape."""
    touching, narrowest = {}, np.inf
    for a, b in pairs.listed.tolist():
        one, other = robot.items[a], robot.items[b]
        gaps = {
            (i, j): separation(s.shape, one.pose, t.shape, other.pose)
            for i, s in enumerate(one.subitems)
            for j, t in enumerate(other.subitems)
        }
        narrowest = min([narrowest, *map(abs, gaps.values())])
        found = [places for places, gap in gaps.items() if gap <= 0]
        if found:
            touching[one.name, other.name] = found
    return touching, narrowest


@given(st.data())
@few
def test_subitems_in_contact_are_those_without_separating_direction(data):
    robot = data.draw(robots())
    vector = data.draw(joint_vectors(robot))
    scene = HullScene(robot)
    expected, narrowest = by_plain_means(at_positions(robot, vector), scene.pairs)
    assume(narrowest > 1e-8)
    assert scene.touching(vector) == list(expected)
    found = {(*touch.items, *touch.subitems) for touch in scene.contacts(vector)}
    assert found == {(*names, i, j) for names, places in expected.items() for i, j in places}
    assert scene.touches(vector) == bool(expected)


@pytest.mark.parametrize(("count", "spread"), [(40, 1.5), (90, 3.0)])
def test_contacts_of_few_and_many_loose_hulls_match_reference(scattered, count, spread):
    robot = scattered(count, spread)
    scene = HullScene(robot)
    expected, _ = by_plain_means(robot, scene.pairs)
    assert len(expected) > 10
    assert sorted(scene.touching(robot.positions)) == sorted(expected)


def test_hull_inside_another_is_in_contact(loose):
    robot = loose([box(2.0, 2.0, 2.0), box(0.1, 0.1, 0.1)], [np.eye(4), translation((0.3, 0.2, -0.4))])
    assert HullScene(robot).touching([]) == [("item-0", "item-1")]


@pytest.mark.parametrize("centre", [(0.0, 0.0, 0.0), (1e4, -1e4, 1e4)])
@pytest.mark.parametrize(("gap", "touches"), [(-1e-7, True), (0.0, True), (1e-7, False)])
def test_boxes_face_to_face_are_in_contact_within_tolerance(loose, centre, gap, touches):
    here = translation(centre)
    robot = loose([box(1.0, 2.0, 3.0), box(0.5, 0.5, 0.5)], [here, here @ translation((0.75 + gap, 0.3, -0.2))])
    assert HullScene(robot).touches([]) is touches


def test_two_equal_hulls_at_same_pose_are_in_contact(loose):
    shape = convex_hull(np.random.default_rng(5).normal(size=(50, 3)))
    assert HullScene(loose([shape, shape], [np.eye(4)] * 2)).touches([])


def test_items_of_one_rigid_group_and_neighbours_are_never_tested():
    cube = [box_between((-1, -1, -1), (1, 1, 1))]
    items = [build_item(name, cube).unwrap() for name in ("base", "cover", "arm", "hand")]
    joints = [
        build_joint("bolts", "fixed", "base", "cover").unwrap(),
        build_joint("turn", "continuous", "base", "arm").unwrap(),
        build_joint("grip", "continuous", "arm", "hand").unwrap(),
    ]
    robot = build_robot("robot", items, joints).unwrap()
    expected = [("base", "hand"), ("cover", "arm"), ("cover", "hand")]
    assert HullScene(robot).touching([0.0, 0.0]) == expected
    allowed = pairs_to_test(robot, [("hand", "base")])
    assert HullScene(robot, allowed).touching([0.0, 0.0]) == expected[1:]


def test_self_collision_is_distinguished_from_collision_with_others():
    cell = flatten(World("cell", (planar_arm(3), six_axis_arm())))
    everything, own, foreign = (
        set(map(tuple, pairs_to_test(cell, among=among).listed.tolist()))
        for among in ("all", "same robot", "different robots")
    )
    assert own | foreign == everything
    assert not own & foreign
    assert all(cell.items[a].name.split("/")[0] == cell.items[b].name.split("/")[0] for a, b in own)


def test_moving_items_are_tested_against_all_others_and_never_against_each_other(loose):
    cubes = [box(1.0, 1.0, 1.0)] * 4
    robot = loose(cubes, [translation((0.4 * number, 0.0, 0.0)) for number in range(4)])
    moving = np.array([True, True, False, False])
    pairs = [("item-0", "item-2"), ("item-1", "item-2"), ("item-1", "item-3")]
    assert HullScene(robot).touching([], moving) == pairs


def test_poses_are_accepted_instead_of_joint_positions():
    robot = six_axis_arm()
    scene = HullScene(robot)
    vector = np.full(6, 0.7)
    poses = np.array([item.pose for item in at_positions(robot, vector).items])
    assert scene.touching(poses) == scene.touching(vector)


def test_batch_agrees_with_single_queries():
    robot = six_axis_arm(half_width=0.03)
    scene = HullScene(robot)
    vectors = np.random.default_rng(2).uniform(-np.pi, np.pi, (500, 6))
    hits = scene.touching_batch(vectors)
    names = [item.name for item in robot.items]
    listed = [(names[a], names[b]) for a, b in scene.pairs.listed.tolist()]
    for vector, row in zip(vectors, hits, strict=True):
        assert scene.touching(vector) == [pair for pair, hit in zip(listed, row, strict=True) if hit]
    np.testing.assert_array_equal(scene.touches_batch(vectors, threads=2), hits.any(axis=1))


def test_position_that_is_not_finite_is_refused(scattered):
    scene = HullScene(six_axis_arm())
    with pytest.raises(RckError, match="not finite"):
        scene.touches([0.0, np.nan, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(RckError, match=r"row 1 .* not finite"):
        scene.touches_batch([[0.0] * 6, [np.inf] * 6])
    many = scattered(70, 3.0)
    poses = np.array([item.pose for item in many.items])
    poses[3, 1, 3] = np.nan
    with pytest.raises(RckError, match="not finite"):
        HullScene(many).touching(poses)


def test_robot_without_shapes_has_no_contacts():
    robot = build_robot("bare", [build_item("one", []).unwrap(), build_item("two", []).unwrap()]).unwrap()
    assert HullScene(robot).touching([]) == []
    assert HullScene(robot).contacts([]) == []


def test_earlier_queries_do_not_change_results(cell):
    rng = np.random.default_rng(4)
    path = np.cumsum(rng.normal(size=(300, 6)) * 0.02, axis=0)
    vectors = [*path, *rng.uniform(-np.pi, np.pi, (100, 6)), *path[::-1]]
    for vector in vectors:
        assert cell.touching(vector) == HullScene(cell.robot, cell.pairs).touching(vector)


@pytest.mark.parametrize(("count", "spread"), [(30, 0.8), (80, 1.2)])
def test_cached_results_agree_with_fresh_ones_during_motion(scattered, count, spread):
    robot = scattered(count, spread)
    scene, rng = HullScene(robot), np.random.default_rng(6)
    poses = np.array([item.pose for item in robot.items])
    start = poses.copy()
    met = set()
    for step in range(120):
        # Nothing moves, all crawl or walk, one leaps, all turn, all go back.
        size = 10.0 ** rng.uniform(-7, -1) * (rng.random(count) < 0.7)
        if step % 10 == 3:
            size[:] = 0.0
        if step % 10 == 6:
            size[rng.integers(count)] = spread
        for item in np.flatnonzero(size):
            turn = from_euler(rng.normal(size=3) * size[item])
            poses[item, :3, :3] = turn[:3, :3] @ poses[item, :3, :3]
            poses[item, :3, 3] += rng.normal(size=3) * size[item]
        if step == 60:
            poses = start.copy()
        found = scene.touching(poses)
        assert sorted(found) == sorted(HullScene(robot).touching(poses))
        assert scene.touches(poses) == bool(found)
        met.update(found)
    assert len(met) > 1.2 * len(HullScene(robot).touching(start)), "nothing happened"


def test_every_way_to_ask_for_contact_agrees(cell):
    vectors = np.random.default_rng(2).uniform(-np.pi, np.pi, (300, 6))
    expected = [bool(HullScene(cell.robot, cell.pairs).touching(vector)) for vector in vectors]
    assert 0.1 < np.mean(expected) < 0.9
    poses = np.array([[item.pose for item in at_positions(cell.robot, vector).items] for vector in vectors])
    assert [cell.touches(vector) for vector in vectors] == expected
    assert [cell.touches(row) for row in poses] == expected
    assert [cell.touches(vector.tolist()) for vector in vectors[:20]] == expected[:20]
    assert cell.touches_batch(vectors, threads=2).tolist() == expected
    assert cell.touches_poses(poses, threads=2).tolist() == expected


def test_path_is_free_where_its_joint_vectors_are(cell):
    chance = np.random.default_rng(5)
    starts = chance.uniform(-np.pi, np.pi, (60, 6))
    edges = np.stack([starts, starts + chance.normal(size=(60, 6)) * 0.2], axis=1)
    edges[0, 1] = edges[0, 0]
    step = 0.03
    expected = []
    for start, end in edges:
        count = max(int(np.ceil(np.abs(end - start).max() / step)), 1)
        shares = np.linspace(0.0, 1.0, count + 1)[:, None]
        expected.append(not cell.touches_batch(start + shares * (end - start)).any())
    assert 5 < sum(expected) < 55
    assert cell.path_is_free(edges, step).tolist() == expected
    assert cell.path_is_free(edges, step, threads=1).tolist() == expected


@pytest.mark.parametrize(
    ("edges", "step", "said"),
    [
        (np.zeros((3, 2, 5)), 0.1, "edges of robot cell need shape"),
        (np.zeros((3, 6)), 0.1, "edges of robot cell need shape"),
        (np.zeros((3, 2, 6)), 0.0, "must be positive"),
        (np.full((3, 2, 6), np.nan), 0.1, "edge 0 is not finite"),
        ([[np.zeros(6), np.full(6, 1e9)]], 0.1, "longer than 1,000,000 steps"),
    ],
)
def test_invalid_edges_are_refused_with_the_reason(cell, edges, step, said):
    with pytest.raises(RckError, match=said):
        cell.path_is_free(edges, step)


def test_poses_that_are_not_finite_are_refused_with_their_row(cell):
    poses = np.array([[item.pose for item in cell.robot.items]] * 3)
    poses[1, 2] = np.nan
    with pytest.raises(RckError, match="row 1 of the poses"):
        cell.touches_poses(poses)
    with pytest.raises(RckError, match="cannot be placed"):
        cell.touches(poses[1])
    with pytest.raises(RckError, match="joint vectors"):
        cell.touches(np.zeros(3))
