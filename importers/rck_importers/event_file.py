"""Event files, `.events`: timed joint motions of the simulator whose model RCK uses (Lingman 1996)."""

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path

from rck.hooks import Exported, Exporter, Imported, Importer, Job, Values, hookimpl
from rck.importing.file_errors import NotOfFormat, load
from rck.importing.tokens import LARGEST, Tokens, are_numbers, opening
from rck.model import EventList, Finding, JointEvent, Severity
from rck.support.units import digits

ENDINGS = (".events",)
_NUMBERS = 9
"""Numbers of an event: its number, joint and action, and two times of three numbers."""


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importer of event files."""
    return [Importer("event-file", "event file: timed joint motions", ENDINGS, looks_like_events, read)]


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of event files."""
    return [Exporter("event-file", "event file: timed joint motions", ENDINGS, write, takes="events")]


def looks_like_events(path: Path, head: bytes) -> bool:
    """Return True if a file has a count on its first line, then nine numbers per event, whole except the action."""
    tokens = opening(head)
    first, _, rest = head.lstrip().partition(b"\n")
    if not tokens or not tokens[0].isdigit() or first.split() != tokens[:1]:
        return False
    if len(tokens) == 1:
        return int(tokens[0]) == 0 and not rest.strip() and path.suffix.lower() in ENDINGS
    event = tokens[1:10]
    whole = [*event[:2], *event[3:]]
    return len(event) == _NUMBERS and all(token.isdigit() for token in whole) and are_numbers(event[2:3])


def read(path: Path, values: Values, job: Job) -> Imported:
    """Return the events of a file in the order of their numbers, or an error that names the line."""
    try:
        events = parse(Tokens(path.name, load(path)), job)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    return Imported(events=events)


def parse(tokens: Tokens, job: Job) -> EventList:
    """Return the events; any deviation from the format is an error."""
    count = tokens.count("the number of events", _NUMBERS)
    events: dict[int, JointEvent] = {}
    for index in range(count):
        job.progress(index / count, "events")
        start = tokens.at
        event = _read_event(tokens)
        if event.number in events:
            raise tokens.refusal(f"there are two events {event.number}", start, code=103, fix="number them differently")
        events[event.number] = event
    tokens.end("raise the number of events at the top, or remove the rest")
    return EventList(tuple(events[number] for number in sorted(events)))


def _read_event(tokens: Tokens) -> JointEvent:
    where = tokens.where(tokens.at)
    number = tokens.integer("the number of an event")
    joint = tokens.integer(f"the joint of event {number}")
    action = tokens.number(f"the action of event {number}")
    start = _read_time(tokens, f"the start of event {number} in minutes, seconds and hundredths")
    finish_at = tokens.at
    finish = _read_time(tokens, f"the finish of event {number} in minutes, seconds and hundredths")
    if finish < start:
        raise tokens.refusal(f"event {number} finishes before it starts", finish_at, code=104, fix="swap the times")
    return JointEvent(number, joint, action, start, finish, where)


def _read_time(tokens: Tokens, what: str) -> int:
    """Read a time, in hundredths of a second."""
    minutes, seconds, hundredths = tokens.integers(3, what)
    return (60 * minutes + seconds) * 100 + hundredths


def write(events: EventList, name: str, values: Values, job: Job) -> Exported:
    """Return the file, or an error for each event that the format cannot store."""
    errors = tuple(_errors(events.events))
    if errors:
        return Exported(findings=errors)
    lines = [str(len(events.events))]
    for event in sorted(events.events, key=lambda event: event.number):
        lines += [f"{event.number} {event.joint} {digits(event.action)}", _time(event.start), _time(event.finish)]
    return Exported({name: ("\n".join(lines) + "\n").encode("ascii")})


def _time(hundredths: int) -> str:
    seconds, hundredths = divmod(hundredths, 100)
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes} {seconds} {hundredths}"


def _errors(events: Sequence[JointEvent]) -> Iterator[Finding]:
    seen: set[int] = set()
    for event in events:
        where = f"event {event.number}"
        if event.number in seen:
            yield Finding(103, Severity.ERROR, where, "there are two events of that number", "number them differently")
        seen.add(event.number)
        if min(event.number, event.joint, event.start) < 0:
            yield Finding(104, Severity.ERROR, where, "number, joint and times must not be negative")
        if event.finish < event.start:
            yield Finding(104, Severity.ERROR, where, "finishes before it starts", "swap the times")
        if not isfinite(event.action):
            yield Finding(101, Severity.ERROR, where, f"the action {event.action} is not a finite number")
        elif abs(event.action) > LARGEST:
            yield Finding(104, Severity.ERROR, where, f"the action {event.action:g} exceeds {LARGEST:g}")
