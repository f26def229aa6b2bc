"""Names, URDF and meshes of a served world, as ROS programs know them: `left/finger` is `left_finger`."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import quote

import numpy as np

from rck.exporting import LinkTree, legal_names, link_tree
from rck.geometry.arrays import Ints, frozen
from rck.hooks import Exporter, Job, Plugins
from rck.hooks.options import read_options
from rck.kinematics.motion import MotionLimits, motion_limits
from rck.model.device import DeviceKind
from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.names import did_you_mean

DEVICE_FROM_BEAM = frozen(np.array([[0.0, 0, -1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]))
"""ROS range finders measure along x, RCK's along z. Shape (4, 4)."""
WORLD = "world"
"""The root frame."""
_RANGE_FINDERS = (DeviceKind.ULTRASONIC, DeviceKind.INFRARED, DeviceKind.LASER_RANGE)
_LONGEST_NAME = 256
_CACHE_SIZE = 256
_FILE_NAME = re.compile(r'(?<=filename=")[^"]*(?=")')


@dataclass(frozen=True, eq=False)
class Names:
    """ROS names of a world's joints, links, frames and devices. Lookups take both RCK's names and ROS names."""

    robot: Robot
    _limits: dict[tuple[str, ...], MotionLimits] = field(default_factory=dict)

    def limits(self, joints: tuple[str, ...]) -> MotionLimits:
        """Return the motion limits of joints, by RCK's names; cached, as clients ask for the same joints repeatedly."""
        if joints not in self._limits:
            if len(self._limits) >= _CACHE_SIZE:
                self._limits.clear()
            self._limits[joints] = motion_limits(self.robot, joints)
        return self._limits[joints]

    @cached_property
    def tree(self) -> LinkTree:
        """The links of the URDF."""
        return link_tree(self.robot, taken=(WORLD,))

    @cached_property
    def outside(self) -> Mapping[str, str]:
        """The ROS name of each joint."""
        return self.tree.joint_names

    @cached_property
    def item_of_link(self) -> Ints:
        """The number of the item whose frame each link has. Shape (links,)."""
        return np.array([link.items[0].number for link in self.tree.links])

    def joint(self, name: str) -> str:
        """Return RCK's name of a joint."""
        return _look_up(name, self._joints, "joint")

    def place(self, name: str) -> str:
        """Return RCK's name of an item or frame."""
        return _look_up(name, self._places, "item or frame")

    def gripper(self, name: str) -> str:
        """Return RCK's name of a gripper; without a name, the only one."""
        known = {device.name: device.name for device in self.robot.devices if device.kind.grips}
        if not name:
            if not known:
                raise RckError("the robot has no gripper")
            if len(known) > 1:
                raise RckError(f"several grippers: {', '.join(known)}; name one of them")
            return next(iter(known))
        return _look_up(name, {**known, **self._devices}, "gripper")

    def links(self, names: Iterable[str]) -> list[str]:
        """Return the ROS names of items."""
        return [self._link_of_item[name] for name in names]

    @cached_property
    def _joints(self) -> Mapping[str, str]:
        return {legal: own for own, legal in self.outside.items()} | {own: own for own in self.outside}

    @cached_property
    def _link_of_item(self) -> Mapping[str, str]:
        return {placed.item.name: link.name for link in self.tree.links for placed in link.items}

    @cached_property
    def _places(self) -> Mapping[str, str]:
        legal = {link.name: link.items[0].item.name for link in self.tree.links}
        legal |= {placed.name: placed.frame.name for link in self.tree.links for placed in link.frames}
        own = [*self.robot.item_index, *(frame.name for frame in self.robot.frames)]
        return legal | {name: name for name in own}

    @cached_property
    def _devices(self) -> Mapping[str, str]:
        return {placed.name: placed.device.name for link in self.tree.links for placed in link.devices}

    @cached_property
    def device_frames(self) -> Mapping[str, str]:
        """The ROS name of the frame of each device."""
        return {own: legal for legal, own in self._devices.items()}

    @cached_property
    def beam_frames(self) -> Mapping[str, str]:
        """The name of the frame with the beam along x of each range finder, by the name of the device."""
        finders = [device.name for device in self.robot.devices if device.kind in _RANGE_FINDERS]
        taken = [WORLD, *self._places, *self._devices]
        frames = legal_names([f"{self.device_frames[name]}_beam" for name in finders], taken=taken)
        return dict(zip(finders, frames, strict=True))


def _look_up(name: str, known: Mapping[str, str], what: str) -> str:
    if len(name) > _LONGEST_NAME:
        raise RckError(f"{what} name of {len(name)} characters is too long; the limit is {_LONGEST_NAME}")
    if name not in known:
        raise RckError(f"there is no {what} {name!r}{did_you_mean(name, known)}")
    return known[name]


@dataclass(frozen=True, eq=False, slots=True)
class Description:
    """The URDF as the exporter writes it, and its meshes by their file names in it."""

    urdf: str
    meshes: Mapping[str, bytes]

    def at(self, address: str) -> str:
        """Return the URDF for a client that downloads the meshes from below an address."""

        def url(name: re.Match[str]) -> str:
            return f"{address}{quote(name[0])}" if name[0] in self.meshes else name[0]

        return _FILE_NAME.sub(url, self.urdf) if address else self.urdf


def describe(robot: Robot, plugins: Plugins) -> Description:
    """Export a robot to URDF."""
    exporter = plugins.choose("urdf", plugins.all(Exporter), "exporter")
    exported = exporter.write(robot, f"{robot.name}.urdf", read_options(exporter.options, {}), Job())
    text = next(content for name, content in exported.files.items() if name.endswith(".urdf"))
    meshes = {name: content for name, content in exported.files.items() if name.endswith(".stl")}
    return Description(text.decode("utf-8"), meshes)
