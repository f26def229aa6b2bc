"""What this package adds to RCK."""

from pathlib import Path

from rck.hooks import Exported, Exporter, Imported, Importer, Job, Values, hookimpl
from rck.importing.tokens import are_numbers, opening
from rck.model import EventList

ENDINGS = (".events",)


def looks_like_events(path: Path, head: bytes) -> bool:
    """A count alone on its line, then nine numbers per event: all whole save the action."""
    tokens = opening(head)
    first, _, rest = head.lstrip().partition(b"\n")
    if not tokens or not tokens[0].isdigit() or first.split() != tokens[:1]:
        return False
    if len(tokens) == 1:
        return int(tokens[0]) == 0 and not rest.strip() and path.suffix.lower() in ENDINGS
    event = tokens[1:10]
    whole = [*event[:2], *event[3:]]
    return len(event) == 9 and all(token.isdigit() for token in whole) and are_numbers(event[2:3])


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_event_file.reader import read

    return read(path, values, job)


def _write(events: EventList, name: str, values: Values, job: Job) -> Exported:
    from rck_event_file.writer import write

    return write(events, name, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of event files."""
    return [Importer("event-file", "event file: timed joint motions", ENDINGS, looks_like_events, _read)]


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of event files."""
    return [Exporter("event-file", "event file: timed joint motions", ENDINGS, _write, takes="events")]
