"""Values of joints: limits, springs, friction, armature and couplings, of UsdPhysics and of simulators' schemas."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, pi
from xml.etree import ElementTree

from rck.importing.import_report import Report
from rck.importing.linkage import ENDLESS
from rck.model import JointLimits, Mimic
from rck.model.extensions import Extensions
from rck_importers.usd.joints import Freedom, UsdJoint
from rck_importers.usd.kept import kept, mjcf_text
from rck_importers.usd.stage import Prim, Stage, Units

_DEGREE = pi / 180
_READ = frozenset({
    "newton:armature", "newton:damping", "newton:friction", "newton:velocityLimit", "newton:mimicJoint",
    "newton:mimicCoef0", "newton:mimicCoef1", "newton:mimicEnabled", "mjc:armature", "mjc:damping", "mjc:frictionloss",
    "mjc:stiffness", "mjc:springref", "mjc:ref", "mjc:coef0", "mjc:coef1", "mjc:actuatorfrcrange:min",
    "mjc:actuatorfrcrange:max", "mjc:actuatorfrclimited", "mjc:coef2", "mjc:coef3", "mjc:coef4",
    "physxJoint:armature", "physxJoint:maxJointVelocity", "isaac:nameOverride", "mjc:solref", "mjc:solimp",
})  # fmt: skip
_ENDLESS_SPEED = 1e6
"""In degrees per second: the limit that PhysX has by default."""


@dataclass(frozen=True, slots=True)
class JointValues:
    """Values of one degree of freedom, in radians or metres, seconds, and N m or N."""

    limits: JointLimits | None = None
    speed: float | None = None
    effort: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    spring_position: float = 0.0
    mimic: Mimic | None = None
    reference: float = 0.0
    """Position where the file shows the bodies, if their joint frames agree."""


def mjc_angle(stage: Stage) -> float:
    """Return the unit of angles in the attributes of MuJoCo, in radians."""
    scenes = [prim for prim in stage.prims if prim.has("MjcSceneAPI")]
    is_radian = any(prim.text("mjc:compiler:angle", "degree") == "radian" for prim in scenes)
    return 1.0 if is_radian else _DEGREE


def joint_values(
    joint: UsdJoint, freedom: Freedom, stage: Stage, leaders: Mapping[str, str], report: Report
) -> JointValues:
    """Return the values of a freedom; `leaders` has the names of joints that others can follow, by path."""
    prim, units, turns = joint.prim, stage.units, freedom.turns
    angle = mjc_angle(stage) if turns else units.metres
    reference = prim.number("mjc:ref", 0.0) * angle
    own = f"physxJointAxis:{freedom.instance}"
    effort = units.effort(turns)
    return JointValues(
        _limits(joint, freedom, units),
        _speed(prim, freedom, own, units),
        _effort(prim, effort),
        _damping(prim, turns, own, units, stage),
        _first(prim, ("newton:friction", "mjc:frictionloss", f"{own}:dynamicFrictionEffort",
                      f"{own}:staticFrictionEffort")) * effort,
        _first(prim, ("newton:armature", "mjc:armature", f"{own}:armature", "physxJoint:armature"))
        * units.inertia(turns),
        prim.number("mjc:stiffness", 0.0) * effort / (1.0 if turns else units.metres),
        prim.number("mjc:springref", 0.0) * angle,
        _mimic(joint, freedom, stage, leaders, reference, report),
        reference,
    )  # fmt: skip


def joint_data(joint: UsdJoint, **mjcf: str) -> Extensions:
    """Return the attributes of a joint that RCK does not interpret."""
    prim = joint.prim
    axes = {name for name in prim.values if name.startswith(("physxJointAxis:", "physxMimicJoint:"))}
    return kept(prim, _READ | axes, **mjcf)


def mimic_data(prim: Prim) -> dict[str, str]:
    """Return what the file says about the equality of a joint that follows another, as XML of MJCF."""
    given = {
        name: mjcf_text(prim.values[f"mjc:{name}"]) for name in ("solref", "solimp") if f"mjc:{name}" in prim.values
    }
    element = ElementTree.Element("joint", given)
    return {"<mimic>": ElementTree.tostring(element, encoding="unicode")} if given else {}


def _first(prim: Prim, names: tuple[str, ...], default: float = 0.0) -> float:
    for name in names:
        if name in prim.values:
            value = prim.number(name, default)
            return value if isfinite(value) else default
    return default


def _limits(joint: UsdJoint, freedom: Freedom, units: Units) -> JointLimits | None:
    prim = joint.prim
    if joint.kind == "ball":
        return None
    low, high = ("physics:lowerLimit", "physics:upperLimit")
    if joint.kind == "free axes":
        low, high = (f"limit:{freedom.instance}:physics:{end}" for end in ("low", "high"))
    lower, upper = prim.number(low, -inf), prim.number(high, inf)
    if not isfinite(lower) and not isfinite(upper):
        return None
    unit = units.travel(freedom.turns)
    return JointLimits(*(max(min(end * unit, 10 * ENDLESS), -10 * ENDLESS) for end in (lower, upper)))


def _speed(prim: Prim, freedom: Freedom, own: str, units: Units) -> float | None:
    for name in ("newton:velocityLimit", f"{own}:maxJointVelocity", "physxJoint:maxJointVelocity"):
        speed = prim.number(name, inf)
        if name in prim.values and 0 < speed < _ENDLESS_SPEED:
            return speed * units.travel(freedom.turns)
    return None


def _effort(prim: Prim, unit: float) -> float | None:
    """Return the limit of the force of all actuators on a joint, as MuJoCo has it."""
    lower, upper = prim.number("mjc:actuatorfrcrange:min", 0.0), prim.number("mjc:actuatorfrcrange:max", 0.0)
    limited = prim.text("mjc:actuatorfrclimited", "auto")
    if limited == "true" or (limited == "auto" and lower < upper):
        return max(abs(lower), abs(upper)) * unit
    return None


def _damping(prim: Prim, turns: bool, own: str, units: Units, stage: Stage) -> float:
    unit = units.effort(turns) / (1.0 if turns else units.metres)
    for name in ("newton:damping", f"{own}:viscousFrictionCoefficient"):
        if name in prim.values:
            # A rotation is damped by torque per degree per second.
            return prim.number(name, 0.0) * unit / (_DEGREE if turns else 1.0)
    return prim.number("mjc:damping", 0.0) * unit


def _mimic(
    joint: UsdJoint, freedom: Freedom, stage: Stage, leaders: Mapping[str, str], reference: float, report: Report
) -> Mimic | None:
    prim = joint.prim
    found = _coupling(prim, freedom, stage.units)
    if found is None:
        return None
    path, ratio, offset = found
    if path not in leaders or any(prim.number(f"mjc:coef{n}", 0.0) for n in (2, 3, 4)):
        report.lost("coupling with a joint that is not imported, or by a curve,", prim.where)
        return None
    leader = stage.by_path[path]
    leads_turning = leader.type == "PhysicsRevoluteJoint"
    own, others = stage.units.travel(freedom.turns), stage.units.travel(leads_turning)
    if prim.has("MjcEqualityJointAPI") and "newton:mimicCoef1" not in prim.values:
        # MuJoCo has radians.
        own, others = (1.0 if turns else stage.units.metres for turns in (freedom.turns, leads_turning))
    # The ratio is in the units of the file.
    ratio *= own / others
    other = leader.number("mjc:ref", 0.0) * (mjc_angle(stage) if leads_turning else stage.units.metres)
    return Mimic(leaders[path], ratio, offset + reference - ratio * other)


def _coupling(prim: Prim, freedom: Freedom, units: Units) -> tuple[str, float, float] | None:
    """Return the joint that a joint follows, with ratio and offset; None if it follows none."""
    if prim.has("NewtonMimicAPI") or prim.has("MjcEqualityJointAPI"):
        path = prim.target("newton:mimicJoint") or prim.target("mjc:target")
        if not path or not prim.flag("newton:mimicEnabled", True):
            return None
        ratio = _first(prim, ("newton:mimicCoef1", "mjc:coef1"), 1.0)
        if "newton:mimicCoef0" in prim.values:
            return path, ratio, prim.number("newton:mimicCoef0", 0.0) * units.travel(freedom.turns)
        return path, ratio, prim.number("mjc:coef0", 0.0) * (1.0 if freedom.turns else units.metres)
    for instance in prim.instances("PhysxMimicJointAPI"):
        own = f"physxMimicJoint:{instance}"
        path = prim.target(f"{own}:referenceJoint")
        if path:
            # PhysX keeps: position + gearing * other position + offset = 0.
            offset = prim.number(f"{own}:offset", 0.0) * units.travel(freedom.turns)
            return path, -prim.number(f"{own}:gearing", 1.0), -offset
    return None
