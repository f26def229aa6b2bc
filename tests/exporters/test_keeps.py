"""Exporters declare the features that they keep, and what they declare comes back when the file is read."""

from dataclasses import replace

import numpy as np
import pytest

from rck.exporting.losses import derive_losses
from rck.geometry.mesh import make_mesh
from rck.hooks import Exported, Exporter, discover
from rck.hooks.file_exchange import read_file, require_robot
from rck.model import (
    Actuator,
    ActuatorKind,
    DeviceKind,
    Feature,
    Frame,
    Loop,
    LoopKind,
    Mimic,
    NamedPose,
    PairRule,
    Severity,
    Tendon,
    Texture,
    Visual,
    build_device,
    build_item,
    build_joint,
    build_robot,
)
from rck.model.features import DEVICE_KINDS, features_of
from rck.rendering.image_file import png_bytes
from rck.testing.exporters import check_keeps
from rck.testing.robots import box_between

UNREAD = {
    "urdf": {
        Feature.JOINT_POSITIONS,
        Feature.COLLISION_RULES,
        Feature.MOBILE_ITEMS,
        Feature.SHAPE_NAMES,
        Feature.FRAMES,
        Feature.DEVICES,
    },
    "mjcf": {Feature.JOINT_POSITIONS, Feature.COLLISION_RULES, Feature.DEVICES, *DEVICE_KINDS},
    "sdf": {Feature.OPACITY, *DEVICE_KINDS},
    "usd": {Feature.SURFACE_FRICTION, *DEVICE_KINDS},
    "robot-file": {Feature.COLLISION_SHAPES},
    "dxf": {Feature.COLLISION_SHAPES},
}
"""Features that the importer of the format does not read, or reads as others: frames of URDF become items."""


@pytest.fixture(scope="module")
def full():
    """A robot with nearly every feature."""
    block = replace(
        box_between((-0.05, -0.05, -0.05), (0.05, 0.05, 0.05)), colour=(1.0, 0.5, 0.0, 0.5), density=300.0, name="block"
    )
    surface = make_mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    points = np.tile([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], (4, 1))
    mesh = Visual(surface, texture=Texture("dot.png", png_bytes(np.zeros((1, 1, 3), np.uint8))), texture_points=points,
                  roughness=0.4)  # fmt: skip
    names = ("base", "arm", "left", "right")
    items = [build_item(name, [replace(block, strength=1e8)], friction=0.4).unwrap() for name in names]
    lid = replace(box_between((-0.05, -0.05, 0.05), (0.05, 0.05, 0.1)), colour=(1.0, 0.0, 0.0, 0.5), name="lid")
    items[0] = replace(items[0], subitems=(*items[0].subitems, lid))
    items[1] = replace(items[1], visuals=(mesh,), given_mass=items[1].mass_properties)
    items.append(build_item("parcel", [block], mobile=True).unwrap())
    full = {"limits": (-1.0, 1.0), "speed": 2.0, "effort": 3.0, "damping": 0.1, "friction": 0.2, "acceleration": 5.0}
    joints = [
        build_joint("turn", "revolute", "base", "arm", position=0.5, stiffness=2.0, armature=0.1, **full).unwrap(),
        build_joint("grip", "prismatic", "arm", "left", **full).unwrap(),
        build_joint("follow", "prismatic", "arm", "right", mimic=Mimic("grip", -1.0), **full).unwrap(),
    ]
    cone = {"field-of-view": 0.2}
    devices = [
        build_device(f"dev-{kind.value}", kind, "arm", joints=("turn",), values=cone).unwrap() for kind in DeviceKind
    ]
    devices.append(build_device("nose", DeviceKind("acme-nose"), "arm").unwrap())
    rules = [PairRule(("base", "left"), tested=False)]
    drives = {
        "actuators": [
            Actuator("motor", ActuatorKind.MOTOR, "turn"),
            Actuator("servo", ActuatorKind.POSITION, "grip", gain=5.0, bias=(0.0, -5.0, 0.0)),
            Actuator("winch", ActuatorKind.MOTOR, tendon="cable"),
        ],
        "poses": [NamedPose("up", {"turn": 1.0})],
        "tendons": [Tendon("cable", (("turn", 1.0), ("grip", 2.0)))],
        "loops": [Loop("rod", LoopKind.WELD, ("base", "left"))],
    }
    return build_robot("full", items, joints, [Frame("tool", "arm")], devices, rules, **drives).unwrap()


def exporter_named(name):
    (found,) = [one for one in discover().all(Exporter) if one.name == name]
    return found


def test_robot_has_every_feature(full):
    assert list(features_of(full)) == list(Feature)


def test_default_values_are_no_features():
    plain = build_robot("r", [build_item("item0", [box_between((0, 0, 0), (1, 1, 1))]).unwrap()]).unwrap()
    assert features_of(plain) == {Feature.SHAPES: ("item0",)}


@pytest.mark.parametrize("name", UNREAD)
def test_declared_features_come_back(name, full, plugins, tmp_path):
    def read(path):
        return require_robot(read_file(path, plugins), path)

    check_keeps(exporter_named(name), full, read, tmp_path, unread=UNREAD[name])


def test_feature_that_is_declared_but_not_written_fails_the_contract(full, tmp_path):
    exporter = Exporter("x", "x", (".x",), lambda *_: Exported({"robot.x": b""}), keeps=frozenset({Feature.JOINTS}))
    empty = build_robot("empty", []).unwrap()
    with pytest.raises(AssertionError, match="declared in `keeps`, but not in the file: joints"):
        check_keeps(exporter, full, lambda path: empty, tmp_path)


def losses(robot, *keeps):
    exporter = Exporter("x", "x", (".x",), print, keeps=frozenset(keeps), format="X")
    return [(one.severity, one.message) for one in derive_losses(robot, exporter, "r.x")]


def test_format_that_keeps_nothing_has_one_finding(full):
    ((severity, message),) = losses(full)
    assert severity is Severity.NOTE
    assert message.startswith("not supported by X: shapes, names, masses, joints, frames (tool), sensors and grippers")


def test_format_that_keeps_everything_has_no_finding(full):
    assert losses(full, *Feature) == []


def test_losing_limits_is_a_warning_and_losing_speeds_is_a_note(full):
    missing = {Feature.JOINT_LIMITS, Feature.JOINT_SPEEDS}
    assert losses(full, *(set(Feature) - missing)) == [
        (Severity.WARNING, "not supported by X: joint limits (turn, grip, follow)"),
        (Severity.NOTE, "not supported by X: joint velocity limits (turn, grip, follow)"),
    ]


def test_joint_friction_matters_only_to_formats_for_dynamics(full):
    dynamic = set(Feature) - {Feature.JOINT_FRICTION}
    assert [severity for severity, _ in losses(full, *dynamic)] == [Severity.WARNING]
    assert {severity for severity, _ in losses(full, *dynamic - {Feature.INERTIAS})} == {Severity.NOTE}


def test_devices_whose_kind_is_kept_are_not_lost(full):
    ((_, message),) = losses(full, *(set(Feature) - {Feature.DEVICES, Feature.OTHER_SENSORS}))
    assert message == "not supported by X: sensors and grippers (nose)"
    ((_, message),) = losses(full, *(set(Feature) - {Feature.OTHER_SENSORS}))
    assert message == "not supported by X: other sensors (nose); exported as frames"
