"""Transmissions of URDF: `<transmission>` of ROS 1 and the command interfaces of `<ros2_control>`."""

from collections.abc import Sequence
from contextlib import suppress

from rck.importing.file_errors import NotOfFormat
from rck.importing.import_report import Report
from rck.importing.xml_file import Element
from rck.model import Actuator, ActuatorKind, Joint, Range
from rck.support.names import did_you_mean

TAGS = {"transmission", "ros2_control"}


def actuated_joints(root: Element, joints: set[str], report: Report) -> set[str]:
    """Return the joints that a transmission or a command interface drives."""
    driven: set[str] = set()
    for element in (one for one in root if one.tag in TAGS):
        _report_losses(element, report)
        for joint in element.all("joint"):
            name = joint.get("name")
            if name not in joints:
                message = f"<{element.tag}> refers to joint {name!r}, which does not exist{did_you_mean(name, joints)}"
                report.warn(503, joint.where, message, kind=f"{element.tag} of nothing")
            elif element.tag == "transmission" or joint.first("command_interface") is not None:
                driven.add(name)
    return driven


def motors_of(root: Element, joints: Sequence[Joint], report: Report) -> tuple[Actuator, ...]:
    """Return the motor of each moving joint that has a transmission of its own, with the effort limit of the joint."""
    moving = {joint.name: joint for joint in joints if joint.kind.moves}
    found: dict[str, Actuator] = {}
    for element in root.all("transmission"):
        driven, motors = element.all("joint"), element.all("actuator")
        if len(driven) != 1 or len(motors) > 1:
            continue
        joint = moving.get(driven[0].get("name"))
        gear = _gear((element, *motors), report)
        if joint is None or joint.name in found:
            continue
        most = (joint.effort or 0.0) / abs(gear)
        force = Range(-most, most) if most > 0 else None
        name = (motors[0].get("name") if motors else "") or element.get("name") or joint.name
        found[joint.name] = Actuator(name, ActuatorKind.MOTOR, joint.name, gear=gear, force=force, control=force)
    return tuple(found.values())


def _gear(holders: Sequence[Element], report: Report) -> float:
    """Return the reduction that a transmission or its actuator states; 1 by default, or if it is invalid."""
    for holder in holders:
        stated = holder.first("mechanicalReduction")
        if stated is None or not stated.text.strip():
            continue
        with suppress(NotOfFormat):
            if gear := stated.one_of(stated.text, "mechanicalReduction"):
                return gear
        message = f"the reduction {stated.text.strip()!r} is not a number other than 0; 1 was used"
        report.warn(502, stated.where, message, kind="reduction")
    return 1.0


def _report_losses(element: Element, report: Report) -> None:
    """Report what a transmission says and RCK does not keep."""
    driven = element.all("joint")
    if not driven:
        report.left_out(f"<{element.tag}> without a joint", element.where)
    if element.tag == "transmission" and len(driven) > 1:
        report.left_out("the coupling of several joints by a transmission", element.where)
    for child in element:
        if element.tag == "ros2_control" and child.tag != "joint":
            report.left_out(f"<{child.tag}> of <ros2_control>", child.where)
