"""Robots in pinocchio, built through code from the axes of their joints."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, invert
from rck.model.robot import Robot


@dataclass(frozen=True, eq=False)
class PinocchioModel:
    """The joints of a robot in pinocchio, and the joint that carries each item."""

    model: Any
    joint_of_item: dict[int, int]
    """The joint that carries each item; 0 is the world."""
    world_from_joint: list[Floats]
    """World from joint, by joint number, at the robot's positions. Shapes (4, 4)."""

    def placement(self, item: int, world_from_place: Floats) -> Any:
        """Return a pose on an item in the frame of the joint that carries the item."""
        import pinocchio as pin

        return pin.SE3(invert(self.world_from_joint[self.joint_of_item[item]]) @ world_from_place)


def pinocchio_model(robot: Robot) -> PinocchioModel:
    """Create the joints of a robot with axes along z of their frames, which are the fastest in pinocchio."""
    import pinocchio as pin

    made = PinocchioModel(pin.Model(), dict.fromkeys(robot.tree.roots, 0), [np.eye(4)])
    for number in robot.tree.joint_order:
        joint = robot.joints[number]
        base = robot.item_index[joint.base]
        carrier = made.joint_of_item[base]
        if joint.kind.moves:
            world_from_joint = frame(joint.start, z=joint.direction)
            kind = pin.JointModelRZ() if joint.kind.turns else pin.JointModelPZ()
            carrier = made.model.addJoint(carrier, kind, made.placement(base, world_from_joint), joint.name)
            made.world_from_joint.append(world_from_joint)
        made.joint_of_item.update(dict.fromkeys(robot.tree.moves[number], carrier))
    return made
