"""Parts that run into each other where the robot stands as it was put together."""

import numpy as np

from rck.collision.backend import Contact
from rck.collision.pairs import Pairs, ordered, pairs_to_test
from rck.geometry.arrays import frozen
from rck.model.finding import Finding, Severity
from rck.model.robot import Robot
from rck.model.units import amount

TOLERANCE = 1e-3
"""Overlaps up to so deep are left unsaid, in metres: bolted faces, and round shapes with flat sides."""

_ROUNDING = 1e-9
"""Metres that a depth may change by where a robot stands otherwise."""
_MOST = 20
"""So many findings are listed; then how many more there are."""


def overlaps(robot: Robot, tolerance: float = TOLERANCE) -> list[Contact]:
    """The deepest contact of each pair of items that overlap more deeply than the tolerance, the deepest pair first.

    Left out are items with a joint between them, items of one rigid group of the same part, and pairs that a rule
    lets touch.
    """
    if not any(item.subitems for item in robot.items):
        return []
    from rck.collision.scene import Scene

    scene = Scene(robot, _pairs_between_parts(robot))
    deepest: dict[tuple[str, str], Contact] = {}
    for contact in sorted(scene.contacts(robot.positions), key=lambda found: -found.depth):
        # An overlap of just so much is found in no pose, whatever the rounding.
        if contact.depth > tolerance + _ROUNDING:
            deepest.setdefault(contact.items, contact)
    return list(deepest.values())


def overlap_findings(robot: Robot, tolerance: float = TOLERANCE) -> list[Finding]:
    """A warning for each of the :func:`overlaps`."""
    found = overlaps(robot, tolerance)
    findings = [
        Finding(
            311,
            Severity.WARNING,
            f"items {one} and {other}",
            f"overlap by {amount(1000 * contact.depth)} mm as the robot stands",
            f"move one of them, or let them touch: `allow {one} {other}`",
        )
        for contact in found[:_MOST]
        for one, other in [contact.items]
    ]
    if len(found) > _MOST:
        message = f"{len(found) - _MOST} more pairs of items overlap"
        fix = "`rck collide` lists what touches"
        findings.append(Finding(311, Severity.WARNING, f"robot {robot.name}", message, fix))
    return findings


def _pairs_between_parts(robot: Robot) -> Pairs:
    """All pairs but neighbours on any joint, and items of one part that never move against each other."""
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
