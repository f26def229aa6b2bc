"""Actuators: drives of joints where they have the law of one, and prims of the schema of MuJoCo for the others."""

from collections.abc import Mapping
from dataclasses import replace
from math import degrees, radians

from rck.model import Actuation, Actuator, ActuatorKind, Joint, Range, Robot, Tendon
from rck.model.extensions import Extensions
from rck.model.motor import motor_of, with_law
from rck_plugins.exporters.usd.kept import MJCF, keep
from rck_plugins.exporters.usd.prims import Data, Prim, rel, single


def drive_of(joint: Joint, robot: Robot) -> Actuator | None:
    """Return the actuator that the drive of a joint stands for: the only one, if it has the law of a drive."""
    own = [actuator for actuator in robot.actuators if actuator.joint == joint.name]
    return own[0] if len(own) == 1 and _has_law_of_drive(_servo(own[0], joint)) else None


def _servo(actuator: Actuator, joint: Joint) -> Actuator:
    """Return an actuator with its gains; those of a servo of the catalogue follow from its data sheet.

    The slope of its torque-speed line becomes the damping of its drive.
    """
    motor = motor_of(joint, actuator)
    law = with_law(actuator, motor)
    if actuator.kind is not ActuatorKind.POSITION or actuator.has_gains or not law.has_gains:
        return actuator
    return replace(law, bias=(*law.bias[:2], -motor.damping / actuator.gear**2))


def _has_law_of_drive(actuator: Actuator) -> bool:
    gain, bias, data = actuator.gain, actuator.bias, actuator.extensions.get(MJCF, {})
    if actuator.kind is ActuatorKind.DC_MOTOR or actuator.gear == 0.0 or data.get("element", "general") != "general":
        return False
    if {"dyntype", "gaintype", "biastype", "gear", "ball"} & data.keys():
        return False
    if not any(bias):
        return gain == 1.0
    return gain > 0 and (bias == (0.0, 0.0, -gain) or (bias[:2] == (0.0, -gain) and bias[2] <= 0))


def add_drive(prim: Prim, joint: Joint, robot: Robot) -> None:
    """Add the drive of a joint: the gains and the greatest force of its actuator, or its effort limit.

    A joint that may have a motor gets a drive without gains, which can be commanded; a passive one gets none.
    """
    actuator = drive_of(joint, robot)
    is_driven = joint.name in robot.driven_joints
    if not is_driven and joint.actuation is Actuation.UNKNOWN:
        prim.data["actuation"] = joint.actuation.value
    has_motor = joint.actuation is not Actuation.PASSIVE and joint.mimic is None
    if actuator is None and (is_driven or not has_motor):
        if is_driven or joint.actuation is not Actuation.PASSIVE:
            prim.data["actuation"] = joint.actuation.value
        return
    sort = "angular" if joint.kind.turns else "linear"
    own = f"drive:{sort}:physics"
    prim.apis = [*prim.apis, f"PhysicsDriveAPI:{sort}"]
    prim.properties.append(f'uniform token {own}:type = "force"')
    effort = joint.effort
    if actuator is not None:
        prim.data["actuator"] = {"number": robot.actuators.index(actuator), **_actuator_data(actuator)}
        actuator = _servo(actuator, joint)
        effort = _strength(actuator)
        # Gains of a rotation are torque per degree.
        per = radians(1.0) if joint.kind.turns else 1.0
        square = per * actuator.gear**2
        _, stiffness, damping = (-value for value in actuator.bias)
        gains = {"stiffness": stiffness * square, "damping": damping * square}
        prim.properties += [single("float", f"{own}:{name}", value) for name, value in gains.items() if value]
        if stiffness and joint.position:
            # The robot stays where it is shown.
            target = degrees(joint.position) if joint.kind.turns else joint.position
            prim.properties.append(single("float", f"{own}:targetPosition", target))
    if effort:
        prim.properties.append(single("float", f"{own}:maxForce", effort))


def _strength(actuator: Actuator) -> float | None:
    """Return the greatest effort on the joint; None if it is unlimited."""
    limits = actuator.force or (actuator.control if actuator.kind is ActuatorKind.MOTOR else None)
    return None if limits is None else max(abs(limits.lower), abs(limits.upper)) * abs(actuator.gear)


def _actuator_data(actuator: Actuator) -> Mapping[str, Data]:
    """Return what a drive cannot hold."""
    data: dict[str, Data] = {"name": actuator.name, "kind": actuator.kind.value}
    if actuator.gear != 1.0:
        data["gear"] = actuator.gear
    for name, limits in (("force", actuator.force), ("control", actuator.control)):
        if limits is not None:
            data[name] = [limits.lower, limits.upper]
    if actuator.values:
        data["values"] = dict(actuator.values)
    if MJCF in actuator.extensions:
        data[MJCF] = dict(actuator.extensions[MJCF])
    return data


def actuator_prim(actuator: Actuator, number: int, name: str, target: str) -> Prim:
    """Return an actuator of MuJoCo that acts on the joint, tendon, frame or body at a path.

    `number` is its place in the robot.
    """
    prim = Prim("MjcActuator", name, title=_title(actuator.name, actuator.extensions))
    keep(prim, actuator.extensions, "actuator")
    kept = {line.split(" = ")[0].rpartition(":")[2] for line in prim.properties}
    own: dict[str, str] = {}
    if "gear" not in kept:
        own["gear"] = f"double[] mjc:gear = [{actuator.gear!r}, 0, 0, 0, 0, 0]"
    if not {"gainType", "gainPrm"} & kept:
        own["gain"] = f"double[] mjc:gainPrm = [{actuator.gain!r}, 0, 0, 0, 0, 0, 0, 0, 0, 0]"
    if any(actuator.bias) and not {"biasType", "biasPrm"} & kept:
        numbers = ", ".join(map(repr, actuator.bias))
        own["type"] = 'token mjc:biasType = "affine"'
        own["bias"] = f"double[] mjc:biasPrm = [{numbers}, 0, 0, 0, 0, 0, 0, 0]"
    prim.properties += [f"uniform {line}" for line in own.values()]
    prim.properties += _range("ctrlRange", actuator.control) + _range("forceRange", actuator.force)
    prim.properties.append(rel("mjc:target", [target]))
    prim.data |= {"number": number, "kind": actuator.kind.value}
    if actuator.values:
        prim.data["values"] = dict(actuator.values)
    return prim


def tendon_prim(tendon: Tendon, name: str, paths: Mapping[str, str]) -> Prim:
    """Return a fixed tendon of MuJoCo; `paths` are those of the joints."""
    prim = Prim("MjcTendon", name, title=_title(tendon.name, tendon.extensions))
    keep(prim, tendon.extensions, "tendon")
    joints = list(dict.fromkeys(paths[joint] for joint, _ in tendon.joints))
    order = ", ".join(str(joints.index(paths[joint])) for joint, _ in tendon.joints)
    factors = ", ".join(repr(factor) for _, factor in tendon.joints)
    prim.properties += [
        'uniform token mjc:type = "fixed"',
        rel("mjc:path", joints),
        f"uniform int[] mjc:path:indices = [{order}]",
        f"uniform double[] mjc:path:coef = [{factors}]",
    ]
    values = {"stiffness": tendon.stiffness, "damping": tendon.damping, "frictionloss": tendon.friction,
              "armature": tendon.armature}  # fmt: skip
    prim.properties += [f"uniform double mjc:{key} = {value!r}" for key, value in values.items() if value]
    if tendon.limits is not None:
        prim.properties += _range("range", Range(tendon.limits.lower, tendon.limits.upper))
    length = tendon.spring_length
    if length is not None and not any("mjc:springlength" in line for line in prim.properties):
        prim.properties.append(f"uniform double[] mjc:springlength = [{length!r}, {length!r}]")
    return prim


def _range(name: str, limits: Range | None) -> list[str]:
    if limits is None:
        return []
    return [
        f"uniform double mjc:{name}:{end} = {value!r}" for end, value in (("min", limits.lower), ("max", limits.upper))
    ]


def _title(name: str, extensions: Extensions) -> str:
    """Return the name of an element in the file that it comes from, or its own."""
    return extensions.get(MJCF, {}).get("name", "") or name
