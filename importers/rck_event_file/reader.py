"""Reading an event file."""

from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.importing.refusals import NotOfFormat, load
from rck.importing.tokens import Tokens
from rck.model import EventList, JointEvent

_NUMBERS = 9  # number, joint and action of an event, and its two times


def read(path: Path, values: Values, job: Job) -> Imported:
    """The events in the file, in order of their numbers, or one error that names the line."""
    try:
        events = parse(Tokens(path.name, load(path)), job)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    return Imported(events=events)


def parse(tokens: Tokens, job: Job) -> EventList:
    """The events; a file that is not to the letter is refused."""
    count = tokens.count("the number of events", _NUMBERS)
    events: dict[int, JointEvent] = {}
    for place in range(count):
        job.progress(place / count, "events")
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
    """In hundredths of a second."""
    minutes, seconds, hundredths = tokens.integers(3, what)
    return (60 * minutes + seconds) * 100 + hundredths
