"""The figures on the Move screen: contacts, tool poses, mass, and the holding effort of each joint."""

from collections.abc import Sequence
from math import isnan

import numpy as np
from rich.text import Text

from rck.collision.backend import Contact
from rck.geometry.transforms import to_euler
from rck.kinematics.chain import chain_between
from rck.kinematics.loads import static_efforts
from rck.kinematics.tip import arm_tips, root_of
from rck.model import Joint, Robot
from rck.support.units import effort_unit, rounded

_MAX_CONTACTS = 8
"""Further contacts are only counted."""
MAX_JOINTS = 30
"""Robots with more free joints show no efforts."""


def figures_text(robot: Robot, contacts: Sequence[Contact] = ()) -> Text:
    """Describe contacts with their depth, tool poses, mass, and the holding effort of each joint."""
    text = Text()
    for contact in sorted(contacts, key=lambda contact: -contact.depth)[:_MAX_CONTACTS]:
        depth = "" if isnan(contact.depth) else f" {1000 * contact.depth:.1f} mm deep"
        text.append(" collides with ".join(contact.items), "bold red").append(f"{depth}\n", "red")
    if len(contacts) > _MAX_CONTACTS:
        text.append(f"{len(contacts) - _MAX_CONTACTS} more collisions\n", "red")
    for tip in arm_tips(robot):
        pose = robot.world_from(tip)
        x, y, z = (1000 * pose[:3, 3]).tolist()
        roll, pitch, yaw = np.degrees(to_euler(pose)).tolist()
        text.append(f"{tip} ", "bold").append(f"{_format(x)} {_format(y)} {_format(z)} mm\n")
        text.append(f"  roll {_format(roll)} pitch {_format(pitch)} yaw {_format(yaw)}°", "dim")
        text.append(f"  reach {1000 * reach(robot, tip):.0f} mm\n", "dim")
    text.append("mass ", "bold").append(f"{sum(item.mass for item in robot.items):.3f} kg\n")
    if len(robot.free_joints) <= MAX_JOINTS:
        for name, effort in static_efforts(robot).items():
            if robot.joint(name).mimic is None:
                _append_effort(text, robot.joint(name), effort)
    text.rstrip()
    return text


def _append_effort(text: Text, joint: Joint, effort: float) -> None:
    unit = effort_unit(joint.kind.turns)
    text.append(f"{joint.name} ", "bold").append(f"{abs(effort):.2f}")
    if not joint.effort:
        text.append(f" {unit}\n")
        return
    share = abs(effort) / joint.effort
    style, remark = ("red", " overloaded") if share > 1 else ("yellow", "") if share > 0.7 else ("green", "")
    text.append(f" of {joint.effort:.3g} {unit} ").append(f"{share:.0%}{remark}", style).append("\n")


def reach(robot: Robot, tip: str) -> float:
    """Return the distance of a tip from the first revolute axis of its arm, in metres."""
    base = root_of(robot, tip)
    joints = (robot.joint(name) for name in chain_between(robot, base, tip).joints)
    first = next((joint for joint in joints if joint.kind.turns), None)
    point = robot.world_from(tip)[:3, 3]
    if first is None:
        return float(np.linalg.norm(point - robot.world_from(base)[:3, 3]))
    offset = point - np.asarray(first.start)
    return float(np.linalg.norm(offset - first.direction * (offset @ first.direction)))


def _format(value: float) -> str:
    return f"{rounded(value, 1):.1f}"
