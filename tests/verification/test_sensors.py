"""Sensors.

Inertial and force/torque sensors are compared with pinocchio, which loads the URDF export, and with closed forms.
Time steps have random lengths, because readings must not depend on them. Sensor rates are compared with exact times.
"""

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from rck_tests import block

from rck.control.client_session import ClientSession
from rck.control.description import describe
from rck.control.hub import Hub
from rck.control.served_world import ServedWorld
from rck.control.server import ControlServer
from rck.geometry.transforms import from_euler, translation
from rck.hooks import Mount
from rck.hooks.actions import MoveJoint, UseGripper
from rck.kinematics.motion.path import path_of
from rck.model import DeviceKind, build_device, build_joint, build_robot
from rck.simulation.events import Event, FollowPath
from rck.simulation.motor_loads import physics_maker
from rck.simulation.sensors import SensorSetting
from rck.simulation.simulation import Simulation
from rck.testing.robots import six_axis_arm

G = 9.80665
DURATION = 2.0
CHANGE = np.array([1.2, -0.8, 0.9, 1.5, -1.1, 2.0])
PATTERNS = {
    "even steps of 10 ms": lambda rng: 0.01,
    "steps of 0.1 to 30 ms": lambda rng: rng.uniform(1e-4, 0.03),
    "short and long steps in turn": lambda rng: rng.choice([1e-4, 0.02]),
    "steps cut into substeps": lambda rng: rng.uniform(0.05, 0.25),
}


@pytest.fixture(params=PATTERNS, ids=lambda name: name.replace(" ", "-"))
def step(request):
    """Return a function for the length of the next step in seconds."""
    rng = np.random.default_rng(7)
    return lambda: PATTERNS[request.param](rng)


@pytest.fixture(scope="module")
def arm():
    """Return a six-axis arm with an inertial sensor on its last link and a force/torque sensor in its forearm."""
    robot = six_axis_arm()
    pose = translation((0.03, -0.02, 0.05)) @ from_euler([0.4, -0.3, 1.1])
    devices = [
        build_device("imu", DeviceKind.IMU, "link-6", pose=pose).unwrap(),
        build_device("wrist", DeviceKind.FORCE_TORQUE, "link-3", pose=pose).unwrap(),
    ]
    return replace(robot, devices=tuple(devices))


@pytest.fixture(scope="module")
def pinocchio_readings(arm, plugins):
    """Return the readings of both sensors that pinocchio computes for a joint state."""
    pin = pytest.importorskip("pinocchio", reason="pinocchio (pip install pin) is not installed")
    model = pin.buildModelFromXML(describe(arm, plugins).urdf)
    model.gravity.linear = np.array([0.0, 0.0, -G])
    data = model.createData()
    imu, wrist = model.getFrameId("imu"), model.getFrameId("wrist")

    def readings(positions, velocities, accelerations):
        pin.forwardKinematics(model, data, positions, velocities, accelerations)
        pin.updateFramePlacements(model, data)
        spin = pin.getFrameVelocity(model, data, imu, pin.LOCAL).angular
        pulled = pin.getFrameClassicalAcceleration(model, data, imu, pin.LOCAL).linear
        # Wrench of the forearm on the links beyond joint 4.
        pin.rnea(model, data, positions, velocities, accelerations)
        felt = data.oMf[wrist].actInv(data.oMi[4].act(data.f[4]))
        return {
            "turning": spin,
            "acceleration": pulled - data.oMf[imu].rotation.T @ model.gravity.linear,
            "force": -felt.linear,
            "moment": -felt.angular,
        }

    return readings


def quintic(time):
    """Return position, velocity and acceleration of a unit minimum-jerk move."""
    u = np.clip(time / DURATION, 0.0, 1.0)
    return (
        10 * u**3 - 15 * u**4 + 6 * u**5,
        30 * u**2 * (1 - u) ** 2 / DURATION,
        60 * u * (1 - u) * (1 - 2 * u) / DURATION**2,
    )


def quintic_path(joints, begin, change):
    """Return the minimum-jerk move as a joint path."""
    return path_of(joints, (0.0, DURATION), [[begin, 0 * change, 0 * change, 10 * change, -15 * change, 6 * change]])


def largest_errors(simulation, expected):
    readings = {**simulation.sensors["imu"].reading, **simulation.sensors["wrist"].reading}
    return {channel: float(np.abs(readings[channel] - value).max()) for channel, value in expected.items()}


def compare_all(compare, errors, motion):
    """Report the errors of all steps for the validation page."""
    units = {"turning": ("angular velocity", "rad/s"), "acceleration": ("specific force", "m/s2")}
    units |= {"force": ("force", "N"), "moment": ("moment", "N m")}
    for channel, (what, unit) in units.items():
        sensor = "IMU" if channel in ("turning", "acceleration") else "Force/torque sensor"
        worst = max(error[channel] for error in errors)
        compare(f"{sensor}, {what}, {motion}, uneven steps", "pinocchio", worst, 1e-6, unit)


def test_readings_on_a_moving_arm_match_pinocchio(arm, plugins, pinocchio_readings, step, compare):
    joints = [joint.name for joint in arm.free_joints]
    begin = np.array(arm.positions)
    simulation = Simulation(
        arm, [Event(0.5, FollowPath(quintic_path(joints, begin, CHANGE)))], plugins=plugins, collisions=False
    )
    errors = []
    while simulation.time < DURATION + 0.6:
        simulation.step(step())
        share, speed, gain = quintic(simulation.time - 0.5)
        expected = pinocchio_readings(begin + share * CHANGE, speed * CHANGE, gain * CHANGE)
        errors.append(largest_errors(simulation, expected))
    compare_all(compare, errors, "quintic motion of all joints")


def test_readings_under_physics_match_pinocchio(arm, plugins, pinocchio_readings, step, compare):
    pytest.importorskip("mujoco")
    joints = [joint.name for joint in arm.free_joints]
    begin = np.array(arm.positions)
    events = [Event(0.1, FollowPath(quintic_path(joints, begin, CHANGE)))]
    simulation = Simulation(arm, events, plugins=plugins, physics=physics_maker(plugins, "mujoco"))
    world = simulation.forces.world
    errors = []
    while simulation.time < DURATION / 2:
        simulation.step(step())
        state = world.positions, world.speeds, np.array(world.data.qacc[world.model.speed_rows])
        errors.append(largest_errors(simulation, pinocchio_readings(*state)))
    compare_all(compare, errors, "state of the physics engine")


def spinning():
    """Return a one-metre arm that rotates about z, with the sensor at its end."""
    items = [block("post", (0, 0, 0)), block("arm", (1, 0, 0))]
    return build_robot("spinning", items, [build_joint("turn", "continuous", "post", "arm").unwrap()]).unwrap()


def test_at_constant_speed_an_inertial_sensor_reads_the_centripetal_acceleration(plugins, step, compare):
    speed = 2.0
    sensor = SensorSetting("imu", Mount("imu", "arm"))
    events = [Event(0.0, MoveJoint("turn", 4 * speed, 4.0))]
    simulation = Simulation(spinning(), events, plugins=plugins, sensors=[sensor])
    worst = 0.0
    while simulation.time < 3.5:
        simulation.step(step())
        reading = simulation.sensors["imu"].reading
        worst = max(worst, float(np.abs(reading["acceleration"] - [-(speed**2), 0.0, G]).max()))
        np.testing.assert_allclose(reading["turning"], [0, 0, speed], atol=1e-9)
    compare("IMU, joint at constant speed, uneven steps", "w^2 r", worst, 1e-9, "m/s2")


def test_a_blocked_joint_is_at_rest(plugins, step):
    wall = block("wall", (0, 1, 0))
    robot = build_robot("blocked", [*spinning().items, wall], spinning().joints).unwrap()
    events = [Event(0.0, MoveJoint("turn", 3.0, 1.5))]
    simulation = Simulation(robot, events, plugins=plugins, sensors=[SensorSetting("imu", Mount("imu", "arm"))])
    while not simulation.stuck:
        simulation.step(step())
    np.testing.assert_allclose(simulation.sensors["imu"].reading["acceleration"], [0, 0, G], atol=1e-12)
    np.testing.assert_array_equal(simulation.joint_velocities, [0.0])


def test_pushed_object_accelerates_with_the_pusher(plugins, step, compare):
    items = [block("bed", (0, 0, -1)), block("ram", (0, 0, 0)), block("cube", (0.2, 0, 0), mobile=True)]
    slide = build_joint("slide", "prismatic", "bed", "ram", end=(1, 0, 0), limits=(-5, 5)).unwrap()
    robot = build_robot("pushing", items, [slide]).unwrap()
    sensor = SensorSetting("imu", Mount("imu", "cube"))
    events = [Event(0.0, FollowPath(quintic_path(["slide"], np.zeros(1), np.ones(1))))]
    simulation = Simulation(robot, events, plugins=plugins, sensors=[sensor])
    worst = 0.0
    while simulation.time < DURATION - 0.3:
        simulation.step(step())
        share, _, gain = quintic(simulation.time)
        moved = simulation.view.poses[simulation.robot.item_index["cube"], 0, 3] - 0.2
        # The ram reaches the cube after 0.1 m.
        expected = [gain if moved > 0 else 0.0, 0.0, G]
        assert (share > 0.1) == (moved > 0)
        worst = max(worst, float(np.abs(simulation.sensors["imu"].reading["acceleration"] - expected).max()))
    compare("IMU on an object that is pushed, uneven steps", "closed form", worst, 1e-9, "m/s2")


def holding():
    """Return a suction cup on a lift, with a cube below it and a force/torque sensor above it."""
    items = [
        block("post", (0, 0, 2)),
        block("lift", (0, 0, 0.8), (0.02, 0.02, 0.02)),
        block("palm", (0.1, 0, 0.8), (0.02, 0.02, 0.02)),
        block("cube", (0.1, 0, 0.77), (0.04, 0.04, 0.04), True),
        block("floor", (0, 0, -0.05), (1, 1, 0.1)),
    ]
    joints = [
        build_joint("up", "prismatic", "post", "lift", end=(0, 0, 1), limits=(-1, 1)).unwrap(),
        build_joint("bolt", "fixed", "lift", "palm").unwrap(),
    ]
    cup = from_euler([np.pi, 0, 0]) @ translation((0, 0, 0.01))
    devices = [
        build_device("hand", DeviceKind.VACUUM_GRIPPER, "palm", pose=cup, values={"diameter": 0.01}).unwrap(),
        build_device("wrist", DeviceKind.FORCE_TORQUE, "lift").unwrap(),
    ]
    return build_robot("lift", items, joints, devices=devices).unwrap()


def test_grasped_object_loads_the_sensor_until_it_is_released(plugins, step, compare):
    robot = holding()
    path = quintic_path(["up"], np.zeros(1), np.full(1, 0.5))
    events = [
        Event(0.05, UseGripper("hand", True)),
        Event(0.5, FollowPath(path)),
        Event(3.0, UseGripper("hand", False)),
    ]
    sensor = SensorSetting("imu", Mount("imu", "cube"))
    simulation = Simulation(robot, events, plugins=plugins, sensors=[sensor])
    beyond = sum(simulation.robot.item(name).mass for name in ("palm", "cube"))
    # A released object starts to fall at the end of the step in which the gripper opens.
    felt, loads, falling = 0.0, 0.0, []
    while simulation.time < 3.6:
        simulation.step(step())
        reading = simulation.sensors["imu"].reading["acceleration"]
        load = simulation.sensors["wrist"].reading["force"][2]
        if 0.5 < simulation.time < 2.99:
            gain = 0.5 * quintic(simulation.time - 0.5)[2]
            felt = max(felt, abs(reading[2] - G - gain))
            loads = max(loads, abs(load + beyond * (G + gain)))
        elif simulation.time > 3.0 and simulation.state.falls and simulation.state.falls[0].elapsed > 0:
            falling.append(np.abs(reading).max())
    compare("IMU on an object that is held, uneven steps", "closed form", felt, 1e-9, "m/s2")
    compare("Force/torque sensor, object that is held, uneven steps", "m (g + a)", loads, 1e-9, "N")
    assert falling
    compare("IMU on a falling object, uneven steps", "0", max(falling), 1e-9, "m/s2")
    np.testing.assert_allclose(simulation.sensors["imu"].reading["acceleration"], [0, 0, G], atol=1e-12)


def test_externally_placed_joints_have_the_velocity_of_their_placements(plugins, compare):
    """Place joints at uneven times, as a real robot does."""
    rng = np.random.default_rng(3)
    sensor = SensorSetting("imu", Mount("imu", "arm"))
    simulation = Simulation(spinning(), plugins=plugins, sensors=[sensor])
    gain, worst = 0.7, 0.0
    for number in range(200):
        time = simulation.time
        simulation.place(np.array([gain / 2 * time**2]))
        simulation.step(rng.uniform(1e-3, 0.03))
        if number > 3:
            expected = [-((gain * time) ** 2), gain, G]
            worst = max(worst, float(np.abs(simulation.sensors["imu"].reading["acceleration"] - expected).max()))
    compare("IMU, joint placed from outside, constant acceleration, uneven steps", "closed form", worst, 0.01, "m/s2")
    simulation.step(0.5)
    np.testing.assert_array_equal(simulation.joint_velocities, [0.0])


RATES = (1.0, 7.0, 15.0, 24.0, 30.0, 50.0, 60.0, 90.0, 100.0)


@pytest.mark.parametrize("pattern", ["even steps of 10 ms", "steps of 1 to 9 ms"])
def test_a_sensor_is_read_at_its_rate(plugins, pattern, compare):
    rng = np.random.default_rng(11)
    sensors = [SensorSetting("imu", Mount(f"at-{rate:g}", "arm"), {"rate": rate}) for rate in RATES]
    simulation = Simulation(spinning(), plugins=plugins, sensors=sensors)
    read = {sensor.name: {0.0} for sensor in simulation.sensors.values()}
    longest, seconds = 0.01, 10.0
    while simulation.time < seconds - 1e-9:
        left = seconds - simulation.time
        simulation.step(min(left, 0.01 if "even steps" in pattern else rng.uniform(0.001, 0.009)))
        for sensor in simulation.sensors.values():
            read[sensor.name].add(sensor.read_at)
    for rate in RATES:
        times = np.array(sorted(read[f"at-{rate:g}"]))
        # One reading at the start, then one for each time n / rate, at the end of the step that reaches it.
        assert len(times) == seconds * rate + 1
        late = times - np.arange(len(times)) / rate
        assert late.min() > -1e-9
        compare("Sensor rates of 1 to 100 Hz, delay of a reading", "n / rate", late.max(), longest, "s")
        found = (len(times) - 1) / seconds
        compare("Sensor rates of 1 to 100 Hz, readings per second", "the rate", abs(found - rate), 1e-9, "Hz")


def test_a_served_sensor_publishes_at_its_rate(plugins, compare):
    """Publish at the sensor rate although the server clock ticks unevenly."""
    rates = (15.0, 30.0, 60.0)
    devices = [
        build_device(f"imu-{rate:g}", DeviceKind.IMU, "arm", settings={"rate": f"{rate:g}"}).unwrap() for rate in rates
    ]
    world = ServedWorld.of(replace(spinning(), devices=tuple(devices)), plugins)
    hub = Hub(world)
    server = ControlServer(hub)
    heard = []
    session = ClientSession(hub, "listener", lambda text, _: heard.append(json.loads(text)["topic"]))
    for rate in rates:
        asyncio.run(session.receive(json.dumps({"op": "subscribe", "topic": f"/imu-{rate:g}/imu"}).encode()))
    rng = np.random.default_rng(5)
    while world.time < 20.0:
        server.tick(min(rng.uniform(0.008, 0.013), 20.0 - world.time + 1e-9))
    for rate in rates:
        # The first message is sent on subscription and again with the first tick.
        count = heard.count(f"/imu-{rate:g}/imu") - 2
        compare("Sensor rates of `rck serve`, messages per second", "the rate", abs(count / 20.0 - rate), 1e-9, "Hz")
    session.close()
