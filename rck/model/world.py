"""Worlds: several robots and loose objects together."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rck.model.finding import Built, errors_of
from rck.model.item import Item
from rck.model.joint import Mimic
from rck.model.names import name_findings, repeated_names
from rck.model.robot import Robot, build_robot


@dataclass(frozen=True, eq=False)
class World:
    """Robots and loose objects in one world frame. Build one with :func:`build_world` or :func:`split`."""

    name: str
    robots: tuple[Robot, ...] = ()
    objects: tuple[Item, ...] = ()


def build_world(name: str, robots: Iterable[Robot] = (), objects: Iterable[Item] = ()) -> Built[World]:
    """A world, or the findings that say why it is none."""
    world = World(name, tuple(robots), tuple(objects))
    names = [robot.name for robot in world.robots] + [item.name for item in world.objects]
    findings = repeated_names(names, "robot or object")
    for robot in world.robots:
        findings += name_findings(robot.name, f"robot {robot.name}")
    return Built(None if errors_of(findings) else world, tuple(findings))


def flatten(world: World) -> Robot:
    """The world as the two arrays of one scene; each robot's name becomes the scope of its own names."""
    scoped = [_scoped(robot) for robot in world.robots]
    items = [item for robot in scoped for item in robot.items] + list(world.objects)
    joints = [joint for robot in scoped for joint in robot.joints]
    frames = [frame for robot in scoped for frame in robot.frames]
    return build_robot(world.name, items, joints, frames).unwrap()


def _scoped(robot: Robot) -> Robot:
    def full(name: str) -> str:
        return f"{robot.name}/{name}"

    items = tuple(replace(item, name=full(item.name)) for item in robot.items)
    joints = tuple(
        replace(
            joint,
            name=full(joint.name),
            base=full(joint.base),
            moves=tuple(map(full, joint.moves)),
            mimic=joint.mimic and Mimic(full(joint.mimic.joint), joint.mimic.ratio, joint.mimic.offset),
        )
        for joint in robot.joints
    )
    frames = tuple(replace(frame, name=full(frame.name), item=full(frame.item)) for frame in robot.frames)
    return Robot(robot.name, items, joints, frames)


def split(scene: Robot) -> World:
    """One robot per tree that has a joint, and an object per item that has none; names stay as they are."""
    tree = scene.tree
    root_of_item = list(range(len(scene.items)))
    for number in tree.joint_order:
        base = scene.item_index[scene.joints[number].base]
        for item in tree.moves[number]:
            root_of_item[item] = root_of_item[base]
    robots, objects = [], []
    for root in tree.roots:
        members = {scene.items[i].name for i in range(len(scene.items)) if root_of_item[i] == root}
        joints = tuple(joint for joint in scene.joints if joint.base in members)
        if not joints:
            objects.append(scene.items[root])
            continue
        items = tuple(item for item in scene.items if item.name in members)
        frames = tuple(frame for frame in scene.frames if frame.item in members)
        robots.append(Robot(scene.items[root].name, items, joints, frames))
    return World(scene.name, tuple(robots), tuple(objects))
