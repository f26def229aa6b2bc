"""Robots with loops whose joints are at zero where the loops are closed, for formats that close loops at zero."""

from dataclasses import replace

from rck.model import Joint, JointLimits, Robot
from rck.model.joint_positions import with_loops_closed


def closed_at_zero(robot: Robot) -> Robot:
    """Return a robot with loops in the same place, but with all joint positions counted from there."""
    if not robot.closing_loops:
        return robot
    closed = with_loops_closed(robot, {})
    return replace(closed, joints=tuple(_from_here(joint, closed) for joint in closed.joints), poses=())


def _from_here(joint: Joint, robot: Robot) -> Joint:
    here, limits, mimic = joint.position, joint.limits, joint.mimic
    if mimic is not None:
        offset = mimic.ratio * robot.joint(mimic.joint).position + mimic.offset - here
        mimic = replace(mimic, offset=0.0 if abs(offset) < 1e-12 else offset)
    return replace(
        joint,
        position=0.0,
        limits=None if limits is None else JointLimits(limits.lower - here, limits.upper - here),
        spring_position=joint.spring_position - here,
        mimic=mimic,
    )
