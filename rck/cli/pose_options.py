"""Joint positions on the command line: `--pose JOINT=VALUE`, or the name of a saved pose."""

import re
from collections.abc import Iterable
from math import degrees, isfinite
from pathlib import Path

import click
import numpy as np

from rck.cli.inputs import print_findings
from rck.geometry.arrays import Floats
from rck.model import Finding, Joint, RckError, Robot, Severity
from rck.support.names import did_you_mean, full_name
from rck.support.units import parse_quantity, position_unit

POSE = "JOINT=VALUE,...|POSE"
"""Help of `--pose` and similar options."""
_BETWEEN = re.compile(r"\s*,\s*|\s+(?=\S+=)")
"""Separator of settings: a comma, or a space before the next setting."""
_FARTHEST = 1e4
"""Largest position in radians or metres; sines lose their precision beyond it."""


def posed(robot: Robot, settings: Iterable[str], file: Path) -> Floats:
    """Return the joint vector for the texts of `--pose`; print a warning for each joint outside its limits."""
    vector = np.array(robot.positions)
    named = positions_of(robot, settings, file)
    for place, joint in enumerate(robot.free_joints):
        vector[place] = named.get(joint.name, vector[place])
    moved = zip(robot.free_joints, vector.tolist(), robot.positions, strict=True)
    print_findings(
        _past_limits(joint, value) for joint, value, before in moved if value != before and _past(joint, value)
    )
    return vector


def positions_of(robot: Robot, settings: Iterable[str], file: Path) -> dict[str, float]:
    """Parse positions by joint: `joint=value`, separated by commas, or the name of a saved pose.

    Numbers without a unit are in degrees or millimetres; later settings override earlier ones.
    """
    named: dict[str, float] = {}
    for setting in (word for text in settings for word in _BETWEEN.split(text.strip())):
        name, equals, text = setting.rpartition("=")
        if not equals:
            named |= _remembered(robot, setting, file)
            continue
        joint = _joint_named(robot, name)
        value = parse_quantity(text, *position_unit(joint.kind.turns))
        if not abs(value) <= _FARTHEST:
            raise RckError(f"joint {joint.name}: position {text} is out of range")
        named[joint.name] = value
    return named


def _remembered(robot: Robot, name: str, file: Path) -> dict[str, float]:
    """Return the positions of a saved pose by joint; an unambiguous end of its name is enough."""
    poses = {pose.name: pose.positions for pose in robot.poses}
    ends = [pose for pose in poses if pose.endswith(f"/{name}")]
    chosen = ends[0] if name not in poses and len(ends) == 1 else name
    if chosen not in poses:
        known = f"{did_you_mean(name, poses)}; poses: {', '.join(sorted(poses))}" if poses else ""
        raise click.UsageError(
            f"{name!r} is neither JOINT=VALUE, such as shoulder=30, nor a pose that {file.name} names{known}"
        )
    free = {joint.name for joint in robot.free_joints}
    return {joint: position for joint, position in poses[chosen].items() if joint in free}


def _joint_named(robot: Robot, name: str) -> Joint:
    """Return the full name of a joint; an unambiguous end of the name is enough."""
    return robot.joint(full_name(name, (joint.name for joint in robot.free_joints), "movable joint"))


def _past(joint: Joint, value: float) -> bool:
    return joint.limits is not None and not joint.limits.lower - 1e-9 <= value <= joint.limits.upper + 1e-9


def _past_limits(joint: Joint, value: float) -> Finding:
    assert joint.limits is not None
    lower, upper = (position_text(joint, limit) for limit in (joint.limits.lower, joint.limits.upper))
    message = f"{position_text(joint, value)} is outside its limits, {lower} to {upper}"
    return Finding(904, Severity.WARNING, f"joint {joint.name}", message)


def position_text(joint: Joint, value: float) -> str:
    """Format a joint position."""
    return f"{degrees(value):.6g}°" if joint.kind.turns else f"{1000 * value:.6g} mm"


def number(text: str, what: str) -> float:
    """Parse a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise click.UsageError(f"{what}: {text!r} is not a number")
    return value
