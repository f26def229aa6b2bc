"""Moving a robot: a joint moves the items it carries, and moving back undoes it."""

from math import inf, nan, pi

import numpy as np
import pytest

from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import apply, rotation_about, translation
from rck.model import Frame, Mimic, RckError, at_positions, build_item, build_joint, build_robot, with_positions
from rck.model.joint_positions import joint_positions

BODY = MassProperties(1.0, np.zeros(3), np.eye(3))


def item(name, at=(0.0, 0.0, 0.0)):
    return build_item(name, [], pose=translation(at), mass=BODY).unwrap()


def planar_arm():
    """Two links of one metre along x that turn about z, a hand at the end, and a slide in the hand along x."""
    items = [item("base"), item("upper"), item("fore", (1, 0, 0)), item("hand", (2, 0, 0)), item("pin", (2, 0, 0))]
    joints = [
        build_joint("shoulder", "revolute", "base", "upper", limits=(-3, 3)).unwrap(),
        build_joint("elbow", "revolute", "upper", "fore", start=(1, 0, 0), end=(1, 0, 1), limits=(-3, 3)).unwrap(),
        build_joint("bolt", "fixed", "fore", "hand").unwrap(),
        build_joint("slide", "prismatic", "hand", "pin", start=(2, 0, 0), end=(3, 0, 0), limits=(0, 1)).unwrap(),
    ]
    return build_robot("planar", items, joints, [Frame("tip", "pin")]).unwrap()


def place(robot, name):
    return robot.item(name).pose[:3, 3]


def test_planar_arm_matches_closed_form():
    a, b, s = 0.7, -1.1, 0.25
    moved = at_positions(planar_arm(), np.array([a, b, s]))
    elbow = np.array([np.cos(a), np.sin(a), 0])
    along = np.array([np.cos(a + b), np.sin(a + b), 0])
    np.testing.assert_allclose(place(moved, "fore"), elbow, atol=1e-15)
    np.testing.assert_allclose(place(moved, "hand"), elbow + along, atol=1e-15)
    np.testing.assert_allclose(place(moved, "pin"), elbow + (1 + s) * along, atol=1e-15)


def test_joint_moves_only_items_it_carries():
    robot = planar_arm()
    moved = with_positions(robot, {"elbow": 0.5})
    for name in ("base", "upper"):
        assert moved.item(name).pose.tolist() == robot.item(name).pose.tolist()
    turn = rotation_about((0, 0, 1), 0.5, (1, 0, 0))
    for name in robot.moved_by("elbow"):
        np.testing.assert_allclose(moved.item(name).pose, turn @ robot.item(name).pose, atol=1e-15)


def test_joint_moves_axes_of_joints_it_carries():
    robot = planar_arm()
    moved = with_positions(robot, {"shoulder": pi / 2})
    assert (moved.joint("shoulder").start, moved.joint("shoulder").end) == ((0, 0, 0), (0, 0, 1))
    np.testing.assert_allclose(moved.joint("elbow").start, [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(moved.joint("elbow").end, [0, 1, 1], atol=1e-15)
    np.testing.assert_allclose(moved.joint("slide").direction, [0, 1, 0], atol=1e-15)


def test_moved_robot_has_new_joint_positions():
    moved = at_positions(planar_arm(), np.array([0.1, 0.2, 0.3]))
    assert moved.positions.tolist() == [0.1, 0.2, 0.3]
    assert moved.tree is not None
    assert moved.moved_by("elbow") == ("fore", "hand", "pin")


def test_original_robot_is_unchanged():
    robot = planar_arm()
    at_positions(robot, np.array([1.0, 1.0, 1.0]))
    assert robot.positions.tolist() == [0, 0, 0]
    assert place(robot, "pin").tolist() == [2, 0, 0]


def test_moving_there_and_back_restores_items_and_axes():
    robot = planar_arm()
    back = at_positions(at_positions(robot, np.array([0.7, -2.0, 0.4])), robot.positions)
    for before, after in zip(robot.items, back.items, strict=True):
        np.testing.assert_allclose(after.pose, before.pose, atol=1e-14)
    for before, after in zip(robot.joints, back.joints, strict=True):
        np.testing.assert_allclose([after.start, after.end], [before.start, before.end], atol=1e-14)
        assert after.position == before.position


def test_intermediate_positions_do_not_matter():
    robot, goal = planar_arm(), np.array([0.3, 1.2, 0.6])
    straight = at_positions(robot, goal)
    detour = at_positions(at_positions(robot, np.array([-2.0, 2.5, 0.9])), goal)
    for one, other in zip(straight.items, detour.items, strict=True):
        np.testing.assert_allclose(one.pose, other.pose, atol=1e-14)


def test_positions_are_not_clamped_to_limits():
    assert at_positions(planar_arm(), np.array([7.0, 0.0, -5.0])).positions.tolist() == [7.0, 0.0, -5.0]


def test_joint_moves_by_difference_from_its_position():
    items = [item("base"), item("arm", (1, 0, 0))]
    joint = build_joint("turn", "revolute", "base", "arm", limits=(-2, 2), position=0.5).unwrap()
    moved = at_positions(build_robot("crank", items, [joint]).unwrap(), np.array([0.5 + pi / 2]))
    np.testing.assert_allclose(place(moved, "arm"), [0, 1, 0], atol=1e-15)


def gripper():
    """Two fingers that slide apart, the second following the first, and a wheel that turns with them."""
    items = [item("palm"), item("left"), item("right"), item("wheel", (0, 1, 0))]
    joints = [
        build_joint("right", "prismatic", "palm", "right", end=(1, 0, 0), limits=(-1, 1), mimic=Mimic("left", -1.0)),
        build_joint("left", "prismatic", "palm", "left", end=(1, 0, 0), limits=(-1, 1)),
        build_joint("wheel", "continuous", "palm", "wheel", mimic=Mimic("left", 10.0, 0.5), position=0.5),
    ]
    return build_robot("gripper", items, [built.unwrap() for built in joints]).unwrap()


def test_mimic_joints_move_by_ratio_and_offset_in_any_order():
    moved = with_positions(gripper(), {"left": 0.2})
    assert place(moved, "left").tolist() == [0.2, 0, 0]
    assert place(moved, "right").tolist() == [-0.2, 0, 0]
    assert moved.joint("wheel").position == 2.5
    np.testing.assert_allclose(place(moved, "wheel"), apply(rotation_about((0, 0, 1), 2.0), [0, 1, 0]))


def test_positions_of_all_joints_follow_from_free_joints():
    assert joint_positions(gripper(), np.array([0.1])) == {"left": 0.1, "right": -0.1, "wheel": 1.5}


def test_mimic_joint_cannot_be_moved():
    with pytest.raises(RckError, match="joint right cannot be moved independently: it mimics left"):
        with_positions(gripper(), {"right": 0.1})


def test_a_fixed_joint_cannot_be_moved():
    with pytest.raises(RckError, match="joint bolt cannot be moved independently: it is fixed"):
        with_positions(planar_arm(), {"bolt": 0.1})


def test_unknown_joint_gives_a_suggestion():
    with pytest.raises(RckError, match=r"no joint 'sholder' \(did you mean shoulder\?\)"):
        with_positions(planar_arm(), {"sholder": 0.1})


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], [0.0] * 4, [[0.0, 0.0, 0.0]]])
def test_joint_vector_of_wrong_shape_is_refused(vector):
    with pytest.raises(RckError, match="planar needs 3 joint positions"):
        at_positions(planar_arm(), np.array(vector))


@pytest.mark.parametrize("wrong", [nan, inf])
def test_a_position_that_is_not_finite_is_refused(wrong):
    with pytest.raises(RckError, match="not finite"):
        at_positions(planar_arm(), np.array([0.0, wrong, 0.0]))


def test_an_item_that_moves_keeps_its_mass_and_shape():
    robot = planar_arm()
    moved = with_positions(robot, {"shoulder": 1.0})
    for before, after in zip(robot.items, moved.items, strict=True):
        assert after.subitems is before.subitems
        assert after.given_mass is before.given_mass
    assert moved.frames is robot.frames
