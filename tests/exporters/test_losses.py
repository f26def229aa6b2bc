"""Features that a format does not keep are reported as losses, and no others."""

from dataclasses import replace
from math import pi
from xml.etree import ElementTree

import pytest
import rck_plugins.exporters.mjcf
import rck_plugins.exporters.sdf
import rck_plugins.exporters.urdf
import rck_plugins.exporters.usd

from rck.exporting.export import robot_exporters
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


def mimicking():
    items = [build_item(name, [CUBE]).unwrap() for name in ("base", "a", "b")]
    joints = [
        build_joint("lead", "revolute", "base", "a", **FULL).unwrap(),
        build_joint("follow", "revolute", "base", "b", **FULL, mimic=Mimic("lead", -2.0, 0.0)).unwrap(),
    ]
    return build_robot("r", items, joints).unwrap()


PLUGINS = {
    "urdf": rck_plugins.exporters.urdf,
    "xml": rck_plugins.exporters.mjcf,
    "sdf": rck_plugins.exporters.sdf,
    "usda": rck_plugins.exporters.usd,
}


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


def test_plain_robot_loses_nothing_but_velocity_limits(exported, ending):
    found = {
        "xml": [
            "not supported by MJCF: joint velocity limits (axis)",
            "joints that may have no motor get a motor; motors=no omits it: axis",
        ],
        "usda": ["joints that may have no motor get a drive without gains: axis"],
    }
    assert list(messages(exported, robot_with(), ending)) == found.get(ending, [])


def test_accelerations_and_strengths_are_lost_by_all_simulators(exported, ending):
    found = messages(exported, robot_with(acceleration=3.0, strength=1e8), ending)
    assert about(found, "joint acceleration limits (axis)")
    assert about(found, "material strengths (base, arm)")


def test_joint_positions_are_lost_by_sdf_and_by_urdf_without_srdf(exported, ending):
    found = messages(exported, robot_with(position=0.5), ending)
    assert bool(about(found, "joint positions (axis; every joint starts at zero)")) == (ending == "sdf")
    done = exported(PLUGINS["urdf"], robot_with(position=0.5), "r.urdf", srdf=False)
    (finding,) = done.findings
    assert "joint positions (axis; every joint starts at zero)" in finding.message
    assert finding.fix == "export with srdf=yes"


def test_unknown_limits_in_urdf_are_written_as_a_large_number_and_reported(exported):
    done = exported(rck_plugins.exporters.urdf, robot_with(speed=None), "r.urdf")
    limit = ElementTree.fromstring(done.files["r.urdf"]).find("joint/limit")
    assert limit.attrib == {"lower": "-1", "upper": "1", "effort": "30", "velocity": "1000000000"}
    (finding,) = done.findings
    assert finding.severity is Severity.WARNING
    assert finding.message == "joints without effort or velocity limits get 1e9, because URDF requires a number: axis"
    slides = messages(exported, robot_with(kind="prismatic", limits=None), "urdf")
    assert about(slides, "prismatic joints without limits")


def test_continuous_joint_needs_no_limit_in_urdf(exported):
    robot = robot_with(kind="continuous", speed=None, effort=None)
    done = exported(rck_plugins.exporters.urdf, robot, "r.urdf")
    assert done.findings == ()
    assert ElementTree.fromstring(done.files["r.urdf"]).find("joint/limit") is None


def test_mimic_joints_are_lost_only_by_old_sdf(exported, ending):
    assert not about(messages(exported, mimicking(), ending), "mimic joints (follow")
    (finding,) = exported(PLUGINS["sdf"], mimicking(), "r.sdf", version="1.9").findings
    assert "mimic joints (follow; exported as independent joints)" in finding.message
    assert finding.fix == "export with version=1.11"


def test_sdf_version_depends_on_mimic_joints(exported):
    plain, follows = (
        ElementTree.fromstring(exported(rck_plugins.exporters.sdf, robot, "r.sdf").files["r.sdf"])
        for robot in (robot_with(), mimicking())
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


def test_joint_friction_is_kept(exported, ending):
    assert not about(messages(exported, robot_with(friction=0.1, damping=0.2), ending), "friction")


def test_damping_in_usd_is_per_degree(exported):
    text = exported(rck_plugins.exporters.usd, robot_with(damping=0.9), "r.usda").files["r.usda"].decode()
    (line,) = [line for line in text.splitlines() if "damping" in line]
    assert float(line.split()[3]) == pytest.approx(0.9 * pi / 180)


def test_fixed_link_without_mass_is_reported_if_the_format_gives_it_one(exported, ending):
    found = messages(exported, robot_with(base_mass=False), ending)
    assert bool(about(found, "fixed items without a mass get")) == (ending == "sdf")


def test_locked_joint_gets_a_tiny_range_in_mjcf(exported):
    found = messages(exported, robot_with(limits=(0.25, 0.25), position=0.25), "xml")
    assert about(found, "locked joints get a range")


def test_single_triangle_is_not_exported_to_mujoco(exported, tmp_path):
    triangle = Visual(make_mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]))
    robot = robot_with(visuals=[triangle])
    assert about(messages(exported, robot, "xml"), "1 meshes of a single triangle")
    assert list(exported(rck_plugins.exporters.mjcf, robot, "r.xml").files) == ["r.xml"]


def test_too_deep_chain_is_refused_for_mujoco_unless_merged(exported):
    count = rck_plugins.exporters.mjcf.writer.DEEPEST + 1
    items = [build_item(f"i{n}", [CUBE]).unwrap() for n in range(count)]
    joints = [build_joint(f"j{n}", "fixed", f"i{n}", f"i{n + 1}").unwrap() for n in range(count - 1)]
    robot = build_robot("r", items, joints).unwrap()
    done = exported(rck_plugins.exporters.mjcf, robot, "r.xml")
    assert [(finding.code, finding.severity) for finding in done.findings] == [(507, Severity.ERROR)]
    assert done.files == {}
    assert "r.xml" in exported(rck_plugins.exporters.mjcf, robot, "r.xml", merge_fixed=True).files


def test_binary_usd_without_its_library_is_refused_with_the_install_command(exported, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pxr", None)
    with pytest.raises(RckError, match=r"pip install 'rck\[usd\]'"):
        exported(rck_plugins.exporters.usd, robot_with(), "r.usdc")
    assert exported(rck_plugins.exporters.usd, robot_with(), "r.usda").files


def test_mimic_joint_gets_the_limits_of_its_leader_in_urdf(exported):
    items = [build_item(name, [CUBE]).unwrap() for name in ("base", "a", "b")]
    joints = [
        build_joint("lead", "revolute", "base", "a", **FULL).unwrap(),
        build_joint("follow", "revolute", "base", "b", limits=(-2.0, 2.0), mimic=Mimic("lead", -2.0)).unwrap(),
    ]
    done = exported(rck_plugins.exporters.urdf, build_robot("r", items, joints).unwrap(), "r.urdf")
    limit = ElementTree.fromstring(done.files["r.urdf"]).find("joint[@name='follow']/limit")
    assert (limit.get("effort"), limit.get("velocity")) == ("15", "4")
    assert done.findings == ()


@pytest.mark.parametrize("name", [exporter.name for exporter in robot_exporters(discover())])
def test_every_exporter_keeps_its_contract_with_devices_of_every_kind(name, sensing, exporter_contract):
    exporter_contract(name, [sensing])


def test_subnormal_numbers_are_written_as_zero(exported):
    tiny = robot_with(limits=(2.2e-309, 1.0), position=0.5)
    limit = ElementTree.fromstring(exported(rck_plugins.exporters.sdf, tiny, "r.sdf").files["r.sdf"]).find(
        ".//limit/lower"
    )
    assert limit.text == "0"


def test_field_of_view_below_the_minimum_of_sdformat_is_reported(exported):
    eye = build_device("eye", DeviceKind.CAMERA, "arm", values={"field-of-view": 0.05}).unwrap()
    robot = replace(robot_with(), devices=(eye,))
    done = exported(rck_plugins.exporters.sdf, robot, "r.sdf")
    assert ElementTree.fromstring(done.files["r.sdf"]).find(".//horizontal_fov").text == "0.1"
    assert any("below the minimum of SDFormat, 0.1 rad" in finding.message for finding in done.findings)
