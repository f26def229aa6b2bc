"""Forward kinematics and Jacobians against the plain reference."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rck.geometry.transforms import apply, frame, from_euler, translation
from rck.model import Frame, Mimic, RckError, at_positions, build_item, build_joint, build_robot
from rck.model.forward_kinematics import (
    forward,
    forward_batch,
    forward_bodies,
    forward_frames,
    forward_frames_batch,
    forward_rates,
    jacobian,
    jacobian_batch,
)
from rck.model.robot_arrays import robot_arrays
from rck.testing.robots import box_between, joint_vectors, planar_arm, robots, six_axis_arm

few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(st.data())
@few
def test_item_poses_match_reference(data):
    robot = data.draw(robots())
    vector = data.draw(joint_vectors(robot))
    expected = np.array([item.pose for item in at_positions(robot, vector).items])
    np.testing.assert_allclose(forward(robot_arrays(robot), vector), expected, rtol=0, atol=2e-13)


@given(robots())
@few
def test_reference_vector_gives_original_poses(robot):
    arrays = robot_arrays(robot)
    given_poses = [item.pose for item in robot.items]
    np.testing.assert_allclose(forward(arrays, arrays.reference), given_poses, rtol=0, atol=1e-13)


@given(st.data())
@few
def test_frames_move_with_their_items(data):
    robot = data.draw(robots())
    vector = data.draw(joint_vectors(robot))
    arrays = robot_arrays(robot)
    items = forward(arrays, vector)
    expected = [items[robot.item_index[tool.item]] @ tool.pose for tool in robot.frames]
    poses = forward_frames(arrays, vector)
    assert poses.shape == (len(robot.frames), 4, 4)
    np.testing.assert_allclose(poses, np.reshape(expected, (-1, 4, 4)), rtol=0, atol=1e-13)


@given(st.data())
@few
def test_z_axis_of_body_is_axis_of_its_joint(data):
    robot = data.draw(robots())
    vector = data.draw(joint_vectors(robot))
    poses = forward_bodies(robot_arrays(robot), vector)
    moved = at_positions(robot, vector)
    for pose, group in zip(poses, robot.tree.rigid_groups, strict=True):
        if group.joint is not None:
            np.testing.assert_allclose(pose[:3, 2], moved.joints[group.joint].direction, atol=1e-12)


@given(st.data())
@few
def test_jacobian_is_derivative_of_forward_kinematics(data):
    robot = data.draw(robots())
    vector = data.draw(joint_vectors(robot))
    item = data.draw(st.integers(0, len(robot.items) - 1))
    point = np.array(data.draw(st.tuples(*[st.floats(-1, 1)] * 3)))
    arrays = robot_arrays(robot)
    here = forward(arrays, vector)[item]
    result = jacobian(arrays, vector, item, point)
    step = 1e-5
    for column in range(len(vector)):
        change = step * np.eye(len(vector))[column]
        before, after = forward(arrays, vector - change)[item], forward(arrays, vector + change)[item]
        velocity = (apply(after, point) - apply(before, point)) / (2 * step)
        spin = (after - before)[:3, :3] / (2 * step) @ here[:3, :3].T
        expected = [*velocity, spin[2, 1], spin[0, 2], spin[1, 0]]
        np.testing.assert_allclose(result[:, column], expected, rtol=0, atol=1e-7)


@given(st.data())
@few
def test_velocities_and_accelerations_agree_with_jacobian(data):
    robot = data.draw(robots())
    vector, velocity, acceleration = (data.draw(joint_vectors(robot)) for _ in range(3))
    item = data.draw(st.integers(0, len(robot.items) - 1))
    arrays = robot_arrays(robot)
    velocities, accelerations = forward_rates(arrays, vector, velocity, acceleration)
    here = jacobian(arrays, vector, item)
    step = 1e-5
    slope = (jacobian(arrays, vector + step * velocity, item) - jacobian(arrays, vector - step * velocity, item)) / (
        2 * step
    )
    np.testing.assert_allclose(velocities[item], here @ velocity, rtol=0, atol=1e-9)
    np.testing.assert_allclose(accelerations[item], here @ acceleration + slope @ velocity, rtol=1e-6, atol=1e-5)


@given(st.data())
@few
def test_batch_agrees_with_single_calls(data):
    robot = data.draw(robots())
    drawn = data.draw(st.lists(joint_vectors(robot), max_size=4))
    rows = np.array(drawn).reshape(len(drawn), len(robot.free_joints))
    arrays = robot_arrays(robot)
    last = len(robot.items) - 1
    point = (0.1, 0.2, 0.3)
    for batch, single in (
        (forward_batch(arrays, rows), [forward(arrays, row) for row in rows]),
        (forward_frames_batch(arrays, rows), [forward_frames(arrays, row) for row in rows]),
        (jacobian_batch(arrays, rows, last, point), [jacobian(arrays, row, last, point) for row in rows]),
    ):
        assert len(batch) == len(rows)
        np.testing.assert_array_equal(batch, np.reshape(single, batch.shape))


@pytest.mark.parametrize("threads", [None, 1, 2, 5])
def test_result_is_independent_of_threads(threads):
    arm = robot_arrays(six_axis_arm())
    vectors = np.random.default_rng(3).uniform(-np.pi, np.pi, (6001, 6))
    alone = np.array([forward(arm, vector) for vector in vectors])
    np.testing.assert_array_equal(forward_batch(arm, vectors, threads=threads), alone)
    slopes = np.array([jacobian(arm, vector, "link-6") for vector in vectors])
    np.testing.assert_array_equal(jacobian_batch(arm, vectors, "link-6", threads=threads), slopes)


def test_two_link_arm_obeys_law_of_cosines():
    arm = robot_arrays(planar_arm(2, length=0.5))
    tool = forward_frames(arm, [0.3, 0.4])[0]
    expected = (0.5 * np.cos(0.3) + 0.5 * np.cos(0.7), 0.5 * np.sin(0.3) + 0.5 * np.sin(0.7), 0.0)
    np.testing.assert_allclose(tool[:3, 3], expected, atol=1e-15)


def test_thousand_links_form_closed_polygon():
    arm = robot_arrays(planar_arm(1000, length=0.01))
    tool = forward_frames(arm, np.full(1000, 2 * np.pi / 1000))[0]
    np.testing.assert_allclose(tool[:3, 3], 0.0, atol=1e-12)


def test_mimic_joints_add_to_column_of_leader():
    items = [build_item(name, [box_between((0, 0, 0), (0.1, 0.1, 0.1))]).unwrap() for name in ("a", "b", "c")]
    turn = build_joint("turn", "revolute", "a", "b", limits=(-3, 3)).unwrap()
    slide = build_joint("slide", "prismatic", "b", "c", limits=(-3, 3), mimic=Mimic("turn", 0.5, 0.1)).unwrap()
    screw = robot_arrays(build_robot("screw", items, [turn, slide]).unwrap())
    np.testing.assert_allclose(jacobian(screw, [0.7], "c")[:, 0], [0, 0, 0.5, 0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(forward(screw, [0.7])[2][:3, 3], [0, 0, 0.45], atol=1e-15)


def test_mimic_joint_moves_to_position_given_by_leader():
    items = [build_item(name, [box_between((0, 0, 0), (0.1, 0.1, 0.1))]).unwrap() for name in ("a", "b", "c")]
    lead = build_joint("lead", "prismatic", "a", "b", limits=(0, 1)).unwrap()
    follow = build_joint("follow", "prismatic", "a", "c", limits=(0, 1), position=0.7, mimic=Mimic("lead")).unwrap()
    jaws = build_robot("jaws", items, [lead, follow]).unwrap()
    poses = forward(robot_arrays(jaws), [0.2])
    np.testing.assert_allclose(poses[:, 2, 3], [0.0, 0.2, 0.2 - 0.7], atol=1e-15)
    np.testing.assert_allclose(poses, [item.pose for item in at_positions(jaws, np.array([0.2])).items], atol=1e-15)


def test_robot_without_joints_does_not_move():
    pose = translation((1, 2, 3)) @ from_euler((0.1, 0.2, 0.3))
    block = build_item("block", [box_between((0, 0, 0), (1, 1, 1))], pose=pose).unwrap()
    arrays = robot_arrays(build_robot("block", [block], frames=[Frame("top", "block")]).unwrap())
    np.testing.assert_array_equal(forward(arrays, []), [pose])
    assert jacobian(arrays, [], "block").shape == (6, 0)
    assert forward_batch(arrays, np.empty((5, 0))).shape == (5, 1, 4, 4)


def test_batch_writes_to_given_array():
    arm = robot_arrays(six_axis_arm())
    room = np.full((1, 7, 4, 4), np.nan)
    assert forward_batch(arm, [arm.reference], room) is room
    np.testing.assert_array_equal(room[0], forward(arm, arm.reference))


def test_any_memory_layout_and_integers_are_accepted():
    arm = robot_arrays(six_axis_arm())
    columns = np.asfortranarray(np.arange(12).reshape(2, 6))
    np.testing.assert_array_equal(forward_batch(arm, columns)[1], forward(arm, np.arange(12.0)[6:]))
    np.testing.assert_array_equal(forward(arm, np.arange(12.0)[::2]), forward(arm, [0, 2, 4, 6, 8, 10]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda arm: forward(arm, np.zeros(5)), r"shape \(6,\), not \(5,\); its free joints: joint-1, joint-2"),
        (lambda arm: forward(arm, 0.0), r"shape \(6,\)"),
        (lambda arm: forward_batch(arm, np.zeros(6)), r"shape \(batch, 6\), not \(6,\)"),
        (lambda arm: forward_batch(arm, np.zeros((6, 5))), r"shape \(batch, 6\), not \(6, 5\)"),
        (lambda arm: forward_batch(arm, np.zeros((1, 6)), np.zeros((7, 4, 4))), r"of shape \(1, 7, 4, 4\)"),
        (lambda arm: forward_batch(arm, np.zeros((1, 6)), np.zeros((1, 7, 4, 4), np.float32)), "float64"),
        (lambda arm: forward_batch(arm, np.zeros((1, 6)), np.zeros((1, 7, 4, 8))[..., ::2]), "contiguous"),
        (lambda arm: jacobian(arm, np.zeros(6), "hand"), "robot six-axis-arm has no item 'hand'"),
        (lambda arm: jacobian(arm, np.zeros(6), 7), "has 7 items; index 7 is out of range"),
        (lambda arm: jacobian(arm, np.zeros(6), -1), "index -1 is out of range"),
        (lambda arm: jacobian(arm, np.zeros(6), 0, (0, 0)), r"a point needs shape \(3,\)"),
        (lambda arm: forward_batch(arm, np.zeros((2, 6)), threads=0), "at least 1, not 0"),
    ],
)
def test_wrong_input_is_refused_with_reason(call, message):
    with pytest.raises((RckError, ValueError), match=message):
        call(robot_arrays(six_axis_arm()))


@given(st.data())
@few
def test_body_poses_agree_with_pinocchio(data):
    pin = pytest.importorskip("pinocchio", reason="pinocchio (pip install pin) is not installed")
    robot = data.draw(robots())
    vector = data.draw(joint_vectors(robot))
    arrays = robot_arrays(robot)
    model = pin.Model()
    joint_ids = []
    for group in robot.tree.rigid_groups:
        if group.joint is None:
            joint_ids.append(0)
            continue
        joint = robot.joints[group.joint]
        parent = joint_ids[robot.tree.group_of_item[robot.item_index[joint.base]]]
        world_from_parent = frame_of(robot, parent, joint_ids)
        placement = pin.SE3(np.linalg.inv(world_from_parent) @ frame(joint.start, z=joint.direction))
        motion = pin.JointModelRZ() if joint.kind.turns else pin.JointModelPZ()
        joint_ids.append(model.addJoint(parent, motion, placement, joint.name))
    moved = at_positions(robot, vector)
    changes = [moved.joint(name).position - robot.joint(name).position for name in list(model.names)[1:]]
    answer = model.createData()
    pin.forwardKinematics(model, answer, np.array(changes, dtype=float))
    poses = forward_bodies(arrays, vector)
    for pose, joint_id in zip(poses, joint_ids, strict=True):
        if joint_id:
            np.testing.assert_allclose(pose, answer.oMi[joint_id].homogeneous, rtol=0, atol=1e-9)


def frame_of(robot, joint_id, joint_ids):
    """World from the frame of a pinocchio joint, as the robot stands; joint 0 is the world."""
    if joint_id == 0:
        return np.eye(4)
    joint = robot.joints[robot.tree.rigid_groups[joint_ids.index(joint_id)].joint]
    return frame(joint.start, z=joint.direction)
