"""Xacro files, and what SRDF files add to a robot."""

import sys

import numpy as np
import pytest

from rck.model import Severity

XACRO = """<robot name="arm" xmlns:xacro="http://wiki.ros.org/xacro">
  <xacro:arg name="mass" default="3"/>
  <xacro:property name="length" value="0.4"/>
  <xacro:include filename="{include}"/>
  <xacro:macro name="bar" params="n">
    <link name="l${{n}}"><inertial><mass value="$(arg mass)"/></inertial></link>
  </xacro:macro>
  <xacro:bar n="0"/><xacro:bar n="1"/>
  <xacro:turn parent="l0" child="l1" z="${{length / 2}}"/>
</robot>"""
MACROS = """<robot xmlns:xacro="http://wiki.ros.org/xacro"><xacro:macro name="turn" params="parent child z">
  <joint name="${parent}_${child}" type="revolute"><parent link="${parent}"/><child link="${child}"/>
  <origin xyz="0 0 ${z}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</xacro:macro></robot>"""
URDF = """<robot name="arm"><link name="a"/><link name="b"><inertial><mass value="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
SRDF = """<robot name="arm"><group name="all"><joint name="j"/></group>
<group_state name="home" group="all"><joint name="j" value="0.5"/></group_state>
<group_state name="far" group="all"><joint name="j" value="2.5"/></group_state>
<end_effector name="hand" parent_link="b" group="all"/>
<virtual_joint name="v" type="floating" parent_frame="world" child_link="a"/>
<disable_collisions link1="a" link2="b" reason="Adjacent"/></robot>"""


def test_macros_properties_arguments_and_includes_are_expanded(read, written):
    pytest.importorskip("xacro")
    written("macros.xacro", MACROS)
    path = written("arm.urdf.xacro", XACRO.format(include="macros.xacro"))
    assert read("urdf", path).robot.item("l1").mass == 3
    robot = read("urdf", path, {"xacro": "mass:=0.8"}).robot
    assert robot.item("l1").mass == 0.8
    np.testing.assert_allclose(robot.joint("l0_l1").start, (0, 0, 0.2))


def test_packages_are_found_without_ros(read, written, tmp_path, monkeypatch):
    pytest.importorskip("xacro")
    written("parts/package.xml", "<package><name>turning_parts</name></package>")
    written("parts/urdf/macros.xacro", MACROS)
    path = written("robot/arm.xacro", XACRO.format(include="$(find parts)/urdf/macros.xacro"))
    assert read("urdf", path).robot is not None
    by_name = written("robot/named.xacro", XACRO.format(include="$(find turning_parts)/urdf/macros.xacro"))
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "parts"))
    assert read("urdf", by_name).robot is not None


def test_paths_outside_a_found_package_are_refused(read, written):
    pytest.importorskip("xacro")
    written("parts/package.xml", "<package><name>parts</name></package>")
    written("macros.xacro", MACROS)
    path = written("robot/arm.xacro", XACRO.format(include="$(find parts)/../macros.xacro"))
    assert read("urdf", path).findings[0].code == 508


def test_an_include_outside_the_folder_is_not_read(read, written):
    pytest.importorskip("xacro")
    written("macros.xacro", MACROS)
    path = written("robot/arm.xacro", XACRO.format(include="../macros.xacro"))
    assert read("urdf", path).findings[0].code == 508
    assert read("urdf", path, {"allow-outside": "yes"}).robot is not None


def test_an_included_document_type_is_refused(read, written):
    pytest.importorskip("xacro")
    written("macros.xacro", '<!DOCTYPE r [<!ENTITY a "b">]>' + MACROS)
    imported = read("urdf", written("arm.xacro", XACRO.format(include="macros.xacro")))
    assert "document type" in imported.findings[0].message


@pytest.mark.parametrize(
    "body",
    [
        "<xacro:nothing/>",
        "${1 / 0}",
        "<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>",
        "<xacro:include filename='gone.xacro'/>",
        "${__import__('os').system('true')}",
    ],
)
def test_xacro_that_cannot_be_expanded_is_an_error(read, written, body):
    pytest.importorskip("xacro")
    path = written("bad.xacro", f'<robot name="r" xmlns:xacro="http://wiki.ros.org/xacro">{body}</robot>')
    imported = read("urdf", path)
    assert imported.robot is None
    assert imported.findings[0].severity is Severity.ERROR


def test_error_without_xacro_names_the_package_to_install(read, written, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    imported = read("urdf", written("arm.xacro", XACRO.format(include="macros.xacro")))
    assert imported.findings[0].code == 510
    assert "pip install" in imported.findings[0].fix


def test_arguments_have_the_form_of_ros(read, written):
    imported = read("urdf", written("arm.xacro", XACRO.format(include="x")), {"xacro": "mass=3"})
    assert "name:=value" in imported.findings[0].message


def test_srdf_file_finds_its_robot_in_the_same_folder(read, written):
    written("urdf/other.urdf", URDF.replace('name="arm"', 'name="other"'))
    written("urdf/arm.urdf", URDF)
    written("package.xml", "<package><name>arm_description</name></package>")
    imported = read("srdf", written("srdf/arm.srdf", SRDF))
    robot = imported.robot
    assert [item.name for item in robot.items] == ["a", "b"]
    assert [(frame.name, frame.item) for frame in robot.frames] == [("hand", "b")]
    assert robot.item("a").mobile
    said = [finding.message for finding in imported.findings]
    assert any("<group>" in message for message in said)


THREE = URDF.replace(
    "</robot>",
    """<link name="c"><inertial><mass value="1"/></inertial></link>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>""",
)


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        ('<disable_collisions link1="a" link2="b" reason="Adjacent"/>', []),
        ('<disable_collisions link1="c" link2="a" reason="Never"/>', [(False, "never")]),
        ('<disable_collisions link1="c" link2="a" reason="Adjacent"/>', [(False, "user")]),
        ('<disable_collisions link1="c" link2="a"/>', [(False, "user")]),
        ('<enable_collisions link1="a" link2="b"/>', [(True, "user")]),
        ('<enable_collisions link1="c" link2="a"/>', []),
        ('<disable_collisions link1="c" link2="d" reason="Never"/>', []),
    ],
)
def test_disabled_collision_pairs_become_rules_unless_implied_by_joints(read, written, said, rules):
    written("arm.urdf", THREE)
    imported = read("srdf", written("arm.srdf", f'<robot name="arm">{said}</robot>'))
    assert [(rule.tested, rule.reason.value) for rule in imported.robot.rules] == rules
    lost = [finding for finding in imported.findings if finding.code == 503]
    assert len(lost) == ("d" in said.split('"'))


def test_group_state_sets_joint_positions_within_their_limits(read, written):
    urdf, srdf = written("arm.urdf", URDF), written("arm.srdf", SRDF)
    options = {"srdf": str(srdf), "state": "home"}
    assert read("urdf", urdf, options).robot.joint("j").position == 0.5
    far = read("urdf", urdf, {**options, "state": "far"})
    assert far.robot.joint("j").position == 1
    assert any("at its limit 1, not at 2.5" in finding.message for finding in far.findings)


def test_unknown_group_state_is_refused_with_the_existing_ones(read, written):
    written("arm.urdf", URDF)
    imported = read("srdf", written("arm.srdf", SRDF), {"state": "hoem"})
    assert "known: home, far" in imported.findings[0].message


def test_srdf_file_without_its_robot_names_the_option_for_it(read, written):
    imported = read("srdf", written("arm.srdf", SRDF))
    assert imported.robot is None
    assert "option urdf" in imported.findings[0].fix


def test_srdf_file_uses_the_robot_file_of_the_same_name(read, written):
    written("other.urdf", URDF.replace('name="arm"', 'name="other"'))
    written("arm.urdf", URDF.replace('name="arm"', 'name="arm_v2"'))
    imported = read("srdf", written("arm.srdf", SRDF))
    assert imported.robot.name == "arm_v2"
    assert any("is for robot arm, not arm_v2" in finding.message for finding in imported.findings)


def test_end_effector_on_an_unknown_link_is_ignored_and_reported(read, written):
    written("arm.urdf", URDF)
    imported = read("srdf", written("arm.srdf", SRDF.replace('parent_link="b"', 'parent_link="bb"')))
    assert imported.robot.frames == ()
    assert any("there is no link bb" in finding.message for finding in imported.findings)
