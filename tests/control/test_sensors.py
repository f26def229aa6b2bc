"""Sensor topics and their ROS messages."""

import asyncio
import json
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from rck.control.client_session import ClientSession
from rck.control.hub import Hub
from rck.control.objects import object_item
from rck.control.served_world import ServedWorld
from rck.geometry.transforms import translation
from rck.model.device import DeviceKind, build_device
from rck.support.steps import run_steps
from rck.testing.robots import planar_arm

KINDS = {
    "eye": (DeviceKind.CAMERA, "/eye/image_raw", "sensor_msgs/Image"),
    "scanner": (DeviceKind.LIDAR_2D, "/scanner/scan", "sensor_msgs/LaserScan"),
    "dome": (DeviceKind.LIDAR_3D, "/dome/points", "sensor_msgs/PointCloud2"),
    "sonar": (DeviceKind.ULTRASONIC, "/sonar/range", "sensor_msgs/Range"),
    "wrist": (DeviceKind.FORCE_TORQUE, "/wrist/wrench", "geometry_msgs/WrenchStamped"),
    "gyro": (DeviceKind.IMU, "/gyro/imu", "sensor_msgs/Imu"),
    "encoder": (DeviceKind.ENCODER, "/encoder/joint_states", "sensor_msgs/JointState"),
    "button": (DeviceKind.CONTACT, "/button/contact", "std_msgs/Bool"),
}


@pytest.fixture
def hub(world_of):
    arm = planar_arm(2)
    item, joint = arm.items[-1].name, arm.free_joints[0].name
    devices = [
        build_device(
            name,
            kind,
            item,
            joints=(joint,) if name == "encoder" else (),
        ).unwrap()
        for name, (kind, _, _) in KINDS.items()
    ]
    return Hub(ServedWorld.of(replace(arm, devices=tuple(devices)), world_of().plugins))


def heard(hub, topic):
    """Return the message of a topic after a step."""
    told = []
    session = ClientSession(hub, "listener", lambda text, _: told.append(json.loads(text)))
    asyncio.run(session.receive(json.dumps({"op": "subscribe", "topic": topic}).encode()))
    assert hub.may_step(0.0)
    hub.world.step(0.01)
    hub.publish_world()
    session.close()
    return [message["msg"] for message in told if message["op"] == "publish"][-1]


def test_every_sensor_has_topics_of_the_ros_type(hub):
    for _, topic, ros_type in KINDS.values():
        assert hub.types[topic] == ros_type


def test_messages_have_the_fields_of_their_types(hub):
    picture = heard(hub, "/eye/image_raw")
    assert picture["encoding"] == "rgb8"
    assert picture["step"] == 3 * picture["width"]
    assert len(b64decode(picture["data"])) == picture["step"] * picture["height"]
    scan = heard(hub, "/scanner/scan")
    assert scan["header"]["frame_id"] == "scanner"
    angles = scan["angle_min"] + scan["angle_increment"] * np.arange(len(scan["ranges"]))
    assert angles[-1] == pytest.approx(scan["angle_max"])
    assert all(one is None or one >= 0 for one in scan["ranges"])
    assert heard(hub, "/sonar/range")["radiation_type"] == 0
    assert set(heard(hub, "/wrist/wrench")["wrench"]) == {"force", "torque"}
    gravity = heard(hub, "/gyro/imu")["linear_acceleration"]
    assert np.linalg.norm(list(gravity.values())) == pytest.approx(9.80665)
    assert len(heard(hub, "/encoder/joint_states")["position"]) == 1
    assert heard(hub, "/button/contact") == {"data": False}


def test_point_cloud_has_points_for_returns_and_nan_elsewhere(hub):
    cloud = heard(hub, "/dome/points")
    assert [field["name"] for field in cloud["fields"]] == ["x", "y", "z"]
    assert cloud["row_step"] == cloud["point_step"] * cloud["width"]
    points = np.frombuffer(b64decode(cloud["data"]), "<f4").reshape(cloud["height"], cloud["width"], 3)
    ranges = hub.world.simulation.sensors["dome"].reading["ranges"]
    met = np.isfinite(ranges)
    assert met.any()
    assert cloud["is_dense"] == bool(met.all())
    assert np.linalg.norm(points, axis=2)[met] == pytest.approx(ranges[met], rel=1e-5)
    assert np.isnan(points[~met]).all()
    middle = cloud["width"] // 2
    assert np.nan_to_num(np.abs(np.arctan2(points[..., 1], points[..., 0])[:, middle])).max() < 1e-5


def test_sensor_keeps_its_rate_and_noise_when_an_object_is_added(hub):
    def readings(spawned):
        world = ServedWorld.of(replace(hub.world.robot, devices=(noisy,)), hub.world.plugins)
        found = {}
        for step in range(40):
            if step == 15 and spawned:
                cube = object_item("cube", "box", [0.1] * 3, translation((9, 9, 9)), (1, 1, 1, 1), None, False)
                run_steps(world.spawn(cube, {}))
            world.step(0.01)
            sensor = world.simulation.sensors["gyro"]
            found[sensor.read_at] = sensor.reading["acceleration"].tolist()
        return found

    item = hub.world.robot.items[-1].name
    noisy = build_device("gyro", DeviceKind.IMU, item, settings={"rate": "30", "noise": "0.1"}).unwrap()
    assert readings(True) == readings(False)


def test_sensor_without_subscribers_is_not_read(hub):
    hub.may_step(0.0)
    assert not any(sensor.on for sensor in hub.world.simulation.sensors.values())
    before = hub.world.simulation.sensors["eye"].read_at
    hub.world.step(0.01)
    assert hub.world.simulation.sensors["eye"].read_at == before
