"""Joints as prims of UsdPhysics, which uses degrees."""

from math import degrees, radians

import numpy as np

from rck.exporting import ExportLink
from rck.exporting.file_text import tidy
from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, to_quaternion, translation
from rck.model import Joint
from rck_plugins.exporters.usd.prims import Prim, number, vector


def joint_prim(link: ExportLink, parent_path: str, link_path: str) -> Prim:
    """Return the joint of a link to its parent or, for a root, to the prim at that path."""
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
        *_local_pose(0, link.pose @ link_from_joint),
        *_local_pose(1, link_from_joint),
    ]
    return prim


def _axis(link: ExportLink) -> tuple[str, Floats]:
    """Return the axis letter of the joint in its own frame, and link from joint, shape (4, 4)."""
    clean = tidy(link.axis)
    for number_of, letter in enumerate("XYZ"):
        if clean[number_of] == 1.0:
            return letter, translation(link.anchor)
    return "Z", frame(link.anchor, z=link.axis)


def _local_pose(side: int, pose: Floats) -> list[str]:
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
    """Add a drive with the effort limit and the damping; without a target, it only damps."""
    if joint.effort is None and not joint.damping:
        return
    sort = "angular" if joint.kind.turns else "linear"
    prim.apis = [f"PhysicsDriveAPI:{sort}"]
    if joint.damping:
        # A rotation is damped by torque per degree per second.
        damping = radians(joint.damping) if joint.kind.turns else joint.damping
        prim.properties.append(f"float drive:{sort}:physics:damping = {number(damping)}")
    if joint.effort is not None:
        prim.properties.append(f"float drive:{sort}:physics:maxForce = {number(joint.effort)}")
    prim.properties.append(f'uniform token drive:{sort}:physics:type = "force"')
