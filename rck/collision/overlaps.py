"""Overlaps of parts at the robot's current joint positions."""

import numpy as np

from rck.collision.backend import Contact
from rck.collision.pairs import Pairs, ordered, pairs_to_test
from rck.collision.scene import HullScene
from rck.geometry.arrays import frozen
from rck.model.robot import Robot
from rck.support.finding import Finding, Severity
from rck.support.units import amount

TOLERANCE = 1e-3
"""Overlaps up to this depth, in metres, are ignored: bolted faces, and facets of round shapes."""

_ROUNDING = 1e-9
"""Change of a depth with the pose of the robot, in metres."""
_MOST = 20
"""Findings listed one by one; the rest are only counted."""


def overlaps(robot: Robot, tolerance: float = TOLERANCE) -> list[Contact]:
    """Return the deepest contact of each pair of items that overlap by more than the tolerance, deepest first.

    Skipped are items joined by a joint, items of the same part in one rigid group, and pairs that a rule allows.
    """
    if not any(item.subitems for item in robot.items):
        return []
    pairs = _pairs_between_parts(robot)
    if not len(pairs.listed):
        return []
    scene = HullScene(robot, pairs)
    deepest: dict[tuple[str, str], Contact] = {}
    for contact in sorted(scene.contacts(robot.positions), key=lambda found: -found.depth):
        # Allow for rounding, so that an overlap of exactly the tolerance is ignored in every pose.
        if contact.depth > tolerance + _ROUNDING:
            deepest.setdefault(contact.items, contact)
    return list(deepest.values())


def overlap_findings(robot: Robot, tolerance: float = TOLERANCE) -> list[Finding]:
    """Return a warning for each of the :func:`overlaps`."""
    found = overlaps(robot, tolerance)
    findings = [
        Finding(
            311,
            Severity.WARNING,
            f"items {one} and {other}",
            f"overlap by {amount(1000 * contact.depth)} mm",
            f"move one of them, or allow the contact: `allow {one} {other}`",
        )
        for contact in found[:_MOST]
        for one, other in [contact.items]
    ]
    if len(found) > _MOST:
        message = f"{len(found) - _MOST} more pairs of items overlap"
        fix = "`rck collide` lists all contacts"
        findings.append(Finding(311, Severity.WARNING, f"robot {robot.name}", message, fix))
    return findings


def _pairs_between_parts(robot: Robot) -> Pairs:
    """Return all pairs except neighbours on any joint, and items of one part in one rigid group."""
    tested = pairs_to_test(robot)
    joined = {
        ordered(robot.item_index[joint.base], item)
        for joint, moves in zip(robot.joints, robot.tree.moves, strict=True)
        for item in moves
    }
    parts: dict[tuple[int, str], int] = {}
    groups = [
        parts.setdefault((robot.tree.group_of_item[number], item.name.rpartition("/")[0]), len(parts))
        for number, item in enumerate(robot.items)
    ]
    return Pairs(frozen(np.array(groups, dtype=np.int64)), tested.scope_of_item, tested.exempt | joined)
