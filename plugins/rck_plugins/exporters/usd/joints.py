"""Joints as prims of UsdPhysics, which uses degrees, with the values that the schemas of Newton and MuJoCo have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import degrees, radians

import numpy as np

from rck.exporting import ExportLink
from rck.exporting.file_text import tidy
from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, to_quaternion, translation
from rck.model import Actuation, Joint, Loop, LoopKind, Mimic, Robot
from rck_plugins.exporters.usd.balls import Ball
from rck_plugins.exporters.usd.drives import add_drive
from rck_plugins.exporters.usd.kept import MJCF, keep
from rck_plugins.exporters.usd.prims import Prim, rel, single

_LOOPS = {
    LoopKind.WELD: "PhysicsFixedJoint",
    LoopKind.CONNECT: "PhysicsSphericalJoint",
    LoopKind.REVOLUTE: "PhysicsRevoluteJoint",
    LoopKind.PRISMATIC: "PhysicsPrismaticJoint",
}


@dataclass(frozen=True, eq=False)
class JointPlaces:
    """The joints of a robot as the file has them."""

    robot: Robot
    paths: Mapping[str, str]
    """The path of each joint, by name; that of a ball joint for its three hinges."""
    titles: Mapping[str, str]
    """The original name of each joint."""


def joint_prim(link: ExportLink, bodies: tuple[str, str], places: JointPlaces, *, tested: bool) -> Prim:
    """Return the joint of a link to its parent or, for a root, to the world; `bodies` are the paths of the two."""
    joint = link.mover
    prim = Prim("PhysicsFixedJoint", link.joint_name)
    link_from_joint = np.eye(4)
    if joint is not None:
        prim.type = "PhysicsRevoluteJoint" if joint.kind.turns else "PhysicsPrismaticJoint"
        letter, link_from_joint = _axis(link)
        prim.properties.append(f'uniform token physics:axis = "{letter}"')
        prim.properties += _limits(joint)
        _add_position(prim, joint)
        add_drive(prim, joint, places.robot)
        _add_values(prim, joint)
        if joint.mimic is not None:
            _add_mimic(prim, joint, joint.mimic, places)
    if link.joint is not None:
        prim.title = places.titles[link.joint.name]
        keep(prim, link.joint.extensions, "joint")
    _add_ends(prim, bodies, (link.pose @ link_from_joint, link_from_joint), tested)
    return prim


def ball_prim(ball: Ball, bodies: tuple[str, str], name: str, places: JointPlaces, *, tested: bool) -> Prim:
    """Return three hinges that form a ball joint."""
    joint = ball.hinges[0]
    prim = Prim("PhysicsSphericalJoint", name, title=ball.title)
    cone = joint.extensions.get(MJCF, {}).get("range", "").split()
    if len(cone) == 2:
        prim.properties += [single("float", f"physics:coneAngle{n}Limit", degrees(float(cone[1]))) for n in (0, 1)]
    if any(one.position for one in ball.hinges):
        prim.data["positions"] = [one.position for one in ball.hinges]
    if joint.actuation is not Actuation.PASSIVE:
        prim.data["actuation"] = joint.actuation.value
    _add_values(prim, joint)
    keep(prim, joint.extensions, "joint")
    _add_ends(prim, bodies, (ball.pose @ translation(ball.anchor), translation(ball.anchor)), tested)
    return prim


def loop_prim(loop: Loop, bodies: tuple[str, str], name: str, frames: tuple[Floats, Floats]) -> Prim:
    """Return the joint that closes a loop; `frames` are in the two bodies, with z along the axis. Shapes (4, 4)."""
    prim = Prim(_LOOPS[loop.kind], name, title=loop.name)
    if loop.kind in (LoopKind.REVOLUTE, LoopKind.PRISMATIC):
        prim.properties.append('uniform token physics:axis = "Z"')
    prim.properties.append("bool physics:excludeFromArticulation = 1")
    keep(prim, loop.extensions, loop.kind.value)
    _add_ends(prim, bodies, frames, tested=True)
    return prim


def _add_ends(prim: Prim, bodies: tuple[str, str], frames: Sequence[Floats], tested: bool) -> None:
    for side, (body, pose) in enumerate(zip(bodies, frames, strict=True)):
        prim.properties += [rel(f"physics:body{side}", [body]), *_local_pose(side, pose)]
    if tested:
        # By default, simulators do not test the two bodies of a joint.
        prim.properties.append("bool physics:collisionEnabled = 1")


def _axis(link: ExportLink) -> tuple[str, Floats]:
    """Return the axis letter of the joint in its own frame, and link from joint, shape (4, 4)."""
    clean = tidy(link.axis)
    for number_of, letter in enumerate("XYZ"):
        if clean[number_of] == 1.0:
            return letter, translation(link.anchor)
    return "Z", frame(link.anchor, z=link.axis)


def _local_pose(side: int, pose: Floats) -> list[str]:
    return [
        single("point3f", f"physics:localPos{side}", tidy(pose[:3, 3])),
        single("quatf", f"physics:localRot{side}", tidy(to_quaternion(pose))),
    ]


def _limits(joint: Joint) -> list[str]:
    if joint.limits is None:
        return []
    unit = degrees if joint.kind.turns else float
    return [
        single("float", "physics:lowerLimit", unit(joint.limits.lower)),
        single("float", "physics:upperLimit", unit(joint.limits.upper)),
    ]


def _add_position(prim: Prim, joint: Joint) -> None:
    if not joint.position:
        return
    sort, position = ("angular", degrees(joint.position)) if joint.kind.turns else ("linear", joint.position)
    prim.apis = [*prim.apis, f"PhysicsJointStateAPI:{sort}"]
    prim.properties.append(single("float", f"state:{sort}:physics:position", position))
    prim.data["position"] = joint.position


def _add_values(prim: Prim, joint: Joint) -> None:
    """Add armature, damping, friction and velocity limit for Newton, and spring and effort limit for MuJoCo."""
    turns = joint.kind.turns
    newton = {
        "armature": joint.armature,
        # A rotation is damped by torque per degree per second.
        "damping": radians(joint.damping) if turns else joint.damping,
        "friction": joint.friction,
        "velocityLimit": (degrees(joint.speed) if turns else joint.speed) if joint.speed is not None else 0.0,
    }
    written = [single("float", f"newton:{name}", value) for name, value in newton.items() if value]
    prim.properties += written
    spring = degrees(joint.spring_position) if turns else joint.spring_position
    effort = joint.effort or 0.0
    mujoco = {
        "stiffness": joint.stiffness,
        "springref": spring,
        "actuatorfrcrange:min": -effort,
        "actuatorfrcrange:max": effort,
    }
    more = [f"uniform double mjc:{name} = {value!r}" for name, value in mujoco.items() if value]
    prim.properties += more
    apis = [name for name, lines in (("NewtonJointAPI", written), ("MjcJointAPI", more)) if lines]
    prim.apis = [*prim.apis, *apis]


def _add_mimic(prim: Prim, joint: Joint, mimic: Mimic, places: JointPlaces) -> None:
    leader = places.robot.joint(mimic.joint)
    path = [places.paths[leader.name]]
    if leader.kind.turns == joint.kind.turns:
        offset = degrees(mimic.offset) if joint.kind.turns else mimic.offset
        prim.apis = [*prim.apis, "NewtonMimicAPI"]
        prim.properties += [
            rel("newton:mimicJoint", path),
            single("float", "newton:mimicCoef0", offset),
            single("float", "newton:mimicCoef1", mimic.ratio),
        ]
        return
    # Newton couples joints of one kind only; the constraint of MuJoCo is in radians and metres.
    prim.apis = [*prim.apis, "MjcEqualityJointAPI"]
    prim.properties += [
        rel("mjc:target", path),
        f"uniform double mjc:coef0 = {mimic.offset!r}",
        f"uniform double mjc:coef1 = {mimic.ratio!r}",
    ]
