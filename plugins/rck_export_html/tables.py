"""The figures of a robot as tables of HTML, in the units that people read."""

from collections.abc import Iterable, Sequence
from html import escape
from math import degrees

import numpy as np

from rck.geometry.transforms import apply
from rck.model import Joint, Robot


def overview(robot: Robot) -> str:
    """The robot as a whole."""
    body = robot.mass_properties
    rows = [
        ("mass", f"{body.mass:.4g} kg"),
        ("centre of mass", f"{_point(body.centre)} mm"),
        ("size", f"{_size(robot)} mm"),
        ("items", str(len(robot.items))),
        ("joints that move by themselves", str(len(robot.free_joints))),
        ("sensors and grippers", str(len(robot.devices))),
    ]
    return "".join(f"<dt>{escape(what)}</dt><dd>{escape(value)}</dd>" for what, value in rows)


def joints(robot: Robot) -> str:
    """A row for each joint that moves."""
    head = ("joint", "kind", "from", "to", "greatest speed", "greatest effort", "follows")
    rows = [_joint_row(joint) for joint in robot.joints if joint.kind.moves]
    return _table(head, rows) if rows else ""


def items(robot: Robot) -> str:
    """A row for each item, with the part that it comes from where that is known."""
    head = ("item", "part", "vendor", "mass, kg")
    rows = [
        (
            item.name,
            item.origin.name if item.origin else "",
            item.origin.vendor if item.origin else "",
            _four(item.mass),
        )
        for item in robot.items
    ]
    return _table(head, rows) if rows else ""


def _joint_row(joint: Joint) -> tuple[str, ...]:
    unit, force = ("°", "N m") if joint.kind.turns else (" mm", "N")
    ends = [""] * 2 if joint.limits is None else [joint.limits.lower, joint.limits.upper]
    return (
        joint.name,
        joint.kind.value,
        *("" if end == "" else f"{_four(_shown(joint, float(end)))}{unit}" for end in ends),
        "" if joint.speed is None else f"{_four(_shown(joint, joint.speed))}{unit}/s",
        "" if joint.effort is None else f"{_four(joint.effort)} {force}",
        joint.mimic.joint if joint.mimic else "",
    )


def _shown(joint: Joint, value: float) -> float:
    return degrees(value) if joint.kind.turns else 1000.0 * value


def _four(value: float) -> str:
    return f"{value + 0.0:.4g}"


def _point(metres: Iterable[float]) -> str:
    return ", ".join(f"{1000.0 * part + 0.0:.1f}" for part in metres)


def _size(robot: Robot) -> str:
    corners = [apply(item.pose, one.shape.vertices) for item in robot.items for one in item.subitems]
    extent = np.ptp(np.concatenate(corners), axis=0) if corners else np.zeros(3)
    return " × ".join(f"{1000.0 * side:.0f}" for side in extent.tolist())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>\n<tr>{top}</tr>\n{body}\n</table>"
