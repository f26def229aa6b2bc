"""What things are called outside: as in the URDF of the world, where `left/finger` is `left_finger`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rck.exporting import LinkTree, legal_names, link_tree
from rck.geometry.arrays import Ints, frozen
from rck.kinematics.motion import MotionLimits, motion_limits
from rck.model.device import DeviceKind
from rck.model.finding import RckError
from rck.model.names import did_you_mean
from rck.model.robot import Robot

DEVICE_FROM_BEAM = frozen(np.array([[0.0, 0, -1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]))
"""ROS range finders measure along x, RCK's along z. Shape (4, 4)."""
_RANGE_FINDERS = (DeviceKind.ULTRASONIC, DeviceKind.INFRARED, DeviceKind.LASER_RANGE)
WORLD = "world"
"""The frame that everything stands in."""
_LONGEST = 256
_MOST_REMEMBERED = 256


@dataclass(frozen=True, eq=False)
class Names:
    """The names of a world's joints, links, frames and devices. Both ours and those outside are understood."""

    robot: Robot
    _limits: dict[tuple[str, ...], MotionLimits] = field(default_factory=dict)

    def limits(self, joints: tuple[str, ...]) -> MotionLimits:
        """How fast and far joints go, by our names; clients ask for the same ones again and again."""
        if joints not in self._limits:
            if len(self._limits) >= _MOST_REMEMBERED:
                self._limits.clear()
            self._limits[joints] = motion_limits(self.robot, joints)
        return self._limits[joints]

    @cached_property
    def tree(self) -> LinkTree:
        """The links, as the URDF has them."""
        return link_tree(self.robot, taken=(WORLD,))

    @cached_property
    def outside(self) -> Mapping[str, str]:
        """What each joint is called outside."""
        return self.tree.joint_names

    @cached_property
    def item_of_link(self) -> Ints:
        """Which item each link is; they have one frame. Shape (links,)."""
        return np.array([link.items[0].number for link in self.tree.links])

    def joint(self, name: str) -> str:
        """Our name of a joint."""
        return _found(name, self._joints, "joint")

    def place(self, name: str) -> str:
        """Our name of an item or frame."""
        return _found(name, self._places, "item or frame")

    def gripper(self, name: str) -> str:
        """Our name of a gripper; without a name, the only one there is."""
        known = {device.name: device.name for device in self.robot.devices if device.kind.grips}
        if not name:
            if len(known) != 1:
                raise RckError(f"say which gripper: {', '.join(known) or 'there is none'}")
            return next(iter(known))
        return _found(name, {**known, **self._devices}, "gripper")

    def links(self, names: Iterable[str]) -> list[str]:
        """What items are called outside."""
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
        """What the frame of each device is called outside."""
        return {own: legal for legal, own in self._devices.items()}

    @cached_property
    def beam_frames(self) -> Mapping[str, str]:
        """What the frame of each range finder is called that has the beam along x, by the name of the device."""
        finders = [device.name for device in self.robot.devices if device.kind in _RANGE_FINDERS]
        taken = [WORLD, *self._places, *self._devices]
        frames = legal_names([f"{self.device_frames[name]}_beam" for name in finders], taken=taken)
        return dict(zip(finders, frames, strict=True))


def _found(name: str, known: Mapping[str, str], what: str) -> str:
    if len(name) > _LONGEST:
        raise RckError(f"a name of {len(name)} characters is no {what}")
    if name not in known:
        raise RckError(f"there is no {what} {name!r}{did_you_mean(name, known)}")
    return known[name]
