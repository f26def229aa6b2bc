"""Compiling instances and mates to a robot: names, findings, and incremental compiles."""

import random
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.assembly import compiler as compile_module
from rck.assembly.compiler import Compiler, free_ports
from rck.assembly.definitions import Definitions
from rck.assembly.document import Assembly, Instance, JointSetting, Mate, MateJoint, Tool
from rck.assembly.native_file import normalised
from rck.language.document import compile_file
from rck.language.session import Session
from rck.model import Robot, Severity
from rck.model.quantities import PoseSpec, Units
from rck.parts.library import Catalogue


def arm(pieces, **more):
    parts = {"base": Instance("block"), "arm": Instance("servo"), "hand": Instance("gripper")}
    mates = [Mate("base.top", "arm.back"), Mate("arm.horn", "hand.mount")]
    return normalised(Assembly("arm", **{"parts": parts, "mates": mates, "local_parts": pieces, **more}))


def findings(assembly: Assembly) -> list[tuple[int, str]]:
    built = Compiler(Definitions(Catalogue({}), Path(), compile_file)).compile(assembly)
    return [(one.code, one.where) for one in built.findings]


def test_names_are_scoped_by_their_instance(pieces, compiled):
    robot = compiled(arm(pieces, tools={"grip": Tool("hand.tip")})).robot
    assert [item.name for item in robot.items] == [
        "base/body", "arm/body", "arm/horn", "hand/palm", "hand/left", "hand/right",
    ]  # fmt: skip
    assert [joint.name for joint in robot.joints] == ["arm/mate", "arm/axis", "hand/mate", "hand/close", "hand/other"]
    assert robot.joint("hand/other").mimic.joint == "hand/close"
    assert [(frame.name, frame.item) for frame in robot.frames] == [("grip", "hand/left")]


def test_robot_does_not_depend_on_the_order_of_instances_and_mates(pieces, compiled):
    plain = arm(pieces)
    expected = compiled(plain).robot
    for seed in range(5):
        shuffled = random.Random(seed).sample(sorted(plain.parts.items()), 3)
        robot = compiled(msgspec.structs.replace(plain, parts=dict(shuffled))).robot
        assert [item.name for item in robot.items] == [item.name for item in expected.items]
        assert [joint.name for joint in robot.joints] == [joint.name for joint in expected.joints]


def test_adding_instances_keeps_existing_names(pieces, compiled):
    plain = arm(pieces)
    more = msgspec.structs.replace(plain, parts={"a": Instance("block"), **plain.parts, "z": Instance("servo")})
    names = {item.name for item in compiled(plain).robot.items}
    assert names < {item.name for item in compiled(more).robot.items}


def test_ports_name_the_mate_that_uses_them(pieces, compiled):
    built = compiled(arm(pieces))
    assert set(free_ports(built)) == {"base.side", "base.under", "hand.tip"}
    mates = arm(pieces).mates
    assert mates[built.ports["base.top"].mate].put == "arm.back"
    assert built.instance_of_item["hand/left"] == "hand"


def test_instances_without_a_mate_use_their_own_pose(pieces, compiled):
    place = PoseSpec(at=("1 in", 20.0, 30.0), rpy=(0.0, 0.0, 90.0))
    robot = compiled(Assembly("a", parts={"it": Instance("block", place=place)}, local_parts=pieces)).robot
    np.testing.assert_allclose(
        robot.items[0].pose, [[0, -1, 0, 0.0254], [1, 0, 0, 0.02], [0, 0, 1, 0.03], [0, 0, 0, 1]], atol=1e-12
    )


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        ({"parts": {"base": Instance("blokc")}, "mates": []}, 801, "base"),
        ({"parts": {"base": Instance("block", with_={"size": 3.0})}, "mates": []}, 801, "base"),
        ({"parts": {"base": Instance("block", scale=0.0)}, "mates": []}, 801, "base"),
        ({"parts": {"base": Instance("block", colour="red")}, "mates": []}, 801, "base"),
        ({"parts": {"base": Instance("nobody/nothing")}, "mates": []}, 801, "base"),
        ({"parts": {"base": Instance("./missing.rck")}, "mates": []}, 801, "base"),
        ({"parts": {"base": Instance("a\0b.rck")}, "mates": []}, 801, "base"),
        ({"parts": {"a b": Instance("block")}, "mates": []}, 102, "instance a b"),
        ({"parts": {"a/b": Instance("block")}, "mates": []}, 102, "instance a/b"),
        ({"parts": {"a.b": Instance("block")}, "mates": []}, 102, "instance a.b"),
        ({"units": Units(length="furlong")}, 104, "units.length"),
        ({"parts": {"base": Instance("block", place=PoseSpec(at=("9e99 km", 0.0, 0.0)))}, "mates": []}, 802, "base"),
        ({"parts": {"base": Instance("block", place=PoseSpec(at=("3 kg", 0.0, 0.0)))}, "mates": []}, 802, "base"),
        ({"mates": [Mate("base.top", "arm.back"), Mate("bse.top", "hand.mount")]}, 802, "mate bse.top hand.mount"),
        ({"mates": [Mate("base.top", "arm.bakc")]}, 802, "mate base.top arm.bakc"),
        ({"mates": [Mate("base.", "arm.back")]}, 802, "mate base. arm.back"),
        ({"mates": [Mate("base.top", "arm.back"), Mate("base.side", "arm.horn")]}, 803, "mate base.side arm.horn"),
        ({"mates": [Mate("arm.horn", "arm.back")]}, 803, "mate arm.horn arm.back"),
        ({"mates": [Mate("arm.horn", "base.top"), Mate("base.side", "arm.back")]}, 803, "arm"),
        ({"mates": [Mate("base.top", "arm.back"), Mate("base.top", "hand.mount")]}, 804, "mate base.top hand.mount"),
        ({"mates": [Mate("base.top", "arm.back", joint=MateJoint())]}, 104, "joint arm/mate"),
        ({"mates": [Mate("base.top", "arm.back", joint=MateJoint(revolute="z"))]}, 104, "joint arm/mate"),
        ({"mates": [Mate("base.top", "arm.back", turn="5 mm")]}, 802, "mate base.top arm.back"),
        (
            {"mates": [Mate("base.top", "arm.back", joint=MateJoint(continuous=(0.0, 0.0, 0.0)))]},
            205,
            "joint arm/mate",
        ),
        (
            {"mates": [Mate("base.top", "arm.back", joint=MateJoint(prismatic="z", limits=(0.0, 1.0), torque=1.0))]},
            104,
            "joint arm/mate",
        ),
        (
            {"mates": [Mate("base.top", "arm.back", joint=MateJoint(continuous="z", name="arm/axis"))]},
            103,
            "joint arm/axis",
        ),
        ({"joints": {"arm/axsi": JointSetting(position=1.0)}}, 807, "arm/axsi"),
        ({"joints": {"arm/mate": JointSetting(position=1.0)}}, 807, "arm/mate"),
        ({"joints": {"arm/axis": JointSetting(limits=(9.0, 1.0))}}, 807, "arm/axis"),
        ({"joints": {"arm/axis": JointSetting(speed=-1.0)}}, 807, "arm/axis"),
        ({"joints": {"arm/axis": JointSetting(force=1.0)}}, 807, "arm/axis"),
        ({"joints": {"hand/close": JointSetting(torque=1.0)}}, 807, "hand/close"),
        ({"joints": {"arm/axis": JointSetting(position=171.0)}}, 405, "joint arm/axis"),
        ({"joints": {"hand/other": JointSetting(position=1.0)}}, 405, "joint hand/other"),
        ({"tools": {"grip": Tool("hnad.tip")}}, 808, "tool grip"),
        ({"tools": {"grip": Tool("hand.tpi")}}, 808, "tool grip"),
        ({"tools": {"grip": Tool("hand.tip", offset=("1 kg", 0.0, 0.0))}}, 808, "tool grip"),
        ({"tools": {"a grip": Tool("hand.tip")}}, 102, "frame a grip"),
        ({"ports": {"mount": "base.udner"}}, 809, "port mount"),
        ({"poses": {"folded": {"arm/axsi": 1.0}}}, 810, "pose folded"),
    ],
)
def test_assembly_errors_are_findings_with_a_location(pieces, change, code, where):
    assert (code, where) in findings(arm(pieces, **change))


def test_incompatible_ports_of_a_document_are_a_warning_without_force(session: Session):
    parts = {"base": Instance("structure/round-base"), "motor": Instance("robotis/xm540-w270")}
    motors = {**parts, "other": Instance("robotis/xm540-w270")}
    odd = Assembly("odd", parts=motors, mates=[Mate("base.top", "motor.back"), Mate("motor.horn", "other.back")])
    built = session.compile(odd)
    (finding,) = built.findings
    assert (finding.code, finding.severity, finding.where) == (805, Severity.WARNING, "mate motor.horn other.back")
    assert built.value is not None
    forced = [odd.mates[0], msgspec.structs.replace(odd.mates[1], force=True)]
    assert session.compile(msgspec.structs.replace(odd, mates=forced)).findings == ()


def test_scaled_or_mirrored_purchased_part_is_a_warning(session: Session):
    for change in ({"scale": 2.0}, {"mirror": "x"}):
        assembly = Assembly("odd", parts={"servo": Instance("robotis/xm540-w270", **change)})
        built = session.compile(assembly)
        assert [one.code for one in built.findings] == [806]
        assert built.value is not None


def test_joint_with_zero_outside_its_limits_starts_at_the_nearest_limit(pieces, compiled):
    for setting, degrees in (
        (JointSetting(limits=(20.0, 90.0)), 20),
        (JointSetting(limits=(-90.0, -20.0)), -20),
        (JointSetting(limits=(20.0, 90.0), position=50.0), 50),
    ):
        robot = compiled(arm(pieces, joints={"arm/axis": setting})).robot
        assert robot.joint("arm/axis").position == pytest.approx(np.radians(degrees))
    mates = [Mate("base.top", "arm.back", joint=MateJoint(revolute="z", limits=(30.0, 60.0)))]
    robot = compiled(arm(pieces, mates=mates)).robot
    assert robot.joint("arm/mate").position == pytest.approx(np.radians(30))


def test_joint_settings_are_applied_to_the_robot(pieces, compiled):
    setting = JointSetting(position="0.5 rad", limits=(-60.0, "1 rad"), speed=10.0, torque="2 N m")
    joint = compiled(arm(pieces, joints={"arm/axis": setting})).robot.joint("arm/axis")
    assert joint.position == pytest.approx(0.5)
    assert (joint.limits.lower, joint.limits.upper) == pytest.approx((-np.pi / 3, 1.0))
    assert joint.speed == pytest.approx(10 * 2 * np.pi / 60)
    assert joint.effort == pytest.approx(2)


def test_limits_turn_a_continuous_joint_into_a_limited_one(pieces, compiled):
    mates = [Mate("base.top", "arm.back", joint=MateJoint(continuous="z"))]
    endless = compiled(arm(pieces, mates=mates)).robot.joint("arm/mate")
    limited = compiled(arm(pieces, mates=mates, joints={"arm/mate": JointSetting(limits=(-1.0, 1.0))})).robot
    assert endless.kind.value == "continuous"
    assert limited.joint("arm/mate").kind.value == "revolute"


def test_empty_assembly_compiles_to_an_empty_robot(compiled):
    assert compiled(Assembly("empty")).robot.items == ()


def test_assembly_with_too_many_items_is_refused(pieces, compiled, monkeypatch):
    monkeypatch.setattr(compile_module, "MOST_ITEMS", 5)
    assert (801, "") in findings(arm(pieces))


def same(one: Robot, other: Robot) -> bool:
    return (
        [(item.name, item.pose.tobytes(), item.mobile, item.mass) for item in one.items]
        == [(item.name, item.pose.tobytes(), item.mobile, item.mass) for item in other.items]
        and one.joints == other.joints
        and [(frame.name, frame.item, frame.pose.tobytes()) for frame in one.frames]
        == [(frame.name, frame.item, frame.pose.tobytes()) for frame in other.frames]
        and one.tree == other.tree
    )


changes = st.sampled_from(
    [
        lambda a: _with_part(a, "base", place=PoseSpec(at=(1.0, 2.0, 3.0))),
        lambda a: _with_part(a, "base", scale=1.5),
        lambda a: _with_part(a, "arm", mirror="x"),
        lambda a: _with_part(a, "arm", colour="#102030"),
        lambda a: _with_part(a, "hand", part="servo", mirror=None),
        lambda a: _with_part(a, "hand", part="gripper"),
        lambda a: _with_mate(a, "arm", turn=30.0),
        lambda a: _with_mate(a, "arm", put="arm.horn"),
        lambda a: _with_mate(a, "arm", put="arm.back"),
        lambda a: _with_mate(a, "arm", joint=MateJoint(continuous="y")),
        lambda a: _with_mate(a, "arm", joint=None),
        lambda a: _with_mate(a, "hand", put="hand", force=True),
        lambda a: msgspec.structs.replace(a, joints={"arm/axis": JointSetting(position=20.0)}),
        lambda a: msgspec.structs.replace(a, joints={}),
        lambda a: msgspec.structs.replace(a, units=Units(length="in")),
        lambda a: msgspec.structs.replace(a, units=Units()),
        lambda a: msgspec.structs.replace(a, parts={**a.parts, "extra": Instance("block")}),
        lambda a: msgspec.structs.replace(a, parts={k: v for k, v in a.parts.items() if k != "extra"}),
        lambda a: msgspec.structs.replace(a, tools={"t": Tool("arm.horn", offset=(0.0, 0.0, 5.0))}),
        lambda a: msgspec.structs.replace(a, local_parts={**a.local_parts, "block": a.local_parts["servo"]}, mates=[]),
        lambda a: a,
    ]
)


def _with_part(assembly, name, **change):
    part = msgspec.structs.replace(assembly.parts[name], **change)
    return msgspec.structs.replace(assembly, parts={**assembly.parts, name: part})


def _with_mate(assembly, name, **change):
    return normalised(
        msgspec.structs.replace(
            assembly,
            mates=[
                msgspec.structs.replace(mate, **change) if mate.put.startswith(name) else mate
                for mate in assembly.mates
            ],
        )
    )


@settings(max_examples=30)
@given(st.lists(changes, min_size=1, max_size=10))
def test_incremental_compile_equals_a_full_compile(pieces, edits):
    """A compiler with cached results gives the same result as a new one."""
    compiler = Compiler(Definitions(Catalogue({}), Path(), compile_file))
    assembly = arm(pieces)
    for change in edits:
        assembly = change(assembly)
        again = compiler.compile(assembly)
        anew = Compiler(Definitions(Catalogue({}), Path(), compile_file)).compile(assembly)
        assert again.findings == anew.findings
        assert (again.value is None) == (anew.value is None)
        if again.value is not None:
            assert same(again.value.robot, anew.value.robot)
            assert {end: (p.item, p.pose.tobytes(), p.mate) for end, p in again.value.ports.items()} == {
                end: (p.item, p.pose.tobytes(), p.mate) for end, p in anew.value.ports.items()
            }


def test_unchanged_parts_are_not_rebuilt(pieces):
    compiler = Compiler(Definitions(Catalogue({}), Path(), compile_file))
    plain = arm(pieces)
    before = compiler.compile(plain).unwrap().robot
    after = compiler.compile(_with_mate(plain, "hand", turn=10.0)).unwrap().robot
    assert after.item("arm/body") is before.item("arm/body")
    assert after.item("hand/palm") is not before.item("hand/palm")
    assert after.item("hand/palm").subitems is before.item("hand/palm").subitems
