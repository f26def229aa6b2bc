"""What a simulation tells: messages with their moment, and what became of each event."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rck.simulation.events import Event

NoticeKind: TypeAlias = Literal[
    "blocked", "freed", "pushed", "limit", "gripped", "released", "landed", "refused", "message", "camera", "sensor",
    "waiting", "safety", "warning", "stuck",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Notice:
    """Something worth telling, and when it was."""

    time: float
    """In seconds."""
    kind: NoticeKind
    text: str
    items: tuple[str, ...] = ()
    """The items that it is about."""

    def __str__(self) -> str:
        return f"{self.time:9.3f} s  {self.kind}: {self.text}"


@dataclass(frozen=True, slots=True)
class Blocking:
    """How long a motion was held up, and by what."""

    by: tuple[str, str]
    """The item that moved, or was pushed or held, and the one that it met."""
    seconds: float


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """What became of an event."""

    event: Event
    started: float
    finished: float | None
    """None while it is not done."""
    done: bool
    """Whether it did all that it asked for."""
    why: str = ""
    """What kept it from that."""
    blockings: tuple[Blocking, ...] = ()
    pushed: tuple[str, ...] = ()
    """The objects that it pushed along."""
