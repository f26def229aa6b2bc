"""What an SRDF file adds to a robot (https://wiki.ros.org/srdf): a state, tools, a free base, what may touch."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rck.geometry.transforms import identity
from rck.importing.assets import Assets, Unavailable
from rck.importing.links import Link, Linkage
from rck.importing.refusals import NotOfFormat, refused
from rck.importing.report import Report
from rck.importing.xml_file import Element, parse_xml
from rck.model import PairRule, Reason
from rck.model.names import did_you_mean

_TESTED = {"disable_collisions": False, "enable_collisions": True}
_REASONS = {reason.value: reason for reason in Reason}

_LOOKED_AT = 2000
"""Files beside an SRDF file that are looked at for its URDF, at most."""


def with_semantics(linkage: Linkage, root: Element, state: str, report: Report) -> Linkage:
    """The robot in the state of that name, with its end effectors as frames, free where its base floats.

    Pairs of links that are not tested for collision become rules, each with its reason.
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
                # As in MoveIt, the rest of such a file counts.
                message = f"end effector {element.require('name')} left out: there is no link {link}"
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
    """What an element says about two links; nothing where it names one that there is not."""
    names = element.require("link1"), element.require("link2")
    for name in names:
        if name not in links:
            message = f"<{element.tag}> left out: there is no link {name}{did_you_mean(name, links)}"
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
    joints = tuple(replace(joint, stand=positions.get(joint.name)) for joint in linkage.joints)
    return replace(linkage, joints=joints)


def urdf_beside(path: Path, name: str, assets: Assets) -> Path:
    """The URDF file of the robot of that name, in the folder of the SRDF file or its package; else one called alike."""
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
        raise Unavailable(f"no URDF file of robot {name} was found beside it", "name it with the option urdf")
    return alike


def _is_called(path: Path, name: str, assets: Assets) -> bool:
    try:
        root = parse_xml(assets.read(path), path.name)
    except (NotOfFormat, Unavailable):
        return False
    return root.tag == "robot" and root.get("name") == name
