"""Events as lines that users type: `elbow/axis 45 0 2` moves a joint by 45 from second 0 to second 2."""

from rck.model import RckError, Robot
from rck.model.quantities import Units
from rck.simulation.actions import ACTION_TYPES, action_type
from rck.simulation.events import Event


def usage() -> str:
    """Return the syntax of the lines of all types of actions."""
    return ", or ".join(kind.usage for kind in ACTION_TYPES.values() if kind.usage)


def parse_event(line: str, robot: Robot, units: Units) -> Event:
    """Return the event of a line; changes are in the units of the assembly, times in seconds."""
    words = line.split()
    typed = [kind for kind in ACTION_TYPES.values() if kind.usage]
    # A line that begins with no known word names a joint.
    named = [kind for kind in typed if words and words[0] in kind.words] or [kind for kind in typed if not kind.words]
    for kind in named:
        event = kind.from_line(words, robot, units)
        if event is not None:
            return event
    raise RckError(f"an event is {usage()}")


def event_line(event: Event, robot: Robot, units: Units) -> str:
    """Return the line of an event; for an event that cannot be typed, its description."""
    return action_type(event.action).to_line(event, event.action, robot, units)


def event_cells(event: Event, robot: Robot, units: Units) -> tuple[str, str, str, str]:
    """Return the start, end, description and amount of an event for a table."""
    kind, action = action_type(event.action), event.action
    end = "" if event.finish is None else f"{event.finish:.4g}"
    return f"{event.start:.4g}", end, kind.describe(action), kind.amount(action, robot, units)
