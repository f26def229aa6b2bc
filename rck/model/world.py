"""Worlds: robots and loose objects."""

from collections.abc import Iterable
from dataclasses import dataclass

from rck.model.device import Device
from rck.model.frame import Frame
from rck.model.item import Item
from rck.model.joint import Joint
from rck.model.robot import Robot, add_scope, build_robot
from rck.support.finding import Built, errors_of
from rck.support.names import name_findings, repeated_names


@dataclass(frozen=True, eq=False)
class World:
    """Robots and loose objects in one world frame. Build one with :func:`build_world` or :func:`split`."""

    name: str
    robots: tuple[Robot, ...] = ()
    objects: tuple[Item, ...] = ()


def build_world(name: str, robots: Iterable[Robot] = (), objects: Iterable[Item] = ()) -> Built[World]:
    """Build a world, or return the findings that prevent it."""
    world = World(name, tuple(robots), tuple(objects))
    names = [robot.name for robot in world.robots] + [item.name for item in world.objects]
    findings = name_findings(name, f"world {name}") + repeated_names(names, "robot or object")
    for robot in world.robots:
        findings += name_findings(robot.name, f"robot {robot.name}")
    if not findings:
        findings += _scene(world).findings
    return Built(None if errors_of(findings) else world, tuple(findings))


def flatten(world: World) -> Robot:
    """Merge a world into one robot; each robot's name becomes the scope of its names."""
    return _scene(world).unwrap()


def _scene(world: World) -> Built[Robot]:
    robots = [add_scope(robot, robot.name) for robot in world.robots]
    items = [item for robot in robots for item in robot.items] + list(world.objects)
    joints = [joint for robot in robots for joint in robot.joints]
    frames = [frame for robot in robots for frame in robot.frames]
    devices = [device for robot in robots for device in robot.devices]
    rules = [rule for robot in robots for rule in robot.rules]
    return build_robot(world.name, items, joints, frames, devices, rules)


def split(scene: Robot) -> World:
    """Split a scene: one robot per tree with a joint, a frame or a device, and an object per other item.

    Names are kept, and a robot is named after its first root. Trees coupled by mimic joints form one robot.
    """
    root_of_item = _roots(scene)
    items: dict[int, list[Item]] = {root: [] for root in sorted(set(root_of_item))}
    joints: dict[int, list[Joint]] = {root: [] for root in items}
    frames: dict[int, list[Frame]] = {root: [] for root in items}
    devices: dict[int, list[Device]] = {root: [] for root in items}
    for item, root in zip(scene.items, root_of_item, strict=True):
        items[root].append(item)
    for joint in scene.joints:
        joints[root_of_item[scene.item_index[joint.base]]].append(joint)
    for frame in scene.frames:
        frames[root_of_item[scene.item_index[frame.item]]].append(frame)
    for device in scene.devices:
        devices[root_of_item[scene.item_index[device.item]]].append(device)
    jointed = [root for root in items if joints[root] or frames[root] or devices[root]]
    robots = (
        Robot(
            scene.items[root].name,
            tuple(items[root]),
            tuple(joints[root]),
            tuple(frames[root]),
            tuple(devices[root]),
            tuple(rule for rule in scene.rules if {item.name for item in items[root]}.issuperset(rule.items)),
        )
        for root in jointed
    )
    objects = (scene.items[root] for root in sorted(set(items).difference(jointed)))
    return World(scene.name, tuple(robots), tuple(objects))


def _roots(scene: Robot) -> list[int]:
    """Return for each item the root of its robot: the lowest root of the coupled trees."""
    root_of_item = list(scene.tree.root_of_item)
    for joint in scene.joints:
        if joint.mimic is not None:
            ends = (joint.base, scene.joint(joint.mimic.joint).base)
            mine, other = (root_of_item[scene.item_index[name]] for name in ends)
            if mine != other:
                low, high = sorted((mine, other))
                root_of_item = [low if root == high else root for root in root_of_item]
    return root_of_item
