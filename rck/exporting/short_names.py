"""Robots under the names that their parts were drawn with: `panda/joint1` is `joint1` where that is the only one."""

from collections import Counter
from collections.abc import Iterable

from rck.model import Robot
from rck.model.renamed import renamed


def short_named(robot: Robot) -> Robot:
    """The robot without the names of the instances before those of items, joints, tools and devices.

    A name that would then stand for two keeps its scope. Programs that know a robot by the names of its own
    description, such as controllers, find them again.
    """
    items = _short(item.name for item in robot.items)
    joints = _short(joint.name for joint in robot.joints)
    devices = _short(device.name for device in robot.devices)
    return renamed(robot, items.__getitem__, joints.__getitem__, str, devices.__getitem__)


def _short(names: Iterable[str]) -> dict[str, str]:
    """Each name after its last scope, or the whole where that would not be unlike the others."""
    listed = list(names)
    count = Counter(name.rpartition("/")[2] for name in listed)
    return {name: last if count[last] == 1 else name for name in listed for last in [name.rpartition("/")[2]]}
