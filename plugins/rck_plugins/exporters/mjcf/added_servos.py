"""Servos for joints whose drive is known only by its limits, such as those of industrial arms.

MuJoCo has no controller: with plain motors, such an arm collapses. A servo holds it as its own controller would.
"""

from dataclasses import replace

import numpy as np

from rck.model import Actuation, Actuator, ActuatorKind, Joint, JointKind, Range, Robot

_FULL_EFFORT_ERROR = {True: 0.02, False: 0.002}
"""The position error at which a servo applies its whole effort: in radians if the joint turns, otherwise in metres."""
_USUAL_SPEED = {True: 3.0, False: 0.5}
"""The speed of a joint whose data sheet gives none, in rad/s or m/s."""
_RESPONSE = 0.002
"""The shortest time, in seconds, in which a servo reduces an error: faster ones are unstable at common steps."""
_GRAVITY = 9.80665
_LEAST_LOAD = {True: 1.0, False: 10.0}
"""The smallest effort from which gains are derived if the effort is unknown, in N m or N."""


def with_servos(robot: Robot) -> tuple[Robot, dict[str, float]]:
    """Return the robot with a servo on each joint of a part that has a drive but no actuator, and its damping.

    Efforts and speeds are those of the joint. If the effort is unknown, the servo has no limit, and its gain follows
    from the weight that it carries. The damping, by joint, in N m s/rad or N s/m, takes the whole effort at the largest
    speed. Wheels, and joints that were read from files of other programs, have no servo.
    """
    chosen = [one for one in robot.free_joints if _has_drive(robot, one)]
    if not chosen:
        return robot, {}
    taken = {one.name for one in robot.actuators}
    made: list[Actuator] = []
    damping = {}
    for joint in chosen:
        turns = joint.kind.turns
        effort = joint.effort or max(_weight(robot, joint), _LEAST_LOAD[turns])
        speed = joint.speed or _USUAL_SPEED[turns]
        gain = float(f"{effort / max(_FULL_EFFORT_ERROR[turns], _RESPONSE * speed):.12g}")
        name = joint.name if joint.name not in taken else f"{joint.name}-servo"
        limits = Range(-joint.effort, joint.effort) if joint.effort else None
        made.append(Actuator(name, ActuatorKind.POSITION, joint.name, gain=gain, bias=(0.0, -gain, 0.0), force=limits))
        damping[joint.name] = float(f"{effort / speed:.12g}")
    return replace(robot, actuators=(*robot.actuators, *made)), damping


def _has_drive(robot: Robot, joint: Joint) -> bool:
    if joint.name in robot.driven_joints or joint.actuation is Actuation.PASSIVE:
        return False
    # Robot files state speeds together with efforts: a speed alone is that of a data sheet.
    is_of_part = not joint.source_name or (joint.speed is not None and not joint.effort)
    return (joint.actuation is Actuation.ACTUATED or is_of_part) and not _is_wheel(robot, joint)


def _is_wheel(robot: Robot, joint: Joint) -> bool:
    """Return True for a wheel or rotor: it turns without end and carries neither a joint nor a frame."""
    if joint.kind is not JointKind.CONTINUOUS:
        return False
    carried = {robot.items[number].name for number in robot.tree.carried_by(robot.joint_index[joint.name])}
    return carried.isdisjoint([one.base for one in robot.joints] + [one.item for one in robot.frames])


def _weight(robot: Robot, joint: Joint) -> float:
    """Return a bound of the load that gravity puts on a joint, in N m or N: all that it carries, at its distance."""
    total = 0.0
    for number in robot.tree.carried_by(robot.joint_index[joint.name]):
        item = robot.items[number]
        centre = item.pose[:3, :3] @ item.mass_properties.centre + item.pose[:3, 3]
        lever = float(np.linalg.norm(centre - np.array(joint.start))) if joint.kind.turns else 1.0
        total += item.mass * _GRAVITY * lever
    return total
