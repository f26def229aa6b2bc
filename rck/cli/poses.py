"""The joint positions that users type: `--pose JOINT=VALUE`."""

from collections.abc import Iterable
from math import degrees, isfinite

import click
import numpy as np

from rck.cli.documents import print_findings
from rck.geometry.arrays import Floats
from rck.model import Finding, Joint, RckError, Robot, Severity
from rck.model.names import did_you_mean
from rck.model.units import parse_quantity

_FARTHEST = 1e4
"""In radians or metres; no joint goes there, and sines lose their digits."""


def posed(robot: Robot, settings: Iterable[str]) -> Floats:
    """The joint vector of a robot, as :func:`vector_of`, with a warning for each joint that leaves its limits."""
    vector = vector_of(robot, settings)
    moved = zip(robot.free_joints, vector.tolist(), robot.positions, strict=True)
    print_findings(
        _past_limits(joint, value) for joint, value, before in moved if value != before and _past(joint, value)
    )
    return vector


def vector_of(robot: Robot, settings: Iterable[str]) -> Floats:
    """The joint vector of a robot, with joints where `joint=value` texts have them."""
    vector = np.array(robot.positions)
    named = positions_of(robot, settings)
    for place, joint in enumerate(robot.free_joints):
        vector[place] = named.get(joint.name, vector[place])
    return vector


def positions_of(robot: Robot, settings: Iterable[str]) -> dict[str, float]:
    """Joints and where they go, from `joint=value` texts; degrees or millimetres where no unit stands."""
    named = {}
    for setting in settings:
        name, equals, text = setting.rpartition("=")
        if not equals:
            raise click.UsageError(f"--pose {setting} is not JOINT=VALUE, such as shoulder=30")
        joint = _joint_named(robot, name)
        turns = joint.kind.turns
        value = parse_quantity(text, "angle" if turns else "length", "deg" if turns else "mm")
        if not abs(value) <= _FARTHEST:
            raise RckError(f"joint {joint.name}: no joint goes as far as {text}")
        named[joint.name] = value
    return named


def _joint_named(robot: Robot, name: str) -> Joint:
    """Which free joint is meant; it may be named by the end of its name where that is clear."""
    names = [joint.name for joint in robot.free_joints]
    ends = [name] if name in names else [one for one in names if one.endswith(f"/{name}")]
    if len(ends) == 1:
        return robot.joint(ends[0])
    which = f"; it could be {', '.join(ends)}" if ends else did_you_mean(name, names)
    known = f"; joints that can be moved: {', '.join(names) or 'none'}"
    raise RckError(f"robot {robot.name} has no free joint {name!r}{which}{known}")


def _past(joint: Joint, value: float) -> bool:
    return joint.limits is not None and not joint.limits.lower - 1e-9 <= value <= joint.limits.upper + 1e-9


def _past_limits(joint: Joint, value: float) -> Finding:
    assert joint.limits is not None
    lower, upper = (position_text(joint, limit) for limit in (joint.limits.lower, joint.limits.upper))
    message = f"{position_text(joint, value)} is outside its limits, {lower} to {upper}"
    return Finding(904, Severity.WARNING, f"joint {joint.name}", message)


def position_text(joint: Joint, value: float) -> str:
    """A joint position for people."""
    return f"{degrees(value):.6g}°" if joint.kind.turns else f"{1000 * value:.6g} mm"


def number(text: str, what: str) -> float:
    """A finite number that the user typed."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise click.UsageError(f"{what}: {text!r} is no number")
    return value
