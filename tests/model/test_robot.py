"""Robots: consistency of items and joints, and the tree that follows from them."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from rck_tests import codes

from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import scaling, translation
from rck.model import Frame, Mimic, RckError, Severity, build_item, build_joint, build_robot
from rck.model.tree import RigidGroup, derive_tree, direct_moves

BALL = MassProperties(2.0, np.zeros(3), 0.1 * np.eye(3))


def item(name, mass=BALL, **given):
    return build_item(name, [], mass=mass, **given).unwrap()


def turning(name, base, *moves, **given):
    return build_joint(name, "continuous", base, moves, **given).unwrap()


def fixed(name, base, *moves):
    return build_joint(name, "fixed", base, moves).unwrap()


def items(names):
    return [item(name) for name in names]


def arm():
    """A base, an upper arm with a motor bolted to it, a forearm with a hand, and a second branch."""
    joints = [
        turning("elbow", "upper", "forearm"),
        turning("shoulder", "base", "upper", "motor"),
        fixed("bolt", "forearm", "hand"),
        turning("head", "base", "camera"),
    ]
    names = ["hand", "base", "upper", "motor", "forearm", "camera"]
    return build_robot("arm", items(names), joints, [Frame("tool", "hand")]).unwrap()


def test_items_and_joints_are_found_by_name():
    robot = arm()
    assert robot.item("motor") is robot.items[3]
    assert robot.joint("bolt") is robot.joints[2]


def test_unknown_names_give_suggestions():
    with pytest.raises(RckError, match=r"arm has no item 'uper' \(did you mean upper\?\)"):
        arm().item("uper")
    with pytest.raises(RckError, match=r"arm has no joint 'elbo' \(did you mean elbow\?\)"):
        arm().joint("elbo")


def test_robot_is_immutable():
    with pytest.raises(FrozenInstanceError):
        arm().items = ()


def test_tree_has_parent_of_each_item():
    tree = arm().tree
    assert tree.joint_of_item == (2, None, 1, 1, 0, 3)
    assert tree.parent_of_item == (4, None, 1, 1, 2, 1)
    assert tree.roots == (1,)
    assert tree.children == ((), (1, 3), (0,), (), (2,), ())
    assert tree.moves == ((4,), (2, 3), (0,), (5,))


def test_each_joint_comes_after_the_joint_that_carries_it():
    assert arm().tree.joint_order == (1, 3, 0, 2)


def test_items_without_relative_motion_are_one_group():
    tree = arm().tree
    assert tree.rigid_groups == (
        RigidGroup(None, (1,)),
        RigidGroup(1, (2, 3)),
        RigidGroup(3, (5,)),
        RigidGroup(0, (4, 0)),
    )
    assert tree.group_of_item == (3, 0, 1, 1, 3, 2)


def test_moved_by_lists_all_carried_items_in_order():
    robot = arm()
    assert robot.moved_by("shoulder") == ("hand", "upper", "motor", "forearm")
    assert robot.moved_by("elbow") == ("hand", "forearm")
    assert robot.moved_by("head") == ("camera",)


def test_free_joints_are_movable_and_no_mimics():
    joints = [
        turning("lead", "a", "b", position=0.5),
        turning("follow", "a", "c", mimic=Mimic("lead", -1.0), position=-0.5),
        fixed("weld", "a", "d"),
    ]
    robot = build_robot("hand", items("abcd"), joints).unwrap()
    assert [joint.name for joint in robot.free_joints] == ["lead"]
    assert robot.positions.tolist() == [0.5]


def test_mass_properties_of_robot_combine_those_of_items():
    left, right = item("left", pose=translation((-1, 0, 0))), item("right", pose=translation((3, 0, 0)))
    body = build_robot("pair", [left, right]).unwrap().mass_properties
    assert body.mass == 4.0
    assert body.centre.tolist() == [1, 0, 0]
    np.testing.assert_allclose(body.inertia, np.diag([0.2, 16.2, 16.2]))


def test_a_robot_may_be_empty():
    robot = build_robot("nothing", []).unwrap()
    assert robot.tree.roots == ()
    assert robot.mass_properties.mass == 0.0


def test_a_tree_may_have_several_roots():
    robot = build_robot("pair", items("abcd"), [turning("one", "a", "b"), turning("two", "c", "d")]).unwrap()
    assert robot.tree.roots == (0, 2)
    assert robot.tree.root_of_item == (0, 0, 2, 2)


@pytest.mark.parametrize(
    ("joints", "missing"),
    [([turning("j", "a", "z")], "z"), ([turning("j", "z", "a")], "z"), ([turning("j", "a", "b", "y")], "y")],
)
def test_a_joint_to_a_missing_item_is_an_error_that_names_both(joints, missing):
    built = build_robot("robot", items("ab"), joints)
    assert built.value is None
    assert codes(built) == [201]
    assert (built.findings[0].where, built.findings[0].message) == ("joint j", f"there is no item {missing}")


def test_a_loop_is_an_error_that_names_its_joints_and_no_others():
    joints = [
        turning("start", "root", "a"),
        turning("one", "b", "c"),
        turning("two", "c", "d"),
        turning("three", "d", "b"),
        turning("outside", "d", "e"),
    ]
    built = build_robot("ring", items(["root", "a", "b", "c", "d", "e"]), joints)
    assert built.value is None
    assert codes(built) == [202]
    assert built.findings[0].message == "joints one, three, two form a loop"


def test_joint_carried_by_loop_is_not_reported():
    joints = [turning("tail", "a", "t"), turning("ab", "a", "b"), turning("ba", "b", "a")]
    built = build_robot("ring", items("abt"), joints)
    assert built.findings[0].message == "joints ba, ab form a loop"


def test_a_robot_that_is_one_loop_has_no_root_and_is_refused():
    assert codes(build_robot("ring", items("ab"), [turning("ab", "a", "b"), turning("ba", "b", "a")])) == [202]


def test_an_item_that_two_joints_move_is_an_error():
    built = build_robot("robot", items("abc"), [turning("one", "a", "c"), turning("two", "b", "c")])
    assert built.value is None
    assert codes(built) == [203]
    assert built.findings[0].where == "item c"


@pytest.mark.parametrize(
    "parts",
    [
        {"items": items("aa")},
        {"items": items("ab"), "joints": [turning("j", "a", "b"), turning("j", "a", "b")]},
        {"items": items("a"), "frames": [Frame("tool", "a"), Frame("tool", "a")]},
    ],
)
def test_duplicate_name_is_an_error(parts):
    built = build_robot("robot", **parts)
    assert built.value is None
    assert codes(built) == [103]


@pytest.mark.parametrize("name", ["", "my robot", "robot.urdf"])
def test_invalid_name_of_robot_is_refused(name):
    built = build_robot(name, items("a"))
    assert built.value is None
    assert codes(built) == [102]


def test_an_item_a_joint_and_a_frame_may_share_a_name():
    parts = items(["a", "elbow"]), [turning("elbow", "a", "elbow")], [Frame("elbow", "elbow")]
    assert build_robot("robot", *parts).findings == ()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (Frame("tool", "nowhere"), 207),
        (Frame("", "a"), 102),
        (Frame("tool", "a", scaling(2.0)), 309),
        (Frame("tool", "a", np.full((4, 4), np.nan)), 101),
        (Frame("tool", "a", np.eye(3)), 101),
    ],
)
def test_invalid_frame_is_an_error(frame, code):
    built = build_robot("robot", items("a"), frames=[frame])
    assert built.value is None
    assert codes(built) == [code]


def test_frames_of_robot_are_immutable():
    pose = np.eye(4)
    robot = build_robot("robot", items("a"), frames=[Frame("tool", "a", pose)]).unwrap()
    pose[0, 3] = 1.0
    assert robot.frames[0].pose[0, 3] == 0.0


@pytest.mark.parametrize("leader", ["nobody", "follow", "other", "weld"])
def test_mimic_must_name_a_free_joint(leader):
    joints = [
        turning("lead", "a", "b"),
        turning("other", "a", "c", mimic=Mimic("lead")),
        fixed("weld", "a", "d"),
        turning("follow", "a", "e", mimic=Mimic(leader)),
    ]
    built = build_robot("hand", items("abcde"), joints)
    assert built.value is None
    assert codes(built) == [206]


def test_mimic_joint_at_wrong_position_is_a_warning():
    joints = [turning("lead", "a", "b", position=0.5), turning("follow", "a", "c", mimic=Mimic("lead", 2.0, 0.1))]
    built = build_robot("hand", items("abc"), joints)
    assert built.value is not None
    assert [(finding.code, finding.severity) for finding in built.findings] == [(409, Severity.WARNING)]
    assert "requires 1.1" in built.findings[0].message


def test_massless_item_that_a_joint_moves_gets_a_warning():
    built = build_robot("robot", [item("a"), item("b", mass=None)], [turning("j", "a", "b")])
    assert built.unwrap().item("b").mass == 0
    assert [(finding.code, finding.severity) for finding in built.findings] == [(401, Severity.WARNING)]
    assert built.findings[0].where == "item b"


def test_massless_mobile_item_gets_a_warning():
    assert codes(build_robot("robot", [item("ball", mass=None, mobile=True)])) == [401]


def test_fixed_item_may_have_no_mass():
    weightless = [item("a", mass=None), item("b", mass=None)]
    assert build_robot("robot", weightless, [fixed("weld", "a", "b")]).findings == ()


def test_rigid_group_needs_mass_in_only_one_item():
    parts = [item("base"), item("mark", mass=None), item("arm")]
    joints = [turning("turn", "base", "mark"), fixed("weld", "mark", "arm")]
    assert build_robot("robot", parts, joints).findings == ()


def test_problems_of_names_frames_and_mimics_are_reported_at_once():
    joints = [turning("j", "a", "b", mimic=Mimic("nobody"))]
    built = build_robot("robot", items("aab"), joints, [Frame("tool", "nowhere")])
    assert sorted(codes(built)) == [103, 206, 207]


def test_joint_on_its_own_base_is_a_loop():
    crooked = replace(turning("j", "a", "b"), base="b")
    assert [finding.code for finding in derive_tree(items("ab"), [crooked]).findings] == [202]


def test_joint_without_moved_items_is_an_error():
    for kind in ("fixed", "continuous"):
        idle = replace(build_joint("j", kind, "a", "b").unwrap(), moves=())
        assert [finding.code for finding in derive_tree(items("ab"), [idle]).findings] == [204]


# Files like the seed simulator's list everything that a joint carries.


def test_nested_lists_assign_each_item_to_nearest_joint():
    moved = [("upper", "fore", "hand"), ("fore", "hand"), ("hand",)]
    built = direct_moves(["one", "two", "three"], ["base", "upper", "fore"], moved)
    assert built.unwrap() == (("upper",), ("fore",), ("hand",))


def test_the_order_of_the_joints_does_not_matter():
    moved = [("hand",), ("upper", "motor", "fore", "hand"), ("hand", "fore")]
    built = direct_moves(["three", "one", "two"], ["fore", "base", "upper"], moved)
    assert built.unwrap() == (("hand",), ("upper", "motor"), ("fore",))


def test_branches_are_separated():
    moved = [("palm", "left", "right"), ("left",), ("right",)]
    built = direct_moves(["wrist", "l", "r"], ["arm", "palm", "palm"], moved)
    assert built.unwrap() == (("palm",), ("left",), ("right",))


def test_list_without_carried_items_is_an_error():
    built = direct_moves(["one", "two"], ["base", "upper"], [("upper",), ("fore", "hand")])
    assert built.value is None
    assert codes(built) == [208]
    assert built.findings[0].where == "joint one"
    assert "upper but not fore, hand, which joint two" in built.findings[0].message


def test_item_of_two_unrelated_joints_is_an_error():
    built = direct_moves(["one", "two"], ["base", "base"], [("a", "shared"), ("shared",)])
    assert built.value is None
    assert codes(built) == [203]
    assert built.findings[0].where == "joint one"
    assert "moves shared, as does joint two" in built.findings[0].message


def test_lists_of_carried_items_give_the_tree_back():
    robot = arm()
    names = [joint.name for joint in robot.joints]
    bases = [joint.base for joint in robot.joints]
    built = direct_moves(names, bases, [robot.moved_by(name) for name in names])
    assert [set(moves) for moves in built.unwrap()] == [set(joint.moves) for joint in robot.joints]
