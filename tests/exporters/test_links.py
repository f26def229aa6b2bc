"""A robot as links: moved, weighed, named and paired as its items are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.collision.pairs import pairs_to_test
from rck.exporting import Merge, link_tree, models_of, rigid_pairs, shapes_of, untested_pairs
from rck.exporting.file_text import valid_inertia
from rck.geometry.mass_properties import combine, keeps_triangle_inequality, moved
from rck.geometry.transforms import rotation_about, translation
from rck.model import Frame, Visual, at_positions, build_item, build_joint, build_robot
from rck.model.joint_positions import joint_positions
from rck.testing.robots import box_between, joint_vectors, robots, six_axis_arm

merges = st.sampled_from(Merge)


def link_poses(tree, positions):
    """World from link, by nothing but what the links say. Shapes (4, 4)."""
    found = []
    for link in tree.links:
        pose = link.pose if link.parent is None else found[link.parent] @ link.pose
        if link.mover is not None:
            here = positions[link.mover.name]
            turn, slide = rotation_about(link.axis, here, link.anchor), translation(here * link.axis)
            pose = pose @ (turn if link.mover.kind.turns else slide)
        found.append(pose)
    return found


@settings(max_examples=50)
@given(st.data(), robots(), merges)
def test_the_links_of_any_robot_move_its_items_and_frames_as_the_robot_does(data, robot, merge):
    vector = data.draw(joint_vectors(robot))
    tree = link_tree(robot, merge=merge)
    moved_robot = at_positions(robot, vector)
    poses = link_poses(tree, joint_positions(robot, vector))
    placed = {item.number: (pose, item) for pose, link in zip(poses, tree.links, strict=True) for item in link.items}
    assert sorted(placed) == list(range(len(robot.items)))
    for number, (pose, on_link) in placed.items():
        assert pose @ on_link.pose == pytest.approx(moved_robot.items[number].pose, abs=1e-8)
    frames = [(pose, frame) for pose, link in zip(poses, tree.links, strict=True) for frame in link.frames]
    assert len(frames) == len(robot.frames)
    for pose, on_link in frames:
        ours = moved_robot.item(on_link.frame.item).pose @ on_link.frame.pose
        assert pose @ on_link.pose == pytest.approx(ours, abs=1e-8)


@settings(max_examples=30)
@given(robots(), merges)
def test_parents_come_first_and_names_are_different(robot, merge):
    tree = link_tree(robot, merge=merge, one_namespace=True)
    assert all(link.parent is None or link.parent < number for number, link in enumerate(tree.links))
    frames = [frame for link in tree.links for frame in link.frames]
    names = [link.name for link in tree.links] + [frame.name for frame in frames]
    names += [link.joint_name for link in tree.links] + [frame.joint_name for frame in frames]
    assert len(set(names)) == len(names)


@settings(max_examples=30)
@given(robots())
def test_one_link_per_item_or_one_per_rigid_group(robot):
    assert len(link_tree(robot).links) == len(robot.items)
    assert len(link_tree(robot, merge=Merge.FIXED).links) == len(robot.tree.rigid_groups)


@settings(max_examples=30)
@given(robots(), merges)
def test_no_mass_is_lost_between_items_and_links(robot, merge):
    tree = link_tree(robot, merge=merge)
    standing = link_poses(tree, joint_positions(robot, robot.positions))
    whole = combine(moved(link.mass_properties, pose) for link, pose in zip(tree.links, standing, strict=True))
    ours = at_positions(robot, robot.positions).mass_properties
    assert whole.mass == pytest.approx(ours.mass)
    assert whole.centre == pytest.approx(ours.centre, abs=1e-9)
    assert whole.inertia == pytest.approx(ours.inertia, abs=1e-8)


def test_a_link_has_the_frame_of_its_item():
    arm = six_axis_arm()
    for link in link_tree(arm).links:
        assert (link.items[0].pose == np.eye(4)).all()
        assert not link.anchor.any()


def test_an_axis_off_the_origin_of_a_link_has_an_anchor():
    items = [build_item(name, [box_between((0, 0, 0), (0.1, 0.1, 0.1))]).unwrap() for name in ("base", "arm")]
    joint = build_joint("turn", "continuous", "base", "arm", start=(0.3, 0.0, 0.2), end=(0.3, 1.0, 0.2)).unwrap()
    _, link = link_tree(build_robot("r", items, [joint]).unwrap()).links
    assert (link.pose == np.eye(4)).all()
    assert link.anchor.tolist() == [0.3, 0.0, 0.2]


def test_second_item_of_a_joint_is_fixed_to_the_first():
    items = [build_item(name, [box_between((0, 0, 0), (0.1, 0.1, 0.1))]).unwrap() for name in ("base", "a", "b")]
    joint = build_joint("turn", "continuous", "base", ("a", "b")).unwrap()
    _, a, b = link_tree(build_robot("r", items, [joint]).unwrap()).links
    assert (a.joint_name, a.mover) == ("turn", joint)
    assert (b.parent, b.joint_name, b.joint) == (1, "b_fixed", None)


def test_item_fixed_to_a_static_root_is_static():
    shape = box_between((0, 0, 0), (0.1, 0.1, 0.1))
    items = [build_item("table", [shape]).unwrap(), build_item("carton", [shape], mobile=True).unwrap()]
    for base, other in (("table", "carton"), ("carton", "table")):
        robot = build_robot("r", items, [build_joint("tape", "fixed", base, other).unwrap()]).unwrap()
        assert {link.name: link.floats for link in link_tree(robot).links} == {base: base == "carton", other: False}


def weightless_robot():
    """A base with a bolt in it, an arm, and on the arm a decal that weighs nothing."""
    items = [build_item(name, [box_between((0, 0, 0), (0.1, 0.1, 0.1))]).unwrap() for name in ("base", "arm")]
    items += [
        build_item("decal", []).unwrap(),
        build_item("bolt", [box_between((0, 0, 0), (0.01, 0.01, 0.01))]).unwrap(),
    ]
    joints = [
        build_joint("turn", "continuous", "base", "arm").unwrap(),
        build_joint("glue", "fixed", "arm", "decal").unwrap(),
        build_joint("thread", "fixed", "base", "bolt").unwrap(),
    ]
    return build_robot("r", items, joints).unwrap()


def test_massless_items_are_merged_with_their_rigid_group():
    tree = link_tree(weightless_robot(), merge=Merge.WEIGHTLESS)
    assert {link.name: [on.item.name for on in link.items] for link in tree.links} == {
        "base": ["base"],
        "bolt": ["bolt"],
        "arm": ["arm", "decal"],
    }


@settings(max_examples=30)
@given(robots())
def test_pairs_across_a_joint_are_those_that_rck_does_not_test(robot):
    tree = link_tree(robot)
    items = [tree.links[n].items[0].number for n in range(len(tree.links))]
    found = {tuple(sorted((items[a], items[b]))) for a, b in untested_pairs(tree)}
    assert found == pairs_to_test(robot).exempt


@settings(max_examples=30)
@given(robots())
def test_rigid_pairs_are_of_one_group(robot):
    tree = link_tree(robot)
    assert all(tree.links[a].group == tree.links[b].group and a < b for a, b in rigid_pairs(tree))


@settings(max_examples=30)
@given(robots())
def test_every_link_is_in_one_model(robot):
    tree = link_tree(robot)
    models = models_of(tree)
    assert sorted(number for model in models for number in model.links) == list(range(len(tree.links)))
    assert len({model.name for model in models}) == len(models)
    assert all(model.roots(tree) for model in models)


def test_shape_of_two_items_is_one_mesh_file(robot_of):
    robot = robot_of("desk-arm")
    shapes = shapes_of(robot, "m")
    used = [shape.mesh for of_item in shapes.of_item for shape in of_item if shape.mesh]
    assert set(used) == set(shapes.files)
    assert len(used) > len(shapes.files)
    assert len(set(shapes.files.values())) == len(shapes.files)


def test_visuals_are_seen_and_subitems_are_solid():
    surface = box_between((0, 0, 0), (1, 1, 1)).shape
    item = build_item("a", [box_between((0, 0, 0), (1, 1, 1))], visuals=[Visual(surface, (1, 0, 0, 1))]).unwrap()
    solid, seen = shapes_of(build_robot("r", [item]).unwrap(), "m").of_item[0]
    assert (solid.seen, solid.solid, solid.mesh) == (False, True, "")
    assert (seen.seen, seen.solid, seen.mesh, seen.primitive) == (True, False, "m/a_visual-1.stl", None)


def test_a_mesh_too_large_for_an_stl_file_becomes_an_obj_file(monkeypatch):
    monkeypatch.setattr("rck.exporting.mesh_assets.LARGEST_STL", 11)
    surface = box_between((0, 0, 0), (1, 1, 1)).shape
    item = build_item("a", [], visuals=[Visual(surface)]).unwrap()
    assert list(shapes_of(build_robot("r", [item]).unwrap(), "m").files) == ["m/a_visual-1.obj"]


@pytest.mark.parametrize("moments", [(1.0, 1.0, 2.0), (1.0, 1.0, 2.000001), (1e-3, 1.0, 1.0010001), (3.0, 4.0, 5.0)])
def test_a_valid_inertia_keeps_the_triangle_inequality_and_hardly_changes(moments):
    turn = rotation_about((1, 2, 3), 0.7)[:3, :3]
    inertia = turn @ np.diag(moments) @ turn.T
    lawful = valid_inertia(inertia)
    low, middle, high = np.linalg.eigvalsh(lawful)
    assert low + middle > high
    assert keeps_triangle_inequality(lawful)
    assert lawful == pytest.approx(inertia, abs=1.1e-6 * max(moments))


def test_frame_named_like_a_link_gets_a_number():
    item = build_item("tip", [box_between((0, 0, 0), (1, 1, 1))]).unwrap()
    (link,) = link_tree(build_robot("r", [item], (), [Frame("tip", "tip")]).unwrap()).links
    assert (link.name, link.frames[0].name) == ("tip", "tip_2")
