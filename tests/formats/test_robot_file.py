"""Robot description files: written and read back, and what the format cannot hold."""

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest
import rck_importers.robot_file
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_tests import codes

from rck.geometry.transforms import rotation_about, translation
from rck.model import (
    DeviceKind,
    Frame,
    Item,
    Joint,
    JointKind,
    Mimic,
    Robot,
    build_device,
    build_item,
    build_joint,
    build_robot,
    split,
)
from rck.model.joint_positions import at_positions
from rck.testing.robots import box_between, robots, six_axis_arm

NAME = "some.robot"


def sample(data):
    return (data / "simple.robot").read_bytes()


def fields(data):
    """The sample's tokens, to be changed and joined again."""
    return sample(data).split()


def assert_same_robot(one: Robot, other: Robot) -> None:
    """Equal but for names, and for fixed joints, which the format has not."""
    assert len(one.items) == len(other.items)
    for a, b in zip(one.items, other.items, strict=True):
        np.testing.assert_allclose(a.pose, b.pose, rtol=1e-11, atol=1e-11)
        assert a.mobile == b.mobile
        assert len(a.subitems) == len(b.subitems)
        for s, t in zip(a.subitems, b.subitems, strict=True):
            np.testing.assert_allclose(s.shape.vertices, t.shape.vertices, rtol=1e-11)
            assert s.shape.faces == t.shape.faces
            assert s.colour == pytest.approx(t.colour, rel=1e-11)
            assert s.shape.sphere.radius == pytest.approx(t.shape.sphere.radius, rel=1e-11)
            assert s.mass == pytest.approx(t.mass, rel=1e-9)
    moving = [joint for joint in one.joints if joint.kind.moves]
    assert len(moving) == len(other.joints)
    for a, b in zip(moving, other.joints, strict=True):
        assert a.kind is b.kind
        np.testing.assert_allclose((a.start, a.end), (b.start, b.end), rtol=1e-11, atol=1e-11)
        assert a.position == pytest.approx(b.position, rel=1e-11, abs=1e-11)
        assert (a.limits is None) == (b.limits is None)
        if a.limits and b.limits:
            assert (a.limits.lower, a.limits.upper) == pytest.approx((b.limits.lower, b.limits.upper), rel=1e-11)
        assert one.item_index[a.base] == other.item_index[b.base]
        assert [one.item_index[name] for name in one.moved_by(a.name)] == [
            other.item_index[name] for name in other.moved_by(b.name)
        ]


@given(robot=robots(most_joints=4), unit=st.sampled_from(["m", "mm", "in"]))
@settings(max_examples=40, deadline=None)
def test_robot_file_round_trip_is_exact(desk, robot, unit):
    written = desk.write(rck_importers.robot_file, robot, NAME, length_unit=unit)
    read = desk.read(rck_importers.robot_file, NAME, written.files[NAME], length_unit=unit)
    assert read.robot is not None, read.findings
    assert_same_robot(robot, read.robot)
    assert desk.write(rck_importers.robot_file, read.robot, NAME, length_unit=unit).files == written.files


@given(robot=robots(most_joints=4))
@settings(max_examples=15, deadline=None)
def test_robot_moves_the_same_after_reading(desk, robot):
    unled = Robot(robot.name, robot.items, tuple(replace(joint, mimic=None) for joint in robot.joints))
    read = desk.read(rck_importers.robot_file, NAME, desk.write(rck_importers.robot_file, unled, NAME).files[NAME])
    vector = np.linspace(-0.4, 0.7, len(unled.free_joints))
    for a, b in zip(at_positions(unled, vector).items, at_positions(read.robot, vector).items, strict=True):
        np.testing.assert_allclose(a.pose, b.pose, atol=1e-9)


def test_the_sample_is_an_arm_of_three_joints_and_a_loose_cube(desk, data):
    read = desk.open(rck_importers.robot_file, data / "simple.robot")
    robot = read.robot
    assert codes(read) == [408]
    assert [joint.kind for joint in robot.joints] == [JointKind.CONTINUOUS, JointKind.REVOLUTE, JointKind.PRISMATIC]
    assert [joint.moves for joint in robot.joints] == [("item1",), ("item2",), ("item3",)]
    assert robot.joints[1].limits.upper == pytest.approx(pi / 2)
    assert robot.joints[2].limits.upper == 0.25
    world = split(robot)
    assert [item.name for item in world.objects] == ["item4"]
    assert world.objects[0].mobile
    assert robot.items[4].mass == pytest.approx(1.0)
    assert robot.items[3].subitems[0].colour == (0.2, 0.4, 0.8, 1.0)


def test_lengths_are_in_the_unit_that_the_option_names(desk, data):
    robot = desk.open(rck_importers.robot_file, data / "simple.robot", length_unit="cm").robot
    assert robot.items[3].pose[0, 3] == pytest.approx(0.004)
    assert robot.joints[2].limits.upper == pytest.approx(0.0025)
    assert robot.joints[1].limits.upper == pytest.approx(pi / 2)


def test_the_density_option_sets_every_mass_and_must_be_positive(desk, data):
    robot = desk.open(rck_importers.robot_file, data / "simple.robot", density=2700.0).robot
    assert robot.items[4].mass == pytest.approx(2.7)
    assert codes(desk.open(rck_importers.robot_file, data / "simple.robot", density=0.0)) == [407]


def test_a_translation_in_the_last_row_is_refused_with_the_option_that_reads_it(desk):
    robot = build_robot("r", [cube("item0", translation((1, 2, 3)) @ rotation_about((0, 0, 1), 0.5))]).unwrap()
    lines = desk.write(rck_importers.robot_file, robot, NAME).files[NAME].decode().split("\n")
    matrix = np.array([line.split() for line in lines[3:7]])
    lines[3:7] = [" ".join(row) for row in matrix.T]
    rows = "\n".join(lines).encode()
    (refusal,) = desk.read(rck_importers.robot_file, NAME, rows).findings
    assert refusal.where == "some.robot:4"
    assert "row-vectors" in refusal.fix
    read = desk.read(rck_importers.robot_file, NAME, rows, row_vectors=True)
    np.testing.assert_allclose(read.robot.items[0].pose, robot.items[0].pose, atol=1e-11)
    columns = desk.write(rck_importers.robot_file, robot, NAME).files[NAME]
    assert "leave out" in desk.read(rck_importers.robot_file, NAME, columns, row_vectors=True).findings[0].fix


def test_number_below_four_ends_the_list_of_subitems(desk, data):
    tokens = fields(data)
    # After the first item's only subitem comes the second item's mobile flag: a copy of the subitem fits before it.
    subitem = tokens[26:86]
    assert subitem[0] == b"8"
    more = b" ".join([*tokens[:86], *subitem, *subitem, *tokens[86:]])
    assert [len(item.subitems) for item in desk.read(rck_importers.robot_file, NAME, more).robot.items] == [
        3,
        1,
        1,
        1,
        1,
    ]


def test_only_minus_one_for_both_limits_gives_a_joint_without_limits(desk, data):
    for pair, kind in ((b"-1 -1", JointKind.CONTINUOUS), (b"-1.0 0.0", JointKind.REVOLUTE)):
        text = sample(data).replace(b"-45.0\n90.0", pair)
        assert desk.read(rck_importers.robot_file, NAME, text).robot.joints[1].kind is kind
    slider = desk.read(rck_importers.robot_file, NAME, sample(data).replace(b"-0.2\n0.25", b"-1.0\n-1.0"))
    assert slider.robot.joints[2].limits is None
    assert 406 in codes(slider)


def test_joint_locked_at_minus_one_stays_locked(desk):
    robot = two_items(limits=(radians(-1), radians(-1)), position=radians(-1))
    written = desk.write(rck_importers.robot_file, robot, NAME)
    joint = desk.read(rck_importers.robot_file, NAME, written.files[NAME]).robot.joints[0]
    assert joint.kind is JointKind.REVOLUTE
    assert joint.limits.upper - joint.limits.lower < 1e-13


def test_items_of_fixed_joints_move_together_after_reading(desk):
    items = [cube(f"item{n}", translation((n, 0, 0))) for n in range(4)]
    joints = [
        build_joint("joint0", "continuous", "item0", "item1").unwrap(),
        build_joint("weld", "fixed", "item1", "item2").unwrap(),
        build_joint("stand", "fixed", "item0", "item3").unwrap(),
    ]
    written = desk.write(rck_importers.robot_file, build_robot("r", items, joints).unwrap(), NAME)
    assert ["stand" in finding.message for finding in written.findings] == [True]
    read = desk.read(rck_importers.robot_file, NAME, written.files[NAME]).robot
    assert [joint.moves for joint in read.joints] == [("item1", "item2")]


def test_losses_of_a_robot_file_are_reported(desk):
    arm = six_axis_arm()
    (finding,) = desk.write(rck_importers.robot_file, arm, NAME).findings
    assert finding.message == "not supported by robot files: names, frames (tool)"
    item = cube("item0")
    red = replace(item.subitems[0], colour=(1.0, 0.0, 0.0, 0.5), density=20.0, name="x")
    painted = replace(item, subitems=(*item.subitems, red))
    robot = two_items()
    follower = build_joint("joint1", "revolute", "item1", "item2", limits=(0, 1), mimic=Mimic("joint0"), speed=1.0)
    robot = build_robot("r", [painted, robot.items[1], cube("item2")], [robot.joints[0], follower.unwrap()]).unwrap()
    said = " ".join(finding.message for finding in desk.write(rck_importers.robot_file, robot, NAME).findings)
    for word in ("colour", "opacity", "masses", "names of shapes", "mimic joints", "velocity limits"):
        assert word in said
    assert desk.write(rck_importers.robot_file, two_items(), NAME).findings == ()


def test_an_item_without_shape_that_moves_gets_a_mass_and_a_warning(desk):
    items = [cube("item0"), build_item("item1", []).unwrap(), cube("item2")]
    joints = (
        Joint("joint0", JointKind.CONTINUOUS, "item0", ("item1",)),
        Joint("joint1", JointKind.PRISMATIC, "item1", ("item2",)),
    )
    written = desk.write(rck_importers.robot_file, Robot("r", tuple(items), joints), NAME)
    read = desk.read(rck_importers.robot_file, NAME, written.files[NAME])
    assert codes(read).count(408) == 1
    assert read.robot.items[1].mass == pytest.approx(0.001)
    assert [joint.moves for joint in read.robot.joints] == [("item1",), ("item2",)]


def test_spheres_of_the_file_are_kept_unless_too_small(desk, data):
    kept = desk.open(rck_importers.robot_file, data / "simple.robot").robot.items[0].subitems[0].shape.sphere
    assert kept.radius == 0.288
    text = sample(data).replace(b"8\n0.288", b"8\n0.1", 1)
    shrunk = desk.read(rck_importers.robot_file, NAME, text)
    assert 308 in codes(shrunk)
    assert shrunk.robot.items[0].subitems[0].shape.sphere.radius == pytest.approx(0.2872281323)
    item_only = desk.read(rck_importers.robot_file, NAME, sample(data).replace(b"0.288", b"0.1", 1))
    assert [finding.where for finding in item_only.findings if finding.code == 308] == ["some.robot:10"]


def test_repeated_findings_are_merged_into_one(desk, data):
    text = sample(data).replace(
        b"0 3 2 1\n4 5 6 7\n0 1 5 4\n1 2 6 5\n2 3 7 6\n3 0 4 7", b"1 2 3 0\n7 6 5 4\n4 5 1 0\n5 6 2 1\n6 7 3 2\n7 4 0 3"
    )
    read = desk.read(rck_importers.robot_file, NAME, text)
    assert sorted(codes(read)) == [307, 408]
    assert "and 4 more" in next(finding.message for finding in read.findings if finding.code == 307)


def test_files_of_this_format_are_recognised_by_content(data):
    (importer,) = rck_importers.robot_file.rck_importers()
    assert importer.probe(data / "renamed.txt", sample(data)[:4096])
    assert importer.probe(data / "empty.robot", b"0 0\n")
    for other in (b"", b"POLYGON { 4}", b"solid cube\nfacet normal", b"0 0", b"\x00\x01\x02", b"2 1 7 0 0 0"):
        assert not importer.probe(data / "some.txt", other)


def test_empty_robot_is_read_and_written(desk):
    written = desk.write(rck_importers.robot_file, Robot("r", ()), NAME)
    assert written.files[NAME] == b"0 0\n"
    assert desk.read(rck_importers.robot_file, NAME, b"0 0\n").robot.items == ()


def cube(name: str, pose=None) -> Item:
    return build_item(name, [box_between((0, 0, 0), (1, 1, 1))], pose=np.eye(4) if pose is None else pose).unwrap()


def two_items(**joint) -> Robot:
    joint.setdefault("limits", (-1.0, 1.0))
    hinge = build_joint("joint0", "revolute", "item0", "item1", **joint).unwrap()
    return build_robot("r", [cube("item0"), cube("item1")], [hinge]).unwrap()


def test_frames_and_devices_are_reported_as_lost(desk):
    eye = build_device("eye", DeviceKind.CAMERA, "item1").unwrap()
    robot = replace(two_items(), frames=(Frame("tool", "item1"),), devices=(eye,))
    assert [finding.message for finding in desk.write(rck_importers.robot_file, robot, NAME).findings] == [
        "not supported by robot files: frames (tool), sensors and grippers (eye)",
    ]
