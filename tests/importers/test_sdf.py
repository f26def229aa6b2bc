"""SDF files: models, worlds, includes, frames and joints."""

import numpy as np
import pytest
from rck_plugins.exporters.sdf.writer import write

from rck.hooks import Job
from rck.model import JointKind, Severity, at_positions

INERTIAL = "<inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>"
BOX = "<geometry><box><size>.1 .2 .3</size></box></geometry>"


def sdf(content, version="1.9"):
    return f'<?xml version="1.0"?><sdf version="{version}">{content}</sdf>'


def link(name, pose="0 0 0 0 0 0", more=""):
    return f'<link name="{name}"><pose>{pose}</pose>{INERTIAL}{more}</link>'


def frame(name, relative_to):
    return f'<frame name="{name}"><pose relative_to="{relative_to}"/></frame>'


def joint(name, kind, axis="", more=""):
    return f'<joint name="{name}" type="{kind}"><parent>a</parent><child>b</child>{axis}{more}</joint>'


def two_links(joints, version="1.9"):
    return sdf(f'<model name="m">{link("a")}{link("b", "0 0 1 0 0 0")}{joints}</model>', version)


def test_unfixed_model_is_loose_and_static_model_is_not(read, written):
    loose = read("sdf", written("loose.sdf", sdf(f'<model name="m">{link("a")}</model>'))).robot
    fixed = read("sdf", written("fixed.sdf", sdf(f'<model name="m"><static>1</static>{link("a")}</model>'))).robot
    assert loose.item("a").mobile
    assert not fixed.item("a").mobile


def test_joint_keeps_limits_effort_velocity_damping_and_friction(read, written):
    axis = """<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>4</velocity>
    </limit><dynamics><damping>.5</damping><friction>.25</friction></dynamics></axis>"""
    turn = read("sdf", written("m.sdf", two_links(joint("j", "revolute", axis)))).robot.joint("j")
    assert (turn.kind, turn.limits.lower, turn.limits.upper) == (JointKind.REVOLUTE, -1, 2)
    assert (turn.effort, turn.speed, turn.damping, turn.friction) == (30, 4, 0.5, 0.25)
    assert (turn.start, turn.direction.tolist()) == ((0, 0, 1), [0, 1, 0])


@pytest.mark.parametrize(
    "bounds", ["", "<lower>-1e16</lower><upper>1e16</upper>", "<lower>-inf</lower><upper>inf</upper>"]
)
def test_infinite_limits_give_a_continuous_joint(read, written, bounds):
    axis = f"<axis><xyz>0 0 1</xyz><limit>{bounds}<effort>-1</effort><velocity>-1</velocity></limit></axis>"
    turn = read("sdf", written("m.sdf", two_links(joint("j", "revolute", axis)))).robot.joint("j")
    assert (turn.kind, turn.effort, turn.speed) == (JointKind.CONTINUOUS, None, None)


def test_mimic_axis_follows_another_joint_from_its_reference(read, written):
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    mimic = """<axis><xyz>0 0 1</xyz><mimic joint="j"><multiplier>2</multiplier><offset>.5</offset>
    <reference>.1</reference></mimic></axis>"""
    follower = '<joint name="k" type="revolute"><parent>b</parent><child>c</child>' + mimic + "</joint>"
    model = f'<model name="m">{link("a")}{link("b")}{link("c")}{joint("j", "revolute", axis)}{follower}</model>'
    robot = read("sdf", written("m.sdf", sdf(model, "1.11"))).robot
    assert at_positions(robot, np.array([0.3])).joint("k").position == pytest.approx(2 * (0.3 - 0.1) + 0.5)


def test_spring_of_a_joint_survives_an_export(read, written):
    spring = "<spring_stiffness>5</spring_stiffness><spring_reference>.2</spring_reference>"
    axis = f"<axis><xyz>0 0 1</xyz><dynamics>{spring}</dynamics></axis>"
    robot = read("sdf", written("m.sdf", two_links(joint("j", "revolute", axis)))).robot
    exported = write(robot, "again.sdf", {}, Job()).files["again.sdf"].decode()
    for one in (robot, read("sdf", written("again.sdf", exported)).robot):
        assert (one.joint("j").stiffness, one.joint("j").spring_position) == (5, 0.2)


def test_joints_with_several_degrees_of_freedom_become_chains(read, written):
    both = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    ball = read("sdf", written("ball.sdf", two_links(joint("j", "ball")))).robot
    universal = read("sdf", written("universal.sdf", two_links(joint("j", "universal", both)))).robot
    assert [one.name for one in ball.joints] == ["j-x", "j-y", "j-z"]
    assert [one.direction.tolist() for one in universal.joints] == [[1, 0, 0], [0, 1, 0]]


def test_screw_joint_rotates_and_slides_by_its_pitch(read, written):
    axis = "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>.01</screw_thread_pitch>"
    robot = read("sdf", written("m.sdf", two_links(joint("j", "screw", axis)))).robot
    moved = at_positions(robot, np.array([2 * np.pi]))
    np.testing.assert_allclose(moved.item("b").pose[:3, 3], (0, 0, 1.01), atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "loop"),
    [("revolute", "revolute"), ("prismatic", "prismatic"), ("fixed", "weld"), ("ball", "connect")],
)
def test_second_joint_of_a_link_closes_a_loop(read, written, kind, loop):
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    imported = read("sdf", written("m.sdf", two_links(joint("j", "revolute", axis) + joint("again", kind, axis))))
    assert [one.name for one in imported.robot.joints] == ["j"]
    (found,) = imported.robot.loops
    assert (found.name, found.kind.value, found.items) == ("again", loop, ("a", "b"))
    assert any("again closes a loop" in finding.message for finding in imported.findings)


def test_gearbox_joint_is_ignored_and_reported(read, written):
    imported = read("sdf", written("m.sdf", two_links(joint("g", "gearbox"))))
    assert imported.robot.joints == ()
    assert any("gearbox" in finding.message for finding in imported.findings)


def test_joint_to_the_world_fixes_the_model(read, written):
    held = '<joint name="weld" type="fixed"><parent>world</parent><child>a</child></joint>'
    robot = read("sdf", written("m.sdf", sdf(f'<model name="m">{link("a")}{held}</model>'))).robot
    assert [item.name for item in robot.items] == ["world", "a"]
    assert not robot.item("a").mobile


def test_axis_is_in_the_model_frame_before_sdf_1_5(read, written):
    turned = '<link name="b"><pose>0 0 1 1.5707963267948966 0 0</pose></link>'
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    text = f'<model name="m">{link("a")}{turned}{joint("j", "revolute", axis)}</model>'
    old = read("sdf", written("old.sdf", sdf(text, "1.4"))).robot.joint("j")
    new = read("sdf", written("new.sdf", sdf(text, "1.6"))).robot.joint("j")
    np.testing.assert_allclose(old.direction, (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(new.direction, (0, -1, 0), atol=1e-12)


def test_links_of_a_world_are_named_by_their_models(read, written):
    models = f'<model name="one">{link("a")}</model><model name="two"><pose>0 1 0 0 0 0</pose>{link("a")}</model>'
    path = written("w.sdf", sdf(f'<world name="w"><light name="sun"/>{models}</world>'))
    robot = read("sdf", path).robot
    assert [item.name for item in robot.items] == ["one/a", "two/a"]
    assert robot.item("two/a").pose[1, 3] == 1
    alone = read("sdf", path, {"model": "two"}).robot
    assert (alone.name, [item.name for item in alone.items]) == ("two", ["a"])


def test_an_included_model_is_found_by_its_folder_and_placed_by_the_include(read, written):
    written("box/model.config", '<model><sdf version="1.4">old.sdf</sdf><sdf version="1.9">box.sdf</sdf></model>')
    touches = f'<collision name="c">{BOX}</collision>'
    written("box/box.sdf", sdf(f'<model name="box">{link("a", more=touches)}</model>'))
    include = "<include><uri>model://box</uri><name>left</name><pose>0 2 0 0 0 0</pose><static>true</static></include>"
    more = "<include><uri>model://gone</uri></include>"
    imported = read(
        "sdf", written("w.sdf", sdf(f'<world name="w">{include}{more}<model name="m">{link("a")}</model></world>'))
    )
    left = imported.robot.item("left/a")
    assert (left.pose[1, 3], left.mobile, len(left.subitems)) == (2, False, 1)
    assert any(
        f.code == 508 and "model://gone" in f.message and f.severity is Severity.WARNING for f in imported.findings
    )


def test_shapes_and_colours_are_read(read, written):
    kinds = {
        "box": "<box><size>.1 .2 .3</size></box>",
        "sphere": "<sphere><radius>.1</radius></sphere>",
        "cylinder": "<cylinder><radius>.1</radius><length>.5</length></cylinder>",
        "capsule": "<capsule><radius>.1</radius><length>.5</length></capsule>",
        "ellipsoid": "<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>",
        "cone": "<cone><radius>.1</radius><length>.5</length></cone>",
        "plane": "<plane><normal>0 0 1</normal></plane>",
    }
    shapes = "".join(
        f'<collision name="{name}"><geometry>{text}</geometry></collision>' for name, text in kinds.items()
    )
    visual = f'<visual name="v">{BOX}<material><diffuse>0 1 0 1</diffuse></material></visual>'
    imported = read("sdf", written("m.sdf", sdf(f'<model name="m">{link("a", more=shapes + visual)}</model>')))
    item = imported.robot.item("a")
    assert [one.name for one in item.subitems] == list(kinds)[:-1]
    assert item.subitems[0].colour == (0, 1, 0, 1)
    assert any("<plane> geometry" in finding.message for finding in imported.findings)


def test_auto_inertia_is_computed_from_shapes_and_density(read, written):
    inertial = '<inertial auto="true"><density>500</density></inertial>'
    body = f'<link name="a">{inertial}<collision name="c">{BOX}</collision></link>'
    body_mass = read("sdf", written("m.sdf", sdf(f'<model name="m">{body}</model>', "1.11"))).robot.item("a").mass
    assert body_mass == pytest.approx(500 * 0.1 * 0.2 * 0.3)


def test_link_without_inertial_gets_one_kilogram_and_unit_inertia(read, written):
    partial = "<inertial><pose>0 0 .5 0 0 0</pose><inertia><ixx>.5</ixx></inertia></inertial>"
    model = f'<model name="m"><link name="a"/><link name="b">{partial}</link></model>'
    imported = read("sdf", written("m.sdf", sdf(model)))
    a, b = (imported.robot.item(name).mass_properties for name in "ab")
    assert (a.mass, b.mass) == (1, 1)
    np.testing.assert_allclose(a.inertia, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(b.inertia, np.diag([0.5, 1, 1]), atol=1e-12)
    np.testing.assert_allclose(b.centre, (0, 0, 0.5))
    assert sum("as in libsdformat" in finding.message for finding in imported.findings) == 1


def test_auto_inertia_weighs_each_collision_by_its_density(read, written):
    ball = "<geometry><sphere><radius>.1</radius></sphere></geometry>"
    shapes = f"""<collision name="c"><density>200</density>{BOX}</collision>
    <collision name="d"><pose>0 0 1 0 0 0</pose>{ball}<auto_inertia_params/></collision>"""
    box, sphere = 200 * 0.1 * 0.2 * 0.3, 1000 * 4 / 3 * np.pi * 0.1**3
    masses, centres = [], []
    for stated in ("", "<mass>2</mass>"):
        inertial = f'<inertial auto="true">{stated}</inertial>'
        path = written("m.sdf", sdf(f'<model name="m"><link name="a">{inertial}{shapes}</link></model>', "1.11"))
        imported = read("sdf", path)
        body = imported.robot.item("a").mass_properties
        masses.append(body.mass)
        centres.append(body.centre[2])
    assert masses == pytest.approx([box + sphere, 2])
    assert centres == pytest.approx([sphere / (box + sphere)] * 2)
    assert any("<auto_inertia_params>" in finding.message for finding in imported.findings)


def test_auto_inertia_without_collisions_is_the_default_with_a_warning(read, written):
    imported = read("sdf", written("m.sdf", sdf('<model name="m"><link name="a"><inertial auto="1"/></link></model>')))
    assert imported.robot.item("a").mass == 1
    assert any("needs collision" in f.message and f.severity is Severity.WARNING for f in imported.findings)


@pytest.mark.parametrize(
    "broken", ["", "<geometry/>", "<geometry><box><size>1 2</size></box></geometry>", "<geometry><mesh/></geometry>"]
)
def test_broken_visual_is_ignored_with_a_warning(read, written, broken):
    more = f'<visual name="v">{broken}</visual><visual name="w">{BOX}</visual>'
    imported = read("sdf", written("m.sdf", sdf(f'<model name="m">{link("a", more=more)}</model>')))
    assert [one.name for one in imported.robot.item("a").visuals] == ["w"]
    assert any("visual was ignored" in f.message and f.severity is Severity.WARNING for f in imported.findings)


def test_link_joint_and_frame_may_share_a_name(read, written):
    turn = '<joint name="b" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
    on_link = '<frame name="f"><pose relative_to="b">0 0 1 0 0 0</pose></frame>'
    model = f'<model name="m">{turn}{on_link}{link("a")}{link("b", "0 0 2 0 0 0")}</model>'
    robot = read("sdf", written("m.sdf", sdf(model, "1.6"))).robot
    assert [item.name for item in robot.items] == ["a", "b"]
    assert robot.joint("b").moves == ("b",)
    assert {one.name: one.pose[2, 3] for one in robot.frames}["f"] == 3


def test_merged_include_joins_the_names_of_its_model(read, written):
    inner = f'<model name="arm">{link("a")}{link("b", "0 0 1 0 0 0")}<frame name="tip" attached_to="b"/></model>'
    written("arm.sdf", sdf(inner))
    include = '<include merge="true"><uri>arm.sdf</uri><pose>0 3 0 0 0 0</pose></include>'
    joint_to_b = '<joint name="j" type="fixed"><parent>base</parent><child>a</child></joint>'
    on_tip = '<link name="tool"><pose relative_to="tip">1 0 0 0 0 0</pose></link>'
    text = sdf(f'<model name="m">{link("base")}{include}{joint_to_b}{on_tip}</model>')
    imported = read("sdf", written("m.sdf", text))
    robot = imported.robot
    assert sorted(item.name for item in robot.items) == ["a", "b", "base", "tool"]
    assert robot.item("tool").pose[:3, 3].tolist() == [1, 3, 1]
    assert robot.joint("j").moves == ("a",)


def test_merged_include_with_a_used_name_is_refused(read, written):
    written("arm.sdf", sdf(f'<model name="arm">{link("a")}</model>'))
    include = '<include merge="true"><uri>arm.sdf</uri></include>'
    imported = read("sdf", written("m.sdf", sdf(f'<model name="m">{link("a")}{include}</model>')))
    assert imported.robot is None
    assert "already used" in imported.findings[0].message


def test_relative_uri_is_searched_in_sdf_path(read, written, tmp_path, monkeypatch):
    written("shelf/arm.sdf", sdf(f'<model name="arm">{link("a")}</model>'))
    written("secret.sdf", sdf(f'<model name="secret">{link("s")}</model>'))
    monkeypatch.setenv("SDF_PATH", str(tmp_path / "shelf"))
    outside = "<include><uri>../secret.sdf</uri></include>"
    world = sdf(f'<world name="w"><include><uri>arm.sdf</uri></include>{outside}</world>')
    imported = read("sdf", written("worlds/w.sdf", world))
    assert [item.name for item in imported.robot.items] == ["a"]
    assert any("secret.sdf" in f.message and f.severity is Severity.WARNING for f in imported.findings)


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        ("", 505, "no model"),
        ('<model name="m"><link/></model>', 104, "no name"),
        (f'<model name="m">{link("a")}{link("a")}</model>', 103, "the name a is already used"),
        (f'<model name="m">{link("a")}{frame("f", "g")}</model>', 207, "no frame 'g'"),
        (f'<model name="m">{link("a")}{frame("f", "g")}{frame("g", "f")}</model>', 202, "relative to itself"),
        (f'<model name="m">{link("a")}{joint("j", "revolute")}</model>', 201, "no link or frame 'b'"),
        (f'<model name="m">{link("a")}{link("b")}{joint("j", "revolute")}</model>', 505, "no <axis>"),
        (f'<model name="m">{link("a")}{link("b")}{joint("j", "rubber")}</model>', 104, "unknown joint type 'rubber'"),
        ('<model name="m"><link name="a"><pose>1 2 3</pose></link></model>', 104, "takes 6 numbers"),
        ('<model name="m">' * 150 + "</model>" * 150, 509, "nested"),
    ],
)
def test_invalid_file_gives_one_error_with_line_number(read, written, content, code, said):
    imported = read("sdf", written("wrong.sdf", sdf(content)))
    assert imported.robot is None
    assert imported.findings[0].code == code
    assert said in imported.findings[0].message
    assert imported.findings[0].where.startswith("wrong.sdf:1")
