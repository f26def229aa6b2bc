"""What sensors say of a world that is known."""

from math import pi, radians

import numpy as np
import pytest

from rck.geometry.primitives import box
from rck.geometry.transforms import from_euler, rotation_about, translation
from rck.hooks import Mount, StopDemand
from rck.model import Device, DeviceKind, RckError, build_item, build_joint, build_robot, subitem_of
from rck.simulation.events import Condition, MoveJoint, SwitchSensor, UseGripper, WaitFor
from rck.simulation.sensing import SensorSetting
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


def test_a_laser_tells_the_distance_along_its_ray(sensing):
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=[MoveJoint("slide", 0.5, 0, 1)])
    assert value(simulation, "distance")[0] == pytest.approx(0.95)
    simulation.step(0.5)
    assert value(simulation, "distance")[0] == pytest.approx(0.70)


def test_a_laser_that_meets_nothing_or_something_too_near_says_so(sensing):
    assert value(sensing(sensor="laser-range"), "distance")[0] == np.inf
    far = sensing(("wall", (3.0, 0, 0)), sensor="laser-range", options={"max-range": "2 m"})
    assert value(far, "distance")[0] == np.inf
    near = sensing(("wall", (0.2, 0, 0)), sensor="laser-range", options={"min-range": "0.5 m"})
    assert value(near, "distance")[0] == -np.inf


def test_sound_hears_what_is_beside_the_axis_within_ten_degrees(sensing):
    off = 2.0 * np.tan(radians(8))
    inside = sensing(("post", (2.0, off, 0), (0.1, 0.1, 3)), sensor="ultrasonic")
    assert value(inside, "distance")[0] == pytest.approx(1.95, abs=0.05)
    outside = sensing(("post", (2.0, 2.0 * np.tan(radians(14)), 0), (0.1, 0.1, 3)), sensor="ultrasonic")
    assert value(outside, "distance")[0] == np.inf
    assert value(outside, "echo")[0] == 0


def test_sound_is_not_sent_back_by_a_surface_that_leans_too_far(plugins, worlds):
    world, _ = worlds

    def heard(lean):
        panel = subitem_of(box(0.01, 1, 1)).unwrap()
        pose = translation((2, 0, 0)) @ from_euler([0, 0, radians(lean)])
        robot = world(build_item("panel", [panel], pose=pose).unwrap())
        sensor = SensorSetting("ultrasonic", Mount("eye", "ram", ALONG_X))
        return Simulation(robot, plugins=plugins, sensors=[sensor]).sensors["eye"].reading["echo"][0]

    assert [heard(lean) for lean in (0, 15, 40)] == [1, 1, 0]


def test_sound_cannot_tell_less_than_nine_tenths_of_a_foot(sensing):
    simulation = sensing(("wall", (0.05 + 0.89 * 0.3048, 0, 0)), sensor="ultrasonic")
    assert value(simulation, "distance")[0] == -np.inf
    assert value(simulation, "echo")[0] == 1
    farther = sensing(("wall", (0.05 + 0.91 * 0.3048, 0, 0)), sensor="ultrasonic")
    assert value(farther, "distance")[0] == pytest.approx(0.91 * 0.3048)


def test_depth_that_is_too_near_is_told_from_nothing_in_range(sensing):
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


def test_a_camera_sees_items_where_they_are(sensing):
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


def test_a_contact_tells_that_its_item_is_touched(sensing):
    events = [MoveJoint("slide", 1.0, 0, 1)]
    simulation = sensing(("wall", (0.5, 0, 0)), sensor="contact", events=events)
    simulation.step(0.3)
    assert value(simulation, "pressed")[0] == 0
    simulation.step(0.3)
    assert value(simulation, "pressed")[0] == 1


def test_an_encoder_tells_whole_steps(sensing):
    events = [MoveJoint("slide", 0.1234, 0, 1)]
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


def test_joints_put_into_place_from_time_to_time_are_at_rest(worlds, plugins):
    world, _ = worlds
    simulation = Simulation(world(), plugins=plugins)
    for number in range(4):
        simulation.place(np.array([0.1 * number]))
        np.testing.assert_array_equal(simulation.joint_velocities, [0.0])
        simulation.step(1.0)
    # A motion between two placements is not counted twice.
    simulation.add(MoveJoint("slide", 0.5, simulation.time, simulation.time + 1.0))
    simulation.step(0.1)
    simulation.place(simulation.vector + 0.001)
    simulation.step(0.1)
    simulation.place(simulation.vector + 0.001)
    assert simulation.joint_velocities[0] == pytest.approx(0.5 + 0.01)


def test_an_inertial_sensor_feels_gravity_and_turning(plugins, worlds):
    _, block = worlds
    items = [block("post", (0, 0, 0)), block("arm", (1, 0, 0))]
    turn = build_joint("turn", "continuous", "post", "arm").unwrap()
    robot = build_robot("arm", items, [turn]).unwrap()
    sensor = SensorSetting("imu", Mount("eye", "arm"))
    simulation = Simulation(robot, [MoveJoint("turn", 2.0, 0, 1)], plugins=plugins, sensors=[sensor])
    np.testing.assert_allclose(value(simulation, "acceleration"), [0, 0, 9.80665])
    simulation.run(until=0.5)
    np.testing.assert_allclose(value(simulation, "turning"), [0, 0, 2.0], atol=1e-9)
    # Round a circle of a metre at 2 rad/s: 4 m/s2 towards the middle.
    np.testing.assert_allclose(value(simulation, "acceleration"), [-4.0, 0.0, 9.80665], atol=1e-9)
    simulation.run()
    np.testing.assert_allclose(value(simulation, "acceleration"), [0.0, 0.0, 9.80665], atol=1e-9)


def test_a_wrist_feels_the_weight_beyond_it_and_in_the_hand(plugins, worlds):
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
    simulation = Simulation(robot, [UseGripper("hand", True, 0.1)], plugins=plugins)
    reading = simulation.sensors["feel"].reading
    np.testing.assert_allclose(reading["force"], [0, 0, -9.80665])
    np.testing.assert_allclose(reading["moment"], [0, 0.1 * 9.80665, 0], atol=1e-12)
    simulation.step(0.2)
    assert simulation.outcomes[-1].done
    np.testing.assert_allclose(simulation.sensors["feel"].reading["force"], [0, 0, -2 * 9.80665])


def test_the_stick_between_two_hands_tells_how_far_the_leader_went_until_the_follower_comes(plugins, worlds):
    _, block = worlds
    items = [block("post", (0, 0, 1)), block("leader", (0, 0, 0)), block("follower", (0, 0.5, 0))]
    joints = [
        build_joint(name, "prismatic", "post", item, end=(1, 0, 0), limits=(-1, 1)).unwrap()
        for name, item in [("a", "leader"), ("b", "follower")]
    ]
    robot = build_robot("two", items, joints).unwrap()
    options = {"to": "follower", "length": 0.5, "stiffness": 100.0}
    sensor = SensorSetting("force-stick", Mount("eye", "leader", rotation_about((1, 0, 0), -pi / 2)), options)
    events = [MoveJoint("a", 0.1, 0, 1), MoveJoint("b", 0.1, 1, 2)]
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


def test_a_sensor_speaks_at_its_rate(sensing):
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", options={"rate": 10.0})
    times = set()
    for _ in range(100):
        simulation.step(0.01)
        times.add(round(simulation.sensors["eye"].read_at, 6))
    assert times == {n / 10 for n in range(11)}


def test_a_sensor_that_is_off_says_nothing_new(sensing):
    events = [SwitchSensor("eye", False, 0.5), MoveJoint("slide", 0.5, 0, 1)]
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=events)
    simulation.run()
    assert value(simulation, "distance")[0] == pytest.approx(0.70, abs=0.01)


def test_later_events_wait_until_a_sensor_says_so(sensing):
    wait = WaitFor(Condition("eye", "distance", "<", 0.6), 0.1)
    events = [MoveJoint("slide", 0.5, 0, 1), wait, MoveJoint("slide", -0.5, 1.0, 2.0)]
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=events)
    simulation.run()
    # The distance is below 0.6 at 0.71 s: the event of 1 s begins 0.61 s later.
    back = next(one for one in simulation.outcomes if isinstance(one.event, MoveJoint) and one.event.change < 0)
    assert back.started == pytest.approx(1.61, abs=0.02)
    assert simulation.vector[0] == pytest.approx(0.0, abs=1e-9)


def test_patience_ends(sensing):
    wait = WaitFor(Condition("eye", "distance", "<", 0.1), 0.0, patience=0.5)
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=[wait])
    simulation.run()
    (outcome,) = simulation.outcomes
    assert not outcome.done
    assert "did not come in 0.5 s" in outcome.why


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


def test_a_zone_warns_of_a_person_and_lets_the_robot_go_on(guarded):
    events = [MoveJoint("turn", 6.0, 0, 6), MoveJoint("walk", -1.5, 0, 1)]
    simulation = guarded("safety-zone", events, radius=2.0, action="warn")
    simulation.run()
    assert value(simulation, "stop")[0] == 1
    assert simulation.finished


def test_two_detections_of_six_hold_the_robot_where_it_is(guarded):
    simulation = guarded("safety-zone", [MoveJoint("turn", 6.0, 0, 6), MoveJoint("walk", -1.5, 0, 1)], radius=2.0)
    simulation.run(until=5.0)
    held = simulation.vector.copy()
    simulation.run(until=8.0)
    np.testing.assert_array_equal(simulation.vector, held)
    assert [notice.text for notice in simulation.notices] == ["held"]
    # It is within 2 m at 0.53 s; two pulses, 0.13 s apart, tell.
    assert simulation.notices[0].time == pytest.approx(0.75, abs=0.15)


def test_an_emergency_stop_lasts_until_everything_is_begun_anew(guarded):
    events = [MoveJoint("turn", 6.0, 0, 6), MoveJoint("walk", -1.5, 0, 1)]
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
    simulation.add(MoveJoint("turn", 0.1, simulation.time, simulation.time + 0.1))
    simulation.run()
    assert simulation.vector[0] == pytest.approx(stopped[0] + 0.1)


def test_reinitialising_ends_nothing_where_there_is_no_emergency_stop(guarded):
    simulation = guarded("safety-zone", [MoveJoint("turn", 6.0, 0, 6)], radius=2.0, action="stop")
    simulation.step(1.0)
    simulation.reinitialise()
    assert simulation.running
    assert not simulation.notices


def test_an_emergency_stop_comes_again_while_its_cause_is_there(guarded):
    simulation = guarded("safety-zone", [MoveJoint("walk", -1.5, 0, 1)], radius=2.0, action="stop")
    simulation.run()
    simulation.reinitialise()
    simulation.step(0.5)
    assert simulation.emergency


@pytest.mark.parametrize(
    ("asked", "most"), [([], 0), ([-1], 0), ([0, 2], 2), ([9], 3)], ids=["nothing", "below", "several", "beyond"]
)
def test_the_most_that_a_channel_asks_for_counts(asked, most):
    from rck.simulation.simulation import _demand_of

    assert _demand_of(np.array(asked)) == most


def test_one_false_echo_stops_nothing_and_a_stop_lasts_half_a_second_at_least():
    from rck_sensor_safety.readers import Guard

    values = {"action": "hold", "hits": 2, "within": 0.8, "least-stop": 0.5}
    pulses = [n / 7.5 for n in range(60)]
    once = Guard(values)
    assert not any(once.judge(n == 5, time) for n, time in enumerate(pulses))
    twice = Guard(values)
    asked = [twice.judge(n in (5, 8), time) for n, time in enumerate(pulses)]
    assert set(asked[8:12]) == {2}
    assert sum(value == 2 for value in asked) / 7.5 >= 0.5
    assert asked[-1] == 0


def test_a_mat_feels_thirty_pounds(plugins, worlds):
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


def test_a_mat_holds_no_longer_than_it_is_told_to(guarded):
    from rck_sensor_safety.readers import Mat

    robot = guarded("safety-mat", []).robot
    sizes = {"length": 1.0, "width": 1.0, "least-weight": 13.6, "intruder": "person"}
    mat = Mat(robot, Mount("mat", "base"), {**sizes, "action": "hold", "hits": 1, "within": 0.2, "least-stop": 0.5})
    asked = [mat.judge(n == 5, n / 7.5) for n in range(40)]
    assert asked[5] == StopDemand.HOLD
    # Half a second at least, and not for as many seconds as the least weight has kilograms.
    assert asked[10] == StopDemand.NOTHING


def test_an_unknown_sensor_and_a_missing_item_are_refused(plugins, worlds):
    world, _ = worlds
    with pytest.raises(RckError, match="no sensor 'laser'"):
        Simulation(world(), plugins=plugins, sensors=[SensorSetting("laser", Mount("eye", "ram"))])
    with pytest.raises(RckError, match="no item 'rum'"):
        Simulation(world(), plugins=plugins, sensors=[SensorSetting("laser-range", Mount("eye", "rum"))])


def test_the_sensors_of_parts_take_their_figures_from_the_parts(plugins):
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


def test_a_sensor_that_fails_is_switched_off_and_the_run_goes_on(sensing):
    simulation = sensing(("wall", (1.0, 0, 0)), sensor="laser-range", events=[MoveJoint("slide", 0.1, 0, 1)])

    def fail(world):
        raise ZeroDivisionError("too clean")

    simulation.sensors["eye"]._reader.read = fail
    simulation.run()
    assert simulation.vector[0] == pytest.approx(0.1)
    assert [notice.text for notice in simulation.notices] == [
        "sensor eye failed and is switched off: ZeroDivisionError: too clean"
    ]


def test_a_plane_of_light_tells_the_height_of_a_step_and_what_the_camera_cannot_see(sensing):
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
