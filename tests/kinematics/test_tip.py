"""The default tip of an arm: the tool, the flange or the last item, but no finger."""

import pytest

from rck.kinematics.chain import chain_between
from rck.kinematics.tip import arm_tips, default_tip, gripper_joints, root_of
from rck.model import DeviceKind, Frame, RckError, build_device, build_item, build_joint, build_robot
from rck.testing.robots import box_between

CUBE = box_between((0, 0, 0), (0.1, 0.1, 0.1))


def robot_of(links, frames=(), devices=()):
    """A robot of links by name, each with the link that carries it and, if not a turning joint, its kind."""
    items, joints = [], []
    for name, carrier, *kind in links:
        items.append(build_item(name, [] if kind == ["bare"] else [CUBE]).unwrap())
        if carrier:
            how = "fixed" if kind in (["fixed"], ["bare"]) else "continuous"
            joints.append(build_joint(f"j{len(items)}", how, carrier, name).unwrap())
    return build_robot("robot", items, joints, frames, devices).unwrap()


ARM = [("base", ""), ("shoulder", "base"), ("elbow", "shoulder"), ("wrist", "elbow")]
HAND = [*ARM, ("hand", "wrist", "fixed"), ("left", "hand"), ("right", "hand")]


def test_without_names_the_tip_is_the_last_item():
    assert default_tip(robot_of(ARM)) == "wrist"


def test_an_item_fixed_to_the_last_one_is_farther_out():
    assert default_tip(robot_of([*ARM, ("plate", "wrist", "fixed")])) == "plate"


def test_two_fingers_are_not_part_of_arm():
    robot = robot_of(HAND)
    assert gripper_joints(robot) == {"j6", "j7"}
    assert default_tip(robot) == "hand"


def test_single_jaw_is_not_part_of_arm():
    robot = robot_of([*ARM, ("Fixed_Jaw", "wrist"), ("Moving_Jaw", "Fixed_Jaw")])
    assert default_tip(robot) == "Fixed_Jaw"
    assert len(chain_between(robot, root_of(robot, "Fixed_Jaw"), "Fixed_Jaw").joints) == 4


def test_joints_of_gripper_device_are_not_part_of_arm():
    grips = build_device("grip", DeviceKind.PARALLEL_GRIPPER, "palm", joints=["j6"]).unwrap()
    robot = robot_of([*ARM, ("palm", "wrist", "fixed"), ("slider", "palm")], devices=[grips])
    assert default_tip(robot) == "palm"


def test_names_are_preferred_in_the_order_tool_point_tool0_flange_end_effector():
    names = ["hand/tcp", "arm/tool0", "arm/flange", "ee_link"]
    frames = [Frame(name, "wrist") for name in names]
    for best in range(len(names)):
        assert default_tip(robot_of(ARM, frames[best:])) == names[best]
    assert default_tip(robot_of(ARM, [Frame("camera-mount", "wrist")])) == "wrist"


def test_a_tool_of_the_assembly_comes_before_all_names():
    frames = [Frame("tool0", "wrist"), Frame("pen", "elbow", tool=True)]
    assert default_tip(robot_of(ARM, frames)) == "pen"


def test_a_bare_link_is_found_by_its_name():
    assert default_tip(robot_of([*ARM, ("tool0", "wrist", "bare"), ("hand", "tool0", "fixed")])) == "tool0"


def test_frames_on_fingers_and_on_the_base_do_not_count():
    frames = [Frame("left_finger_tip", "left"), Frame("base-flange", "base")]
    assert default_tip(robot_of(HAND, frames)) == "hand"


def test_wheels_are_not_arms():
    wheels = [(f"wheel{number}", "base") for number in range(4)]
    assert default_tip(robot_of([*ARM, *wheels])) == "wrist"


def test_robot_with_two_arms_needs_a_choice():
    links = [("base", ""), *((f"{side}{n}", f"{side}{n - 1}" if n else "base") for side in "ab" for n in range(6))]
    robot = robot_of(links)
    assert arm_tips(robot) == ("a5", "b5")
    with pytest.raises(RckError, match="several tips; choose one of a5, b5"):
        default_tip(robot)


def test_robot_without_arm_is_reported():
    with pytest.raises(RckError, match="no joint moves"):
        default_tip(robot_of([("base", "")]))
    with pytest.raises(RckError, match="it is empty"):
        default_tip(build_robot("robot", []).unwrap())
