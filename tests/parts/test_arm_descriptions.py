"""Arms agree with the official descriptions: names, masses, centres, inertias, limits, speeds and efforts.

`data/arm_descriptions.json` has the published numbers, in SI units and in the link frames, each arm with its source.
"""

import json
from functools import cache
from math import radians
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import rck_parts

from rck.exporting.export import export
from rck.geometry.transforms import from_euler
from rck.hooks import discover
from rck.language.robot_checks import check_robot
from rck.language.session import new_session
from rck.model import Severity
from rck.parts.library import manifest_paths
from rck.parts.part import build_part, read_part_file

LIBRARY = Path(rck_parts.__file__).parent
DESCRIPTIONS = json.loads((Path(__file__).parent / "data" / "arm_descriptions.json").read_text(encoding="utf-8"))
FILES = {file.manifest.part: file for file in map(read_part_file, manifest_paths(LIBRARY / "arms"))}
ARMS = sorted(DESCRIPTIONS)
COBOTS = {"universal-robots", "ufactory", "franka", "kuka", "kinova"}


@cache
def robot_of(arm):
    """Return the robot of an arm of the catalogue."""
    return build_part(FILES[arm]).unwrap().robot


def of_links(key):
    """Return each arm and item for which the description has a key."""
    return [(arm, item) for arm in ARMS for item, link in DESCRIPTIONS[arm]["links"].items() if key in link]


def of_joints(*keys):
    """Return each arm and joint for which the description has one of the keys."""
    return [
        (arm, name)
        for arm in ARMS
        for name, one in DESCRIPTIONS[arm]["joints"].items()
        if not one.keys().isdisjoint(keys)
    ]


def test_every_description_names_its_source():
    for arm in ARMS:
        source = DESCRIPTIONS[arm]["source"]
        assert source["publisher"]
        assert source["repository"]
        assert source["files"]


def test_descriptions_cover_the_common_arms():
    assert {arm.partition("/")[0] for arm in ARMS} >= COBOTS


@pytest.mark.parametrize(("arm", "item"), of_links("mass"))
def test_mass_of_a_link_is_the_published_one(arm, item):
    assert robot_of(arm).item(item).mass == pytest.approx(DESCRIPTIONS[arm]["links"][item]["mass"], rel=1e-9)


@pytest.mark.parametrize(("arm", "item"), of_links("centre"))
def test_centre_of_mass_of_a_link_is_the_published_one(arm, item):
    centre = robot_of(arm).item(item).mass_properties.centre
    np.testing.assert_allclose(centre, DESCRIPTIONS[arm]["links"][item]["centre"], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("arm", "item"), of_links("inertia"))
def test_inertia_of_a_link_is_the_published_one(arm, item):
    link = DESCRIPTIONS[arm]["links"][item]
    xx, yy, zz, xy, xz, yz = link["inertia"]
    turn = from_euler(link.get("rpy", (0.0, 0.0, 0.0)), "xyz")[:3, :3]
    published = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    np.testing.assert_allclose(robot_of(arm).item(item).mass_properties.inertia, published, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(("arm", "name"), of_joints("limits", "limits-deg"))
def test_limits_of_a_joint_are_the_published_ones(arm, name):
    published = DESCRIPTIONS[arm]["joints"][name]
    lower, upper = published.get("limits") or [radians(x) for x in published["limits-deg"]]
    limits = robot_of(arm).joint(name).limits
    # Descriptions round angles to 0.01 rad at worst.
    assert (limits.lower, limits.upper) == pytest.approx((lower, upper), abs=0.012)


@pytest.mark.parametrize(("arm", "name"), of_joints("speed", "speed-deg"))
def test_speed_of_a_joint_is_the_published_one(arm, name):
    published = DESCRIPTIONS[arm]["joints"][name]
    speed = published.get("speed") or radians(published["speed-deg"])
    assert robot_of(arm).joint(name).speed == pytest.approx(speed, rel=0.002)


@pytest.mark.parametrize(("arm", "name"), of_joints("effort"))
def test_effort_limit_of_a_joint_is_the_published_one(arm, name):
    assert robot_of(arm).joint(name).effort == pytest.approx(DESCRIPTIONS[arm]["joints"][name]["effort"])


def exported(commands, folder):
    """Return the names of links and joints in the URDF export of an assembly."""
    session = new_session(discover(), folder)
    for command in commands:
        session.do(command)
    export(session.compile().unwrap().robot, folder / "robot.urdf", discover())
    root = ElementTree.parse(folder / "robot.urdf").getroot()
    return {one.get("name") for one in root.findall("link")}, {one.get("name") for one in root.findall("joint")}


@pytest.mark.parametrize("arm", ARMS)
def test_exports_have_the_names_of_the_description(arm, tmp_path):
    links, joints = exported([f"create {arm} left"], tmp_path)
    description = DESCRIPTIONS[arm]
    assert {link["name"] for link in description["links"].values()} <= links
    assert set(description["frames"].values()) <= links
    assert {joint["name"] for joint in description["joints"].values()} <= joints


def test_two_arms_of_a_kind_have_the_scope_as_prefix(tmp_path):
    commands = ["create universal-robots/ur5e left", "create universal-robots/ur5e right"]
    links, joints = exported(commands, tmp_path)
    assert {"left_shoulder_link", "right_shoulder_link", "left_tool0", "right_tool0"} <= links
    assert {"left_shoulder_pan_joint", "right_shoulder_pan_joint"} <= joints


def test_arms_of_different_makes_keep_the_names_that_are_unique(tmp_path):
    links, joints = exported(["create universal-robots/ur5e left", "create franka/panda right"], tmp_path)
    assert {"shoulder_link", "panda_link1", "left_tool0", "right_tool0"} <= links
    assert {"shoulder_pan_joint", "panda_joint1"} <= joints


def test_limits_of_the_third_joint_of_the_lr_mate_are_relative_to_the_upper_arm():
    limits = robot_of("fanuc/lr-mate-200id").joint("j3").limits
    assert (limits.lower, limits.upper) == pytest.approx((radians(-70), radians(205)))


@pytest.mark.parametrize("arm", sorted(FILES))
def test_every_figure_of_an_arm_has_a_status(arm):
    manifest = FILES[arm].manifest
    if not manifest.vendor:
        return
    assert {"mass", "centre", "inertia", "limits", "kinematics"} <= manifest.status.keys()
    assert set(manifest.figures) - {"dof"} <= manifest.status.keys()
    assert all(source.document for source in manifest.sources)
    assert manifest.sources


@pytest.mark.parametrize(
    ("arm", "status", "count"), [("kuka/kr-6-r900", "drawn", 7), ("universal-robots/ur5e", "derived", 1)]
)
def test_export_and_check_say_that_masses_are_not_published(arm, status, count, tmp_path):
    session = new_session(discover(), tmp_path)
    session.do(f"create {arm} arm")
    robot = session.compile().unwrap().robot
    assert [item.mass_status for item in robot.items].count(status) == count
    (found,) = [one for one in check_robot(robot, discover()) if one.code == 410]
    assert found.severity is Severity.NOTE
    for ending in ("urdf", "xml"):
        _, exported = export(robot, tmp_path / f"robot.{ending}", discover())
        assert any("masses that are derived or drawn" in one.message for one in exported.findings)


def test_unknown_efforts_are_unknown_in_the_model_and_warned_about_in_urdf(tmp_path):
    session = new_session(discover(), tmp_path)
    session.do("create fanuc/lr-mate-200id arm")
    robot = session.compile().unwrap().robot
    assert all(joint.effort is None for joint in robot.joints)
    _, exported = export(robot, tmp_path / "robot.urdf", discover())
    (found,) = [one for one in exported.findings if "effort" in one.message]
    assert found.severity is Severity.WARNING
    assert "1e9, because URDF requires a number" in found.message
