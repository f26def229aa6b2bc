"""URDF files: what becomes of links, joints, materials and masses."""

from pathlib import Path

import numpy as np
import pytest
from rck_plugins.exporters.urdf.writer import write

from rck.exporting.export import export
from rck.hooks import Job, discover
from rck.hooks.file_exchange import read_file
from rck.model import Actuation, JointKind, Severity, at_positions

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base">
    <inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry><material name="blue"/></visual>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.25" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="0.05" iyy="0.04" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.05" length="0.5"/></geometry></visual>
    <collision name="tube"><origin xyz="0 0 0.25"/><geometry><box size="0.1 0.1 0.5"/></geometry></collision>
  </link>
  <link name="slide"><visual><geometry><sphere radius="0.05"/></geometry></visual></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.05" rpy="0 1.5707963267948966 0"/><axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" effort="30" velocity="1.5"/><dynamics damping="0.3" friction="0.2"/>
  </joint>
  <joint name="reach" type="prismatic">
    <parent link="upper"/><child link="slide"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
    <limit lower="0.1" upper="0.4" effort="50" velocity="0"/>
  </joint>
  <joint name="flange" type="fixed"><parent link="slide"/><child link="tool"/><origin xyz="0 0 0.1"/></joint>
  <transmission name="t"/><gazebo reference="upper"/><gazebo/>
</robot>
"""


@pytest.fixture
def arm(read, written):
    return read("urdf", written("arm.urdf", ARM))


def link(body):
    return f'<robot name="one"><link name="a">{body}</link></robot>'


def codes(imported, severity):
    return sorted({finding.code for finding in imported.findings if finding.severity is severity})


def test_links_become_items_connected_by_joints(arm):
    robot = arm.robot
    assert robot.name == "arm"
    assert [item.name for item in robot.items] == ["base", "upper", "slide", "tool"]
    assert [(joint.name, joint.kind, joint.base, joint.moves) for joint in robot.joints] == [
        ("shoulder", JointKind.REVOLUTE, "base", ("upper",)),
        ("reach", JointKind.PRISMATIC, "upper", ("slide",)),
        ("flange", JointKind.FIXED, "slide", ("tool",)),
    ]


def test_joint_keeps_limits_velocity_effort_damping_and_friction(arm):
    shoulder = arm.robot.joint("shoulder")
    assert (shoulder.limits.lower, shoulder.limits.upper) == (-1, 2)
    assert (shoulder.speed, shoulder.effort, shoulder.damping, shoulder.friction) == (1.5, 30, 0.3, 0.2)
    # The axis is turned with the joint's frame, and its length says nothing.
    np.testing.assert_allclose(shoulder.direction, (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(shoulder.start, (0, 0, 0.05), atol=1e-12)


def test_velocity_limit_of_zero_is_unknown_and_reported(arm):
    assert arm.robot.joint("reach").speed is None
    assert any("speed 0 is not positive and was ignored" in finding.message for finding in arm.findings)


def test_joint_with_zero_outside_its_limits_starts_at_the_limit_with_its_subtree(arm):
    assert arm.robot.joint("reach").position == 0.1
    np.testing.assert_allclose(arm.robot.item("tool").pose[:3, 3], (0.5 + 0.1 + 0.1, 0, 0.05), atol=1e-12)


def test_different_collision_and_visual_geometry_is_kept_separate(arm):
    base, upper = arm.robot.items[:2]
    assert base.visuals == ()
    assert len(upper.subitems) == 1
    assert upper.subitems[0].name == "tube"
    assert len(upper.subitems[0].shape.faces) == 6
    assert len(upper.visuals) == 1
    assert len(upper.visuals[0].surface.faces) > 20
    assert np.ptp(upper.visuals[0].surface.vertices[:, 2]) == pytest.approx(0.5)


def test_materials_colour_visual_and_collision_geometry(arm):
    assert arm.robot.item("base").subitems[0].colour == (0, 0, 1, 1)


def test_visual_keeps_the_name_of_its_material(read, written):
    looks = '<visual><geometry><sphere radius=".1"/></geometry><material name="blue"/></visual>'
    solid = '<collision><geometry><box size=".1 .1 .1"/></geometry></collision>'
    (visual,) = read("urdf", written("one.urdf", link(looks + solid))).robot.item("a").visuals
    assert visual.material == "blue"


def test_inertia_in_a_rotated_frame_is_transformed_to_the_link_frame(arm):
    body = arm.robot.item("upper").mass_properties
    assert body.mass == 2
    np.testing.assert_allclose(body.centre, (0, 0, 0.25))
    np.testing.assert_allclose(body.inertia, np.diag([0.04, 0.05, 0.01]), atol=1e-12)


def test_moving_link_without_mass_stays_massless_with_a_warning(arm):
    assert arm.robot.item("slide").mass == 0
    assert arm.robot.item("tool").mass == 0
    assert any(f.code == 401 and "slide" in f.where and f.severity is Severity.WARNING for f in arm.findings)


def test_moving_link_without_mass_gets_the_mass_of_its_shape_on_request(read, written):
    heavy = read("urdf", written("arm.urdf", ARM), {"density": "1000", "shapes": "either"})
    ball = 4 / 3 * np.pi * 0.05**3 * 1000
    assert heavy.robot.item("slide").mass == pytest.approx(ball, rel=0.05)
    assert any(f.code == 408 and "slide" in f.where and f.severity is Severity.WARNING for f in heavy.findings)


def test_visual_geometry_is_used_for_collisions_only_on_request(arm, read, written):
    assert arm.robot.item("slide").subitems == ()
    assert len(arm.robot.item("slide").visuals) == 1
    either = read("urdf", written("either.urdf", ARM), {"shapes": "either"}).robot
    assert len(either.item("slide").subitems) == 1


def test_robot_without_any_collision_geometry_is_noted(read, written):
    looks = '<visual><geometry><sphere radius=".1"/></geometry></visual>'
    imported = read("urdf", written("one.urdf", link(looks)))
    assert imported.robot.item("a").subitems == ()
    (note,) = [finding for finding in imported.findings if "no collision geometry" in finding.message]
    assert "shapes=either" in note.fix


def test_texture_of_a_material_is_read_and_exported_again(read, written, tmp_path):
    assets = Path(__file__).parent.parent / "exporters" / "data" / "mjcf" / "assets"
    image = assets / "image.png"
    for path in (image, assets / "corner.obj"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    looks = '<visual><geometry><mesh filename="corner.obj"/></geometry><material name="wood"/></visual>'
    text = link(looks).replace("<link", '<material name="wood"><texture filename="image.png"/></material><link', 1)
    robot = read("urdf", written("one.urdf", text)).robot
    expected = robot.items[0].visuals[0].texture_points
    (tmp_path / "out").mkdir()
    for ending in ("urdf", "sdf", "xml"):
        export(robot, tmp_path / "out" / f"again.{ending}", discover())
        again = read_file(tmp_path / "out" / f"again.{ending}", discover()).robot
        (visual,) = (one for item in again.items for one in item.visuals)
        assert visual.texture.content == image.read_bytes(), ending
        order, wanted = np.lexsort(visual.texture_points.T), np.lexsort(expected.T)
        np.testing.assert_allclose(visual.texture_points[order], expected[wanted], atol=1e-9)


def test_unsupported_elements_are_counted_once_per_kind(arm):
    left_out = [finding.message for finding in arm.findings if finding.code == 503]
    assert sum("<gazebo>" in message and "1 more" in message for message in left_out) == 1
    assert sum("<transmission> without a joint" in message for message in left_out) == 1


def test_summary_counts_the_imported_elements(arm):
    assert arm.summary == "4 items, 2 convex pieces, 2 visuals, 3 joints"


def test_chained_mimic_joint_follows_the_first_leader(read, written):
    body = "".join(f'<link name="l{n}"><inertial><mass value="1"/></inertial></link>' for n in range(4))
    joints = ""
    follows = ("", '<mimic joint="j1" multiplier="2" offset="0.1"/>', '<mimic joint="j2" multiplier="-1"/>')
    for n, mimic in enumerate(follows, 1):
        joints += (
            f'<joint name="j{n}" type="revolute"><parent link="l{n - 1}"/><child link="l{n}"/><origin xyz="1 0 0"/>'
            f'<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint>'
        )
    robot = read("urdf", written("gripper.urdf", f'<robot name="g">{body}{joints}</robot>')).robot
    assert [joint.name for joint in robot.free_joints] == ["j1"]
    assert (robot.joint("j3").mimic.joint, robot.joint("j3").mimic.ratio) == ("j1", -2)
    moved = at_positions(robot, np.array([0.2]))
    assert [joint.position for joint in moved.joints] == pytest.approx([0.2, 0.5, -0.5])


IMPOSSIBLE = {
    'ixx="1" iyy="1" izz="5"': ((1, 1, 5), (2, 2, 4), 403),
    'ixx="-1" iyy="1" izz="1"': ((-1, 1, 1), (0, 1, 1), 402),
    'ixx="0.1" iyy="0.1" izz="3"': ((0.1, 0.1, 3), (0.1 + 2.8 / 3, 0.1 + 2.8 / 3, 3 - 2.8 / 3), 403),
}


@pytest.mark.parametrize("inertia", IMPOSSIBLE)
def test_impossible_inertia_stays_and_is_reported_and_repaired_on_request(read, written, inertia):
    stated, nearest, code = IMPOSSIBLE[inertia]
    path = written("bad.urdf", link(f'<inertial><mass value="6"/><inertia {inertia}/></inertial>'))
    imported = read("urdf", path)
    body = imported.robot.item("a").mass_properties
    assert body.mass == 6
    np.testing.assert_array_equal(body.inertia, np.diag(stated))
    assert codes(imported, Severity.WARNING) == [code]
    repaired = read("urdf", path, {"repair-inertia": "yes"})
    np.testing.assert_allclose(repaired.robot.item("a").mass_properties.inertia, np.diag(nearest), atol=2e-6)
    assert codes(repaired, Severity.WARNING) == [502]


def test_point_mass_stays_even_with_repair(read, written):
    path = written("point.urdf", link('<inertial><mass value="6"/></inertial>'))
    for repair in ("no", "yes"):
        imported = read("urdf", path, {"repair-inertia": repair})
        assert not imported.robot.item("a").mass_properties.inertia.any()
        assert codes(imported, Severity.WARNING) == [402]


def test_inertia_of_a_massless_link_is_ignored_with_a_warning(read, written):
    text = link('<inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1"/></inertial>')
    imported = read("urdf", written("light.urdf", text))
    assert imported.robot.item("a").mass == 0
    assert 502 in codes(imported, Severity.WARNING)


def test_child_of_a_floating_joint_is_loose(read, written):
    text = """<robot name="drone"><link name="ground"/><link name="body"><inertial><mass value="1"/></inertial></link>
    <joint name="free" type="floating"><parent link="ground"/><child link="body"/><origin xyz="0 0 2"/></joint>
    </robot>"""
    robot = read("urdf", written("drone.urdf", text)).robot
    assert robot.joints == ()
    assert robot.item("body").mobile
    assert not robot.item("ground").mobile
    assert robot.item("body").pose[2, 3] == 2


def test_planar_joint_becomes_two_prismatic_and_one_revolute_joint(read, written):
    text = """<robot name="puck"><link name="table"/><link name="puck"><inertial><mass value="1"/></inertial></link>
    <joint name="glide" type="planar"><parent link="table"/><child link="puck"/><axis xyz="0 0 1"/></joint></robot>"""
    robot = read("urdf", written("puck.urdf", text)).robot
    assert [joint.kind.value for joint in robot.joints] == ["prismatic", "prismatic", "continuous"]
    moved = at_positions(robot, np.array([0.3, -0.2, 0.5])).item("puck").pose
    assert abs(moved[2, 3]) < 1e-12
    np.testing.assert_allclose(sorted(abs(moved[:2, 3])), [0.2, 0.3])


def test_file_without_masses_gets_the_masses_of_its_shapes(read, written):
    text = link('<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>')
    imported = read("urdf", written("plain.urdf", text), {"density": "2700"})
    assert imported.robot.item("a").mass == pytest.approx(2.7)
    assert codes(imported, Severity.NOTE) == [408]


def test_names_that_rck_does_not_allow_are_changed_and_reported(read, written):
    text = '<robot name="my robot"><link name="base link"/><link name="base-link"/></robot>'
    imported = read("urdf", written("named.urdf", text))
    assert imported.robot.name == "my-robot"
    assert sorted(item.name for item in imported.robot.items) == ["base-link", "base-link-2"]
    assert any("'base link' is renamed to base-link-2" in finding.message for finding in imported.findings)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('<robot name="r"><link name="a"/><link name="a"/></robot>', 103, "already defined at line 1"),
        ('<robot name="r"><link/></robot>', 104, "has no name"),
        ('<robot name="r"/>', 505, "no links"),
        ("<robot><link name='a'/><joint name='j' type='hinge'/></robot>", 104, "unknown joint type 'hinge'"),
        ("<robot><link name='a'/><joint name='j' type='fixed'><parent link='a'/></joint></robot>", 505, "no <child>"),
        (
            "<robot><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
            201,
            "refers to link b",
        ),
        (link("<collision/>"), 505, "no geometry"),
        (link("<collision><geometry><box size='1 2'/></geometry></collision>"), 104, "takes 3 numbers"),
        (link("<collision><geometry><box size='1 2 x'/></geometry></collision>"), 104, "is not a number"),
        (link("<inertial><mass value='nan'/></inertial>"), 101, "not finite"),
    ],
)
def test_invalid_file_gives_one_error_with_line_number(read, written, text, code, said):
    imported = read("urdf", written("wrong.urdf", text))
    assert imported.robot is None
    assert imported.findings[0].code == code
    assert imported.findings[0].severity is Severity.ERROR
    assert said in imported.findings[0].message
    assert imported.findings[0].where.startswith("wrong.urdf:1")


def test_cyclic_joints_are_refused(read, written):
    joint = "<joint name='{0}{1}' type='fixed'><parent link='{0}'/><child link='{1}'/></joint>"
    text = f"<robot><link name='a'/><link name='b'/>{joint.format('a', 'b')}{joint.format('b', 'a')}</robot>"
    assert read("urdf", written("ring.urdf", text)).findings[0].code == 202


def test_shape_without_volume_is_ignored_with_a_warning(read, written):
    text = link("<collision><geometry><cylinder radius='0' length='1'/></geometry></collision>")
    imported = read("urdf", written("flat.urdf", text))
    assert imported.robot.item("a").subitems == ()
    assert any(finding.severity is Severity.WARNING and finding.code == 503 for finding in imported.findings)


def test_scale_with_four_numbers_uses_the_first_three(read, written):
    written("box.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    mesh = '<collision><geometry><mesh filename="box.obj" scale="2 3 4 1"/></geometry></collision>'
    imported = read("urdf", written("one.urdf", link(mesh)))
    assert np.ptp(imported.robot.item("a").subitems[0].shape.vertices, axis=0).tolist() == [2, 3, 4]
    assert 502 in codes(imported, Severity.WARNING)


def test_whitespace_before_the_xml_declaration_is_accepted(read, written):
    assert read("urdf", written("arm.urdf", "\n \n" + ARM)).robot is not None
    late = "\n\n" + ARM.replace('<mass value="4"/>', '<mass value="four"/>')
    assert read("urdf", written("arm.urdf", late)).findings[0].where == "arm.urdf:7"


TWO_LINKS = """<robot name="two" version="1.2"><link name="a"/>
<link name="b"><inertial><mass value="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0" {turn}/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="2" velocity="3" {limits}/></joint>{more}</robot>"""


def test_quaternion_turns_an_origin(read, written):
    text = TWO_LINKS.format(turn='quat_xyzw="0 0 1 1"', limits="", more="")
    pose = read("urdf", written("two.urdf", text)).robot.item("b").pose
    np.testing.assert_allclose(pose[:3], [[0, -1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        ('rpy="0 0 1" quat_xyzw="0 0 1 1"', "two orientations"),
        ('quat_xyzw="0 0 0 0"', "quaternion of the origin is zero"),
        ('quat_xyzw="0 0 1"', "takes 4 numbers"),
    ],
)
def test_invalid_quaternion_is_refused(read, written, turn, said):
    imported = read("urdf", written("two.urdf", TWO_LINKS.format(turn=turn, limits="", more="")))
    assert imported.robot is None
    assert said in imported.findings[0].message


def test_limits_of_urdf_1_2_are_kept(read, written):
    limits = 'acceleration="4" deceleration="5" jerk="60"'
    joint = read("urdf", written("two.urdf", TWO_LINKS.format(turn="", limits=limits, more=""))).robot.joint("j")
    assert joint.acceleration == 4
    assert joint.extensions["urdf"] == {"deceleration": "5", "jerk": "60"}
    zero = read("urdf", written("zero.urdf", TWO_LINKS.format(turn="", limits='acceleration="0"', more="")))
    assert zero.robot.joint("j").acceleration is None
    assert any("acceleration 0 is not positive" in finding.message for finding in zero.findings)


@pytest.mark.parametrize(
    ("more", "actuation"),
    [
        ('<transmission name="t"><joint name="j"/><actuator name="m"/></transmission>', Actuation.ACTUATED),
        ('<ros2_control><joint name="j"><command_interface name="effort"/></joint></ros2_control>', Actuation.ACTUATED),
        ('<ros2_control><joint name="j"><state_interface name="effort"/></joint></ros2_control>', Actuation.UNKNOWN),
        ("", Actuation.UNKNOWN),
    ],
)
def test_transmission_makes_a_joint_actuated(read, written, more, actuation):
    imported = read("urdf", written("two.urdf", TWO_LINKS.format(turn="", limits="", more=more)))
    assert imported.robot.joint("j").actuation is actuation


def test_transmission_gives_a_motor_with_the_gear_and_it_is_exported(read, written):
    more = """<transmission name="t"><joint name="j"/>
    <actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>"""
    robot = read("urdf", written("two.urdf", TWO_LINKS.format(turn="", limits="", more=more))).robot
    exported = write(robot, "again.urdf", {}, Job()).files["again.urdf"].decode()
    for one in (robot, read("urdf", written("again.urdf", exported)).robot):
        (motor,) = one.actuators
        assert (motor.name, motor.joint, motor.gear) == ("m", "j", 50)
        assert (motor.force.lower, motor.force.upper) == (-2 / 50, 2 / 50)


@pytest.mark.parametrize("reduction", ["0", "much"])
def test_invalid_reduction_is_replaced_with_a_warning(read, written, reduction):
    gear = f"<mechanicalReduction>{reduction}</mechanicalReduction>"
    more = f'<transmission name="t"><joint name="j"/><actuator name="m">{gear}</actuator></transmission>'
    imported = read("urdf", written("two.urdf", TWO_LINKS.format(turn="", limits="", more=more)))
    assert imported.robot.actuators[0].gear == 1
    assert any(f"the reduction '{reduction}'" in f.message for f in imported.findings)


def test_transmission_of_an_unknown_joint_gives_a_warning(read, written):
    more = '<transmission name="t"><joint name="jj"/></transmission>'
    imported = read("urdf", written("two.urdf", TWO_LINKS.format(turn="", limits="", more=more)))
    assert any("'jj', which does not exist" in f.message and f.severity is Severity.WARNING for f in imported.findings)


def test_leftover_xacro_is_ignored_with_a_warning(read, written):
    more = '<xacro:gone n="1"/><link name="c" xacro:if="1"/>'
    text = TWO_LINKS.format(turn="", limits="", more=more)
    text = text.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
    imported = read("urdf", written("two.urdf", text))
    assert [item.name for item in imported.robot.items] == ["a", "b", "c"]
    warned = [finding.message for finding in imported.findings if finding.severity is Severity.WARNING]
    assert any("<xacro:gone> is not expanded" in message for message in warned)
    assert any("attribute xacro:if is not expanded" in message for message in warned)


def test_transmissions_and_limits_survive_the_export_of_urdf_1_2(read, written):
    limits = 'acceleration="4" deceleration="5" jerk="60"'
    more = '<transmission name="t"><joint name="j"/></transmission>'
    robot = read("urdf", written("two.urdf", TWO_LINKS.format(turn="", limits=limits, more=more))).robot
    old, new = (
        write(robot, "two.urdf", {"version": version}, Job()).files["two.urdf"].decode() for version in ("1.0", "1.2")
    )
    again = read("urdf", written("again.urdf", new)).robot.joint("j")
    assert (again.actuation, again.acceleration) == (Actuation.ACTUATED, 4)
    assert again.extensions == robot.joint("j").extensions
    assert "<transmission" in old
    assert "jerk" not in old


def test_urdf_with_macros_that_do_not_expand_is_read_without_them(read, written):
    text = TWO_LINKS.format(turn="", limits="", more="<xacro:gone/>")
    imported = read(
        "urdf", written("two.urdf", text.replace("<robot", '<robot xmlns:xacro="http://wiki.ros.org/xacro"'))
    )
    assert imported.robot is not None
    assert any("its xacro tags were ignored" in finding.message for finding in imported.findings)
