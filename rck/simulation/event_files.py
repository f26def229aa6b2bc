"""Reading event lists from files: tables in YAML, and whatever an importer reads events from."""

from collections.abc import Iterable
from pathlib import Path

from rck.hooks import Exporter, Job, Plugins, ProgramLanguage
from rck.hooks.exchange import importer_for, read_file
from rck.model.finding import RckError, errors_of
from rck.model.robot import Robot
from rck.simulation.event_table import ENDINGS, read_table
from rck.simulation.events import Event, from_event_list, in_order


def read_events(path: Path, robot: Robot, plugins: Plugins, job: Job | None = None) -> tuple[Event, ...]:
    """The events of a file for a robot, by start; what is wrong with the file is told with its place."""
    if path.suffix.lower() in ENDINGS:
        return read_table(path, robot)
    listing = {ending for one in plugins.all(Exporter) if one.takes == "events" for ending in one.endings}
    languages = {ending for one in plugins.all(ProgramLanguage) for ending in one.endings}
    known = f"event files are {_one_of({*listing, *ENDINGS})}, programs {_one_of(languages)}"
    refusal = RckError(f"{path.name} is no event file and no program; {known}")
    try:
        importer_for(path, plugins)
    except RckError as error:
        if path.suffix.lower() in listing:
            raise
        raise refusal from error
    imported = read_file(path, plugins, job=job)
    broken = errors_of(imported.findings)
    if broken:
        raise RckError(str(broken[0]))
    if imported.events is None:
        raise refusal
    return in_order(from_event_list(imported.events, robot))


def _one_of(endings: Iterable[str]) -> str:
    return " ".join(sorted(ending for ending in endings if not ending[1:].isdigit())) or "none"
