"""Timed joint motions, as the seed simulator's event files hold them."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class JointEvent:
    """Change one joint by an amount between two moments."""

    number: int
    """Its place in the list."""
    joint: int
    """Index of the joint, from zero."""
    action: float
    """By how much the position changes: degrees for joints that turn, the file's length unit for others."""
    start: int
    """In hundredths of a second, as files count."""
    finish: int
    """In hundredths of a second."""
    where: str = field(default="", compare=False)
    """The file and line that it was read from, for messages."""


@dataclass(frozen=True, slots=True)
class EventList:
    """Events in the order of their numbers."""

    events: tuple[JointEvent, ...]
