"""Geometry of mates: the pose of the attached end, the fit of two ports, and the joint between them."""

from dataclasses import replace

import msgspec
import numpy as np

from rck.assembly.definitions import InstanceBody
from rck.assembly.document import JointSetting, Mate
from rck.assembly.mate_ends import EndFrame
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import from_euler, invert, rotation_about, to_euler, translation
from rck.model import Built, Finding, Joint, JointKind, Port, RckError, Severity, build_joint
from rck.model.extensions import freeze_extensions
from rck.model.joint import check_joint
from rck.model.joint_spec import convert_joint, convert_ratings
from rck.model.port_fit import PortLike, port_mismatch
from rck.model.quantities import PoseSpec, Quantities, Triple, Units
from rck.support.units import round_in_unit

_FACE_TO_FACE = frozen(np.diag([1.0, -1.0, -1.0, 1.0]))
"""Half a turn about x: opposite z axes, same x axes."""

_DIGITS = 9
"""Decimals of lengths in millimetres and angles in degrees; numbers in other units have the same resolution."""
_SLACK = 1e-9


def at_from_put(mate: Mate, at: EndFrame, put: EndFrame, read: Quantities) -> Floats:
    """Return the pose of the attached end in the frame of the end that stays. Shape (4, 4)."""
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
    """Return the mate with the offset and rpy for which :func:`at_from_put` is `wanted`, shape (4, 4)."""
    plain = msgspec.structs.replace(mate, offset=0.0, rpy=None)
    left = invert(at_from_put(plain, at, put, Quantities(units))) @ wanted
    rpy = angles_in(left, units)
    x, y, z = lengths_in(wanted[:3, 3], units)
    return msgspec.structs.replace(mate, offset=(x, y, z) if x or y else z, rpy=rpy if any(rpy) else None)


def place_in(pose: Floats, units: Units) -> PoseSpec | None:
    """Return a pose in the units of the assembly; None for the origin."""
    rpy = angles_in(pose, units)
    place = PoseSpec(at=lengths_in(pose[:3, 3], units), rpy=rpy if any(rpy) else None)
    return None if place == PoseSpec() else place


def lengths_in(vector: Floats, units: Units) -> Triple:
    """Convert metres to the unit of length of the assembly."""
    x, y, z = (round_in_unit(float(one), "length", units.length, _DIGITS) for one in vector)
    return x, y, z


def angles_in(matrix: Floats, units: Units) -> Triple:
    """Return roll, pitch and yaw of a rotation in the unit of angle of the assembly."""
    roll, pitch, yaw = (round_in_unit(one, "angle", units.angle, _DIGITS) for one in to_euler(matrix))
    return roll, pitch, yaw


def fitting_ports(body: InstanceBody, target: PortLike) -> tuple[str, ...]:
    """Return the ports of a body that RCK may choose for a port, best first; users can name others.

    Tool tips, such as the centre between fingertips, are never chosen. A plain face fits every type, but is chosen for
    a typed port only if the body has no typed mounting ports: if these disagree, the two parts do not belong together.
    Ports on the base come before ports on moving items: a servo is mounted by its back, not by its horn.
    """
    base = {body.robot.items[root].name for root in body.robot.tree.roots}
    ports = [port for port in body.ports.values() if not is_tool_tip(port)]
    mounting = [port for port in ports if port.item in base] or ports
    if target.type != "any" and any(port.type != "any" for port in mounting):
        ports = [port for port in ports if port.type != "any"]
    fitting = [port for port in ports if not port_mismatch(target, port)]
    fitting.sort(key=lambda port: (port.item not in base, port.type != target.type))
    return tuple(port.name for port in fitting)


def is_tool_tip(port: Port) -> bool:
    """Return True for a reference point of a tool, which is no mounting face."""
    return port.type == "any" and port.note != ""


def joint_name(mate: Mate, instance: str) -> str:
    """Return the name of the joint of a mate that attaches this instance."""
    return mate.joint.name if mate.joint is not None and mate.joint.name else f"{instance}/mate"


def mate_joint(
    mate: Mate, name: str, base: str, moves: tuple[str, ...], at: EndFrame, read: Quantities
) -> Built[Joint]:
    """Return the joint of a mate, in the frame of the part that stays; a fixed joint for a rigid mate.

    Its position is that of the pose that the mate defines, even if that is outside its limits.
    """
    if mate.joint is None:
        return build_joint(name, JointKind.FIXED, base, moves)
    spec = mate.joint
    mimic = None if spec.follows is None else (spec.follows.joint, spec.follows.ratio, spec.follows.offset)
    try:
        joint = convert_joint(spec, name, base, moves, read, frame=at.pose, position=spec.position, mimic=mimic)
    except RckError as error:
        return Built(None, (Finding(104, Severity.ERROR, f"joint {name}", str(error)),))
    return _checked(replace(joint, source_name=spec.source_name, extensions=freeze_extensions(spec.extensions)))


def set_joint(joint: Joint, setting: JointSetting, read: Quantities) -> Joint:
    """Return the joint with the limits, speed and effort of the user; its position stays the home position."""
    if not joint.kind.moves:
        raise RckError("the joint is fixed and has no settings")
    ratings = convert_ratings(setting, joint.kind.turns, read)
    limits = joint.limits if ratings.limits is None else ratings.limits
    changed = replace(
        joint,
        kind=JointKind.REVOLUTE if joint.kind.turns and limits is not None else joint.kind,
        limits=limits,
        speed=joint.speed if ratings.speed is None else ratings.speed,
        effort=joint.effort if ratings.effort is None else ratings.effort,
    )
    built = _checked(changed)
    if built.value is None:
        raise RckError("; ".join(finding.message for finding in built.findings))
    return built.value


def _checked(joint: Joint) -> Built[Joint]:
    """Return the joint at its position, checked at the nearest position that its limits allow."""
    built = check_joint(replace(joint, position=within_limits(joint, joint.position)))
    return built if built.value is None else Built(replace(built.value, position=joint.position), built.findings)


def within_limits(joint: Joint, position: float) -> float:
    """Clamp a position to the limits."""
    if joint.limits is None:
        return position
    return min(max(position, joint.limits.lower), joint.limits.upper)


def wanted_position(joint: Joint, setting: JointSetting | None, read: Quantities) -> float:
    """Return the position of the user, or else the home position clamped to the limits, in radians or metres.

    A position of the user outside the limits is refused.
    """
    if setting is None or setting.position is None:
        return within_limits(joint, joint.position)
    if joint.mimic is not None:
        raise RckError(f"the joint follows {joint.mimic.joint} and has no position of the user")
    position = read.joint_position(setting.position, joint.kind.turns)
    if abs(position - within_limits(joint, position)) > _SLACK:
        raise RckError(f"position {setting.position} is outside its limits")
    return within_limits(joint, position)
