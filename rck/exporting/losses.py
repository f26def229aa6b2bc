"""Telling the user what a format has no place for."""

from collections.abc import Iterable, Iterator

from rck.model.finding import Finding, Severity
from rck.model.joint import Joint
from rck.model.robot import Robot

_LISTED = 5


def lost(where: str, message: str, *, matters: bool = False) -> Finding:
    """What was left out of the file; a warning where the robot will behave differently for it."""
    return Finding(503, Severity.WARNING if matters else Severity.NOTE, where, message)


def some(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more


def moving_joints(robot: Robot) -> tuple[Joint, ...]:
    """The joints that move, followers included."""
    return tuple(joint for joint in robot.joints if joint.kind.moves)


def lost_by_all(robot: Robot, where: str) -> Iterator[Finding]:
    """What none of the simulators' formats has a place for."""
    if hasty := [joint.name for joint in moving_joints(robot) if joint.acceleration is not None]:
        yield lost(where, f"the greatest accelerations of joints are left out: {some(hasty)}")
    if any(subitem.strength is not None for item in robot.items for subitem in item.subitems):
        yield lost(where, "the strengths of materials are left out")
    if rough := [item.name for item in robot.items if item.friction is not None]:
        yield lost(where, f"the friction of surfaces is left out: {some(rough)}")


def lost_stance(robot: Robot, where: str) -> Iterator[Finding]:
    """The position that each joint stands at, in formats where all begin at zero."""
    if moved := [joint.name for joint in moving_joints(robot) if joint.position != 0.0]:
        yield lost(where, f"the positions that joints stand at are left out, all begin at zero: {some(moved)}")
