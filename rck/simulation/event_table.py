"""Files of events: YAML tables with one event per row, and the formats of importers.

.. code-block:: yaml

    events:
    - {at: 0, until: 2, move: arm/waist, by: 45 deg}
    - {at: 2, close: hand}
    - {at: 2.5, wait: eye.distance < 0.2, patience: 5}
    - {at: 3, say: there it is}
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from rck.hooks import Exporter, Job, Plugins, ProgramLanguage
from rck.hooks.actions import Action
from rck.hooks.file_exchange import importer_for, read_file
from rck.model.robot import Robot
from rck.simulation.actions import ACTION_TYPES, action_type
from rck.simulation.events import Event, from_event_list, in_order, without_paths
from rck.simulation.plugin_actions import use_plugin_actions
from rck.support.files import write_atomically
from rck.support.finding import RckError, errors_of
from rck.support.plain_yaml import dump_flow, line_of
from rck.support.typed_yaml import Strict, convert, parse, read_text

ENDINGS = (".yaml", ".yml")


def read_events(path: Path, robot: Robot, plugins: Plugins, job: Job | None = None) -> tuple[Event, ...]:
    """Return the events of a file for a robot, by start; an error names the line."""
    use_plugin_actions(plugins)
    if path.suffix.lower() in ENDINGS:
        return read_table(path, robot)
    listing = {ending for each in plugins.all(Exporter) if each.takes == "events" for ending in each.endings}
    languages = {ending for each in plugins.all(ProgramLanguage) for ending in each.endings}
    known = f"event files are {_join_endings({*listing, *ENDINGS})}, programs {_join_endings(languages)}"
    refusal = RckError(f"{path.name} is neither an event file nor a program; {known}")
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


def read_table(path: Path, robot: Robot) -> tuple[Event, ...]:
    """Return the events of a YAML file; an error names file and line."""
    text = read_text(path)
    table: Any = convert(parse(text, str(path)), _table_type(tuple(ACTION_TYPES)), text, str(path))
    events = []
    for number, row in enumerate(table.events):
        given = {name: value for name, value in msgspec.to_builtins(row).items() if value is not None}
        try:
            events.append(_event(given, robot))
        except RckError as error:
            raise RckError(f"{path.name}:{line_of(text, ('events', number))}: event {number}: {error}") from None
    return in_order(events)


def save_table(events: Iterable[Event], robot: Robot, path: Path) -> None:
    """Write events to a YAML file; paths become motions of single joints that follow them closely."""
    rows = [
        {"at": event.start, **action_type(event.action).to_row(event, event.action, robot)}
        for event in without_paths(events, robot)
    ]
    lines = ["events:" if rows else "events: []", *(f"- {dump_flow(row)}" for row in rows)]
    write_atomically(path, ("\n".join(lines) + "\n").encode())


@cache
def _table_type(actions: tuple[type[Action], ...]) -> type[msgspec.Struct]:
    """Return the type of the file: a row has a time and the keys of these types of actions."""
    keys = {key: hint for kind in map(ACTION_TYPES.__getitem__, actions) for key, hint in kind.row.items()}
    optional = [(key.replace("-", "_"), hint | None, None) for key, hint in keys.items()]
    row = msgspec.defstruct("Row", [("at", float), *optional], bases=(Strict,), frozen=True)
    return msgspec.defstruct("Table", [("events", list[row])], bases=(Strict,), frozen=True)  # type: ignore[valid-type]


def _event(row: dict[str, Any], robot: Robot) -> Event:
    kinds = {verb: kind for kind in ACTION_TYPES.values() for verb in kind.verbs}
    verbs = [verb for verb in kinds if verb in row]
    if len(verbs) != 1:
        raise RckError(f"an event needs exactly one of {', '.join(kinds)}; not {', '.join(verbs) or 'none'}")
    return Event(row["at"], kinds[verbs[0]].from_row(row, robot))


def _join_endings(endings: Iterable[str]) -> str:
    return " ".join(sorted(ending for ending in endings if not ending[1:].isdigit())) or "none"
