"""Mates worked out: where the put end goes, whether the two ends fit, the joint between them."""

from dataclasses import fields as dataclass_fields
from dataclasses import replace

import msgspec
import numpy as np

from rck.assembly.document import JointSetting, Mate, MateJoint
from rck.assembly.ends import EndFrame
from rck.assembly.pieces import Body
from rck.catalogue.manifest import Axis, Place, Quantity, Triple, Units
from rck.catalogue.quantities import Quantities, direction
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import from_euler, invert, rotation_about, to_euler, translation
from rck.model import Built, Finding, Joint, JointKind, RckError, Severity, build_joint
from rck.model.units import round_in_unit

_FACE_TO_FACE = frozen(np.diag([1.0, -1.0, -1.0, 1.0]))
"""Half a turn about x: z axes opposed, x axes the same way."""

_DIGITS = 9
"""Decimals of lengths in millimetres and of angles in degrees; other units get as many as are as fine."""
_SLACK = 1e-9


def at_from_put(mate: Mate, at: EndFrame, put: EndFrame, read: Quantities) -> Floats:
    """Where the put end is, seen from the end that it stands on. Shape (4, 4)."""
    if isinstance(mate.offset, tuple):
        offset = read.point(mate.offset)
    else:
        offset = np.array([0.0, 0.0, read.length(mate.offset)])
    matrix = translation(offset)
    if turn := read.angle(mate.turn):
        matrix = matrix @ rotation_about((0, 0, 1), turn)
    if (at.faces and put.faces) != mate.flip:
        matrix = matrix @ _FACE_TO_FACE
    if mate.rpy is not None:
        matrix = matrix @ from_euler([read.angle(angle) for angle in mate.rpy])
    return matrix


def mate_reaching(mate: Mate, at: EndFrame, put: EndFrame, wanted: Floats, units: Units) -> Mate:
    """The mate with another offset and roll, pitch and yaw, so that :func:`at_from_put` is `wanted`, shape (4, 4)."""
    plain = msgspec.structs.replace(mate, offset=0.0, rpy=None)
    left = invert(at_from_put(plain, at, put, Quantities(units))) @ wanted
    rpy = angles_in(left, units)
    x, y, z = lengths_in(wanted[:3, 3], units)
    return msgspec.structs.replace(mate, offset=(x, y, z) if x or y else z, rpy=rpy if any(rpy) else None)


def place_in(pose: Floats, units: Units) -> Place | None:
    """The place that stands for a pose; None for the origin."""
    rpy = angles_in(pose, units)
    place = Place(at=lengths_in(pose[:3, 3], units), rpy=rpy if any(rpy) else None)
    return None if place == Place() else place


def lengths_in(vector: Floats, units: Units) -> Triple:
    """Metres in the file's unit of length."""
    x, y, z = (round_in_unit(float(one), "length", units.length, _DIGITS) for one in vector)
    return x, y, z


def angles_in(matrix: Floats, units: Units) -> Triple:
    """Roll, pitch and yaw of a rotation in the file's unit of angle."""
    roll, pitch, yaw = (round_in_unit(one, "angle", units.angle, _DIGITS) for one in to_euler(matrix))
    return roll, pitch, yaw


def misfit(kind: str, gender: str | None, other_kind: str, other_gender: str | None) -> str:
    """Why two ports do not fit; empty when they do."""
    if "any" in (kind, other_kind):
        return ""
    if kind != other_kind:
        return f"{kind} does not fit {other_kind}"
    if gender is not None and gender == other_gender:
        return f"two {gender} ends of {kind} do not fit"
    return ""


def fitting_ports(body: Body, kind: str, gender: str | None) -> tuple[str, ...]:
    """The ports of a body that fit a port, the likeliest first.

    Ports of what stays come before those of what moves: a servo is put on its back, not on its horn. Points off the
    surface, such as between the fingertips of a hand, come last. Then those of the same kind come first, on a plain
    face the plain ones.
    """
    staying = {body.robot.items[root].name for root in body.robot.tree.roots}
    fitting = [port for port in body.ports.values() if not misfit(kind, gender, port.kind, port.gender)]
    fitting.sort(key=lambda port: (port.kind == "any" and port.note != "", port.item not in staying, port.kind != kind))
    return tuple(port.name for port in fitting)


def joint_name(mate: Mate, instance: str) -> str:
    """What the joint of a mate is called, the instance being the one that it puts in place."""
    return mate.joint.name if mate.joint is not None and mate.joint.name else f"{instance}/mate"


def joint_axis(spec: MateJoint) -> tuple[JointKind, Axis]:
    """How the joint of a mate moves, and about or along what."""
    kinds = {kind: axis for kind in JointKind if (axis := getattr(spec, kind.value, None)) is not None}
    if len(kinds) != 1:
        raise RckError("give exactly one of revolute, continuous and prismatic")
    ((kind, axis),) = kinds.items()
    return kind, axis


def mate_joint(
    mate: Mate, name: str, base: str, moves: tuple[str, ...], at: EndFrame, read: Quantities
) -> Built[Joint]:
    """The joint of a mate, in the frame of the part that it stands on; a fixed one unless the mate asks for more.

    Its position is 0, where the mate says that the ends are, even if the limits do not reach so far.
    """
    if mate.joint is None:
        return build_joint(name, JointKind.FIXED, base, moves)
    spec = mate.joint
    start = at.pose[:3, 3]
    try:
        kind, axis = joint_axis(spec)
        turns = kind.turns
        limits = None if spec.limits is None else read.joint_limits(spec.limits, turns)
        built = build_joint(
            name,
            kind,
            base,
            moves,
            start=start.tolist(),
            end=(start + at.pose[:3, :3] @ direction(axis)).tolist(),
            limits=limits,
            position=0.0 if limits is None else min(max(0.0, limits.lower), limits.upper),
            speed=None if spec.speed is None else read.joint_speed(spec.speed, turns),
            acceleration=None if spec.acceleration is None else read.joint_acceleration(spec.acceleration, turns),
            effort=_effort(spec.torque, spec.force, read, turns),
            damping=spec.damping,
            friction=spec.friction,
        )
    except RckError as error:
        return Built(None, (Finding(104, Severity.ERROR, f"joint {name}", str(error)),))
    return built if built.value is None else Built(replace(built.value, position=0.0), built.findings)


def _effort(torque: Quantity | None, force: Quantity | None, read: Quantities, turns: bool) -> float | None:
    if (force if turns else torque) is not None:
        raise RckError("a joint that turns has a torque" if turns else "a joint that slides has a force")
    if turns:
        return None if torque is None else read.torque(torque)
    return None if force is None else read.force(force)


def set_joint(joint: Joint, setting: JointSetting, read: Quantities) -> Joint:
    """The joint with the user's limits, speed and effort, still where the drawing of its part has it."""
    if not joint.kind.moves:
        raise RckError("it is fixed")
    turns = joint.kind.turns
    limits = joint.limits if setting.limits is None else read.joint_limits(setting.limits, turns)
    effort = _effort(setting.torque, setting.force, read, turns)
    changed = replace(
        joint,
        kind=JointKind.REVOLUTE if turns and limits is not None else joint.kind,
        limits=limits,
        speed=joint.speed if setting.speed is None else read.joint_speed(setting.speed, turns),
        effort=joint.effort if effort is None else effort,
    )
    return _checked(changed)


def _checked(joint: Joint) -> Joint:
    """The joint, if it is one wherever it stands; where it shall stand is decided when all joints are known."""
    fields = {field.name: getattr(joint, field.name) for field in dataclass_fields(joint)}
    built = build_joint(**{**fields, "position": within_limits(joint, joint.position)})
    if built.value is None:
        raise RckError("; ".join(finding.message for finding in built.findings))
    return replace(built.value, position=joint.position)


def within_limits(joint: Joint, position: float) -> float:
    """The position, or the limit that is nearest to it."""
    if joint.limits is None:
        return position
    return min(max(position, joint.limits.lower), joint.limits.upper)


def wanted_position(joint: Joint, setting: JointSetting | None, read: Quantities) -> float:
    """Where a joint shall stand: where the user put it, else as drawn, or at the nearest limit.

    Radians or metres. The user is refused what the limits do not allow.
    """
    if setting is None or setting.position is None:
        return within_limits(joint, joint.position)
    if joint.mimic is not None:
        raise RckError(f"it follows {joint.mimic.joint} and does not move by itself")
    position = read.joint_position(setting.position, joint.kind.turns)
    if abs(position - within_limits(joint, position)) > _SLACK:
        raise RckError(f"position {setting.position} is outside its limits")
    return within_limits(joint, position)
