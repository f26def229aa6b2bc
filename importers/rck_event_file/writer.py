"""Writing an event file."""

from collections.abc import Iterator, Sequence
from math import isfinite

from rck.hooks import Exported, Job, Values
from rck.hooks.numbers import digits
from rck.importing.tokens import LARGEST
from rck.model import EventList, Finding, JointEvent, Severity


def write(events: EventList, name: str, values: Values, job: Job) -> Exported:
    """The file; events that no reader would accept are refused."""
    wrong = tuple(_impossible(events.events))
    if wrong:
        return Exported(findings=wrong)
    lines = [str(len(events.events))]
    for event in sorted(events.events, key=lambda one: one.number):
        lines += [f"{event.number} {event.joint} {digits(event.action)}", _time(event.start), _time(event.finish)]
    return Exported({name: ("\n".join(lines) + "\n").encode("ascii")})


def _time(hundredths: int) -> str:
    seconds, hundredths = divmod(hundredths, 100)
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes} {seconds} {hundredths}"


def _impossible(events: Sequence[JointEvent]) -> Iterator[Finding]:
    seen: set[int] = set()
    for event in events:
        where = f"event {event.number}"
        if event.number in seen:
            yield Finding(103, Severity.ERROR, where, "there are two events of that number", "number them differently")
        seen.add(event.number)
        if min(event.number, event.joint, event.start) < 0:
            yield Finding(104, Severity.ERROR, where, "number, joint and times count from zero")
        if event.finish < event.start:
            yield Finding(104, Severity.ERROR, where, "finishes before it starts", "swap the times")
        if not isfinite(event.action):
            yield Finding(101, Severity.ERROR, where, f"the action {event.action} is not a finite number")
        elif abs(event.action) > LARGEST:
            yield Finding(104, Severity.ERROR, where, f"the action {event.action:g} is beyond {LARGEST:g}")
