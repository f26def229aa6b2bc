"""Timed joint motions, as stored in the event files of the seed simulator."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class JointEvent:
    """A change of one joint by an amount between two times."""

    number: int
    """Its number in the list."""
    joint: int
    """Index of the joint, from zero."""
    action: float
    """The change of position: degrees for joints that turn, the file's length unit for others."""
    start: int
    """Start in hundredths of a second, as in the files."""
    finish: int
    """End in hundredths of a second."""
    where: str = field(default="", compare=False)
    """The file and line that it was read from, for messages."""


@dataclass(frozen=True, slots=True)
class EventList:
    """Events in the order of their numbers."""

    events: tuple[JointEvent, ...]
