"""Poses of instances after move, rotate, copy, mirror and pattern, at random joint positions."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rck.assembly.edits import branch
from rck.assembly.mates import place_in
from rck.language.instance_placement import put_at
from rck.language.session import Session
from rck.model import RckError

CARRIED = ["base", "shoulder", "upper", "elbow", "plate", "table"]
numbers = st.floats(-300, 300).map(lambda x: round(x, 3))
vectors = st.tuples(numbers, numbers, numbers)
angles = st.floats(-170, 170).map(lambda x: round(x, 3))
driven = st.fixed_dictionaries(
    {}, optional={"shoulder/axis": angles, "elbow/axis": angles, "wrist": st.floats(-90, 90)}
)
one_arm = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def written(vector) -> str:
    return ",".join(f"{x:.12g}" for x in vector)


def drive(session: Session, positions) -> None:
    for joint, position in positions.items():
        session.do(f"drive {joint} {position:.9g}")


def poses(session: Session) -> dict[str, np.ndarray]:
    return {item.name: item.pose for item in session.compile().unwrap().robot.items}


def carried_by(session: Session, name: str) -> set[str]:
    return set(branch(session.assembly, name))


def check_moved(before, after, motion, moving) -> None:
    """Assert that the given items moved by the motion and all others did not move."""
    for name, pose in before.items():
        expected = motion @ pose if name.partition("/")[0] in moving else pose
        np.testing.assert_allclose(after[name], expected, atol=1e-7)


@one_arm
@given(st.sampled_from(CARRIED), vectors, driven)
def test_instance_moves_by_the_given_vector_with_its_children(again, name, step, positions):
    arm = again()
    drive(arm, positions)
    before, history = poses(arm), arm.history
    arm.do(f"move {name} {written(step)}")
    motion = np.eye(4)
    motion[:3, 3] = np.array(step) / 1000
    check_moved(before, poses(arm), motion, carried_by(arm, name))
    arm.replace_history(history)
    arm.do(f"move {name} {written(step)} --to")
    np.testing.assert_allclose(arm.document.poses.world_from_part(name)[:3, 3], np.array(step) / 1000, atol=1e-8)


@one_arm
@given(st.sampled_from(CARRIED), vectors, vectors.filter(any), angles, driven)
def test_instance_rotates_about_any_axis_through_any_point(again, name, about, axis, angle, positions):
    arm = again()
    drive(arm, positions)
    before = poses(arm)
    arm.do(f"rotate {name} --angle {angle} --axis {written(axis)} --about {written(about)}")
    motion, point = np.eye(4), np.array(about) / 1000
    motion[:3, :3] = Rotation.from_rotvec(np.radians(angle) * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    motion[:3, 3] = point - motion[:3, :3] @ point
    check_moved(before, poses(arm), motion, carried_by(arm, name))


@one_arm
@given(
    st.sampled_from(CARRIED), st.tuples(angles, angles, angles), st.sampled_from(["xyz", "zyx", "ZYZ", "XYZ"]), driven
)
def test_instance_rotates_by_euler_angles_about_its_origin(again, name, euler, order, positions):
    arm = again()
    drive(arm, positions)
    before = poses(arm)
    origin = arm.document.poses.world_from_part(name)[:3, 3]
    arm.do(f"rotate {name} --euler {written(euler)} --order {order}")
    motion = np.eye(4)
    # Capital letters in scipy mean intrinsic rotations.
    motion[:3, :3] = Rotation.from_euler(order, euler, degrees=True).as_matrix()
    motion[:3, 3] = origin - motion[:3, :3] @ origin
    check_moved(before, poses(arm), motion, carried_by(arm, name))


@one_arm
@given(st.sampled_from(CARRIED), vectors, st.tuples(angles, angles, angles), driven)
def test_three_point_pairs_align_the_points(again, name, offset, euler, positions):
    arm = again()
    drive(arm, positions)
    sources = np.array([[10.0, 0, 0], [60, 5, 0], [0, 70, 20]])
    turn = Rotation.from_euler("xyz", euler, degrees=True)
    targets = turn.apply(sources) + offset
    before = poses(arm)
    said = " ".join(
        f"--{way} '{'; '.join(map(written, points))}'" for way, points in (("from", sources), ("to", targets))
    )
    arm.do(f"rotate {name} {said}")
    motion = np.eye(4)
    motion[:3, :3], motion[:3, 3] = turn.as_matrix(), np.array(offset) / 1000
    check_moved(before, poses(arm), motion, carried_by(arm, name))


@one_arm
@given(st.sampled_from(CARRIED[1:5]), driven)
def test_detached_branch_keeps_its_displayed_pose(again, name, positions):
    arm = again()
    drive(arm, {joint: x for joint, x in positions.items() if joint != "wrist" or name != "plate"})
    before = poses(arm)
    arm.do(f"detach {name}")
    after = poses(arm)
    for item, pose in before.items():
        np.testing.assert_allclose(after[item], pose, atol=1e-8)


@one_arm
@given(st.sampled_from(["base", "shoulder", "upper", "elbow"]), driven)
def test_children_of_a_removed_instance_keep_their_displayed_pose(again, name, positions):
    arm = again()
    for what in ("tool grip", "port mount", "pose folded"):
        arm.do(f"remove {what}")
    drive(arm, positions)
    before = poses(arm)
    arm.do(f"remove {name} --keep")
    after = poses(arm)
    assert set(after) == {item for item in before if not item.startswith(f"{name}/")}
    for item, pose in after.items():
        np.testing.assert_allclose(pose, before[item], atol=1e-8)


@one_arm
@given(st.sampled_from(["shoulder", "upper", "elbow", "plate"]), st.sampled_from("xyz"), driven)
def test_mirrored_copy_is_at_the_mirrored_pose(again, name, plane, positions):
    arm = again()
    drive(arm, {joint: x for joint, x in positions.items() if joint != "wrist" or name != "plate"})
    arm.do(f"copy {name} image --branch --mirror {plane}")
    robot = arm.compile().unwrap().robot
    flip = np.ones(3)
    flip["xyz".index(plane)] = -1
    fresh = {name: "image"} | {one: f"{one}-2" for one in carried_by(arm, name) - {name}}
    for item in robot.items:
        scope, _, rest = item.name.partition("/")
        if scope in fresh:
            image = robot.item(f"{fresh[scope]}/{rest}")
            for one, other in zip(item.subitems, image.subitems, strict=True):
                points = one.shape.vertices @ item.pose[:3, :3].T + item.pose[:3, 3]
                seen = other.shape.vertices @ image.pose[:3, :3].T + image.pose[:3, 3]
                np.testing.assert_allclose(seen, points * flip, atol=1e-8)


@one_arm
@given(driven)
def test_patterns_place_copies_on_lines_and_circles(again, positions):
    arm = again()
    drive(arm, positions)
    arm.do("pattern upper line 3 --by 10,0,-20")
    first = arm.document.poses.world_from_part("upper")
    for number in (2, 3):
        step = arm.document.poses.world_from_part(f"upper-{number}")
        np.testing.assert_allclose(step[:3, :3], first[:3, :3], atol=1e-9)
        np.testing.assert_allclose(step[:3, 3] - first[:3, 3], (number - 1) * np.array([0.01, 0, -0.02]), atol=1e-9)
    arm.do("pattern table circle 5 --about 0,300,0 --axis x --angle 120 --alone")
    for number in range(1, 5):
        turn = Rotation.from_euler("x", 30 * number, degrees=True)
        pose = arm.document.poses.world_from_part(f"table-{number + 1}")
        np.testing.assert_allclose(pose[:3, 3], turn.apply([0, -0.3, 0]) + np.array([0, 0.3, 0]), atol=1e-9)
        np.testing.assert_allclose(pose[:3, :3], turn.as_matrix(), atol=1e-9)


def test_copy_on_another_port_has_the_same_relative_pose(arm: Session):
    arm.do("set mate elbow turn=20 offset=3")
    arm.do("copy elbow other --at table.top --branch")
    robot = arm.compile().unwrap()
    for one, other, end in (("elbow", "other", "table.top"),):
        first = np.linalg.inv(robot.ports["upper.b"].world_pose(robot.robot))
        second = np.linalg.inv(robot.ports[end].world_pose(robot.robot))
        np.testing.assert_allclose(
            second @ robot.robot.item(f"{other}/body").pose, first @ robot.robot.item(f"{one}/body").pose, atol=1e-9
        )


def test_mirrored_copy_on_the_opposite_port_is_the_mirror_image(session: Session):
    session.do("make box torso size=100,60,200")
    session.do("create robotis/xm540-w270 right --at torso.right --by back --turn 30 --offset 1,2,3")
    session.do("create structure/bar-link arm --at right.horn --by a --turn 15")
    session.do("copy right left --branch --mirror x --at torso.left")
    robot = session.compile().unwrap().robot
    for one, other in (("right/body", "left/body"), ("right/horn", "left/horn"), ("arm/link", "arm-2/link")):
        item, image = robot.item(one), robot.item(other)
        for a, b in zip(item.subitems, image.subitems, strict=True):
            points = a.shape.vertices @ item.pose[:3, :3].T + item.pose[:3, 3]
            seen = b.shape.vertices @ image.pose[:3, :3].T + image.pose[:3, 3]
            np.testing.assert_allclose(seen, points * [-1, 1, 1], atol=1e-8)


def test_pose_with_scaling_is_refused(arm: Session):
    with pytest.raises(RckError, match="stretch or mirror"):
        put_at(arm.document, "table", np.diag([1.0, 2.0, 1.0, 1.0]))
    assert place_in(np.eye(4), arm.assembly.units) is None
