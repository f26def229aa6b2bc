"""Joints as prims of UsdPhysics, where angles are degrees."""

from math import degrees, radians

import numpy as np

from rck.exporting import Link
from rck.exporting.xml_text import tidy
from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, to_quaternion, translation
from rck.model import Joint
from rck_export_usd.prims import Prim, number, vector


def joint_prim(link: Link, parent_path: str, link_path: str) -> Prim:
    """What joins a link to its parent or, at a root, to the prim at that path."""
    joint = link.mover
    prim = Prim("PhysicsFixedJoint", link.joint_name)
    link_from_joint = np.eye(4)
    if joint is not None:
        prim.type = "PhysicsRevoluteJoint" if joint.kind.turns else "PhysicsPrismaticJoint"
        letter, link_from_joint = _axis(link)
        prim.properties.append(f'uniform token physics:axis = "{letter}"')
        prim.properties += _limits(joint)
        _add_drive(prim, joint)
    prim.properties += [
        f"rel physics:body0 = <{parent_path}>",
        f"rel physics:body1 = <{link_path}>",
        *_place(0, link.pose @ link_from_joint),
        *_place(1, link_from_joint),
    ]
    return prim


def _axis(link: Link) -> tuple[str, Floats]:
    """The axis of the joint's frame that the joint moves about or along, and link from joint, shape (4, 4)."""
    clean = tidy(link.axis)
    for number_of, letter in enumerate("XYZ"):
        if clean[number_of] == 1.0:
            return letter, translation(link.anchor)
    return "Z", frame(link.anchor, z=link.axis)


def _place(side: int, pose: Floats) -> list[str]:
    return [
        f"point3f physics:localPos{side} = {vector(tidy(pose[:3, 3]))}",
        f"quatf physics:localRot{side} = {vector(tidy(to_quaternion(pose)))}",
    ]


def _limits(joint: Joint) -> list[str]:
    if joint.limits is None:
        return []
    ends = (joint.limits.lower, joint.limits.upper)
    lower, upper = map(degrees, ends) if joint.kind.turns else ends
    return [f"float physics:lowerLimit = {number(lower)}", f"float physics:upperLimit = {number(upper)}"]


def _add_drive(prim: Prim, joint: Joint) -> None:
    """Effort and damping are properties of the drive; without a target, it holds nothing and only damps."""
    if joint.effort is None and not joint.damping:
        return
    sort = "angular" if joint.kind.turns else "linear"
    prim.apis = [f"PhysicsDriveAPI:{sort}"]
    if joint.damping:
        # In torque per degree a second where it turns.
        damping = radians(joint.damping) if joint.kind.turns else joint.damping
        prim.properties.append(f"float drive:{sort}:physics:damping = {number(damping)}")
    if joint.effort is not None:
        prim.properties.append(f"float drive:{sort}:physics:maxForce = {number(joint.effort)}")
    prim.properties.append(f'uniform token drive:{sort}:physics:type = "force"')
