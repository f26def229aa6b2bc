"""Devices: sensors and grippers on the items of a robot."""

import numpy as np
import pytest

from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import scaling, translation
from rck.model import (
    DeviceKind,
    at_positions,
    build_device,
    build_item,
    build_joint,
    build_robot,
    build_world,
    flatten,
    split,
)

BODY = MassProperties(1.0, np.zeros(3), np.eye(3))


def item(name, at=(0.0, 0.0, 0.0)):
    return build_item(name, [], pose=translation(at), mass=BODY).unwrap()


def eye(name="eye", on="arm", joints=()):
    values = {"field-of-view": 1.0}
    return build_device(
        name, DeviceKind.CAMERA, on, pose=translation((0, 0, 0.1)), joints=joints, values=values
    ).unwrap()


def robot(*devices):
    turn = build_joint("turn", "revolute", "base", "arm", limits=(-3, 3)).unwrap()
    return build_robot("arm", [item("base"), item("arm", (1, 0, 0))], [turn], devices=devices)


def test_grippers_are_distinguished_from_sensors():
    assert {kind for kind in DeviceKind if kind.grips} == {
        DeviceKind.PARALLEL_GRIPPER,
        DeviceKind.THREE_FINGER_GRIPPER,
        DeviceKind.VACUUM_GRIPPER,
        DeviceKind.MAGNET_GRIPPER,
    }


def test_a_device_stays_on_its_item_when_the_robot_moves():
    (device,) = at_positions(robot(eye()).unwrap(), np.array([0.5])).devices
    assert (device.item, device.values["field-of-view"]) == ("arm", 1.0)
    np.testing.assert_array_equal(device.pose, translation((0, 0, 0.1)))


def test_device_is_immutable():
    with pytest.raises(TypeError):
        eye().values["rate"] = 30.0  # type: ignore[index]


@pytest.mark.parametrize(
    ("device", "said"),
    [
        (eye(on="tail"), "there is no item tail"),
        (eye(joints=("tail",)), "there is no joint tail"),
    ],
)
def test_device_on_missing_item_or_joint_is_an_error(device, said):
    (finding,) = robot(device).findings
    assert (finding.code, finding.where) == (209, "device eye")
    assert said in finding.message


def test_two_devices_of_one_name_are_an_error():
    assert [finding.code for finding in robot(eye(), eye()).findings] == [103]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": "an eye"}, 102),
        ({"pose": scaling(2.0)}, 309),
        ({"values": {"rate": float("nan")}}, 101),
    ],
)
def test_invalid_device_is_refused(changes, code):
    built = build_device(**{"name": "eye", "kind": DeviceKind.CAMERA, "item": "arm", **changes})
    assert built.value is None
    assert [finding.code for finding in built.findings] == [code]


def test_devices_are_scoped_in_a_world_and_kept_by_split():
    scene = flatten(build_world("yard", [robot(eye(joints=("turn",))).unwrap()]).unwrap())
    (device,) = scene.devices
    assert (device.name, device.item, device.joints) == ("arm/eye", "arm/arm", ("arm/turn",))
    (back,) = split(scene).robots
    assert back.devices == scene.devices


def test_item_with_device_is_split_off_as_robot():
    scene = build_robot("room", [item("crate"), item("tripod")], devices=[eye(on="tripod")]).unwrap()
    world = split(scene)
    assert [one.name for one in world.robots] == ["tripod"]
    assert [one.name for one in world.objects] == ["crate"]
