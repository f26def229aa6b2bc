"""MJCF files: what becomes of bodies, joints, geoms, classes, includes and all the rest."""

import struct

import numpy as np
import pytest

from rck.geometry.primitives import box
from rck.model import JointKind, Severity, at_positions

ARM = """<mujoco model="arm">
  <compiler angle="degree" autolimits="true"/>
  <default>
    <geom density="500" rgba="1 0 0 1"/>
    <joint damping="0.5" armature="0.01"/>
    <default class="finger">
      <joint type="slide" axis="1 0 0" range="0 0.04"/><geom type="box" size=".01 .02 .03"/>
    </default>
  </default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <geom name="table" type="box" size=".5 .5 .02" pos="0 0 -.02"/>
    <body name="base" pos="0 0 .1">
      <geom type="cylinder" size=".05 .1"/>
      <body name="upper" pos="0 0 .1">
        <joint name="yaw" axis="0 0 1" range="-90 90" frictionloss="0.2"/>
        <joint name="pitch" axis="0 1 0" pos="0 0 .02"/>
        <geom type="capsule" fromto="0 0 0 0 0 .4" size=".03"/>
        <geom type="sphere" size=".06" contype="0" conaffinity="0" rgba="0 0 1 1"/>
        <site name="tip" pos="0 0 .4" euler="0 90 0"/>
        <body name="left" pos="0 .05 .4" childclass="finger"><joint name="left"/><geom/></body>
        <body name="right" pos="0 -.05 .4" childclass="finger"><joint name="right"/><geom/></body>
      </body>
    </body>
    <body name="ball" pos="1 0 .2"><freejoint/><geom size=".1" mass="2"/></body>
  </worldbody>
  <actuator>
    <motor joint="yaw" ctrlrange="-1 1" gear="40"/>
    <position joint="left" kp="10" forcerange="-7 5"/>
  </actuator>
  <equality><joint joint1="right" joint2="left" polycoef="0.01 -1 0 0 0"/><weld body1="base" body2="ball"/></equality>
  <keyframe><key name="home" qpos="0.5 -0.2 0.03 -0.02 1 2 3 1 0 0 0"/></keyframe>
  <sensor><jointpos joint="yaw"/></sensor>
</mujoco>
"""


@pytest.fixture
def arm(read, written):
    return read("mjcf", written("arm.xml", ARM))


def model(body, head=""):
    return f"<mujoco>{head}<worldbody>{body}</worldbody></mujoco>"


def test_bodies_become_items_in_the_order_of_the_file(arm):
    names = [item.name for item in arm.robot.items]
    assert names == ["world", "base", "upper-on-yaw", "upper", "left", "right", "ball"]


def test_several_joints_of_a_body_become_a_chain_with_intermediate_items(arm):
    yaw, pitch = arm.robot.joint("yaw"), arm.robot.joint("pitch")
    assert (yaw.base, yaw.moves) == ("base", ("upper-on-yaw",))
    assert (pitch.base, pitch.moves) == ("upper-on-yaw", ("upper",))
    assert (yaw.kind, pitch.kind) == (JointKind.REVOLUTE, JointKind.CONTINUOUS)
    np.testing.assert_allclose((yaw.limits.lower, yaw.limits.upper), (-np.pi / 2, np.pi / 2))


def test_mass_of_intermediate_items_is_taken_from_the_body(arm):
    between, upper = arm.robot.item("upper-on-yaw").mass, arm.robot.item("upper").mass
    whole = 500 * (np.pi * 0.03**2 * 0.4 + 4 / 3 * np.pi * (0.03**3 + 0.06**3))
    assert 0 < between <= 1e-9 * whole
    assert between + upper == pytest.approx(whole)


def test_default_classes_supply_missing_attributes(arm):
    left = arm.robot.joint("left")
    assert (left.kind, left.limits.upper, left.damping) == (JointKind.PRISMATIC, 0.04, 0.5)
    np.testing.assert_allclose(left.direction, (1, 0, 0))
    assert arm.robot.item("left").subitems[0].shape.volume == pytest.approx(8 * 0.01 * 0.02 * 0.03)
    assert arm.robot.item("left").subitems[0].colour == (1, 0, 0, 1)


def test_actuators_set_the_effort_limit_of_their_joint(arm):
    assert arm.robot.joint("yaw").effort == 40
    assert arm.robot.joint("left").effort == 7
    assert arm.robot.joint("pitch").effort is None


def test_linear_joint_equality_becomes_a_mimic_joint(arm):
    right = arm.robot.joint("right")
    assert (right.mimic.joint, right.mimic.ratio, right.mimic.offset) == ("left", -1, 0.01)


def test_limits_of_a_mimic_joint_are_widened_to_its_range(read, written):
    text = ARM.replace("0.01 -1 0 0 0", "-0.01 1 0 0 0")
    imported = read("mjcf", written("arm.xml", text))
    assert imported.robot.joint("right").limits.lower == pytest.approx(-0.01)
    assert any("driven beyond its limits" in finding.message for finding in imported.findings)


def test_body_with_a_free_joint_is_loose(arm):
    assert arm.robot.item("ball").mobile
    assert arm.robot.item("ball").mass == 2
    assert "ball" not in {name for joint in arm.robot.joints for name in joint.moves}


def test_geoms_without_contacts_become_visuals(arm):
    upper = arm.robot.item("upper")
    assert len(upper.subitems) == 1
    assert len(upper.visuals) == 2
    assert {visual.colour for visual in upper.visuals} == {(1, 0, 0, 1), (0, 0, 1, 1)}


def test_sites_become_frames(arm):
    (tip,) = arm.robot.frames
    assert (tip.name, tip.item) == ("tip", "upper")
    np.testing.assert_allclose(tip.pose[:3, 2], (1, 0, 0), atol=1e-12)


def test_world_body_has_no_mass_and_is_fixed(arm):
    world = arm.robot.item("world")
    assert world.mass == 0
    assert len(world.subitems) == 1
    assert not world.mobile


def test_unsupported_elements_are_reported_once_per_kind(arm):
    said = [finding.message for finding in arm.findings if finding.code == 503]
    assert sum("geom of type plane is kept for exports to MJCF" in message for message in said) == 1


def test_keyframe_sets_the_joint_positions(read, written):
    robot = read("mjcf", written("arm.xml", ARM), {"keyframe": "home"}).robot
    assert [joint.position for joint in robot.joints if joint.kind.moves] == pytest.approx([0.5, -0.2, 0.03, -0.02])
    np.testing.assert_allclose(robot.item("ball").pose[:3, 3], (1, 2, 3))


def test_unknown_keyframe_is_refused_with_the_existing_ones(read, written):
    imported = read("mjcf", written("arm.xml", ARM), {"keyframe": "hom"})
    assert imported.robot is None
    assert "known: home" in imported.findings[0].message


def test_ball_joint_becomes_three_revolute_joints(read, written):
    text = model('<body name="b"><joint name="s" type="ball"/><geom size=".1"/></body>')
    robot = read("mjcf", written("ball.xml", text)).robot
    assert [joint.name for joint in robot.joints] == ["s-x", "s-y", "s-z"]
    assert all(joint.kind is JointKind.CONTINUOUS for joint in robot.joints)


def test_joint_reference_is_the_position_of_the_drawn_pose(read, written):
    text = model('<body pos="0 0 1"><joint type="slide" axis="0 0 1" ref="0.3" range="0 1"/><geom size=".1"/></body>')
    robot = read("mjcf", written("ref.xml", text)).robot
    assert robot.joints[0].position == 0.3
    assert at_positions(robot, np.array([0.0])).items[-1].pose[2, 3] == pytest.approx(0.7)


def test_include_is_replaced_by_the_included_file(read, written):
    written("parts/geom.xml", '<mujocoinclude><geom name="g" size=".1"/></mujocoinclude>')
    written("parts/all.xml", '<mujocoinclude><body name="b"><include file="parts/geom.xml"/></body></mujocoinclude>')
    imported = read("mjcf", written("main.xml", model('<include file="parts/all.xml"/>')))
    assert len(imported.robot.item("b").subitems) == 1


def test_a_file_that_includes_itself_is_refused(read, written):
    path = written("main.xml", model('<include file="main.xml"/>'))
    assert "included twice" in read("mjcf", path).findings[0].message


def test_missing_include_is_an_error_with_line_number(read, written):
    imported = read("mjcf", written("main.xml", model('\n<include file="gone.xml"/>')))
    assert imported.robot is None
    assert (imported.findings[0].code, imported.findings[0].where) == (508, "main.xml:2")


def test_attached_model_gets_a_prefix_and_keeps_its_own_classes(read, written):
    child = model(
        '<body name="wheel"><joint name="spin"/><geom/></body>',
        '<compiler angle="radian"/><default><geom size=".25"/></default>',
    )
    written("wheel.xml", child)
    attached = '<frame pos="0 .3 0"><attach model="w" body="wheel" prefix="left-"/></frame>'
    main = model(
        f'<body name="cart"><geom size=".1"/>{attached}</body>', '<asset><model name="w" file="wheel.xml"/></asset>'
    )
    robot = read("mjcf", written("cart.xml", main)).robot
    assert [joint.name for joint in robot.joints if joint.kind.moves] == ["left-spin"]
    assert robot.item("left-wheel").pose[1, 3] == 0.3
    assert robot.item("left-wheel").sphere.radius == pytest.approx(0.25)


def test_meshes_are_read_from_inline_vertices_and_mujoco_binary_files(read, written, tmp_path):
    shape = box(0.2, 0.4, 0.6)
    corners = " ".join(f"{x:g}" for x in shape.vertices.ravel())
    triangles = [(face[0], face[n], face[n + 1]) for face in shape.faces for n in (1, 2)]
    data = struct.pack("<4i", 8, 0, 0, 12) + shape.vertices.astype("<f4").tobytes()
    (tmp_path / "box.msh").write_bytes(data + np.array(triangles, dtype="<i4").tobytes())
    assets = f'<asset><mesh name="v" vertex="{corners}"/><mesh file="box.msh" scale="2 2 2"/></asset>'
    bodies = '<body name="a"><geom type="mesh" mesh="v"/></body><body name="b"><geom type="mesh" mesh="box"/></body>'
    robot = read("mjcf", written("meshes.xml", model(bodies, assets))).robot
    assert robot.item("a").subitems[0].shape.volume == pytest.approx(0.048)
    assert robot.item("b").subitems[0].shape.volume == pytest.approx(8 * 0.048)
    assert robot.item("b").mass == pytest.approx(8 * 48, rel=1e-5)


def test_binary_mesh_with_wrong_counts_is_ignored_with_a_warning(read, written, tmp_path):
    (tmp_path / "lie.msh").write_bytes(struct.pack("<4i", 2**30, 0, 0, 2**30))
    text = model('<body><geom type="mesh" mesh="lie"/></body>', '<asset><mesh file="lie.msh"/></asset>')
    imported = read("mjcf", written("lie.xml", text))
    assert imported.findings[0].severity is Severity.WARNING
    assert "counts do not match" in imported.findings[0].message


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (model('<body><joint type="fixed"/></body>'), 104, "unknown joint type 'fixed'"),
        (model('<body><joint axis="0 0 0"/><geom size=".1"/></body>'), 205, "no direction"),
        (model('<body><geom type="box" size=".1"/></body>'), 104, "takes 3 sizes"),
        (model('<body><geom type="mesh" mesh="m"/></body>'), 201, "no mesh m"),
        (model('<body><geom class="gone" size=".1"/></body>'), 104, "no default class gone"),
        (model("", '<compiler coordinate="global"/>'), 505, "global coordinates"),
        (model("", '<compiler eulerseq="xyy y"/>'), 104, "eulerseq"),
        (model('<replicate count="1000000000"><geom size=".1"/></replicate>'), 509, "replicas"),
        (model('<body quat="0 0 0 0"/>'), 104, "quat has no length"),
    ],
)
def test_invalid_file_gives_one_error_with_line_number(read, written, text, code, said):
    imported = read("mjcf", written("wrong.xml", text))
    assert imported.robot is None
    assert imported.findings[0].code == code
    assert said in imported.findings[0].message
    assert imported.findings[0].where.startswith("wrong.xml:1")
