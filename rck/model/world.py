"""Worlds: robots and loose objects."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rck.model.item import Item
from rck.model.robot import Robot, add_scope, check_robot, join_robots, select_items
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
    joined = join_robots(world.name, (add_scope(robot, robot.name) for robot in world.robots))
    return check_robot(replace(joined, items=(*joined.items, *world.objects)))


def split(scene: Robot) -> World:
    """Split a scene: one robot per tree with a joint, a frame or a device, and an object per other item.

    Names are kept, and a robot is named after its first root. Trees coupled by mimic joints form one robot.
    """
    root_of_item = _roots(scene)
    items: dict[int, list[str]] = {root: [] for root in sorted(set(root_of_item))}
    for item, root in zip(scene.items, root_of_item, strict=True):
        items[root].append(item.name)
    carriers = [joint.base for joint in scene.joints]
    carriers += [frame.item for frame in scene.frames] + [device.item for device in scene.devices]
    jointed = {root_of_item[scene.item_index[name]] for name in carriers}
    robots = (
        replace(select_items(scene, items[root]), name=scene.items[root].name) for root in items if root in jointed
    )
    objects = (scene.items[root] for root in items if root not in jointed)
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
