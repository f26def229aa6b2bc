"""Robots that were exported to USD and imported again are the same, although most numbers of USD are single."""

import itertools
import os
import re
from math import pi
from pathlib import Path

import numpy as np
import pytest
import rck_plugins.exporters.usd
from rck_importers.usd import reader

from rck.collision.pairs import pairs_to_test
from rck.geometry.mesh import make_mesh
from rck.geometry.transforms import translation
from rck.hooks import Job, discover
from rck.hooks.file_exchange import read_file, require_robot
from rck.model import (
    Actuation,
    Actuator,
    ActuatorKind,
    Mimic,
    NamedPose,
    PrimitiveKind,
    Tendon,
    Texture,
    Visual,
    build_item,
    build_joint,
    build_robot,
)
from rck.model.actuator import Range
from rck.model.forward_kinematics import forward_batch
from rck.model.joint_positions import at_positions, joint_positions
from rck.model.robot_arrays import robot_arrays
from rck.rendering.image_file import png_bytes
from rck.support.worker import _decode, _encode
from rck.testing.robots import box_between

pytest.importorskip("pxr.Usd", reason="usd-core is not installed")

ELLIPSOID = PrimitiveKind.ELLIPSOID
"""A collision shape of this kind becomes a mesh."""
DATA = Path(__file__).parents[1] / "importers" / "data"
CORPUS = Path(os.environ["RCK_CORPUS"]) / "robots" if "RCK_CORPUS" in os.environ else None
MODELS = ("robotiq_2f85/2f85", "trs_so_arm100/so_arm100", "agility_cassie/cassie", "kuka_iiwa_14/iiwa14",
          "shadow_hand/right_hand", "google_barkour_v0/barkour_v0", "bitcraze_crazyflie_2/cf2")  # fmt: skip
EXAMPLES = ("mobile-manipulator", "two-arm-cell", "master-slave")


@pytest.fixture
def here(monkeypatch):
    """Read without a child process: starting one takes longer than all the rest of a test."""

    def run(function, *arguments, **_):
        return _decode(_encode(function(Job(), *arguments)))

    monkeypatch.setattr(reader, "run_in_child", run)


@pytest.fixture
def again(desk, here):
    def run(robot, **options):
        path = desk.export(rck_plugins.exporters.usd, robot, f"{robot.name}-again.usda", **options)
        return require_robot(read_file(path, discover()), path)

    return run


def imported(path):
    return require_robot(read_file(path, discover()), path)


def source(element):
    return getattr(element, "source_name", "") or element.name


def assert_same(robot, other):
    """Every item, joint and actuator is the same, with its number, in the order of the robot."""
    items = {source(item): item for item in other.items}
    assert sorted(items) == sorted(map(source, robot.items))
    for item in robot.items:
        ours, theirs = item.mass_properties, items[source(item)].mass_properties
        assert theirs.mass == pytest.approx(ours.mass, rel=1e-9)
        assert theirs.centre == pytest.approx(ours.centre, abs=1e-9)
        assert theirs.inertia == pytest.approx(ours.inertia, rel=1e-9, abs=1e-9 * abs(ours.inertia).max())
        for kind in ("subitems", "visuals"):
            ones, others = (getattr(each, kind) for each in (item, items[source(item)]))
            for one, two in zip(ones, others, strict=True):
                assert two.colour == pytest.approx(one.colour, abs=1e-6)
                assert two.primitive is not None or one.primitive is None or one.primitive.kind is ELLIPSOID
    joints = {source(joint): joint for joint in other.joints}
    for joint in robot.joints:
        if joint.kind.moves:
            assert_same_joint(joint, joints[source(joint)])
    assert [one.name for one in other.actuators] == [one.name for one in robot.actuators]
    for one, two in zip(robot.actuators, other.actuators, strict=True):
        for name in ("kind", "gear", "gain", "bias", "force", "control", "joint", "tendon", "frame"):
            assert values_of(getattr(two, name)) == pytest.approx(values_of(getattr(one, name)), rel=1e-9), name
        assert dict(two.values) == dict(one.values)
    for kind in ("tendons", "loops", "poses", "frames", "devices"):
        assert sorted(one.name for one in getattr(other, kind)) == sorted(one.name for one in getattr(robot, kind)), (
            kind
        )
    assert pairs_of(other) == pairs_of(robot)


def values_of(value):
    return (value.lower, value.upper) if isinstance(value, Range) else value


def assert_same_joint(ours, theirs):
    assert (theirs.kind, theirs.limits is None) == (ours.kind, ours.limits is None)
    assert theirs.actuation is ours.actuation
    if ours.limits is not None:
        ends = [(one.limits.lower, one.limits.upper) for one in (theirs, ours)]
        assert ends[0] == pytest.approx(ends[1], rel=1e-9, abs=1e-9)
    for name in ("position", "speed", "effort", "damping", "friction", "armature", "stiffness", "spring_position"):
        assert getattr(theirs, name) == pytest.approx(getattr(ours, name), rel=1e-9, abs=1e-9), name
    assert (theirs.mimic is None) == (ours.mimic is None)
    if ours.mimic is not None:
        assert (theirs.mimic.ratio, theirs.mimic.offset) == pytest.approx((ours.mimic.ratio, ours.mimic.offset))


def pairs_of(robot):
    names = [source(item) for item in robot.items]
    solid = {number for number, item in enumerate(robot.items) if item.subitems}
    return {frozenset((names[a], names[b])) for a, b in pairs_to_test(robot).listed.tolist() if {a, b} <= solid}


def assert_same_poses(robot, other, count=20):
    """The items are where they were, for random positions of the joints."""
    ends = [(one.limits.lower, one.limits.upper) if one.limits else (-pi, pi) for one in robot.free_joints]
    low, high = np.array(ends, dtype=float).reshape(-1, 2).T
    ours = np.random.default_rng(0).uniform(low, high, (count, len(ends)))
    order = [source(joint) for joint in robot.free_joints]
    theirs = ours[:, [order.index(source(joint)) for joint in other.free_joints]]
    found = dict(
        zip(map(source, other.items), np.moveaxis(forward_batch(robot_arrays(other), theirs), 1, 0), strict=True)
    )
    known = np.moveaxis(forward_batch(robot_arrays(robot), ours), 1, 0)
    for item, poses in zip(robot.items, known, strict=True):
        assert found[source(item)] == pytest.approx(poses, abs=1e-9, nan_ok=True), item.name


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_come_back(again, robot_of, name):
    robot = robot_of(name)
    other = again(robot)
    assert_same(robot, other)
    assert_same_poses(robot, other)


def test_converted_model_with_a_ball_joint_a_loop_and_a_tendon_comes_back(again):
    robot = imported(DATA / "converted-linkage.usda")
    other = again(robot)
    assert_same(robot, other)
    assert_same_poses(robot, other)
    assert [one.extensions for one in other.joints] == [one.extensions for one in robot.joints]


@pytest.mark.skipif(CORPUS is None, reason="RCK_CORPUS is not set")
@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_corpus_come_back(again, name):
    robot = imported(CORPUS / f"{name}.xml")
    other = again(robot)
    assert_same(robot, other)
    assert_same_poses(robot, other)
    # Sensors, contact parameters and settings of the simulator are still those of MuJoCo.
    for kind in ("items", "joints", "devices", "actuators", "tendons", "loops", "frames"):
        ours, theirs = (
            {source(one): dict(one.extensions.get("mjcf", {})) for one in getattr(each, kind)}
            for each in (robot, other)
        )
        assert theirs == ours, kind
    assert other.extensions == robot.extensions


BLOCK = box_between((-0.05, -0.05, -0.05), (0.05, 0.05, 0.05))


def chain(*joints, **more):
    names = ["base", *(f"item{number}" for number in range(1, len(joints) + 1))]
    items = [
        build_item(name, [BLOCK], pose=translation((0.2 * number, 0, 0))).unwrap() for number, name in enumerate(names)
    ]
    made = [
        build_joint(*joint[:2], *pair, **joint[2]).unwrap()
        for joint, pair in zip(joints, itertools.pairwise(names), strict=False)
    ]
    return build_robot("chain", items, made, **more).unwrap()


FULL = {"limits": (-1.1, 1.3), "speed": 2.3, "effort": 3.7, "damping": 0.11, "friction": 0.23, "armature": 0.013,
        "stiffness": 2.9, "spring_position": 0.17}  # fmt: skip


def test_every_value_of_a_joint_comes_back(again):
    robot = chain(
        ("lead", "revolute", {**FULL, "position": 0.7, "actuation": Actuation.ACTUATED}),
        ("slide", "prismatic", {**FULL, "position": -0.3, "actuation": Actuation.PASSIVE}),
        ("same", "revolute", {**FULL, "mimic": Mimic("lead", -0.7, 0.1), "position": -0.39}),
        ("rack", "prismatic", {**FULL, "mimic": Mimic("lead", 0.03, 0.01), "position": 0.031}),
        ("free", "continuous", {"position": 9.1}),
    )
    other = again(robot)
    assert_same(robot, other)
    assert_same_poses(robot, other)


def test_actuators_are_drives_where_they_have_the_law_of_one(again, exported):
    driven = {**FULL, "effort": None, "actuation": Actuation.ACTUATED}
    # The reader derives effort limits from the ranges of motors.
    values = dict.fromkeys("abcdef", driven) | {"a": {**driven, "effort": 6.0}, "b": {**driven, "effort": 14.0}}
    actuators = [
        Actuator("m", ActuatorKind.MOTOR, "a", gear=3.0, force=Range(-2.0, 1.0), control=Range(-1.0, 1.0)),
        Actuator("p", ActuatorKind.POSITION, "b", gear=2.0, gain=5.0, bias=(0.0, -5.0, -0.3), force=Range(-7.0, 7.0)),
        Actuator("v", ActuatorKind.VELOCITY, "c", gain=0.7, bias=(0.0, 0.0, -0.7)),
        Actuator("g", ActuatorKind.GENERAL, "d", gain=0.7, bias=(0.1, 0.2, -0.7)),
        Actuator("t", ActuatorKind.POSITION, tendon="wire", gain=5.0, bias=(0.0, -5.0, -0.3)),
        Actuator("e", ActuatorKind.GENERAL, "e", gain=5.0, bias=(0.0, -5.0, -0.3)),
        Actuator("s", ActuatorKind.DC_MOTOR, "f", gain=0.4, bias=(0.0, 0.0, -0.2), values={"voltage": 12.0}),
    ]
    tendon = Tendon("wire", (("d", 1.0), ("e", -0.5)), damping=0.2)
    robot = chain(
        *((name, "revolute", value) for name, value in values.items()),
        actuators=actuators, tendons=[tendon], poses=[NamedPose("up", {"a": 0.5})],
    )  # fmt: skip
    text = exported(rck_plugins.exporters.usd, robot, "r.usda").files["r.usda"].decode()
    assert text.count('"PhysicsDriveAPI:angular"') == 4
    assert text.count("def MjcActuator") == 3
    other = again(robot)
    assert_same(robot, other)
    assert dict(other.poses[0].positions) == {"a": 0.5}


def test_passive_joint_gets_no_drive(exported):
    robot = chain(("a", "revolute", {**FULL, "actuation": Actuation.PASSIVE}))
    text = exported(rck_plugins.exporters.usd, robot, "r.usda").files["r.usda"].decode()
    assert "PhysicsDriveAPI" not in text
    assert "uniform double mjc:actuatorfrcrange:max = 3.7" in text


def test_other_program_may_change_what_rck_wrote(again, exported, tmp_path, here):
    robot = chain(("a", "revolute", {**FULL, "actuation": Actuation.ACTUATED}))
    text = exported(rck_plugins.exporters.usd, robot, "r.usda").files["r.usda"].decode()
    path = tmp_path / "r.usda"
    (line,) = [line for line in text.splitlines() if "physics:upperLimit" in line]
    path.write_text(text.replace(line.split(" ( ")[0].strip(), "float physics:upperLimit = 45"))
    assert imported(path).joints[0].limits.upper == pytest.approx(pi / 4)


DAMAGED = {
    "actuator": '{ string "kind" = "magic" }',
    "positions": '"three"',
    "position": '"far"',
    "device": '{ dictionary "values" = { string "max-range" = "far" } }',
    "poses": '{ dictionary "up" = { string "a" = "high" } }',
    "mjcf": '{ double "solref" = 1 }',
    "actuation": '"sometimes"',
}


def test_damaged_data_of_rck_is_ignored(exported, tmp_path, here):
    robot = chain(("a", "revolute", {**FULL, "actuation": Actuation.ACTUATED, "position": 0.3}))
    text = exported(rck_plugins.exporters.usd, robot, "r.usda").files["r.usda"].decode()
    entries = "; ".join(
        f'{"dictionary" if value.startswith("{") else "string"} "{name}" = {value}' for name, value in DAMAGED.items()
    )
    path = tmp_path / "r.usda"
    path.write_text(re.sub(r'customData = \{ dictionary "rck" = \{ double "position" = \S+ \} \}',
                           lambda _: f'customData = {{ dictionary "rck" = {{ {entries} }} }}', text))  # fmt: skip
    assert "magic" in path.read_text()
    (joint,) = imported(path).joints
    assert joint.position == pytest.approx(0.3)
    assert joint.effort == pytest.approx(3.7)


def test_texture_and_finish_come_back(again):
    surface = make_mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    points = np.random.default_rng(0).uniform(size=(12, 2))
    image = png_bytes(np.zeros((1, 1, 3), np.uint8))
    looks = {"colour": (0.2, 0.5, 1.0, 0.5), "roughness": 0.4, "metallic": 0.9, "material": "blue-ish 1"}
    visuals = [
        Visual(surface, texture=Texture("dot.png", image), texture_points=points, **looks),
        Visual(surface, name="plain", **looks),
    ]
    robot = build_robot("painted", [build_item("base", [BLOCK], visuals=visuals, friction=0.4).unwrap()]).unwrap()
    (item,) = again(robot).items
    for one, two in zip(visuals, item.visuals, strict=True):
        assert two.colour == pytest.approx(one.colour, abs=1e-6)
        assert (two.roughness, two.metallic) == pytest.approx((0.4, 0.9))
        assert two.material == one.material
    textured = item.visuals[0]
    assert textured.texture.content == image
    assert np.sort(textured.texture_points, axis=0) == pytest.approx(np.sort(points, axis=0), abs=1e-6)
    assert item.visuals[1].texture is None
    assert item.subitems[0].friction == pytest.approx(0.4)


def test_ball_joint_that_is_not_at_zero_comes_back(again):
    robot = imported(DATA / "converted-linkage.usda")
    hinges = [joint for joint in robot.coordinate_joints if joint.extensions.get("mjcf", {}).get("ball")]
    assert len(hinges) == 3
    vector = np.array([joint.position + 0.01 * (joint in hinges) for joint in robot.free_joints])
    moved = at_positions(robot, vector)
    other = again(moved)
    assert joint_positions(other, np.array([joint.position for joint in other.free_joints])) == pytest.approx(
        joint_positions(moved, np.array([joint.position for joint in moved.free_joints]))
    )
    assert_same_poses(moved, other)
