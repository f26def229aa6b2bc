"""Parts mated by an item other than their root: relative motion between items stays the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.assembly.document import Assembly, Instance, Mate
from rck.assembly.reroot import rerooted
from rck.model import Robot, at_positions, with_positions
from rck.testing.robots import robots


def relative(robot: Robot, one: str, other: str) -> np.ndarray:
    return np.linalg.inv(robot.item(one).pose) @ robot.item(other).pose


@pytest.mark.parametrize("angle", [-2.0, -0.3, 0.0, 0.7, 2.5])
def test_servo_mated_by_its_horn_rotates_its_body(pieces, compiled, angle):
    parts = {"base": Instance("block"), "servo": Instance("servo")}
    by_back = Assembly("a", parts=parts, mates=[Mate("base.top", "servo.back")], local_parts=pieces)
    by_horn = Assembly("a", parts=parts, mates=[Mate("base.top", "servo.horn")], local_parts=pieces)
    usual = with_positions(compiled(by_back).robot, {"servo/axis": angle})
    hung = with_positions(compiled(by_horn).robot, {"servo/axis": angle})
    joint = hung.joint("servo/axis")
    assert (joint.base, joint.moves) == ("servo/horn", ("servo/body",))
    assert joint.limits == usual.joint("servo/axis").limits
    np.testing.assert_allclose(
        relative(hung, "servo/body", "servo/horn"), relative(usual, "servo/body", "servo/horn"), atol=1e-12
    )
    still = compiled(by_horn).robot
    np.testing.assert_array_equal(hung.item("servo/horn").pose, still.item("servo/horn").pose)
    assert (np.abs(hung.item("servo/body").pose - still.item("servo/body").pose).max() > 1e-3) == (angle != 0)


def test_gripper_mated_by_a_finger_keeps_its_mimic_joint(pieces, compiled):
    parts = {"base": Instance("block"), "hand": Instance("gripper")}
    for put in ("mount", "tip"):
        assembly = Assembly("a", parts=parts, mates=[Mate("base.top", f"hand.{put}")], local_parts=pieces)
        robot = with_positions(compiled(assembly).robot, {"hand/close": 0.01})
        gap = relative(robot, "hand/left", "hand/right")
        np.testing.assert_allclose(gap[:3, 3], [-0.02, 0, 0], atol=1e-12)


@settings(max_examples=60)
@given(robots(), st.data())
def test_relative_motion_does_not_depend_on_the_root_item(robot, data):
    root = data.draw(st.sampled_from([item.name for item in robot.items]))
    hung = rerooted(robot, root)
    assert [joint.name for joint in hung.free_joints] == [joint.name for joint in robot.free_joints]
    vector = np.array([data.draw(st.floats(-2, 2)) for _ in robot.free_joints])
    usual, moved = at_positions(robot, vector), at_positions(hung, vector)
    np.testing.assert_allclose(moved.item(root).pose, robot.item(root).pose, atol=1e-9)
    tree_of_root = {robot.items[i].name for i in _tree(robot, robot.item_index[root])}
    for name in tree_of_root:
        np.testing.assert_allclose(relative(moved, root, name), relative(usual, root, name), atol=1e-8)


def _tree(robot: Robot, item: int) -> set[int]:
    """Return the items connected to an item, directly or through others."""
    top = item
    while (parent := robot.tree.parent_of_item[top]) is not None:
        top = parent
    found = {top}
    for joint in robot.tree.children[top]:
        found |= set(robot.tree.carried_by(joint))
    return found
