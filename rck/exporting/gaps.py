"""Gaps of a robot: the values that it leaves open and that a format may require."""

from collections.abc import Callable, Iterator, Mapping

from rck.exporting.device_data import CAMERAS, LIDARS, RANGERS, beam_angles, holding_force, view_angles
from rck.model.device import Device, DeviceKind
from rck.model.features import Gap
from rck.model.item import mass_findings
from rck.model.joint import Actuation, Joint, JointKind
from rck.model.robot import Robot
from rck.model.world import split


def names_of_gap(robot: Robot, gap: Gap) -> tuple[str, ...]:
    """Return the names of the items, joints or devices that have a gap."""
    if gap in _DEVICES:
        return tuple(device.name for device in robot.devices if _DEVICES[gap](device))
    if gap in _JOINTS:
        return tuple(joint.name for joint in robot.joints if joint.kind.moves and _JOINTS[gap](robot, joint))
    return tuple(_ITEMS[gap](robot))


def effort_and_speed(robot: Robot, joint: Joint) -> tuple[float | None, float | None]:
    """Return the limits of effort and velocity; a mimic joint without limits gets those of its leader, converted."""
    effort, speed = joint.effort, joint.speed
    if joint.mimic is None or joint.mimic.ratio == 0.0:
        return effort, speed
    leader, ratio = robot.joint(joint.mimic.joint), abs(joint.mimic.ratio)
    if effort is None and leader.effort is not None:
        effort = leader.effort / ratio
    if speed is None and leader.speed is not None:
        speed = leader.speed * ratio
    return effort, speed


def _lacks_bounds(robot: Robot, joint: Joint) -> bool:
    """Return True if a limit of effort or velocity is missing; a continuous joint may have neither."""
    unknown = effort_and_speed(robot, joint).count(None)
    return unknown == 1 or (unknown == 2 and joint.kind is not JointKind.CONTINUOUS)


def _may_have_no_motor(robot: Robot, joint: Joint) -> bool:
    free = joint.mimic is None and joint.name not in robot.driven_joints
    return free and joint.actuation is Actuation.UNKNOWN


def _massless(robot: Robot, *, moving: bool) -> Iterator[str]:
    """Yield the items of the rigid groups without a mass; loose objects that are fixed need none."""
    loose = {item.name for item in split(robot).objects}
    for group in robot.tree.rigid_groups:
        items = [robot.items[number] for number in group.items]
        moves = group.joint is not None or any(item.mobile for item in items)
        if moves == moving and not any(item.mass > 0 for item in items):
            yield from (item.name for item in items if moves or item.name not in loose)


def _impossible(robot: Robot) -> Iterator[str]:
    return (item.name for item in robot.items if mass_findings(item.mass_properties, item.name))


def _lacks_rotor(robot: Robot, joint: Joint) -> bool:
    """Return True if a data sheet describes the motor, but not its rotor."""
    return joint.armature == 0.0 and any(one.joint == joint.name and one.values for one in robot.actuators)


_ITEMS: Mapping[Gap, Callable[[Robot], Iterator[str]]] = {
    Gap.MOVING_MASS: lambda robot: _massless(robot, moving=True),
    Gap.FIXED_MASS: lambda robot: _massless(robot, moving=False),
    Gap.INERTIA: _impossible,
    Gap.ESTIMATED_MASS: lambda robot: (item.name for item in robot.items if item.mass_status in ("derived", "drawn")),
}

_JOINTS: Mapping[Gap, Callable[[Robot, Joint], bool]] = {
    Gap.PRISMATIC_LIMITS: lambda _, joint: joint.kind is JointKind.PRISMATIC and joint.limits is None,
    Gap.JOINT_BOUNDS: _lacks_bounds,
    Gap.LOCKED_RANGE: lambda _, joint: joint.limits is not None and joint.limits.lower == joint.limits.upper,
    Gap.MOTORS: _may_have_no_motor,
    Gap.ROTOR_INERTIA: _lacks_rotor,
}

_HOLDING = frozenset({DeviceKind.VACUUM_GRIPPER, DeviceKind.MAGNET_GRIPPER})
_DEVICES: Mapping[Gap, Callable[[Device], bool]] = {
    Gap.WIDTH_OF_VIEW: lambda device: device.kind in CAMERAS and view_angles(device)[0] is None,
    Gap.HEIGHT_OF_VIEW: lambda device: device.kind in CAMERAS and view_angles(device)[1] is None,
    Gap.RESOLUTION: lambda device: device.kind in CAMERAS and "resolution-x" not in device.values,
    Gap.BEAM_SPACING: lambda device: device.kind in LIDARS and beam_angles(device) is None,
    Gap.BEAM_ROWS: lambda device: (
        device.kind is DeviceKind.LIDAR_3D and not {"field-of-view-vertical", "channels"} <= device.values.keys()
    ),
    Gap.RANGE: lambda device: device.kind in LIDARS | RANGERS and "max-range" not in device.values,
    Gap.HOLDING_FORCE: lambda device: device.kind in _HOLDING and holding_force(device) is None,
}
