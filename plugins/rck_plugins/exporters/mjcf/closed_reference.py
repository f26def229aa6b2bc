"""Reference positions of robots with loops: MuJoCo starts there, so that the loops must be closed."""

from dataclasses import replace

import numpy as np

from rck.exporting.ball_joints import ball_of
from rck.model import Joint, Robot
from rck.model.closure import closure_of
from rck.model.extensions import extension, merge_extensions
from rck.model.joint_positions import with_loops_closed
from rck_plugins.exporters.mjcf.bodies import reference

_CLOSED = 1e-6


def with_closed_reference(robot: Robot) -> Robot:
    """Return the robot; if its loops are open at the reference positions, those become its positions.

    Loops with ball joints stay as they are: MuJoCo has no reference positions of ball joints.
    """
    closure = closure_of(robot)
    if closure is None or not closure.is_closed or any(map(ball_of, closure.joints)):
        return robot
    at_reference = np.array([reference(joint) for joint in closure.joints])
    if all(gap.distance + gap.angle < _CLOSED for gap in closure.gaps(at_reference)):
        return robot
    closed = with_loops_closed(robot, {})
    leaders = closure.looped
    joints = tuple(
        _with_reference(joint) if joint.name in leaders or (joint.mimic and joint.mimic.joint in leaders) else joint
        for joint in closed.joints
    )
    return replace(closed, joints=joints)


def _with_reference(joint: Joint) -> Joint:
    data = extension("mjcf", {"ref": repr(float(joint.position))})
    return replace(joint, extensions=merge_extensions(data, joint.extensions))
