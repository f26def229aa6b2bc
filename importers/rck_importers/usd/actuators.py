"""Actuators of USD: drives of UsdPhysics, and the actuators and tendons of MuJoCo and Newton."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isfinite, pi
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

import numpy as np

from rck.importing.import_report import Report
from rck.model import Actuator, ActuatorKind, JointLimits, Range, Tendon
from rck.model.extensions import extension
from rck_importers.usd.kept import MJCF, kept
from rck_importers.usd.stage import Prim, Stage, unique_names

_DEGREE = pi / 180
_RANGES = {"ctrlRange": "", "forceRange": "", "actRange": "actrange", "lengthRange": "lengthrange"}
_ACTUATOR_READ = frozenset({
    "mjc:gear", "mjc:gainPrm", "mjc:gainType", "mjc:biasPrm", "mjc:biasType", "mjc:ctrlLimited", "mjc:forceLimited",
    "mjc:actDim",
    *(f"mjc:{name}:{end}" for name in _RANGES for end in ("min", "max")),
})  # fmt: skip
_TENDON_READ = frozenset({
    "mjc:type", "mjc:path:coef", "mjc:path:indices", "mjc:path:segments", "mjc:path:divisors", "mjc:sideSites:indices",
    "mjc:range:min", "mjc:range:max", "mjc:limited", "mjc:stiffness", "mjc:damping", "mjc:frictionloss", "mjc:armature",
    "mjc:springlength", "mjc:rgba", "mjc:width",
})  # fmt: skip
_NONE = (0.0, 0.0, 0.0)
_HELD = 1e-6
"""In radians or metres: targets nearer to the position of the joint only hold the robot where it is."""
_SAME = 1e-6
"""Largest relative difference of a force that no other program changed."""


@dataclass(frozen=True, eq=False)
class Targets:
    """The names of what actuators can drive, by path."""

    freedoms: Mapping[tuple[str, str], tuple[str, bool]]
    """By path of a joint and instance: the name of the freedom, and whether it turns."""
    frames: Mapping[str, str]
    bodies: Mapping[str, str]

    def single(self, path: str) -> str:
        """Return the name of a joint of one freedom; that of the first hinge of a ball joint; empty if unknown."""
        names = [name for (own, _), (name, _) in self.freedoms.items() if own == path]
        return names[0] if names else ""


@dataclass(slots=True)
class Drives:
    """The actuators and tendons of a stage."""

    actuators: list[Actuator] = field(default_factory=list)
    tendons: list[Tendon] = field(default_factory=list)
    efforts: dict[str, float] = field(default_factory=dict)
    """The limit of each joint that exactly one actuator drives, in N m or N."""
    numbers: list[float] = field(default_factory=list)
    """The place of each actuator among those of the robot that RCK wrote; the others come last."""
    driven: set[str] = field(default_factory=set)
    """The joints that are driven, also by drives without gains."""
    targets: dict[str, float] = field(default_factory=dict)
    """Target positions of drives other than zero, by joint."""


def drives_of(stage: Stage, targets: Targets, report: Report) -> Drives:
    """Return the drives, actuators and tendons; what drives nothing that RCK knows is reported."""
    found = Drives()
    for (path, instance), (joint, turns) in targets.freedoms.items():
        prim = stage.by_path[path]
        if instance in prim.instances("PhysicsDriveAPI"):
            _add_drive(prim, instance, joint, turns, stage, found, report)
    tendon_prims = [prim for prim in stage.prims if prim.type == "MjcTendon"]
    tendons = unique_names(tendon_prims)
    for prim in tendon_prims:
        tendon = _tendon(prim, tendons[prim.path], targets, stage)
        if tendon is None:
            report.lost("tendon of an element that is not imported", prim.where)
            del tendons[prim.path]
        else:
            found.tendons.append(tendon)
    others = [prim for prim in stage.prims if prim.type in ("MjcActuator", "NewtonActuator")]
    names = unique_names(others)
    taken = {actuator.name for actuator in found.actuators}
    for prim in others:
        name = names[prim.path] if names[prim.path] not in taken else f"{names[prim.path]}-actuator"
        make = _mujoco_actuator if prim.type == "MjcActuator" else _newton_actuator
        actuator = make(prim, name, targets, tendons, report)
        if actuator is None:
            report.lost("actuator of an element that is not imported", prim.where)
        else:
            found.actuators.append(actuator)
            found.numbers.append(float(prim.rck.get("number", inf)))
    order = sorted(range(len(found.actuators)), key=found.numbers.__getitem__)
    found.actuators = [found.actuators[number] for number in order]
    _add_driven(found)
    return found


def _add_drive(prim: Prim, instance: str, joint: str, turns: bool, stage: Stage, found: Drives, report: Report) -> None:
    own = f"drive:{instance}:physics"
    unit = stage.units.effort(turns)
    # Gains of a rotation are torque per degree.
    per = unit / (_DEGREE if turns else stage.units.metres)
    stiffness, damping = (prim.number(f"{own}:{name}", 0.0) * per for name in ("stiffness", "damping"))
    most = prim.number(f"{own}:maxForce", inf) * unit
    given: Mapping[str, Any] = prim.rck.get("actuator") or {}
    if not (stiffness or damping or isfinite(most) or given):
        return
    found.driven.add(joint)
    if prim.text(f"{own}:type", "force") == "acceleration" and (stiffness or damping):
        report.lost("gains of a drive in acceleration mode", prim.where)
        stiffness = damping = 0.0
    target = prim.number(f"{own}:targetPosition", 0.0) * stage.units.travel(turns)
    if target and isfinite(target) and abs(target - prim.rck.get("position", inf)) > _HELD:
        found.targets[joint] = target
    if prim.number(f"{own}:targetVelocity", 0.0):
        report.left_out("target velocity of a drive", prim.where)
    gear = float(given.get("gear", 1.0)) or 1.0
    force = _given_force(given, most, gear)
    if not given and not (stiffness or damping):
        # The drive only says that there is a motor, and how strong it is.
        found.efforts[joint] = most
        return
    kind, gain, bias = ActuatorKind.MOTOR, 1.0, _NONE
    stiffness, damping = stiffness / gear**2, damping / gear**2
    if stiffness > 0:
        kind, gain, bias = ActuatorKind.POSITION, stiffness, (0.0, -stiffness, -damping)
    elif damping > 0:
        kind, gain, bias = ActuatorKind.VELOCITY, damping, (0.0, 0.0, -damping)
    if given.get("kind") == ActuatorKind.GENERAL.value:
        kind = ActuatorKind.GENERAL
    found.numbers.append(float(given.get("number", inf)))
    found.actuators.append(
        Actuator(
            str(given.get("name") or joint),
            kind,
            joint,
            gear=gear,
            gain=gain,
            bias=bias,
            force=force,
            control=_given_range(given, "control"),
            values=MappingProxyType({name: float(value) for name, value in (given.get("values") or {}).items()}),
            extensions=extension(MJCF, {str(k): str(v) for k, v in (given.get("mjcf") or {}).items()}),
        )
    )


def _given_range(given: Mapping[str, Any], name: str) -> Range | None:
    """Return a range that RCK wrote."""
    ends = given.get(name)
    return None if ends is None else Range(float(ends[0]), float(ends[1]))


def _given_force(given: Mapping[str, Any], most: float, gear: float) -> Range | None:
    """Return the force range of a drive: the one that RCK wrote, unless another program changed the greatest force."""
    own = _given_range(given, "force")
    known = own or _given_range(given, "control")
    if known is not None and given.get("kind") is not None:
        strength = max(abs(known.lower), abs(known.upper)) * abs(gear)
        if abs(strength - most) <= _SAME * strength or (own is None and not isfinite(most)):
            return own
    return Range(-most / abs(gear), most / abs(gear)) if 0 < most < inf else None


def _mujoco_actuator(
    prim: Prim, name: str, targets: Targets, tendons: Mapping[str, str], report: Report
) -> Actuator | None:
    path = prim.target("mjc:target")
    joint, tendon = targets.single(path), tendons.get(path, "")
    frame = targets.frames.get(path, "") or targets.bodies.get(path, "")
    if not (joint or tendon or frame) or prim.target("mjc:sliderSite"):
        return None
    gear = _list(prim, "mjc:gear", [1.0])
    scalar = not any(gear[1:])
    data = {"name": prim.name}
    if not scalar:
        data["gear"] = " ".join(map(repr, gear))
    if not (joint or tendon) and path in targets.bodies:
        data["transmission"] = "body"
    reference = targets.frames.get(prim.target("mjc:refSite"), "")
    data |= {"refsite": reference} if reference else {}
    for own, attribute in _RANGES.items():
        limits = _range(prim, own)
        if attribute and limits is not None:
            data[attribute] = f"{limits.lower!r} {limits.upper!r}"
    kind, gain, bias, more, read = _law(prim)
    if "kind" in prim.rck:
        kind = ActuatorKind(prim.rck["kind"])
    return Actuator(
        name,
        kind,
        joint,
        tendon if not joint else "",
        gear[0],
        gain,
        bias,
        _range(prim, "forceRange"),
        _range(prim, "ctrlRange"),
        extensions=kept(prim, (_ACTUATOR_READ - {"mjc:gainPrm", "mjc:gainType", "mjc:biasPrm", "mjc:biasType"}) | read,
                        **data, **more),
        frame="" if joint or tendon else frame,
        values=MappingProxyType({key: float(value) for key, value in (prim.rck.get("values") or {}).items()}),
    )  # fmt: skip


def _law(prim: Prim) -> tuple[ActuatorKind, float, tuple[float, float, float], dict[str, str], frozenset[str]]:
    """Return kind, gain and bias of an actuator of MuJoCo, more attributes, and the attributes that they express."""
    gains = [*_list(prim, "mjc:gainPrm", [1.0]), 0.0, 0.0][:10]
    biases = [*_list(prim, "mjc:biasPrm", []), 0.0, 0.0, 0.0][:10]
    affine = prim.text("mjc:biasType", "none") == "affine"
    bias = (biases[0], biases[1], biases[2]) if affine else _NONE
    read = frozenset({"mjc:gainPrm", "mjc:gainType", "mjc:biasPrm", "mjc:biasType"})
    plain = prim.text("mjc:gainType", "fixed") == "fixed" and prim.text("mjc:biasType", "none") in ("none", "affine")
    dynamic = prim.text("mjc:dynType", "none") != "none"
    if not plain:
        return ActuatorKind.GENERAL, gains[0] or 1.0, _NONE, {"element": "general"}, frozenset()
    if not dynamic and gains[0] == 1.0 and not any(bias):
        return ActuatorKind.MOTOR, 1.0, _NONE, {}, read
    if not dynamic and bias[:2] == (0.0, -gains[0]) and gains[0]:
        # MuJoCo keeps a damping ratio as a positive number in the place of the negative damping.
        ratio = {"dampratio": repr(bias[2])} if bias[2] > 0 else {}
        return ActuatorKind.POSITION, gains[0], (0.0, bias[1], min(bias[2], 0.0)), ratio, read
    if not dynamic and bias == (0.0, 0.0, -gains[0]):
        return ActuatorKind.VELOCITY, gains[0], bias, {}, read
    return ActuatorKind.GENERAL, gains[0], bias, {"element": "general"}, read


def _newton_actuator(
    prim: Prim, name: str, targets: Targets, tendons: Mapping[str, str], report: Report
) -> Actuator | None:
    joint = targets.single(prim.target("newton:targets"))
    if not joint or not (prim.has("NewtonPDControlAPI") or prim.has("NewtonPIDControlAPI")):
        return None
    if prim.number("newton:ki", 0.0) or prim.has("NewtonActuatorDelayAPI"):
        report.lost("integral gain or delay of an actuator", prim.where)
    kp, kd = prim.number("newton:kp", 0.0), prim.number("newton:kd", 0.0)
    constant = prim.number("newton:constEffort", 0.0)
    most = min(prim.number("newton:maxEffort", inf), prim.number("newton:maxMotorEffort", inf))
    kind = ActuatorKind.POSITION if kp else ActuatorKind.VELOCITY if kd else ActuatorKind.MOTOR
    stall, speed = prim.number("newton:saturationEffort", inf), prim.number("newton:velocityLimit", inf)
    figures = {"stall-torque": stall, "no-load-speed": speed}
    return Actuator(
        name,
        kind,
        joint,
        gain=kp or kd or 1.0,
        bias=(constant, -kp, -kd),
        force=Range(-most, most) if 0 < most < inf else None,
        values=MappingProxyType({key: value for key, value in figures.items() if isfinite(value)}),
        extensions=kept(prim, {name for name in prim.values if name.startswith("newton:")}),
    )


def _tendon(prim: Prim, name: str, targets: Targets, stage: Stage) -> Tendon | None:
    paths = list(prim.targets.get("mjc:path", ()))
    order = [int(number) for number in _list(prim, "mjc:path:indices", [])]
    path = [paths[number] for number in order if 0 <= number < len(paths)]
    if prim.text("mjc:type", "spatial") != "fixed":
        xml = _spatial(prim, path, targets, stage)
        return None if xml is None else Tendon(name, (), extensions=kept(prim, _TENDON_READ, **{"<spatial>": xml}))
    joints = [targets.single(one) for one in path]
    factors = _list(prim, "mjc:path:coef", [])
    if not joints or not all(joints) or len(factors) != len(joints):
        return None
    lengths = _list(prim, "mjc:springlength", [-1.0])
    limits = _range(prim, "range", "limited")
    return Tendon(
        name,
        tuple(zip(joints, factors, strict=True)),
        None if limits is None else JointLimits(limits.lower, limits.upper),
        prim.number("mjc:stiffness", 0.0),
        lengths[0] if lengths and lengths[0] >= 0 else None,
        prim.number("mjc:damping", 0.0),
        prim.number("mjc:frictionloss", 0.0),
        prim.number("mjc:armature", 0.0),
        kept(prim, _TENDON_READ, name=prim.name),
    )


def _spatial(prim: Prim, path: list[str], targets: Targets, stage: Stage) -> str | None:
    """Return a spatial tendon as XML of MJCF; None if it refers to what is not imported."""
    made = ElementTree.Element("spatial", {"name": prim.name})
    for name in ("stiffness", "damping", "frictionloss", "armature", "width"):
        if f"mjc:{name}" in prim.values:
            made.set(name, repr(prim.number(f"mjc:{name}", 0.0)))
    limits = _range(prim, "range", "limited")
    if limits is not None:
        made.set("range", f"{limits.lower!r} {limits.upper!r}")
    segments = [int(number) for number in _list(prim, "mjc:path:segments", [0.0] * len(path))]
    divisors = _list(prim, "mjc:path:divisors", [1.0])
    sides, side_of = prim.targets.get("mjc:sideSites", ()), _list(prim, "mjc:sideSites:indices", [])
    for number, one in enumerate(path):
        if number and number < len(segments) and segments[number] != segments[number - 1]:
            divisor = divisors[segments[number]] if segments[number] < len(divisors) else 1.0
            ElementTree.SubElement(made, "pulley", {"divisor": repr(divisor)})
        if one in targets.frames:
            ElementTree.SubElement(made, "site", {"site": targets.frames[one]})
        elif one in stage.by_path:
            wrap = ElementTree.SubElement(made, "geom", {"geom": stage.by_path[one].name})
            side = int(side_of[number]) if number < len(side_of) else -1
            if 0 <= side < len(sides) and sides[side] in targets.frames:
                wrap.set("sidesite", targets.frames[sides[side]])
        else:
            return None
    return ElementTree.tostring(made, encoding="unicode") if path else None


def _range(prim: Prim, own: str, limited: str = "") -> Range | None:
    """Return a range of MuJoCo; None if it is not limited."""
    lower, upper = prim.number(f"mjc:{own}:min", 0.0), prim.number(f"mjc:{own}:max", 0.0)
    said = prim.text(f"mjc:{limited or own.removesuffix('Range') + 'Limited'}", "auto")
    return Range(lower, upper) if said == "true" or (said == "auto" and lower < upper) else None


def _list(prim: Prim, name: str, default: list[float]) -> list[float]:
    value = prim.values.get(name)
    return default if value is None else [float(number) for number in np.asarray(value, dtype=float).ravel()]


def _add_driven(found: Drives) -> None:
    """Add the joints that the actuators drive, and the effort limits that follow."""
    on_tendon = {tendon.name: [joint for joint, _ in tendon.joints] for tendon in found.tendons}
    bounds: dict[str, list[float | None]] = {}
    for actuator in found.actuators:
        found.driven.update([actuator.joint] if actuator.joint else on_tendon.get(actuator.tendon, ()))
        if actuator.joint:
            # The control signal of a motor is its force.
            force = actuator.force or (actuator.control if actuator.kind is ActuatorKind.MOTOR else None)
            most = 0.0 if force is None else abs(actuator.gear) * max(abs(force.lower), abs(force.upper))
            bounds.setdefault(actuator.joint, []).append(most or None)
    for joint, known in bounds.items():
        if len(known) == 1 and known[0] is not None:
            found.efforts[joint] = known[0]
