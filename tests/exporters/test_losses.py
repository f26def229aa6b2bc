"""What a format cannot hold is reported, and what it can hold is not."""

from dataclasses import replace
from math import pi
from xml.etree import ElementTree

import pytest
import rck_export_mjcf
import rck_export_sdf
import rck_export_urdf
import rck_export_usd

from rck.exporting.everything import robot_exporters
from rck.geometry.mesh import make_mesh
from rck.hooks import discover
from rck.model import (
    DeviceKind,
    Mimic,
    RckError,
    Severity,
    Visual,
    build_device,
    build_item,
    build_joint,
    build_robot,
    build_subitem,
)
from rck.testing.robots import box_between

pytest_plugins = ["rck.testing.fixtures"]

CUBE = box_between((-0.05, -0.05, -0.05), (0.05, 0.05, 0.05))
FULL = {"speed": 2.0, "effort": 30.0, "limits": (-1.0, 1.0)}


def robot_with(*, strength=None, base_mass=True, visuals=(), **joint):
    """A base and an arm on one joint."""
    corners, faces = CUBE.shape.vertices, CUBE.shape.faces
    subitem = build_subitem(corners, faces, strength=strength).unwrap()
    base = build_item("base", [subitem] if base_mass else [], visuals=visuals).unwrap()
    arm = build_item("arm", [subitem]).unwrap()
    settings = {"kind": "revolute", **FULL, **joint}
    return build_robot("r", [base, arm], [build_joint("axis", base="base", moves="arm", **settings).unwrap()]).unwrap()


def followed():
    items = [build_item(name, [CUBE]).unwrap() for name in ("base", "a", "b")]
    joints = [
        build_joint("lead", "revolute", "base", "a", **FULL).unwrap(),
        build_joint("follow", "revolute", "base", "b", **FULL, mimic=Mimic("lead", -2.0, 0.0)).unwrap(),
    ]
    return build_robot("r", items, joints).unwrap()


PLUGINS = {"urdf": rck_export_urdf, "xml": rck_export_mjcf, "sdf": rck_export_sdf, "usda": rck_export_usd}


@pytest.fixture(params=PLUGINS)
def ending(request):
    return request.param


def messages(exported, robot, ending, **options):
    done = exported(PLUGINS[ending], robot, f"r.{ending}", **options)
    assert all(finding.code in (503, 504) for finding in done.findings)
    assert all(finding.where == f"r.{ending}" for finding in done.findings)
    return {finding.message: finding.severity for finding in done.findings}


def about(found, words):
    return [message for message in found if words in message]


def test_a_robot_with_nothing_special_loses_nothing_but_speeds(exported, ending):
    speeds = ["the greatest speeds of joints are left out: axis"] if ending in ("xml", "usda") else []
    assert list(messages(exported, robot_with(), ending)) == speeds


def test_accelerations_and_strengths_are_lost_by_all(exported, ending):
    found = messages(exported, robot_with(acceleration=3.0, strength=1e8), ending)
    assert about(found, "greatest accelerations of joints are left out: axis")
    assert about(found, "strengths of materials")


def test_a_stance_is_lost_where_there_is_no_place_for_it(exported, ending):
    found = messages(exported, robot_with(position=0.5), ending)
    assert bool(about(found, "positions that joints stand at are left out")) == (ending == "sdf")
    found = messages(exported, robot_with(position=0.5), "urdf", srdf=False)
    assert about(found, "positions that joints stand at are left out")


def test_urdf_wants_numbers_for_limits_and_says_which_it_made_up(exported):
    done = exported(rck_export_urdf, robot_with(speed=None), "r.urdf")
    limit = ElementTree.fromstring(done.files["r.urdf"]).find("joint/limit")
    assert limit.attrib == {"lower": "-1", "upper": "1", "effort": "30", "velocity": "1000000000"}
    (finding,) = done.findings
    assert finding.severity is Severity.WARNING
    assert finding.message.endswith("1e+09 was written: axis")
    slides = messages(exported, robot_with(kind="prismatic", limits=None), "urdf")
    assert about(slides, "slide without limits")


def test_a_joint_that_turns_without_end_needs_no_limit_in_urdf(exported):
    robot = robot_with(kind="continuous", speed=None, effort=None)
    done = exported(rck_export_urdf, robot, "r.urdf")
    assert done.findings == ()
    assert ElementTree.fromstring(done.files["r.urdf"]).find("joint/limit") is None


def test_joints_that_follow_others_are_lost_by_usd_and_by_old_sdf_alone(exported, ending):
    found = messages(exported, followed(), ending)
    lost = about(found, "joints that follow others are free")
    assert bool(lost) == (ending == "usda")
    assert all(found[message] is Severity.WARNING for message in lost)
    assert about(messages(exported, followed(), "sdf", version="1.9"), "joints that follow others are free")


def test_sdf_takes_the_version_that_it_needs(exported):
    plain, follows = (
        ElementTree.fromstring(exported(rck_export_sdf, robot, "r.sdf").files["r.sdf"])
        for robot in (robot_with(), followed())
    )
    assert plain.get("version") == "1.9"
    assert follows.get("version") == "1.11"
    (mimic,) = follows.iter("mimic")
    assert mimic.get("joint") == "lead"
    assert [(child.tag, float(child.text)) for child in mimic] == [
        ("multiplier", -2.0),
        ("offset", 0.0),
        ("reference", 0.0),
    ]


def test_friction_is_lost_by_usd_alone(exported, ending):
    found = messages(exported, robot_with(friction=0.1, damping=0.2), ending)
    assert bool(about(found, "friction")) == (ending == "usda")


def test_damping_in_usd_is_per_degree(exported):
    text = exported(rck_export_usd, robot_with(damping=0.9), "r.usda").files["r.usda"].decode()
    (line,) = [line for line in text.splitlines() if "damping" in line]
    assert float(line.split("=")[1]) == pytest.approx(0.9 * pi / 180)


def test_what_stands_fast_and_weighs_nothing_is_told_where_the_format_gives_it_a_mass(exported, ending):
    found = messages(exported, robot_with(base_mass=False), ending)
    assert bool(about(found, "weighs nothing")) == (ending in ("sdf", "usda"))


def test_a_locked_joint_is_nearly_locked_in_mjcf(exported):
    found = messages(exported, robot_with(limits=(0.25, 0.25), position=0.25), "xml")
    assert about(found, "joints that are locked")


def test_a_single_triangle_is_no_mesh_to_mujoco(exported, tmp_path):
    triangle = Visual(make_mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]))
    robot = robot_with(visuals=[triangle])
    assert about(messages(exported, robot, "xml"), "1 surfaces of a single triangle")
    assert list(exported(rck_export_mjcf, robot, "r.xml").files) == ["r.xml"]


def test_a_chain_deeper_than_mujoco_reads_is_refused_and_merging_helps(exported):
    count = rck_export_mjcf.writer.DEEPEST + 1
    items = [build_item(f"i{n}", [CUBE]).unwrap() for n in range(count)]
    joints = [build_joint(f"j{n}", "fixed", f"i{n}", f"i{n + 1}").unwrap() for n in range(count - 1)]
    robot = build_robot("r", items, joints).unwrap()
    done = exported(rck_export_mjcf, robot, "r.xml")
    assert [(finding.code, finding.severity) for finding in done.findings] == [(507, Severity.ERROR)]
    assert done.files == {}
    assert "r.xml" in exported(rck_export_mjcf, robot, "r.xml", merge_fixed=True).files


def test_a_binary_file_without_its_library_is_refused_with_what_to_install(exported, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pxr", None)
    with pytest.raises(RckError, match=r"pip install 'rck\[usd\]'"):
        exported(rck_export_usd, robot_with(), "r.usdc")
    assert exported(rck_export_usd, robot_with(), "r.usda").files


def test_a_follower_is_driven_by_no_more_than_its_leader_has(exported):
    items = [build_item(name, [CUBE]).unwrap() for name in ("base", "a", "b")]
    joints = [
        build_joint("lead", "revolute", "base", "a", **FULL).unwrap(),
        build_joint("follow", "revolute", "base", "b", limits=(-2.0, 2.0), mimic=Mimic("lead", -2.0)).unwrap(),
    ]
    done = exported(rck_export_urdf, build_robot("r", items, joints).unwrap(), "r.urdf")
    limit = ElementTree.fromstring(done.files["r.urdf"]).find("joint[@name='follow']/limit")
    assert (limit.get("effort"), limit.get("velocity")) == ("15", "4")
    assert done.findings == ()


@pytest.mark.parametrize("name", [exporter.name for exporter in robot_exporters(discover())])
def test_every_format_takes_a_robot_with_devices_of_every_kind(name, sensing, exporter_contract):
    exporter_contract(name, [sensing])


def test_numbers_that_strict_readers_refuse_are_zero(exported):
    tiny = robot_with(limits=(2.2e-309, 1.0), position=0.5)
    limit = ElementTree.fromstring(exported(rck_export_sdf, tiny, "r.sdf").files["r.sdf"]).find(".//limit/lower")
    assert limit.text == "0"


def test_a_camera_that_sees_less_than_sdformat_allows_is_told(exported):
    eye = build_device("eye", DeviceKind.CAMERA, "arm", values={"field-of-view": 0.05}).unwrap()
    robot = replace(robot_with(), devices=(eye,))
    done = exported(rck_export_sdf, robot, "r.sdf")
    assert ElementTree.fromstring(done.files["r.sdf"]).find(".//horizontal_fov").text == "0.1"
    assert any("no field of view below 0.1 rad" in finding.message for finding in done.findings)
