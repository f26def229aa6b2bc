"""Notices of a simulation, and the outcomes of its events."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rck.simulation.events import Event

NoticeKind: TypeAlias = Literal[
    "blocked", "freed", "pushed", "limit", "gripped", "released", "landed", "refused", "message", "camera", "sensor",
    "waiting", "safety", "warning", "stuck",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Notice:
    """A message of a simulation to its user."""

    time: float
    """In seconds."""
    kind: NoticeKind
    text: str
    items: tuple[str, ...] = ()
    """The items concerned."""

    def __str__(self) -> str:
        return f"{self.time:9.3f} s  {self.kind}: {self.text}"


@dataclass(frozen=True, slots=True)
class Blocking:
    """A contact that blocked a motion, and for how long."""

    by: tuple[str, str]
    """The item that moved, was pushed or was held, and the item that it met."""
    seconds: float


@dataclass(frozen=True, eq=False, slots=True)
class EventOutcome:
    """The result of an event."""

    event: Event
    started: float
    finished: float | None
    """None if the motion was not completed."""
    done: bool
    """True if the action was carried out completely."""
    why: str = ""
    """The reason why it was not."""
    blockings: tuple[Blocking, ...] = ()
    pushed: tuple[str, ...] = ()
    """The objects that it pushed."""
