"""Topics of a served world, with their ROS names and types."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rck.control.description import DEVICE_FROM_BEAM, WORLD
from rck.control.messages import header, stamp, transform_stamped
from rck.control.served_world import ServedWorld
from rck.exporting import shapes_of
from rck.exporting.web import surface_text
from rck.geometry.transforms import invert


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that the server publishes."""

    ros_type: str
    make: Callable[[ServedWorld], Any] | None
    """Returns the message for the current state of the world; None for topics that are published by events."""
    latched: bool = False
    """True if it is sent once to each subscriber instead of at every step."""
    make_at: Callable[[ServedWorld, str], Any] | None = None
    """Returns the message for a client that downloads files from below an address."""


def joint_states(world: ServedWorld) -> dict[str, Any]:
    """Return sensor_msgs/JointState of all movable joints."""
    measured = world.measured
    return {
        "header": header(world.time),
        "name": [world.names.outside[name] for name in measured],
        "position": [joint.position for joint in measured.values()],
        "velocity": [joint.velocity for joint in measured.values()],
        # In sensor_msgs/JointState, an empty list means unknown.
        "effort": [joint.effort for joint in measured.values() if joint.effort is not None],
    }


def transforms(world: ServedWorld) -> dict[str, Any]:
    """Return tf2_msgs/TFMessage: links relative to their parents, tool and device frames relative to their links."""
    names = world.names
    poses = world.simulation.view.poses
    world_from_link = poses[names.item_of_link]
    stamped = []
    for number, link in enumerate(names.tree.links):
        pose = world_from_link[number]
        if link.parent is None:
            stamped.append(transform_stamped(world.time, WORLD, link.name, pose))
        else:
            parent = names.tree.links[link.parent].name
            stamped.append(
                transform_stamped(world.time, parent, link.name, invert(world_from_link[link.parent]) @ pose)
            )
        places = {frame.name: frame.pose for frame in link.frames} | {
            device.name: device.pose for device in link.devices
        }
        stamped += [transform_stamped(world.time, link.name, name, pose) for name, pose in places.items()]
        stamped += [
            transform_stamped(world.time, placed.name, names.beam_frames[placed.device.name], DEVICE_FROM_BEAM)
            for placed in link.devices
            if placed.device.name in names.beam_frames
        ]
    return {"transforms": stamped}


def clock(world: ServedWorld) -> dict[str, Any]:
    """Return rosgraph_msgs/Clock: simulated time."""
    return {"clock": stamp(world.time)}


def robot_description(world: ServedWorld, address: str = "") -> dict[str, Any]:
    """Return std_msgs/String: the URDF of the initial world, with its meshes below an address."""
    return {"data": world.description.at(address)}


def scene(world: ServedWorld) -> dict[str, Any]:
    """Return items with surfaces (32-bit floats and integers in base64), joints with limits, and frames."""
    robot = world.robot
    shapes = shapes_of(robot)
    items = []
    for item, seen in zip(robot.items, shapes.of_item, strict=True):
        drawn = [shape for shape in seen if shape.seen and len(shape.surface.face_vertices)]
        items.append(
            {
                "name": item.name,
                "mass": item.mass,
                "mobile": item.mobile,
                "shapes": [{**surface_text(shape.surface), "colour": list(shape.colour)} for shape in drawn],
            }
        )
    joints = [
        {
            "name": world.names.outside[joint.name],
            "turns": joint.kind.turns,
            "lower": None if joint.limits is None else joint.limits.lower,
            "upper": None if joint.limits is None else joint.limits.upper,
        }
        for joint in robot.free_joints
    ]
    frames = [
        {"name": frame.name, "item": robot.item_index[frame.item], "pose": np.asarray(frame.pose)[:3].ravel().tolist()}
        for frame in robot.frames
    ]
    return {"name": robot.name, "items": items, "joints": joints, "frames": frames}


def poses(world: ServedWorld) -> dict[str, Any]:
    """Return the pose of every item in the order of the scene: world from item, three rows of four numbers each."""
    rows = world.simulation.view.poses[:, :3].reshape(len(world.robot.items), 12)
    return {
        "time": world.time,
        "paused": world.paused,
        "speed": world.speed,
        "items": np.round(rows, 6).tolist(),
        "positions": {world.names.outside[name]: value for name, value in world.positions.items()},
    }


TOPICS: Mapping[str, Topic] = {
    "/clock": Topic("rosgraph_msgs/Clock", clock),
    "/joint_states": Topic("sensor_msgs/JointState", joint_states),
    "/tf": Topic("tf2_msgs/TFMessage", transforms),
    "/robot_description": Topic("std_msgs/String", robot_description, latched=True, make_at=robot_description),
    "/scene": Topic("rck_msgs/Scene", scene, latched=True),
    "/poses": Topic("rck_msgs/Poses", poses),
    "/view": Topic("rck_msgs/View", None),
    "/motions": Topic("rck_msgs/MotionState", None),
    "/deviation": Topic("rck_msgs/Deviation", None),
    "/late_clients": Topic("rck_msgs/LateClient", None),
    "/robot/joint_trajectory": Topic("trajectory_msgs/JointTrajectory", None),
}
"""Topics of every world; its sensors add more."""
MEASURED = "/feedback/joint_states"
"""Topic of the measured joint states of a real robot."""
SUBSCRIBED: Mapping[str, str] = {
    "/joint_trajectory": "trajectory_msgs/JointTrajectory",
    MEASURED: "sensor_msgs/JointState",
}
"""Topics to which the server subscribes."""
