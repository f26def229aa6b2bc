"""Transmissions of URDF: `<transmission>` of ROS 1 and the command interfaces of `<ros2_control>`."""

from rck.importing.import_report import Report
from rck.importing.xml_file import Element
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


def _report_losses(element: Element, report: Report) -> None:
    """Report what a transmission says and RCK does not keep."""
    if not element.all("joint"):
        report.left_out(f"<{element.tag}> without a joint", element.where)
    for child in element:
        for one in (child, *child):
            if one.tag == "mechanicalReduction" and one.text.strip() not in ("", "1", "1.0"):
                report.left_out("<mechanicalReduction> of a transmission", one.where)
        if element.tag == "ros2_control" and child.tag != "joint":
            report.left_out(f"<{child.tag}> of <ros2_control>", child.where)
