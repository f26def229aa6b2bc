"""Sensor readings in known worlds."""

from math import pi, radians

import numpy as np
import pytest
from rck_plugins.sensors.safety import SafetyMat, SafetySensor

from rck.geometry.primitives import box
from rck.geometry.transforms import from_euler, rotation_about, translation
from rck.hooks import Mount, StopDemand
from rck.hooks.actions import Condition, MoveJoint, SwitchSensor, UseGripper, WaitFor
from rck.model import Device, DeviceKind, RckError, build_item, build_joint, build_robot, subitem_of
from rck.simulation.events import Event
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.sensors import SensorSetting, demand_of
from rck.simulation.simulation import Simulation

ALONG_X = rotation_about((0, 1, 0), pi / 2)
"""z along x."""


@pytest.fixture
def sensing(plugins, worlds):
    """A simulation of the ram with sensors on it."""
    world, block = worlds

    def make(*others, sensor, options=None, pose=ALONG_X, item="ram", events=(), joints=(), seed=0):
        robot = world(*(block(*other) for other in others))
        setting = SensorSetting(sensor, Mount("eye", item, pose, joints), options)
        return Simulation(robot, events, plugins=plugins, sensors=[setting], seed=seed)

    return make


def value(simulation, channel):
    return simulation.sensors["eye"].reading[channel]


def test_laser_reads_the_distance_along_its_ray(sensing):
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=[Event(0, MoveJoint("slide", 0.5, 1.0))])
    assert value(simulation, "distance")[0] == pytest.approx(0.95)
    simulation.step(0.5)
    assert value(simulation, "distance")[0] == pytest.approx(0.70)


def test_laser_reads_infinity_for_nothing_or_too_near(sensing):
    assert value(sensing(sensor="laser-range"), "distance")[0] == np.inf
    far = sensing(("wall", (3.0, 0, 0)), sensor="laser-range", options={"max-range": "2 m"})
    assert value(far, "distance")[0] == np.inf
    near = sensing(("wall", (0.2, 0, 0)), sensor="laser-range", options={"min-range": "0.5 m"})
    assert value(near, "distance")[0] == -np.inf


def test_ultrasonic_detects_objects_within_ten_degrees_of_its_axis(sensing):
    off = 2.0 * np.tan(radians(8))
    inside = sensing(("post", (2.0, off, 0), (0.1, 0.1, 3)), sensor="ultrasonic")
    assert value(inside, "distance")[0] == pytest.approx(1.95, abs=0.05)
    outside = sensing(("post", (2.0, 2.0 * np.tan(radians(14)), 0), (0.1, 0.1, 3)), sensor="ultrasonic")
    assert value(outside, "distance")[0] == np.inf
    assert value(outside, "echo")[0] == 0


def test_ultrasonic_has_no_echo_from_a_strongly_inclined_surface(plugins, worlds):
    world, _ = worlds

    def heard(lean):
        panel = subitem_of(box(0.01, 1, 1)).unwrap()
        pose = translation((2, 0, 0)) @ from_euler([0, 0, radians(lean)])
        robot = world(build_item("panel", [panel], pose=pose).unwrap())
        sensor = SensorSetting("ultrasonic", Mount("eye", "ram", ALONG_X))
        return Simulation(robot, plugins=plugins, sensors=[sensor]).sensors["eye"].reading["echo"][0]

    assert [heard(lean) for lean in (0, 15, 40)] == [1, 1, 0]


def test_ultrasonic_has_a_least_range_of_nine_tenths_of_a_foot(sensing):
    simulation = sensing(("wall", (0.05 + 0.89 * 0.3048, 0, 0)), sensor="ultrasonic")
    assert value(simulation, "distance")[0] == -np.inf
    assert value(simulation, "echo")[0] == 1
    farther = sensing(("wall", (0.05 + 0.91 * 0.3048, 0, 0)), sensor="ultrasonic")
    assert value(farther, "distance")[0] == pytest.approx(0.91 * 0.3048)


def test_depth_distinguishes_too_near_from_nothing_in_range(sensing):
    options = {"min-range": "1 m", "max-range": "3 m"}
    blocks = [("near", (0.5, -0.2, 0)), ("seen", (2, 0.5, 0), (0.2, 0.2, 0.2)), ("far", (4, 0, 0), (0.1, 9, 9))]
    pose = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])
    simulation = sensing(*blocks, sensor="depth-camera", options=options, pose=pose)
    items, depth = value(simulation, "items"), value(simulation, "depth")
    index = simulation.robot.item_index
    assert (depth[items == index["near"]] == -np.inf).all()
    assert np.isfinite(depth[items == index["seen"]]).all()
    assert (depth[items == index["far"]] == np.inf).all()


def test_a_lidar_sees_the_walls_of_a_room(sensing):
    walls = [(f"w{n}", at, size) for n, (at, size) in enumerate([((2, 0, 0), (0.1, 9, 1)), ((0, 3, 0), (9, 0.1, 1))])]
    simulation = sensing(*walls, sensor="lidar-2d", pose=np.eye(4))
    ranges = value(simulation, "ranges")
    assert ranges.shape == (360,)
    assert ranges[180] == pytest.approx(1.95)
    assert ranges[270] == pytest.approx(2.95)
    assert ranges[0] == np.inf
    angle = radians(210 - 180)
    assert ranges[210] == pytest.approx(1.95 / np.cos(angle))


def test_a_lidar_with_rows_looks_up_and_down(sensing):
    options = {"channels": 3.0, "field-of-view-vertical": "60 deg", "field-of-view": "90 deg"}
    simulation = sensing(("wall", (2, 0, 0), (0.1, 9, 1)), sensor="lidar-3d", pose=np.eye(4), options=options)
    ranges = value(simulation, "ranges")
    assert ranges.shape == (3, 91)
    assert ranges[:, 45].tolist() == [np.inf, pytest.approx(1.95), np.inf]


def test_camera_image_shows_items_at_their_poses(sensing):
    pose = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])
    simulation = sensing(
        ("left", (2, 0.5, 0), (0.2, 0.2, 0.2)),
        ("right", (2, -0.5, 0.3), (0.2, 0.2, 0.2)),
        sensor="depth-camera",
        pose=pose,
    )
    items, depth, colour = (value(simulation, channel) for channel in ("items", "depth", "colour"))
    assert items.shape == depth.shape == (120, 160)
    assert colour.shape == (120, 160, 3)
    index = simulation.robot.item_index
    rows, columns = np.nonzero(items == index["left"])
    assert columns.max() < 80
    rows_right, columns_right = np.nonzero(items == index["right"])
    assert columns_right.min() > 80
    assert rows_right.mean() < rows.mean()
    assert depth[items == index["left"]].min() == pytest.approx(1.9, abs=1e-6)
    assert np.isinf(depth[items < 0]).all()


def test_contact_sensor_detects_contacts_of_its_item(sensing):
    events = [Event(0, MoveJoint("slide", 1.0, 1.0))]
    simulation = sensing(("wall", (0.5, 0, 0)), sensor="contact", events=events)
    simulation.step(0.3)
    assert value(simulation, "pressed")[0] == 0
    simulation.step(0.3)
    assert value(simulation, "pressed")[0] == 1


def test_encoder_counts_whole_steps(sensing):
    events = [Event(0, MoveJoint("slide", 0.1234, 1.0))]
    simulation = sensing(sensor="encoder", options={"bits": 6.0}, joints=("slide",), events=events)
    simulation.run()
    assert value(simulation, "counts")[0] == round(0.1234 * 64)
    assert value(simulation, "position")[0] == pytest.approx(round(0.1234 * 64) / 64)


def test_noise_of_an_encoder_is_counted(sensing):
    options = {"encoder-resolution": 1000.0, "noise": 0.01}
    simulation = sensing(sensor="encoder", options=options, joints=("slide",))
    counts = []
    for _ in range(500):
        simulation.step(0.01)
        counts.append(int(value(simulation, "counts")[0]))
        assert value(simulation, "position")[0] == pytest.approx(counts[-1] / 1000)
    # Ten counts of noise, and what rounding adds.
    assert np.std(counts) == pytest.approx(np.sqrt(100 + 1 / 12), rel=0.1)
    assert np.mean(counts) == pytest.approx(0.0, abs=1.5)


def test_joints_that_are_set_occasionally_are_at_rest(worlds, plugins):
    world, _ = worlds
    simulation = Simulation(world(), plugins=plugins)
    for number in range(4):
        simulation.place(np.array([0.1 * number]))
        np.testing.assert_array_equal(simulation.joint_velocities, [0.0])
        simulation.step(1.0)
    # A motion between two placements is not counted twice.
    simulation.add(Event(simulation.time, MoveJoint("slide", 0.5, 1.0)))
    simulation.step(0.1)
    simulation.place(simulation.vector + 0.001)
    simulation.step(0.1)
    simulation.place(simulation.vector + 0.001)
    assert simulation.joint_velocities[0] == pytest.approx(0.5 + 0.01)


def test_inertial_sensor_reads_gravity_and_rotation(plugins, worlds):
    _, block = worlds
    items = [block("post", (0, 0, 0)), block("arm", (1, 0, 0))]
    turn = build_joint("turn", "continuous", "post", "arm").unwrap()
    robot = build_robot("arm", items, [turn]).unwrap()
    sensor = SensorSetting("imu", Mount("eye", "arm"))
    simulation = Simulation(robot, [Event(0, MoveJoint("turn", 2.0, 1.0))], plugins=plugins, sensors=[sensor])
    np.testing.assert_allclose(value(simulation, "acceleration"), [0, 0, 9.80665])
    simulation.run(until=0.5)
    np.testing.assert_allclose(value(simulation, "turning"), [0, 0, 2.0], atol=1e-9)
    # Round a circle of a metre at 2 rad/s: 4 m/s2 towards the middle.
    np.testing.assert_allclose(value(simulation, "acceleration"), [-4.0, 0.0, 9.80665], atol=1e-9)
    simulation.run()
    np.testing.assert_allclose(value(simulation, "acceleration"), [0.0, 0.0, 9.80665], atol=1e-9)


def test_wrist_sensor_reads_the_weight_beyond_it_and_in_the_gripper(plugins, worlds):
    _, block = worlds
    items = [
        block("post", (0, 0, 1)),
        block("wrist", (0, 0, 0.8), (0.02, 0.02, 0.02)),
        block("palm", (0.1, 0, 0.8), (0.02, 0.02, 0.02)),
        block("cube", (0.1, 0, 0.77), (0.04, 0.04, 0.04), True),
    ]
    joints = [
        build_joint("lift", "prismatic", "post", "wrist", end=(0, 0, 1), limits=(-1, 1)).unwrap(),
        build_joint("bolt", "fixed", "wrist", "palm").unwrap(),
    ]
    pose = from_euler([pi, 0, 0]) @ translation((0, 0, 0.01))
    devices = [
        Device("hand", DeviceKind.VACUUM_GRIPPER, "palm", pose, (), {"diameter": 0.01}),
        Device("feel", DeviceKind.FORCE_TORQUE, "wrist"),
    ]
    robot = build_robot("arm", items, joints, devices=devices).unwrap()
    simulation = Simulation(robot, [Event(0.1, UseGripper("hand", True))], plugins=plugins)
    reading = simulation.sensors["feel"].reading
    np.testing.assert_allclose(reading["force"], [0, 0, -9.80665])
    np.testing.assert_allclose(reading["moment"], [0, 0.1 * 9.80665, 0], atol=1e-12)
    simulation.step(0.2)
    assert simulation.outcomes[-1].done
    np.testing.assert_allclose(simulation.sensors["feel"].reading["force"], [0, 0, -2 * 9.80665])


def test_force_stick_reads_the_displacement_until_the_follower_arrives(plugins, worlds):
    _, block = worlds
    items = [block("post", (0, 0, 1)), block("leader", (0, 0, 0)), block("follower", (0, 0.5, 0))]
    joints = [
        build_joint(name, "prismatic", "post", item, end=(1, 0, 0), limits=(-1, 1)).unwrap()
        for name, item in [("a", "leader"), ("b", "follower")]
    ]
    robot = build_robot("two", items, joints).unwrap()
    options = {"to": "follower", "length": 0.5, "stiffness": 100.0}
    sensor = SensorSetting("force-stick", Mount("eye", "leader", rotation_about((1, 0, 0), -pi / 2)), options)
    events = [Event(0, MoveJoint("a", 0.1, 1.0)), Event(1, MoveJoint("b", 0.1, 1.0))]
    simulation = Simulation(robot, events, plugins=plugins, sensors=[sensor])
    np.testing.assert_allclose(value(simulation, "displacement"), 0, atol=1e-15)
    simulation.step(1.0)
    np.testing.assert_allclose(value(simulation, "displacement"), [0.1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(value(simulation, "force"), [10, 0, 0], atol=1e-9)
    simulation.step(1.0)
    np.testing.assert_allclose(value(simulation, "displacement"), 0, atol=1e-12)


def test_noise_is_the_same_for_the_same_seed_and_has_its_size(sensing):
    def readings(seed):
        options = {"noise": 0.01}
        simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", options=options, seed=seed)
        found = []
        for _ in range(300):
            simulation.step(0.01)
            found.append(value(simulation, "distance")[0])
        return np.array(found)

    first = readings(1)
    np.testing.assert_array_equal(first, readings(1))
    assert not np.array_equal(first, readings(2))
    assert first.mean() == pytest.approx(0.95, abs=0.002)
    assert first.std() == pytest.approx(0.01, rel=0.2)


def test_sensor_is_read_at_its_rate(sensing):
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", options={"rate": 10.0})
    times = set()
    for _ in range(100):
        simulation.step(0.01)
        times.add(round(simulation.sensors["eye"].read_at, 6))
    assert times == {n / 10 for n in range(11)}


def test_sensor_that_is_off_keeps_its_reading(sensing):
    events = [Event(0.5, SwitchSensor("eye", False)), Event(0, MoveJoint("slide", 0.5, 1.0))]
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=events)
    simulation.run()
    assert value(simulation, "distance")[0] == pytest.approx(0.70, abs=0.01)


def test_later_events_wait_for_a_condition(sensing):
    wait = Event(0.1, WaitFor(Condition("eye", "distance", "<", 0.6)))
    events = [Event(0, MoveJoint("slide", 0.5, 1.0)), wait, Event(1.0, MoveJoint("slide", -0.5, 1.0))]
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=events)
    simulation.run()
    # The distance is below 0.6 at 0.71 s: the event of 1 s begins 0.61 s later.
    back = next(
        one for one in simulation.outcomes if isinstance(one.event.action, MoveJoint) and one.event.action.change < 0
    )
    assert back.started == pytest.approx(1.61, abs=0.02)
    assert simulation.vector[0] == pytest.approx(0.0, abs=1e-9)


def test_patience_ends(sensing):
    wait = Event(0.0, WaitFor(Condition("eye", "distance", "<", 0.1), 0.5))
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=[wait])
    simulation.run()
    (outcome,) = simulation.outcomes
    assert not outcome.done
    assert "did not happen within 0.5 s" in outcome.why


@pytest.fixture
def guarded(plugins, worlds):
    """A robot that turns, a person on a slide that walks up to it, and a safety sensor at its foot."""
    _, block = worlds

    def make(sensor, events, **options):
        items = [block("base", (0, 0, 0)), block("arm", (0.2, 0, 0.1), (0.4, 0.05, 0.05)), block("rail", (0, 0, -1))]
        items.append(block("person", (3, 0, 0.5), (0.4, 0.4, 1.0)))
        joints = [
            build_joint("turn", "continuous", "base", "arm").unwrap(),
            build_joint("walk", "prismatic", "rail", "person", end=(1, 0, 0), limits=(-3, 3)).unwrap(),
        ]
        robot = build_robot("cell", items, joints).unwrap()
        setting = SensorSetting(sensor, Mount("eye", "base"), {"intruder": "person", **options})
        return Simulation(robot, events, plugins=plugins, sensors=[setting])

    return make


def test_zone_warns_of_a_person_without_stopping_the_robot(guarded):
    events = [Event(0, MoveJoint("turn", 6.0, 6.0)), Event(0, MoveJoint("walk", -1.5, 1.0))]
    simulation = guarded("safety-zone", events, radius=2.0, action="warn")
    simulation.run()
    assert value(simulation, "stop")[0] == 1
    assert simulation.finished
    assert [(notice.kind, notice.text) for notice in simulation.notices] == [("safety", "eye warns of an intruder")]


def test_two_detections_of_six_hold_the_robot_where_it_is(guarded):
    simulation = guarded(
        "safety-zone", [Event(0, MoveJoint("turn", 6.0, 6.0)), Event(0, MoveJoint("walk", -1.5, 1.0))], radius=2.0
    )
    simulation.run()
    # It is within 2 m at 0.53 s; two pulses, 0.13 s apart, tell.
    assert simulation.notices[0].time == pytest.approx(0.75, abs=0.15)
    assert simulation.vector[0] == pytest.approx(simulation.notices[0].time)
    # The person walks on to the end of the motion. The hold cannot end, and the run does.
    assert simulation.vector[1] == pytest.approx(-1.5)
    assert [notice.text for notice in simulation.notices] == [
        "held by eye",
        "no motion can continue: turn held by safety sensor eye",
    ]
    assert simulation.stuck


def test_hold_ends_when_the_person_walks_away(guarded):
    walk = [Event(0, MoveJoint("walk", -1.5, 1.0)), Event(2, MoveJoint("walk", 1.5, 1.0))]
    simulation = guarded("safety-zone", [Event(0, MoveJoint("turn", 6.0, 6.0)), *walk], radius=2.0)
    simulation.run()
    assert simulation.finished
    assert [notice.text for notice in simulation.notices] == ["held by eye", "resumed after being held"]
    held, resumed = (notice.time for notice in simulation.notices)
    turn = next(outcome for outcome in simulation.outcomes if outcome.event.action.joint == "turn")
    assert turn.finished == pytest.approx(6.0 + resumed - held)


def test_run_waits_for_the_end_of_a_stop_whose_cause_is_gone(guarded):
    walk = [Event(0, MoveJoint("walk", -1.2, 0.4)), Event(0.5, MoveJoint("walk", 1.2, 0.4))]
    simulation = guarded(
        "safety-zone", [Event(0, MoveJoint("turn", 6.0, 6.0)), *walk], radius=2.0, **{"least-stop": 20.0}
    )
    simulation.run()
    assert simulation.finished
    assert simulation.time > 20


def test_zone_that_moves_with_the_intruder_holds_their_motion(guarded, plugins):
    robot = guarded("safety-zone", []).robot
    setting = SensorSetting("safety-zone", Mount("eye", "person"), {"intruder": "person", "radius": 2.0})
    simulation = Simulation(robot, [Event(1, MoveJoint("walk", -1.5, 1.0))], plugins=plugins, sensors=[setting])
    simulation.run()
    assert simulation.stuck
    assert simulation.vector[1] == 0.0


def test_program_gives_up_a_motion_that_is_held_for_ever(guarded, plugins):
    simulation = guarded("safety-zone", [Event(0, MoveJoint("walk", -1.5, 1.0))], radius=2.0)
    simulation.run(until=1.5)
    reply = InstructionExecutor(simulation, plugins).execute(MoveJoint("turn", 1.0, 1.0))
    assert not reply
    assert reply.text == "gave up after 10 s: turn held by safety sensor eye"
    assert simulation.finished


def test_emergency_stop_lasts_until_reinitialised_or_restarted(guarded):
    events = [Event(0, MoveJoint("turn", 6.0, 6.0)), Event(0, MoveJoint("walk", -1.5, 1.0))]
    simulation = guarded("safety-zone", events, radius=2.0, action="stop")
    simulation.run()
    assert simulation.emergency
    assert "reinitialise" in simulation.notices[-1].text
    stopped = simulation.vector.copy()
    simulation.step(1.0)
    np.testing.assert_array_equal(simulation.vector, stopped)
    simulation.sensors["eye"].on = False
    simulation.reinitialise()
    assert not simulation.running
    simulation.add(Event(simulation.time, MoveJoint("turn", 0.1, 0.1)))
    simulation.run()
    assert simulation.vector[0] == pytest.approx(stopped[0] + 0.1)


def test_reinitialise_without_emergency_stop_changes_nothing(guarded):
    simulation = guarded("safety-zone", [Event(0, MoveJoint("turn", 6.0, 6.0))], radius=2.0, action="stop")
    simulation.step(1.0)
    simulation.reinitialise()
    assert simulation.running
    assert not simulation.notices


def test_emergency_stop_returns_while_its_cause_remains(guarded):
    simulation = guarded("safety-zone", [Event(0, MoveJoint("walk", -1.5, 1.0))], radius=2.0, action="stop")
    simulation.run()
    simulation.reinitialise()
    simulation.step(0.5)
    assert simulation.emergency


@pytest.mark.parametrize(
    ("asked", "most"), [([], 0), ([-1], 0), ([0, 2], 2), ([9], 3)], ids=["nothing", "below", "several", "beyond"]
)
def test_strongest_demand_of_a_channel_applies(asked, most):
    assert demand_of(np.array(asked)) == most


def test_single_echo_is_ignored_and_stop_lasts_at_least_half_a_second(guarded):
    robot = guarded("safety-mat", []).robot
    values = {"intruder": "", "action": "hold", "hits": 2, "within": 0.8, "least-stop": 0.5}
    pulses = [n / 7.5 for n in range(60)]
    once = SafetySensor(robot, Mount("zone", "base"), values)
    assert not any(once.demand(n == 5, time) for n, time in enumerate(pulses))
    twice = SafetySensor(robot, Mount("zone", "base"), values)
    demands = [twice.demand(n in (5, 8), time) for n, time in enumerate(pulses)]
    assert set(demands[8:12]) == {2}
    assert sum(value == 2 for value in demands) / 7.5 >= 0.5
    assert demands[-1] == 0


def test_mat_detects_thirty_pounds(plugins, worlds):
    _, block = worlds

    def pressed(mass):
        foot = build_item(
            "foot", [subitem_of(box(0.1, 0.3, 0.1), mass=mass).unwrap()], pose=translation((0.4, 0, 0.05))
        )
        robot = build_robot("floor", [block("floor", (0, 0, -0.05)), foot.unwrap()]).unwrap()
        mount = Mount("eye", "floor", translation((0, 0, 0.05)))
        setting = SensorSetting("safety-mat", mount, {"intruder": "foot"})
        return Simulation(robot, plugins=plugins, sensors=[setting]).sensors["eye"].reading["pressed"][0]

    assert pressed(13.0) == 0
    assert pressed(14.0) == 1


def test_mat_holds_no_longer_than_its_setting(guarded):
    robot = guarded("safety-mat", []).robot
    sizes = {"length": 1.0, "width": 1.0, "least-weight": 13.6, "intruder": "person"}
    mat = SafetyMat(
        robot, Mount("mat", "base"), {**sizes, "action": "hold", "hits": 1, "within": 0.2, "least-stop": 0.5}
    )
    asked = [mat.demand(n == 5, n / 7.5) for n in range(40)]
    assert asked[5] == StopDemand.HOLD
    # Half a second at least, and not for as many seconds as the least weight has kilograms.
    assert asked[10] == StopDemand.NOTHING


def test_an_unknown_sensor_and_a_missing_item_are_refused(plugins, worlds):
    world, _ = worlds
    with pytest.raises(RckError, match="no sensor 'laser'"):
        Simulation(world(), plugins=plugins, sensors=[SensorSetting("laser", Mount("eye", "ram"))])
    with pytest.raises(RckError, match="no item 'rum'"):
        Simulation(world(), plugins=plugins, sensors=[SensorSetting("laser-range", Mount("eye", "rum"))])


def test_sensors_of_parts_have_the_figures_of_the_parts(plugins):
    from pathlib import Path

    from rck.language.session import open_session

    path = Path(__file__).parents[2] / "examples" / "mobile-manipulator.rck"
    robot = open_session(plugins, path).compile().unwrap().robot
    simulation = Simulation(robot, plugins=plugins)
    (lidar,) = [sensor for sensor in simulation.sensors.values() if sensor.kind.startswith("lidar")]
    device = next(device for device in robot.devices if device.name == lidar.name)
    assert lidar.values["max-range"] == device.values["max-range"]
    assert lidar.values["rate"] == device.values["rate"]
    assert lidar.reading["ranges"].size > 100


def test_failing_sensor_is_switched_off_and_the_run_continues(sensing):
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=[Event(0, MoveJoint("slide", 0.1, 1.0))])

    def fail(world):
        raise ZeroDivisionError("too clean")

    simulation.sensors["eye"]._reader.read = fail
    simulation.run()
    assert simulation.vector[0] == pytest.approx(0.1)
    assert [notice.text for notice in simulation.notices] == [
        "sensor eye failed and is switched off: ZeroDivisionError: too clean"
    ]


def test_light_stripe_reads_the_height_of_a_step_and_hidden_parts(sensing):
    # It looks down along -z from the ram, x across.
    down = from_euler([pi, 0, 0])
    blocks = [("table", (0, 0, -0.55), (2, 2, 0.1)), ("step", (0.1, 0, -0.45), (0.1, 0.4, 0.1))]
    simulation = sensing(*blocks, sensor="light-stripe", pose=down)
    across, depth = value(simulation, "across"), value(simulation, "depth")
    assert across.shape == (61,)
    on_step = (across > 0.055) & (across < 0.145)
    np.testing.assert_allclose(depth[on_step], 0.4, atol=1e-9)
    np.testing.assert_allclose(depth[across < 0.0], 0.5, atol=1e-9)
    # A plate between the camera and the stripe hides it.
    plate = ("plate", (0, -0.06, -0.25), (2, 0.02, 0.2))
    hidden = sensing(*blocks, plate, sensor="light-stripe", pose=down)
    assert np.isinf(value(hidden, "depth")).any()
    assert np.isfinite(depth).all()
