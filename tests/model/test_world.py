"""Worlds: robots and loose objects, flattened into one scene and split again."""

from dataclasses import replace

import numpy as np
import pytest
from rck_tests import codes

from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import translation
from rck.model import (
    Frame,
    Mimic,
    at_positions,
    build_item,
    build_joint,
    build_robot,
    build_world,
    flatten,
    split,
)

BODY = MassProperties(1.0, np.zeros(3), np.eye(3))


def item(name, at=(0.0, 0.0, 0.0), mass=BODY, mobile=False):
    return build_item(name, [], pose=translation(at), mass=mass, mobile=mobile).unwrap()


def crane(name, x=0.0):
    joints = [
        build_joint("turn", "revolute", "base", "jib", start=(x, 0, 0), end=(x, 0, 1), limits=(-3, 3)).unwrap(),
        build_joint("echo", "continuous", "base", "flag", mimic=Mimic("turn", 2.0)).unwrap(),
    ]
    items = [item("base", (x, 0, 0)), item("jib", (x + 1, 0, 0)), item("flag", (x, 0, 1))]
    return build_robot(name, items, joints, [Frame("hook", "jib", translation((0, 0, -1)))]).unwrap()


def yard():
    return build_world("yard", [crane("left"), crane("right", 5.0)], [item("crate", (9, 0, 0), mobile=True)]).unwrap()


def test_a_world_keeps_its_robots_and_objects_in_order():
    world = yard()
    assert [robot.name for robot in world.robots] == ["left", "right"]
    assert [loose.name for loose in world.objects] == ["crate"]


def test_name_of_each_robot_scopes_its_names_in_the_scene():
    scene = flatten(yard())
    assert scene.name == "yard"
    assert [one.name for one in scene.items] == [
        *("left/base", "left/jib", "left/flag", "right/base", "right/jib", "right/flag", "crate"),
    ]
    assert [one.name for one in scene.joints] == ["left/turn", "left/echo", "right/turn", "right/echo"]
    assert scene.joint("right/echo").mimic == Mimic("right/turn", 2.0)
    assert [(frame.name, frame.item) for frame in scene.frames] == [
        ("left/hook", "left/jib"),
        ("right/hook", "right/jib"),
    ]


def test_robots_of_a_scene_move_independently():
    moved = at_positions(flatten(yard()), np.array([0.3, -0.8]))
    for name, x, angle in (("left", 0.0, 0.3), ("right", 5.0, -0.8)):
        alone = at_positions(crane(name, x), np.array([angle]))
        for one in alone.items:
            np.testing.assert_array_equal(moved.item(f"{name}/{one.name}").pose, one.pose)
    assert moved.item("crate").pose[0, 3] == 9.0


def test_splitting_a_scene_gives_its_robots_and_objects_back():
    world = split(flatten(yard()))
    assert world.name == "yard"
    assert [robot.name for robot in world.robots] == ["left/base", "right/base"]
    assert [one.name for one in world.objects] == ["crate"]
    for before, after in zip(yard().robots, world.robots, strict=True):
        assert [f"{before.name}/{one.name}" for one in before.items] == [one.name for one in after.items]
        assert [f"{before.name}/{one.name}" for one in before.joints] == [one.name for one in after.joints]
        assert [f"{before.name}/{one.name}" for one in before.frames] == [one.name for one in after.frames]
        for one, other in zip(before.items, after.items, strict=True):
            np.testing.assert_array_equal(one.pose, other.pose)
        assert after.tree == before.tree


def test_split_scene_is_a_valid_world():
    world = split(flatten(yard()))
    assert build_world(world.name, world.robots, world.objects).findings == ()


def test_repeated_flattening_and_splitting_keeps_items_and_joints():
    scene = flatten(yard())
    again = flatten(split(scene))
    assert sorted(one.name.split("/")[-1] for one in again.items) == sorted(
        one.name.split("/")[-1] for one in scene.items
    )
    assert len(again.joints) == len(scene.joints)
    assert len(split(again).robots) == 2


def test_a_loose_item_with_a_frame_is_split_off_as_a_robot_that_keeps_the_frame():
    scene = build_robot("cell", [item("table"), item("cup")], frames=[Frame("corner", "table")]).unwrap()
    world = split(scene)
    assert [robot.name for robot in world.robots] == ["table"]
    assert [frame.name for frame in world.robots[0].frames] == ["corner"]
    assert [one.name for one in world.objects] == ["cup"]


def test_trees_coupled_by_mimics_stay_one_robot():
    joints = [
        build_joint("lead", "continuous", "a", "b").unwrap(),
        build_joint("other", "continuous", "c", "d").unwrap(),
        build_joint("follow", "continuous", "e", "f", mimic=Mimic("lead")).unwrap(),
    ]
    world = split(build_robot("clock", [item(name) for name in "abcdef"], joints).unwrap())
    assert [[one.name for one in robot.items] for robot in world.robots] == [["a", "b", "e", "f"], ["c", "d"]]
    assert build_world("clock", world.robots).findings == ()


def test_an_empty_world_is_an_empty_scene():
    assert flatten(build_world("void").unwrap()).items == ()
    assert split(flatten(build_world("void").unwrap())).robots == ()


@pytest.mark.parametrize(
    ("robots", "objects", "expected"),
    [
        ([crane("a"), crane("a")], [], [103]),
        ([crane("a")], [item("a")], [103]),
        ([], [item("a"), item("a")], [103]),
        ([replace(crane("a"), name="two words")], [], [102]),
        ([crane("a")], [item("a/jib")], [103]),
    ],
)
def test_inconsistent_world_is_refused(robots, objects, expected):
    built = build_world("world", robots, objects)
    assert built.value is None
    assert codes(built) == expected


def test_loose_object_without_mass_gives_a_warning():
    built = build_world("world", [], [item("ghost", mass=None, mobile=True)])
    assert built.value is not None
    assert codes(built) == [401]


def test_a_world_needs_a_name():
    built = build_world("", [crane("a")])
    assert built.value is None
    assert codes(built) == [102]


def test_colliding_scopes_are_refused():
    inner = build_robot("a", [item("b/c")]).unwrap()
    outer = build_robot("a/b", [item("c")]).unwrap()
    assert codes(build_world("world", [inner, outer])) == [103]
