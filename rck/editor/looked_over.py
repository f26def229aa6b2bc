"""What the checks find in a robot, and which of its parts run into each other: worked out beside the interface."""

from collections.abc import Collection
from dataclasses import dataclass

from rck.collision.backend import Contact
from rck.collision.overlaps import overlaps
from rck.hooks import Plugins
from rck.language.checks import check_robot
from rck.model import Finding, RckError, Robot

_WORTH_TELLING = 1e-5
"""Contacts that are no deeper than this, in metres, are faces that lie on each other."""


@dataclass(frozen=True, eq=False, slots=True)
class LookedOver:
    """A robot that was looked over."""

    robot: Robot
    findings: tuple[Finding, ...]
    contacts: tuple[Contact, ...]
    """The deepest of each pair of items that overlap, the deepest pair first; neighbours on a joint may."""

    def touched_by(self, items: Collection[str]) -> list[tuple[str, float]]:
        """What overlaps with one of these items and is none of them, with the depth in metres, the deepest first."""
        found: dict[str, float] = {}
        for contact in self.contacts:
            own = [name for name in contact.items if name in items]
            if len(own) == 1:
                (other,) = set(contact.items) - set(own)
                found.setdefault(other, contact.depth)
        return list(found.items())


def look_over(robot: Robot, plugins: Plugins) -> LookedOver:
    """Look a robot over; it takes some hundredths of a second, or more where it is large."""
    try:
        contacts = overlaps(robot, _WORTH_TELLING)
    except RckError:
        contacts = []
    return LookedOver(robot, tuple(check_robot(robot, plugins)), tuple(contacts))
