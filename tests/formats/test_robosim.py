"""Link files of ROBOSIM: written and read back, and refused by file and line where they are wrong."""

import tracemalloc
from dataclasses import replace
from math import pi

import numpy as np
import pytest
import rck_importers.robosim
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_tests import codes

from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import from_euler, translation
from rck.model import JointKind, Robot, build_item, build_joint, build_robot
from rck.model.joint_positions import at_positions
from rck.support.finding import Severity
from rck.testing.robots import box_between, planar_arm, robots, six_axis_arm

NAME = "bot.loc"


@st.composite
def serial_robots(draw) -> Robot:
    """Chains of boxes with joints of every kind, standing away from zero."""

    def pose():
        turn = from_euler(draw(st.tuples(*[st.floats(-pi, pi)] * 3)))
        return translation(draw(st.tuples(*[st.floats(-1, 1)] * 3))) @ turn

    def item(number):
        half = np.array(draw(st.tuples(*[st.floats(0.05, 0.3)] * 3)))
        return build_item(f"part-{number}", [box_between(-half, half)], pose=pose()).unwrap()

    items, joints = [item(0)], []
    for number in range(1, draw(st.integers(1, 5)) + 1):
        items.append(item(number))
        start = np.array(draw(st.tuples(*[st.floats(-1, 1)] * 3)))
        end = start + draw(st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -2, 1), (0.5, 0.5, 0.5)]))
        kind = draw(st.sampled_from([JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC, JointKind.FIXED]))
        limits = (-3.0, 3.0) if draw(st.booleans()) or kind is JointKind.REVOLUTE else None
        position = draw(st.floats(-2, 2))
        between = items[-2].name, items[-1].name
        built = build_joint(f"j-{number}", kind, *between, start=start, end=end, limits=limits, position=position)
        joints.append(built.unwrap())
    return build_robot("chain", items, joints).unwrap()


def write_and_read(desk, robot, **options):
    for old in desk.folder.glob("bot.*"):
        old.unlink()
    desk.put(desk.write(rck_importers.robosim, robot, NAME, **options))
    return desk.open(rck_importers.robosim, desk.folder / NAME, **options)


@given(robot=serial_robots(), unit=st.sampled_from(["m", "mm", "in"]))
@settings(max_examples=40, deadline=None)
def test_chain_round_trip_keeps_motion_shapes_and_masses(desk, robot, unit):
    read = write_and_read(desk, robot, length_unit=unit)
    assert read.robot is not None, read.findings
    groups = [[robot.items[index] for index in group.items] for group in robot.tree.rigid_groups]
    assert len(read.robot.items) == len(groups)
    vector = np.linspace(-1.0, 1.5, len(robot.free_joints))
    one, other = at_positions(robot, vector), at_positions(read.robot, vector)
    for group, item in zip(groups, other.items, strict=True):
        lead = one.item(group[0].name)
        np.testing.assert_allclose(lead.pose, item.pose, atol=1e-9)
        assert item.mass == pytest.approx(sum(member.mass for member in group), rel=1e-10)
        volume = sum(subitem.shape.volume for member in group for subitem in member.subitems)
        assert sum(subitem.shape.volume for subitem in item.subitems) == pytest.approx(volume, rel=1e-9)
    np.testing.assert_allclose(one.mass_properties.centre, other.mass_properties.centre, atol=1e-9)
    np.testing.assert_allclose(one.mass_properties.inertia, other.mass_properties.inertia, rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize("robot", [six_axis_arm(), planar_arm(4)], ids=["six-axis", "planar"])
def test_reading_and_writing_keeps_the_numbers(desk, robot):
    first = desk.write(rck_importers.robosim, robot, NAME).files
    second = desk.write(rck_importers.robosim, write_and_read(desk, robot).robot, NAME).files
    assert list(first) == list(second)
    for name, text in first.items():
        np.testing.assert_allclose(np.array(text.split(), float), np.array(second[name].split(), float), atol=1e-10)


@given(robot=robots(most_joints=4))
@settings(max_examples=30, deadline=None)
def test_robot_is_written_as_a_chain_or_refused(desk, robot):
    written = desk.write(rck_importers.robosim, robot, NAME)
    roots = [group for group in robot.tree.rigid_groups if group.joint is None]
    on = [robot.tree.group_of_item[robot.item_index[joint.base]] for joint in robot.joints if joint.kind.moves]
    is_serial = len(roots) == 1 and len(set(on)) == len(on)
    assert bool(written.files) == is_serial
    assert (codes(written) == [507]) == (not is_serial)


def test_the_sample_is_an_arm_of_two_turning_joints_and_a_slide(desk, data):
    read = desk.open(rck_importers.robosim, data / "arm.loc", length_unit="cm")
    robot = read.robot
    assert [joint.kind for joint in robot.joints] == [JointKind.CONTINUOUS, JointKind.CONTINUOUS, JointKind.PRISMATIC]
    assert robot.items[1].mass == 2.0
    np.testing.assert_allclose(robot.items[1].mass_properties.centre, (0, 0, 0.04))
    np.testing.assert_allclose(robot.items[1].mass_properties.inertia[2, 2], 2.0 * (0.06**2 + 0.06**2) / 12)
    assert robot.items[0].mass == pytest.approx(2.0)
    np.testing.assert_allclose(robot.items[3].pose[:3, 3], (0.15, 0, 0.24), atol=1e-12)
    assert robot.joints[1].direction == pytest.approx((0, 1, 0), abs=1e-12)
    assert {504, 408, 406, 310} == set(codes(read))


def test_any_link_file_of_the_sample_reads_the_whole_robot(desk, data):
    for ending in ("1", "3"):
        assert len(desk.open(rck_importers.robosim, data / f"arm.{ending}").robot.items) == 4


def test_lines_without_closed_solid_become_their_hull_or_nothing(desk, data):
    read = desk.open(rck_importers.robosim, data / "arm.loc")
    (hull,) = read.robot.items[3].subitems
    assert hull.shape.volume == pytest.approx(2e-9)
    flat = (data / "arm.3").read_text().replace("0.0000    0.0000    3.0000", "1.0000    1.0000    0.0000")
    (desk.folder / "flat.loc").write_text((data / "arm.loc").read_text())
    (desk.folder / "flat.1").write_text(flat.replace("    2.0000    0.0000\n", "    1.0000    0.0000\n", 1))
    flat_read = desk.open(rck_importers.robosim, desk.folder / "flat.loc")
    assert flat_read.robot.items[1].subitems == ()
    (massless,) = [finding for finding in flat_read.findings if finding.code == 401]
    assert massless.severity is Severity.WARNING


def test_inertia_that_no_body_can_have_is_kept_with_a_warning(desk, data):
    for name in ("arm.loc", "arm.2", "arm.3"):
        (desk.folder / name).write_bytes((data / name).read_bytes())
    (desk.folder / "arm.1").write_text(replaced((data / "arm.1").read_text(), 5, "42.6667", "1.0000"))
    read = desk.open(rck_importers.robosim, desk.folder / "arm.loc")
    (impossible,) = [finding for finding in read.findings if finding.code == 402]
    assert impossible.severity is Severity.WARNING
    assert impossible.where.startswith("arm.1:3")
    assert np.linalg.eigvalsh(read.robot.items[1].mass_properties.inertia)[0] == pytest.approx(-2.5e-5, rel=0.1)


def test_branches_are_refused_and_losses_are_reported(desk):
    branch = build_robot(
        "r",
        [build_item(name, [box_between((0, 0, 0), (1, 1, 1))]).unwrap() for name in "abc"],
        [build_joint("left", "continuous", "a", "b").unwrap(), build_joint("right", "continuous", "a", "c").unwrap()],
    ).unwrap()
    refused = desk.write(rck_importers.robosim, branch, NAME)
    assert codes(refused) == [507]
    assert "left and right branch" in refused.findings[0].message
    loose = Robot("r", branch.items[:2], ())
    assert "a, b" in desk.write(rck_importers.robosim, loose, NAME).findings[0].message
    arm = six_axis_arm()
    red = replace(arm.items[0].subitems[0], colour=(1.0, 0.0, 0.0, 1.0))
    arm = replace(arm, items=(replace(arm.items[0], subitems=(red,)), *arm.items[1:]))
    said = " ".join(finding.message for finding in desk.write(rck_importers.robosim, arm, NAME).findings)
    for word in ("names", "limits", "frames", "colours"):
        assert word in said


def test_one_file_is_written_per_link(desk):
    assert list(desk.write(rck_importers.robosim, planar_arm(3), NAME).files) == ["bot.loc", "bot.1", "bot.2", "bot.3"]


def test_inertia_round_trip_uses_the_pseudo_inertia_matrix(desk):
    body = MassProperties(3.0, np.array([0.1, -0.2, 0.3]), np.diag([0.4, 0.5, 0.6]))
    robot = build_robot("r", [build_item("only", [], mass=body).unwrap()]).unwrap()
    back = write_and_read(desk, robot, length_unit="mm").robot.items[0].mass_properties
    assert back.mass == 3.0
    np.testing.assert_allclose(back.centre, body.centre, atol=1e-12)
    np.testing.assert_allclose(back.inertia, body.inertia, atol=1e-10)


def test_the_last_links_outer_joint_frame_is_a_tool_frame(desk, data):
    (desk.folder / "one.loc").write_bytes((data / "arm.loc").read_bytes())
    (frame,) = desk.open(rck_importers.robosim, desk.folder / "one.loc").robot.frames
    assert (frame.name, frame.item) == ("tool", "link0")
    assert frame.pose[2, 3] == 0.02


def replaced(text: str, line: int, old: str, new: str) -> str:
    lines = text.split("\n")
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "old", "new", "at", "code"),
    [
        (1, "4.0000", "five", 1, 505),
        (1, "-90.0000", "-1.5708", 1, 506),  # radians
        (2, "1.0000", "0.5000", 2, 505),
        (2, "1.0000", "7.0000", 2, 104),
        (2, "1.0000    1.0000    1.0000", "1.0000    1.0000    2.0000", 2, 506),  # the base says that it turns
        (3, "0.0000", "1.0000", 3, 506),  # not symmetric
        (6, "2.0000", "0.0000", 3, 506),  # no mass
        (7, "1.0000", "2.0000", 7, 309),
        (18, "4.0000", "5.0000", 15, 506),
        (19, "30.0000", "31.0000", 19, 505),
        (19, "30.0000", "29.0000", 49, 501),
        (19, "30.0000", "9e8", 19, 505),
        (20, "0.0000    0.0000", "0.0000    1.0000", 20, 505),
        (21, "1.0000", "0.5000", 21, 505),
        (22, "3.0000", "nan", 22, 101),
    ],
)
def test_damaged_file_gives_one_error_with_file_and_line(desk, data, line, old, new, at, code):
    for name in ("arm.loc", "arm.2", "arm.3"):
        (desk.folder / name).write_bytes((data / name).read_bytes())
    (desk.folder / "arm.1").write_text(replaced((data / "arm.1").read_text(), line, old, new))
    tracemalloc.start()
    read = desk.open(rck_importers.robosim, desk.folder / "arm.loc")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
    assert desk.is_refused_or_whole(read, "arm.1")
    assert read.findings[0].where.split(": ")[0] == f"arm.1:{at}"
    assert read.findings[0].code == code


def test_damaged_file_is_read_or_refused_without_exception(desk, data):
    (desk.folder / "hurt.loc").write_bytes((data / "arm.loc").read_bytes())
    path = desk.folder / "hurt.1"
    tokens = (data / "arm.1").read_bytes().split()
    for index in range(0, len(tokens), 2):
        path.write_bytes(b" ".join(tokens[:index]))
        assert desk.is_refused_or_whole(desk.open(rck_importers.robosim, path), "hurt.1")
        for junk in (b"abc", b"1e999", b"1_0"):
            path.write_bytes(b" ".join([*tokens[:index], junk, *tokens[index + 1 :]]))
            assert desk.is_refused_or_whole(desk.open(rck_importers.robosim, path), "hurt.1")
        for number in (b"-5", b"0", b"99999999"):
            path.write_bytes(b" ".join([*tokens[:index], number, *tokens[index + 1 :]]))
            desk.is_refused_or_whole(desk.open(rck_importers.robosim, path), "hurt.1")


def test_a_missing_link_or_base_is_one_error(desk, data):
    link = (data / "arm.1").read_bytes()
    (desk.folder / "gap.loc").write_bytes((data / "arm.loc").read_bytes())
    (desk.folder / "gap.2").write_bytes(link)
    (desk.folder / "headless.1").write_bytes(link)
    assert "gap.1 is missing" in desk.open(rck_importers.robosim, desk.folder / "gap.loc").findings[0].message
    assert "headless.loc" in desk.open(rck_importers.robosim, desk.folder / "headless.1").findings[0].message
    assert "no such file" in desk.open(rck_importers.robosim, desk.folder / "none.loc").findings[0].message


def test_files_of_this_format_are_recognised_by_content(data):
    (importer,) = rck_importers.robosim.rck_importers()
    for name in ("arm.loc", "arm.3"):
        assert importer.probe(data / "x.txt", (data / name).read_bytes()[:4096])
    for other in (b"", b"1 2 3 4\n" * 20, (data / "simple.robot").read_bytes(), (data / "pick.events").read_bytes()):
        assert not importer.probe(data / "arm.loc", other)
