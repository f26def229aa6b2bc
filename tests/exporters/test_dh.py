"""Denavit-Hartenberg tables: the rows lead where the robot goes, and all three forms say the same."""

import csv
import io

import numpy as np
import pytest
import rck_plugins.exporters.dh

from rck.geometry.transforms import from_dh, from_dh_modified, from_euler, translation
from rck.model import RckError, Severity, at_positions, build_robot
from rck.testing.robots import six_axis_arm


def rows_of(exported, robot, **options):
    done = exported(rck_plugins.exporters.dh, robot, "arm.csv", **options)
    return list(csv.DictReader(io.StringIO(done.files["arm.csv"].decode())))


def reached(rows, positions):
    """Where the table leads with the joints at these positions, in the frame of the base item."""
    pose = np.eye(4)
    for row in rows:
        if row["row"] in ("base", "tool"):
            pose = pose @ translation([float(row[key]) for key in ("x_m", "y_m", "z_m")])
            pose = pose @ from_euler([float(row[key]) for key in ("roll_rad", "pitch_rad", "yaw_rad")])
            continue
        theta, d, a, alpha = (float(row[key]) for key in ("theta_rad", "d_m", "a_m", "alpha_rad"))
        if row["kind"] == "prismatic":
            d += positions[row["joint"]]
        else:
            theta += positions[row["joint"]]
        craig = row["chain"].endswith("modified")
        pose = pose @ (from_dh_modified(alpha, a, theta, d) if craig else from_dh(theta, d, a, alpha))
    return pose


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_table_gives_the_pose_of_every_tip_of_every_robot(case, exported, convention):
    rows = rows_of(exported, case.robot, convention=convention)
    frames = {frame.name: frame for frame in case.robot.frames}
    chains = {row["chain"]: row["chain"].removesuffix(f", {convention}").split(" to ") for row in rows}
    assert chains
    for vector, positions in zip(case.vectors[:5], case.positions, strict=False):
        moved = at_positions(case.robot, vector)
        for chain, (base, tip) in chains.items():
            own = [row for row in rows if row["chain"] == chain]
            placed = moved.item(frames[tip].item).pose @ frames[tip].pose if tip in frames else moved.item(tip).pose
            expected = np.linalg.inv(moved.item(base).pose) @ placed
            assert reached(own, positions) == pytest.approx(expected, abs=1e-9)


def test_chain_without_tools_ends_at_the_last_item_before_the_fingers(exported, robot_of):
    robot = robot_of("desk-arm")
    bare = build_robot(robot.name, robot.items, robot.joints).unwrap()
    chains = {row["chain"] for row in rows_of(exported, bare)}
    assert chains == {"base/base to hand/body, standard"}
    assert {row["chain"] for row in rows_of(exported, bare, tip="fore/link")} == {"base/base to fore/link, standard"}


def test_markdown_and_latex_name_degrees_and_millimetres(exported):
    arm = six_axis_arm()
    page = exported(rck_plugins.exporters.dh, arm, "arm.md").files["arm.md"].decode()
    assert "Degrees and millimetres" in page
    assert page.count("| q") == 6
    table = exported(rck_plugins.exporters.dh, arm, "arm.tex").files["arm.tex"].decode()
    assert r"\begin{tabular}{rlrrrrl}" in table
    assert table.count(r" \\") == 7
    assert "degrees and millimetres" in table
    assert table.count("{") == table.count("}")


def test_robot_without_moving_joints_has_no_table(exported, robot_of):
    robot = robot_of("desk-arm")
    still = build_robot("still", robot.items[:1]).unwrap()
    (finding,) = exported(rck_plugins.exporters.dh, still, "still.csv").findings
    assert (finding.code, finding.severity) == (507, Severity.ERROR)


def test_a_tip_that_does_not_exist_is_refused_with_a_hint(exported, robot_of):
    with pytest.raises(RckError, match="did you mean grip"):
        exported(rck_plugins.exporters.dh, robot_of("desk-arm"), "a.csv", tip="gripp")


def test_joints_outside_the_chains_are_reported(exported, robot_of):
    said = [finding.message for finding in exported(rck_plugins.exporters.dh, robot_of("desk-arm"), "a.csv").findings]
    assert "joints outside the chains are not exported: hand/grip, hand/left" in said
