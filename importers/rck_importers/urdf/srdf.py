"""SRDF files (https://wiki.ros.org/srdf): group states, end effectors, floating base and collision rules."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rck.geometry.transforms import identity
from rck.importing.assets import Assets, Unavailable
from rck.importing.file_errors import NotOfFormat, refused
from rck.importing.import_report import Report
from rck.importing.linkage import Link, Linkage
from rck.importing.xml_file import Element, parse_xml
from rck.model import PairRule, Reason
from rck.support.names import did_you_mean

_TESTED = {"disable_collisions": False, "enable_collisions": True}
_REASONS = {reason.value: reason for reason in Reason}

_LOOKED_AT = 2000
"""Maximum number of URDF files to check when searching for that of an SRDF file."""


def with_semantics(linkage: Linkage, root: Element, state: str, report: Report) -> Linkage:
    """Return the robot in the named state, with end effectors as frames and a floating base if there is one.

    Pairs of links with disabled or enabled collisions become rules, each with its reason.
    """
    if root.tag != "robot":
        raise root.refusal(f"the root is <{root.tag}>, not <robot>")
    if root.get("name") != linkage.name:
        message = f"is for robot {root.get('name')}, not {linkage.name}"
        report.warn(504, root.where, message, kind="other robot")
    links = {link.name: link for link in linkage.links}
    loose: set[str] = set()
    frames = list(linkage.frames)
    rules: list[PairRule] = []
    for element in root:
        if element.tag == "end_effector":
            link = element.require("parent_link")
            if link in links:
                frames.append((element.require("name"), link, identity()))
            else:
                # As in MoveIt, the rest of such a file is used.
                message = f"end effector {element.require('name')} was ignored: there is no link {link}"
                report.warn(503, element.where, message + did_you_mean(link, links), kind="end effector on nothing")
        elif element.tag == "virtual_joint":
            if element.get("type") == "floating":
                loose.add(element.require("child_link"))
            elif element.get("type") != "fixed":
                report.left_out(f"<virtual_joint> of type {element.get('type')}", element.where)
        elif element.tag in _TESTED:
            rules += _rule(element, links, report)
        elif element.tag != "group_state":
            report.left_out(f"<{element.tag}> of SRDF", element.where)
    freed = tuple(_freed(link, loose) for link in linkage.links)
    return _in_state(replace(linkage, links=freed, frames=tuple(frames), rules=tuple(rules)), root, state, report)


def _rule(element: Element, links: Mapping[str, Link], report: Report) -> list[PairRule]:
    """Return the collision rule of an element for two links; none if a link does not exist."""
    names = element.require("link1"), element.require("link2")
    for name in names:
        if name not in links:
            message = f"<{element.tag}> was ignored: there is no link {name}{did_you_mean(name, links)}"
            report.warn(503, element.where, message, kind=f"{element.tag} of nothing")
            return []
    if names[0] == names[1]:
        return []
    reason = _REASONS.get(element.get("reason").lower(), Reason.USER)
    return [PairRule(names, _TESTED[element.tag], reason)]


def _freed(link: Link, loose: set[str]) -> Link:
    return replace(link, loose=True) if link.name in loose else link


def _in_state(linkage: Linkage, root: Element, state: str, report: Report) -> Linkage:
    states = root.all("group_state")
    chosen = [element for element in states if element.get("name") == state]
    if not state:
        for element in states:
            report.left_out("<group_state> of SRDF", element.where)
        return linkage
    if not chosen:
        known = ", ".join(dict.fromkeys(element.get("name") for element in states)) or "none"
        raise refused("option state", f"the SRDF file has no state {state!r}; known: {known}", code=104)
    positions = {
        joint.require("name"): joint.one_of(joint.require("value"), "value")
        for element in chosen
        for joint in element.all("joint")
        if len(joint.get("value").split()) == 1
    }
    joints = tuple(replace(joint, target=positions.get(joint.name)) for joint in linkage.joints)
    return replace(linkage, joints=joints)


def find_urdf(path: Path, name: str, assets: Assets) -> Path:
    """Return the URDF file of that robot in the folder or package of the SRDF file, or one with the same stem."""
    alike = None
    looked_at = 0
    for folder in dict.fromkeys((path.resolve().parent, assets.home)):
        for found in sorted(folder.rglob("*.urdf")):
            looked_at += 1
            if looked_at > _LOOKED_AT:
                break
            if _is_called(found, name, assets):
                return found
            if found.stem == path.stem:
                alike = alike or found
    if alike is None:
        raise Unavailable(f"no URDF file of robot {name} was found in its folder or package", "set the option urdf")
    return alike


def _is_called(path: Path, name: str, assets: Assets) -> bool:
    try:
        root = parse_xml(assets.read(path), path.name)
    except (NotOfFormat, Unavailable):
        return False
    return root.tag == "robot" and root.get("name") == name
