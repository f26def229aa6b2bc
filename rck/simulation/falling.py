"""What is let go falls, until it lands on what lies below."""

from dataclasses import dataclass, replace

from rck.geometry.transforms import translation
from rck.simulation.meeting import Contacts
from rck.simulation.stage import Stage

GRAVITY = 9.80665
"""In m/s2: standard gravity, ISO 80000-3."""
DEEPEST = 100.0
"""Nothing is looked for deeper down than this, in metres: an object without anything below it stays where it is."""


@dataclass(frozen=True, slots=True)
class Fall:
    """An object on its way down."""

    object: int
    elapsed: float = 0.0
    """In seconds."""


def ground_below(contacts: Contacts, number: int) -> int | None:
    """The item that an object would land on."""
    met = contacts.fall(number, DEEPEST)
    return None if met is None else other_of(contacts.stage, met.items, number)


def fall_on(stage: Stage, contacts: Contacts, fall: Fall, seconds: float) -> tuple[Fall, int | None]:
    """Let an object fall for a time; the item that it has landed on, if it has."""
    until = fall.elapsed + seconds
    distance = GRAVITY / 2 * (until**2 - fall.elapsed**2)
    met = contacts.fall(fall.object, distance)
    share = 1.0 if met is None else met.share
    first = stage.objects[fall.object].items[0]
    stage.put(fall.object, translation((0.0, 0.0, -share * distance)) @ stage.poses[first])
    contacts.look_again()
    landed = None if met is None else other_of(stage, met.items, fall.object)
    return replace(fall, elapsed=until), landed


def other_of(stage: Stage, pair: tuple[int, int], number: int) -> int:
    """Of two items the one that does not belong to an object."""
    return pair[1] if stage.object_of_item[pair[0]] == number else pair[0]
