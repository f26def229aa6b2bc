"""Devices of parts: from the manifest into the robot."""

from math import radians

import numpy as np
import pytest

from rck.assembly.document import Assembly, Instance, Mate
from rck.hooks import discover
from rck.hooks.actions import UseGripper
from rck.hooks.device_kinds import served_kinds
from rck.language.robot_checks import check_robot
from rck.language.session import Session
from rck.model import DeviceKind, RckError, Severity
from rck.parts.library import open_catalogue
from rck.parts.part import build_part, read_part_file
from rck.parts.part_checks import check_file
from rck.simulation.events import Event
from rck.simulation.grippers import grippers_of
from rck.simulation.simulation import Simulation


@pytest.fixture(scope="module")
def catalogue():
    return open_catalogue(discover())


def test_camera_has_the_field_of_view_of_its_data_sheet_in_radians(catalogue):
    (eye,) = catalogue.part("logitech/c920", {}).robot.devices
    assert (eye.name, eye.kind, eye.item) == ("eye", DeviceKind.CAMERA, "body")
    assert dict(eye.values) == pytest.approx(
        {
            "field-of-view": radians(70.4),
            "field-of-view-vertical": radians(43.3),
            "rate": 30.0,
            "resolution-x": 1920.0,
            "resolution-y": 1080.0,
        }
    )
    np.testing.assert_allclose(eye.pose[:3, 2], [1, 0, 0], atol=1e-12)


def test_figures_of_a_part_apply_to_its_first_device(catalogue):
    scanner, imu = catalogue.part("livox/mid-360", {}).robot.devices
    assert scanner.values["max-range"] == 40.0
    assert dict(imu.values) == {}


def test_a_gripper_names_the_joints_that_close_it(catalogue):
    (hand,) = catalogue.part("robotiq/2f-85", {}).robot.devices
    assert (hand.kind, hand.joints) == (DeviceKind.PARALLEL_GRIPPER, ("grip", "left"))
    assert (hand.values["opening"], hand.values["grip-force"]) == (pytest.approx(0.085), 235.0)


def test_figures_unrelated_to_the_device_are_omitted(catalogue):
    lidar, camera = catalogue.part("robotis/turtlebot3-waffle-pi", {}).robot.devices
    assert not lidar.values
    assert not camera.values


def test_every_sensor_and_gripper_of_the_catalogue_is_a_device_of_its_part(catalogue):
    sorts = ("sensors", "grippers")
    for name in (name for name, entry in catalogue.entries.items() if entry.category.partition("/")[0] in sorts):
        part = catalogue.part(name, {})
        assert [device.name for device in part.robot.devices] == list(part.manifest.devices) != [], name


def test_tcp_frame_of_every_gripper_is_at_its_grasp_point(catalogue):
    for name in (name for name, entry in catalogue.entries.items() if entry.category.startswith("grippers/")):
        robot = catalogue.part(name, {}).robot
        (hand,) = robot.devices
        (tcp,) = robot.frames
        assert (tcp.name, tcp.item) == ("tcp", hand.item), name
        np.testing.assert_allclose(tcp.pose, hand.pose, rtol=0, atol=1e-12)


def test_device_may_have_its_own_figures(manifest):
    path = manifest(
        ("figures:", "devices:\n  eye: {sensor: camera}\n  imu: {sensor: imu, figures: {rate: 200}}\nfigures:")
    )
    eye, imu = build_part(read_part_file(path)).unwrap().robot.devices
    assert (dict(eye.values), dict(imu.values)) == ({}, {"rate": 200.0})


def test_device_type_may_be_defined_by_a_plugin(manifest):
    path = manifest(("figures:", "devices:\n  nose: {sensor: acme-nose}\n  claw: {gripper: acme}\nfigures:"))
    nose, claw = build_part(read_part_file(path)).unwrap().robot.devices
    assert (nose.kind.value, nose.kind.grips) == ("acme-nose", False)
    assert (claw.kind.value, claw.kind.grips) == ("acme-gripper", True)
    assert nose.kind is DeviceKind("acme-nose")
    assert nose.kind not in list(DeviceKind)


def test_device_type_without_plugin_is_a_warning_if_served_types_are_known(manifest):
    path = manifest(("figures:", "devices:\n  hand: {gripper: my-gripper}\nfigures:"))
    assert check_file(path) == []
    (finding,) = check_file(path, {**served_kinds(discover()), "my-gripper": None})
    assert (finding.code, finding.severity) == (608, Severity.WARNING)
    assert "no plugin provides the kind my-gripper-gripper (did you mean my-gripper?)" in finding.message
    robot = build_part(read_part_file(path)).unwrap().robot
    assert 608 in {found.code for found in check_robot(robot, discover())}
    with pytest.raises(RckError, match="no plugin supports hand, a device of kind my-gripper-gripper"):
        Simulation(robot, plugins=discover()).add(Event(0.0, UseGripper("hand", True)))


def test_manifest_sets_options_of_the_device_plugin(manifest):
    entries = "eye: {sensor: laser-range, settings: {noise: 0.002, max-range: 3 m}, figures: {max-range: 2 m}}"
    cup = "cup: {gripper: vacuum, settings: {gap: 5}}"
    path = manifest(("figures:", f"devices:\n  {entries}\n  {cup}\nfigures:"))
    assert check_file(path, served_kinds(discover())) == []
    robot = build_part(read_part_file(path)).unwrap().robot
    assert dict(robot.devices[0].settings) == {"noise": "0.002", "max-range": "3 m"}
    simulation = Simulation(robot, plugins=discover())
    values = simulation.sensors["eye"].values
    assert (values["noise"], values["max-range"]) == (0.002, 3.0), "a setting comes before the figure"
    cup = grippers_of(discover(), simulation.kinematics)["cup"]
    assert cup.values["gap"] == pytest.approx(0.005), "lengths are in millimetres"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("{nosie: 1}", "there is no option 'nosie' (did you mean noise?)"),
        ("{max-range: 3 kg}", "option max-range: "),
        ("{noise: yes}", "option noise: "),
    ],
)
def test_unknown_device_plugin_option_is_reported_and_refused(manifest, settings, said):
    path = manifest(("figures:", f"devices:\n  eye: {{sensor: laser-range, settings: {settings}}}\nfigures:"))
    assert check_file(path) == [], "what is served is not known"
    (finding,) = check_file(path, served_kinds(discover()))
    assert (finding.code, finding.severity) == (609, Severity.ERROR)
    assert said in finding.message
    robot = build_part(read_part_file(path)).unwrap().robot
    assert 609 in {found.code for found in check_robot(robot, discover())}
    with pytest.raises(RckError, match=r"device eye: .*option"):
        Simulation(robot, plugins=discover())


@pytest.mark.parametrize(
    ("entry", "code", "said"),
    [
        ("{sensor: camera, port: nose}", 703, "there is no port nose"),
        ("{gripper: parallel, joints: [grip]}", 703, "there is no joint grip"),
        ("{port: a}", 703, "either a sensor or a gripper"),
        ("{sensor: camera, gripper: vacuum}", 703, "either a sensor or a gripper"),
        ("{sensor: camear}", 703, "there is no sensor 'camear' (did you mean camera?)"),
        ("{gripper: The Claw}", 703, "is not a valid name of a gripper"),
        ("{sensor: imu, figures: {beauty: 3}}", 703, "there is no figure beauty"),
        ("{sensor: imu, figures: {rate: 3 kg}}", 704, "kg"),
    ],
)
def test_invalid_device_is_a_finding(manifest, entry, code, said):
    built = build_part(read_part_file(manifest(("figures:", f"devices:\n  thing: {entry}\nfigures:"))))
    assert built.value is None
    (finding,) = built.findings
    assert (finding.code, finding.where) == (code, "devices.thing")
    assert said in finding.message


def test_device_names_are_scoped_and_mirrored_sensors_keep_their_view(session: Session):
    assembly = Assembly(
        name="watch",
        parts={
            "arm": Instance(part="universal-robots/ur5e"),
            "hand": Instance(part="robotiq/2f-85"),
            "eye": Instance(part="logitech/c920", mirror="y"),
        },
        mates=[Mate(at="arm.flange", put="hand.flange")],
    )
    robot = session.compile(assembly).unwrap().robot
    eye, hand = robot.devices
    assert (hand.name, hand.item, hand.joints) == ("hand/hand", "hand/body", ("hand/grip", "hand/left"))
    assert eye.name == "eye/eye"
    np.testing.assert_allclose(eye.pose[:3, 2], [1, 0, 0], atol=1e-12)
    assert np.linalg.det(eye.pose[:3, :3]) == pytest.approx(1.0)
