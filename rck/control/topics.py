"""The topics of a served world, with the names, types and shapes that ROS programs expect."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rck.control.messages import header, stamp, transform_stamped
from rck.control.names import DEVICE_FROM_BEAM, WORLD
from rck.control.scene import scene_data
from rck.control.world import ServedWorld
from rck.geometry.transforms import invert


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that the world publishes."""

    ros_type: str
    make: Callable[[ServedWorld], Any] | None
    """The message, for the world as it is; None for topics on which messages come by occasion."""
    latched: bool = False
    """Whether it is sent once to everyone who subscribes, and not at every step."""
    make_at: Callable[[ServedWorld, str], Any] | None = None
    """The message for a client that fetches files below an address."""


def joint_states(world: ServedWorld) -> dict[str, Any]:
    """sensor_msgs/JointState of all joints that move."""
    measured = world.measured
    return {
        "header": header(world.time),
        "name": [world.names.outside[name] for name in measured],
        "position": [joint.position for joint in measured.values()],
        "velocity": [joint.velocity for joint in measured.values()],
        # Empty where efforts are not known, as sensor_msgs/JointState has it.
        "effort": [joint.effort for joint in measured.values() if joint.effort is not None],
    }


def transforms(world: ServedWorld) -> dict[str, Any]:
    """tf2_msgs/TFMessage: every link against the one that it hangs on, tool and sensor frames against theirs."""
    names = world.names
    poses = world.simulation.view.poses
    world_from_link = poses[names.item_of_link]
    found = []
    for number, link in enumerate(names.tree.links):
        pose = world_from_link[number]
        if link.parent is None:
            found.append(transform_stamped(world.time, WORLD, link.name, pose))
        else:
            parent = names.tree.links[link.parent].name
            found.append(transform_stamped(world.time, parent, link.name, invert(world_from_link[link.parent]) @ pose))
        places = {one.name: one.pose for one in link.frames} | {one.name: one.pose for one in link.devices}
        found += [transform_stamped(world.time, link.name, name, pose) for name, pose in places.items()]
        found += [
            transform_stamped(world.time, one.name, names.beam_frames[one.device.name], DEVICE_FROM_BEAM)
            for one in link.devices
            if one.device.name in names.beam_frames
        ]
    return {"transforms": found}


def clock(world: ServedWorld) -> dict[str, Any]:
    """rosgraph_msgs/Clock: simulated time."""
    return {"clock": stamp(world.time)}


def robot_description(world: ServedWorld, address: str = "") -> dict[str, Any]:
    """std_msgs/String: the URDF of the world as it was at the start, with its meshes below an address."""
    return {"data": world.description.at(address)}


def scene(world: ServedWorld) -> dict[str, Any]:
    """What is to be drawn: the surfaces of every item, as triangles, with their colours; and the joints."""
    return scene_data(world.robot, world.names)


def poses(world: ServedWorld) -> dict[str, Any]:
    """Where every item is, in the order of the scene: world from item, three rows of four numbers each."""
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
"""What every world publishes; its sensors come on top."""
MEASURED = "/feedback/joint_states"
"""Where a real robot says where it is."""
TAKEN: Mapping[str, str] = {
    "/joint_trajectory": "trajectory_msgs/JointTrajectory",
    MEASURED: "sensor_msgs/JointState",
}
"""Topics that clients publish on and the world listens to."""
