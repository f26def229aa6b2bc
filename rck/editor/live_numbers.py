"""What the Move screen tells of a robot as it stands: tools, masses, what holds each joint, what touches."""

from collections.abc import Sequence
from math import isnan

import numpy as np
from rich.text import Text

from rck.collision.backend import Contact
from rck.geometry.transforms import to_euler
from rck.kinematics.chain import chain_between
from rck.kinematics.statics import static_efforts
from rck.kinematics.tip import arm_tips, root_of
from rck.model import Robot
from rck.model.units import effort_unit, rounded

MOST_CONTACTS = 8
"""Further pairs that touch are counted."""
MOST_JOINTS = 30
"""Efforts are not worked out for more joints than this."""


def numbers(robot: Robot, contacts: Sequence[Contact] = ()) -> Text:
    """What touches and how deep, tool poses, mass, and the effort that holds each joint against its limit."""
    text = Text()
    for contact in sorted(contacts, key=lambda one: -one.depth)[:MOST_CONTACTS]:
        deep = "" if isnan(contact.depth) else f" {1000 * contact.depth:.1f} mm deep"
        text.append(" touches ".join(contact.items), "bold red").append(f"{deep}\n", "red")
    if len(contacts) > MOST_CONTACTS:
        text.append(f"{len(contacts) - MOST_CONTACTS} more pairs touch\n", "red")
    for tip in arm_tips(robot):
        pose = robot.world_from(tip)
        x, y, z = (1000 * pose[:3, 3]).tolist()
        roll, pitch, yaw = np.degrees(to_euler(pose)).tolist()
        text.append(f"{tip} ", "bold").append(f"{_plain(x)} {_plain(y)} {_plain(z)} mm\n")
        text.append(f"  roll {_plain(roll)} pitch {_plain(pitch)} yaw {_plain(yaw)}°", "dim")
        text.append(f"  reach {1000 * reach(robot, tip):.0f} mm\n", "dim")
    text.append("mass ", "bold").append(f"{sum(item.mass for item in robot.items):.3f} kg\n")
    if len(robot.free_joints) <= MOST_JOINTS:
        for name, effort in static_efforts(robot).items():
            _tell_effort(text, robot, name, effort)
    text.rstrip()
    return text


def _tell_effort(text: Text, robot: Robot, name: str, effort: float) -> None:
    joint = robot.joint(name)
    if joint.mimic is not None:
        return
    unit = effort_unit(joint.kind.turns)
    text.append(f"{name} ", "bold").append(f"{abs(effort):.2f}")
    if not joint.effort:
        text.append(f" {unit}\n")
        return
    share = abs(effort) / joint.effort
    style, said = ("red", " too weak") if share > 1 else ("yellow", "") if share > 0.7 else ("green", "")
    text.append(f" of {joint.effort:.3g} {unit} ").append(f"{share:.0%}{said}", style).append("\n")


def reach(robot: Robot, tip: str) -> float:
    """Return the distance of a tip from the first axis of its arm that turns, in metres."""
    base = root_of(robot, tip)
    joints = (robot.joint(name) for name in chain_between(robot, base, tip).joints)
    first = next((joint for joint in joints if joint.kind.turns), None)
    point = robot.world_from(tip)[:3, 3]
    if first is None:
        return float(np.linalg.norm(point - robot.world_from(base)[:3, 3]))
    offset = point - np.asarray(first.start)
    return float(np.linalg.norm(offset - first.direction * (offset @ first.direction)))


def _plain(value: float) -> str:
    return f"{rounded(value, 1):.1f}"
