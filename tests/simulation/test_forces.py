"""Runs with physics: sensors, events and recordings."""

from math import pi, sqrt

import numpy as np
import pytest
from rck_tests import block

from rck.geometry.transforms import rotation_about, translation
from rck.hooks import Mount, discover
from rck.hooks.actions import Announce, Condition, MoveJoint, UseGripper, WaitFor
from rck.hooks.options import read_options
from rck.kinematics.motion import joint_move, motion_limits
from rck.model import Device, DeviceKind, RckError, build_joint, build_robot
from rck.simulation.events import Event, FollowPath
from rck.simulation.motor_loads import demanding, physics_named
from rck.simulation.recording import record, save_recording
from rck.simulation.sensors import SensorSetting
from rck.simulation.simulation import Simulation
from rck.simulation.state_file import encode_state, read_state, restore_state, save_state

pytest.importorskip("mujoco")

G = 9.80665
DOWN = rotation_about((1, 0, 0), pi)


@pytest.fixture
def weighed(plugins):
    """A simulation under physics."""
    engine = physics_named(plugins, "mujoco")

    def make(robot, events=(), sensors=(), **options):
        values = demanding(read_options(engine.options, options))
        return Simulation(
            robot, events, plugins=plugins, sensors=sensors, physics=lambda robot: engine.make(robot, values)
        )

    return make


def dropped(height):
    plate = block("plate", (0, 0, -0.05), (1, 1, 0.1))
    return build_robot("drop", [plate, block("cube", (0, 0, 0.05 + height), mass=2.0, mobile=True)]).unwrap()


def lift():
    """A carriage that slides upwards, with a tool of two kilograms on it."""
    items = [block("bed", (1, 0, 0)), block("carriage", (0, 0, 1)), block("tool", (0.3, 0, 1), mass=2.0)]
    joints = [
        build_joint("up", "prismatic", "bed", "carriage", start=(0, 0, 1), end=(0, 0, 2), limits=(-2, 2), speed=2.0),
        build_joint("flange", "fixed", "carriage", "tool"),
    ]
    return build_robot("lift", items, [joint.unwrap() for joint in joints]).unwrap()


def test_imu_reads_zero_in_free_fall_and_gravity_at_rest(weighed):
    simulation = weighed(dropped(0.5), sensors=[SensorSetting("imu", Mount("inner", "cube"))])
    for _ in range(20):
        simulation.step(0.01)
    np.testing.assert_allclose(simulation.sensors["inner"].reading["acceleration"], 0, atol=1e-6)
    simulation.step(2.0)
    np.testing.assert_allclose(simulation.sensors["inner"].reading["acceleration"], [0, 0, G], atol=1e-3)
    afloat = weighed(dropped(0.5), sensors=[SensorSetting("imu", Mount("inner", "cube"))], environment="zero-gravity")
    afloat.step(0.1)
    np.testing.assert_allclose(afloat.sensors["inner"].reading["acceleration"], 0, atol=1e-9)


def test_events_wait_for_the_impact_of_a_falling_object(weighed):
    height = 0.3
    sensors = [
        SensorSetting("contact", Mount("plate", "plate")),
        SensorSetting("laser-range", Mount("eye", "cube", DOWN)),
    ]
    events = [Event(0.0, WaitFor(Condition("plate", "force", ">", 10.0))), Event(0.0, Announce("it is down"))]
    recording = record(simulation := weighed(dropped(height), events, sensors), 1.5)
    (down,) = [notice.time for notice in simulation.notices if notice.text == "it is down"]
    assert down == pytest.approx(sqrt(2 * height / G), abs=0.02)
    assert simulation.time == pytest.approx(down)
    # The distance that the laser tells on the way is that of the fall.
    falling = recording.times < down - 0.02
    np.testing.assert_allclose(
        recording.columns["sensor eye distance"][falling],
        0.05 + height - G / 2 * recording.times[falling] ** 2,
        atol=2e-3,
    )
    simulation.step(1.0)
    assert simulation.sensors["plate"].reading["force"][0] == pytest.approx(2 * G, rel=1e-2)
    assert simulation.view.touching() == {("plate", "cube")}


def test_wrist_sensor_reads_weight_and_inertia(weighed):
    robot = lift()
    setting = [SensorSetting("force-torque", Mount("wrist", "carriage"))]
    limits = motion_limits(robot, ["up"])
    path = joint_move(limits, [0.0], [0.5], duration=1.0, profile="cubic").unwrap()
    simulation = weighed(robot, [Event(1.0, FollowPath(path))], setting)
    world = simulation.forces.world
    felt, given = [], []
    while simulation.time < 2.0 - 1e-9:
        simulation.step(0.01)
        reading = simulation.sensors["wrist"].reading
        felt.append([reading["force"][2], reading["moment"][1]])
        given.append(float(world.data.qfrc_applied[0]))
    at_rest, moving = 89, slice(110, 190)
    assert felt[at_rest][0] == pytest.approx(-2 * G, rel=1e-3)
    # Turned about y by what hangs at x.
    assert felt[at_rest][1] == pytest.approx(2 * G * 0.3, rel=1e-3)
    still = Simulation(robot, plugins=discover(), sensors=setting).sensors["wrist"].reading
    assert still["force"][2] == pytest.approx(-2 * G)
    # The tool is two thirds of what the motor lifts, at every moment.
    assert np.ptp(given[moving]) > 2.0
    np.testing.assert_allclose(np.array(felt)[moving, 0], -2 / 3 * np.array(given)[moving], rtol=1e-6)
    assert simulation.forces.meter.loads().joints[0].peak_effort > 3 * G


def test_encoder_reads_the_true_joint_position_not_the_target(weighed):
    counter = SensorSetting("encoder", Mount("count", "carriage"))
    simulation = weighed(lift(), [Event(0.0, MoveJoint("up", 1.0, 0.5))], [counter])
    simulation.step(0.1)
    told = simulation.sensors["count"].reading["position"][0]
    assert told == pytest.approx(simulation.view.vector[0], abs=1e-3)
    assert abs(told - simulation.vector[0]) > 0.002


def gripped():
    items = [
        block("post", (0, 0, 1), (0.02, 0.02, 0.02)),
        block("arm", (0.5, 0, 1)),
        block("cube", (0.5, 0, 0.9), mass=2.0, mobile=True),
        block("floor", (0.5, 0, 0.3), (1, 1, 0.1)),
    ]
    swing = build_joint("swing", "continuous", "post", "arm", start=(0, 0, 1), end=(0, 1, 1), effort=8.0).unwrap()
    cup = Device("hand", DeviceKind.VACUUM_GRIPPER, "arm", translation((0, 0, -0.05)) @ DOWN)
    return build_robot("arm", items, [swing], devices=[cup]).unwrap()


def test_gripper_picks_lifts_and_drops_with_physics_as_without(weighed, tmp_path):
    events = [
        Event(0.0, UseGripper("hand", True)),
        Event(0.1, MoveJoint("swing", -0.3, 0.9)),
        Event(1.2, UseGripper("hand", False)),
    ]
    simulation = weighed(gripped(), events)
    simulation.run(1.1)
    assert simulation.grasps.held_by("hand") == ["cube"]
    (load,) = simulation.forces.meter.loads().joints
    assert load.peak_effort > 3 * G * 0.5
    # Broken off here, it goes on to the last bit.
    save_state(encode_state(simulation)[0], tmp_path / "half.state.json")
    rest = record(simulation, 2.0)
    resumed = weighed(gripped())
    restore_state(resumed, read_state(tmp_path / "half.state.json"), "half")
    for name, run in (("one", rest), ("two", record(resumed, 2.0))):
        save_recording(run, tmp_path / f"{name}.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    simulation.step(1.0)
    assert simulation.view.poses[2][2, 3] == pytest.approx(0.4, abs=0.01)
    with pytest.raises(RckError, match="saved with physics"):
        restore_state(Simulation(gripped()), read_state(tmp_path / "half.state.json"), "half")


def test_forces_move_a_pushed_object_with_physics(weighed):
    floor = block("floor", (0.5, 0, -0.1), (3, 1, 0.1))
    items = [block("bed", (0, 0, -1)), block("ram", (0, 0, 0.01)), floor]
    # A tall post that is pushed at its foot: in a world of forces it tips over.
    items.append(block("post", (0.2, 0, 0.35), (0.04, 0.04, 0.8), mobile=True))
    slide = build_joint("slide", "prismatic", "bed", "ram", end=(1, 0, 0), limits=(-5, 5)).unwrap()
    simulation = weighed(build_robot("ram", items, [slide]).unwrap(), [Event(0.0, MoveJoint("slide", 0.5, 0.5))])
    simulation.run(2.0)
    simulation.step(1.0)
    up = simulation.view.poses[3][:3, 2]
    assert abs(up[2]) < 0.5
    np.testing.assert_allclose(simulation.kinematics.poses[3], simulation.view.poses[3], atol=1e-9)
