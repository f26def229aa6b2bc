"""ROS messages.

Messages of `rck serve` are compared with their definitions (ros2/common_interfaces) and with REP 103 (units and axes),
REP 105 (frames) and REP 117 (distances). The tests use only the messages that a client receives; the walls are at known
positions.
"""

import asyncio
import json
from base64 import b64decode

import numpy as np
import pytest
from rck_tests import block

from rck.control.client_session import ClientSession
from rck.control.hub import Hub
from rck.control.served_world import ServedWorld
from rck.geometry.primitives import box
from rck.geometry.transforms import from_euler, from_quaternion, translation
from rck.kinematics.motion.path import path_of
from rck.model import DeviceKind, Mimic, build_device, build_item, build_joint, build_robot, subitem_of
from rck.simulation.events import Event, FollowPath
from rck.simulation.motor_loads import physics_maker
from rck.simulation.simulation import Simulation

TILT = 0.3
LOOKING = np.array([[0.0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
"""A camera that looks along x of its item, upright."""
HEADER = {"stamp", "frame_id"}
FIELDS = {
    "sensor_msgs/CameraInfo": {
        "header",
        "height",
        "width",
        "distortion_model",
        "d",
        "k",
        "r",
        "p",
        "binning_x",
        "binning_y",
        "roi",
    },
    "sensor_msgs/Image": {"header", "height", "width", "encoding", "is_bigendian", "step", "data"},
    "sensor_msgs/LaserScan": {
        "header",
        "angle_min",
        "angle_max",
        "angle_increment",
        "time_increment",
        "scan_time",
        "range_min",
        "range_max",
        "ranges",
        "intensities",
    },
    "sensor_msgs/Range": {"header", "radiation_type", "field_of_view", "min_range", "max_range", "range"},
    "sensor_msgs/JointState": {"header", "name", "position", "velocity", "effort"},
    "sensor_msgs/Imu": {
        "header",
        "orientation",
        "orientation_covariance",
        "angular_velocity",
        "angular_velocity_covariance",
        "linear_acceleration",
        "linear_acceleration_covariance",
    },
    "geometry_msgs/WrenchStamped": {"header", "wrench"},
}


def wall():
    """Return a wall across x, rotated about z, whose near face contains (2, 0, 0)."""
    thick = 0.1
    pose = translation((2.0, 0.0, 0.0)) @ from_euler([0, 0, TILT]) @ translation((thick / 2, 0.0, 0.0))
    return build_item("wall", [subitem_of(box(thick, 3.0, 3.0)).unwrap()], pose=pose).unwrap()


def off_wall(points):
    """Return the distances of world points, shape (points, 3), from the near face of the wall."""
    normal = np.array([np.cos(TILT), np.sin(TILT), 0.0])
    return np.abs((points - [2.0, 0.0, 0.0]) @ normal)


@pytest.fixture
def hub(plugins):
    """Return a sensor head that rotates on a post in front of a wall."""
    items = [block("post", (0, 0, -0.5), (0.1, 0.1, 0.8)), block("head", (0, 0, 0)), wall()]
    joint = build_joint("turn", "revolute", "post", "head", limits=(-1, 1)).unwrap()
    ahead = translation((0.06, 0.01, 0.02)) @ LOOKING
    cameras = {"resolution-x": "640", "resolution-y": "480", "width": "64"}
    devices = [
        build_device("eye", DeviceKind.DEPTH_CAMERA, "head", pose=ahead, settings={**cameras, "rate": "20"}),
        build_device("scanner", DeviceKind.LIDAR_2D, "head", pose=translation((0, 0, 0.06)), settings={"rate": "40"}),
        build_device("always", DeviceKind.LIDAR_2D, "head", pose=translation((0, 0, 0.06))),
        build_device("sonar", DeviceKind.ULTRASONIC, "head", pose=ahead, settings={"lean": "80 deg"}),
        build_device("laser", DeviceKind.LASER_RANGE, "head", pose=ahead),
        build_device("blind", DeviceKind.LASER_RANGE, "head", pose=ahead, settings={"min-range": "5 m"}),
        build_device("lost", DeviceKind.LASER_RANGE, "head", pose=ahead, settings={"max-range": "1 m"}),
        build_device("gyro", DeviceKind.IMU, "head", settings={"noise": "0.1"}),
        build_device("wrist", DeviceKind.FORCE_TORQUE, "post"),
        build_device("count", DeviceKind.ENCODER, "head"),
    ]
    robot = build_robot("head", items, [joint], devices=[device.unwrap() for device in devices]).unwrap()
    return Hub(ServedWorld.of(robot, plugins))


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def heard(hub, *topics, steps=(0.06,)):
    """Return the last message of each topic after some steps, as a client receives it."""
    found = {}

    def hear(text, _):
        message = json.loads(text, parse_constant=refuse)
        if message["op"] == "publish":
            found[message["topic"]] = message["msg"]

    session = ClientSession(hub, "listener", hear)
    for topic in topics:
        asyncio.run(session.receive(json.dumps({"op": "subscribe", "topic": topic}).encode()))
    for seconds in steps:
        assert hub.may_step(0.0)
        hub.world.step(seconds)
        hub.publish_world()
    session.close()
    return [found[topic] for topic in topics]


def frames(transforms):
    """Return world-from-frame poses from the messages of /tf."""
    poses = {"world": np.eye(4)}
    for one in transforms["transforms"]:
        at, turn = one["transform"]["translation"], one["transform"]["rotation"]
        pose = translation((at["x"], at["y"], at["z"])) @ from_quaternion([turn[axis] for axis in "wxyz"])
        assert one["child_frame_id"] not in poses, "a frame has one parent"
        poses[one["child_frame_id"]] = poses[one["header"]["frame_id"]] @ pose
    return poses


def test_messages_have_the_fields_of_their_types(hub):
    topics = [topic for topic, ros_type in hub.types.items() if ros_type in FIELDS and topic in hub.topics]
    assert len(topics) == 14
    for topic, message in zip(topics, heard(hub, *topics), strict=True):
        assert message.keys() == FIELDS[hub.types[topic]], topic
        assert message["header"].keys() == HEADER
        assert message["header"]["stamp"].keys() == {"sec", "nanosec"}


def test_frames_form_a_tree_under_world_and_messages_use_them(hub):
    topics = [topic for topic, ros_type in hub.types.items() if ros_type in FIELDS and topic in hub.topics]
    transforms, *messages = heard(hub, "/tf", *topics)
    known = frames(transforms)
    for topic, message in zip(topics, messages, strict=True):
        frame = message["header"]["frame_id"]
        # Joint states have no frame.
        assert frame in known or topic == "/joint_states"
        assert not frame.startswith("/")


def test_camera_matrix_projects_depth_pixels_onto_the_wall(hub, compare):
    image, info, depth, depth_info, transforms = heard(
        hub, "/eye/image_raw", "/eye/camera_info", "/eye/depth/image_raw", "/eye/depth/camera_info", "/tf"
    )
    for one in (info, depth_info):
        assert one["header"] == image["header"] == depth["header"]
        assert (one["width"], one["height"]) == (image["width"], image["height"]) == (64, 48)
        assert one["distortion_model"] == "plumb_bob"
        assert one["d"] == [0.0] * 5
        assert one["r"] == np.eye(3).ravel().tolist()
    assert (image["encoding"], depth["encoding"]) == ("rgb8", "32FC1")
    camera, projection = np.reshape(info["k"], (3, 3)), np.reshape(info["p"], (3, 4))
    np.testing.assert_array_equal(projection, np.column_stack([camera, np.zeros(3)]))
    # 60 degrees between the outer edges of the first and the last pixel.
    edges = np.linalg.inv(camera) @ np.array([[-0.5, 63.5], [0, 0], [1, 1]])
    error = np.abs(np.arctan(edges[0]) - np.radians([-30, 30])).max()
    compare("CameraInfo, field of view", "60 deg", np.degrees(error), 1e-9, "deg")
    metres = np.frombuffer(b64decode(depth["data"]), "<f4").reshape(48, 64).astype(float)
    rows, columns = np.nonzero(np.isfinite(metres))
    assert len(rows) == 64 * 48
    # Optical axes: x right, y down, z forward.
    rays = np.linalg.inv(camera) @ np.stack([columns, rows, np.ones_like(rows)])
    in_camera = metres[rows, columns] * rays
    optical = frames(transforms)[depth["header"]["frame_id"]]
    points = (optical[:3, :3] @ in_camera).T + optical[:3, 3]
    compare("CameraInfo and depth image, points on a wall", "closed form", off_wall(points).max(), 1e-6, "m")


def test_scan_points_lie_on_the_wall_and_scan_time_is_set(hub, compare):
    steps = (0.01, 0.004, 0.023, 0.017)
    scan, always, transforms = heard(hub, "/scanner/scan", "/always/scan", "/tf", steps=steps)
    assert scan["scan_time"] == pytest.approx(1 / 40)
    assert always["scan_time"] == pytest.approx(0.017)
    assert scan["time_increment"] == always["time_increment"] == 0.0
    assert (scan["range_min"], scan["range_max"], scan["intensities"]) == (0.0, 12.0, [])
    numbers = np.array([np.nan if one is None else one for one in scan["ranges"]])
    angles = scan["angle_min"] + scan["angle_increment"] * np.arange(len(numbers))
    assert angles[-1] == pytest.approx(scan["angle_max"])
    pose = frames(transforms)[scan["header"]["frame_id"]]
    ends = numbers[:, None] * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    points = (ends @ pose[:3, :3].T + pose[:3, 3])[np.isfinite(numbers)]
    assert 20 < len(points) < 180
    compare("LaserScan, points on a wall", "closed form", off_wall(points).max(), 1e-9, "m")


def test_a_range_is_along_x_of_its_frame(hub, compare):
    laser, sonar, transforms = heard(hub, "/laser/range", "/sonar/range", "/tf")
    known = frames(transforms)
    for message in (laser, sonar):
        pose = known[message["header"]["frame_id"]]
        end = pose[:3, 3] + message["range"] * pose[:3, 0]
        if message is laser:
            compare("Range, end of the beam on a wall", "closed form", off_wall(end[None])[0], 1e-9, "m")
        np.testing.assert_allclose(pose[:3, 0], [1, 0, 0], atol=1e-12)
    assert (laser["radiation_type"], sonar["radiation_type"]) == (1, 0)
    assert sonar["field_of_view"] == pytest.approx(np.radians(20))


def test_no_return_is_infinity_too_near_is_minus_infinity_and_json_has_null(hub):
    blind, lost = heard(hub, "/blind/range", "/lost/range")
    sensors = hub.world.simulation.sensors
    assert sensors["blind"].reading["distance"][0] == -np.inf
    assert sensors["lost"].reading["distance"][0] == np.inf
    assert blind["range"] is None
    assert lost["range"] is None


def test_an_inertial_message_has_the_specific_force_and_the_covariance_of_its_noise(hub):
    (message,) = heard(hub, "/gyro/imu")
    assert message["linear_acceleration"]["z"] == pytest.approx(9.80665, abs=0.5)
    for name in ("angular_velocity_covariance", "linear_acceleration_covariance"):
        np.testing.assert_allclose(np.reshape(message[name], (3, 3)), 0.01 * np.eye(3))
    assert message["orientation_covariance"][0] == -1.0


def test_joint_states_have_the_velocity_of_the_motion_and_no_effort_without_physics(hub, compare):
    path = path_of(["turn"], (0.0, 2.0), [[np.zeros(1), np.zeros(1), np.full(1, 3 * 0.8), np.full(1, -2 * 0.8)]])
    hub.world.simulation.add(Event(0.0, FollowPath(path)))
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(60):
        (state,) = heard(hub, "/joint_states", steps=(rng.uniform(1e-4, 0.03),))
        assert (state["name"], state["effort"]) == (["turn"], [])
        share = hub.world.time / 2.0
        worst = max(worst, abs(state["velocity"][0] - 0.8 * (6 * share - 6 * share**2) / 2.0))
        assert state["position"][0] == pytest.approx(0.8 * (3 * share**2 - 2 * share**3), abs=1e-9)
    compare("JointState, velocity at uneven steps", "closed form", worst, 1e-9, "rad/s")
    encoder, state = heard(hub, "/count/joint_states", "/joint_states")
    assert encoder["name"] == state["name"]
    assert len(encoder["position"]) == 1


def test_joint_states_have_the_efforts_of_physics(plugins, compare):
    pytest.importorskip("mujoco")
    items = [block("post", (0, 0, 0)), block("arm", (0.5, 0, 0), mass=2.0), block("tip", (0.8, 0, 0), mass=0.5)]
    swing = build_joint("swing", "revolute", "post", "arm", end=(0, 1, 0), limits=(-1, 1)).unwrap()
    tail = build_joint(
        "tail", "prismatic", "arm", "tip", start=(0.8, 0, 0), end=(1.8, 0, 0), mimic=Mimic("swing", 0.05)
    )
    robot = build_robot("arm", items, [swing, tail.unwrap()]).unwrap()
    simulation = Simulation(robot, plugins=plugins, physics=physics_maker(plugins, "mujoco"))
    hub = Hub(ServedWorld(simulation, plugins))
    (state,) = heard(hub, "/joint_states", steps=(0.01,) * 300)
    assert state["name"] == ["swing", "tail"]
    # A load at +x turns the arm about y towards larger angles; the motor holds it.
    expected = -9.80665 * (2.0 * 0.5 + 0.5 * 0.8)
    error = abs(state["effort"][0] - expected) / abs(expected)
    compare("JointState, effort that holds an arm level", "m g r", error, 0.002, "relative")
    # A mimic joint has no motor.
    assert state["effort"][1] == 0.0
    assert state["position"][0] == simulation.view.vector[0]
