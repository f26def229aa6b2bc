"""Moving joints among things: what is mobile is pushed along, what is not stops the motion."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rck.geometry.arrays import Floats
from rck.simulation.meeting import Contacts
from rck.simulation.stage import NO_OBJECT, Stage


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of a motion."""

    share: float
    """How much of it was made, 0 to 1."""
    pushed: Mapping[int, int] = field(default_factory=dict)
    """The objects that were pushed along, each with the item of a robot that took it along."""
    blocked: tuple[int, int] | None = None
    """The items that met and kept the rest from being made, that which moved first."""


def move(stage: Stage, contacts: Contacts, change: Floats, firm: int = NO_OBJECT) -> Moved:
    """Move the free joints by `change`, shape (free joints,), as far as that goes.

    Whatever mobile object is met moves on with the item that met it, and pushes others in turn. Where any of them
    meets something that stays, the whole motion ends just before that. The object `firm` is not pushed: fingers that
    close on it stop where they touch it.
    """
    origin = stage.vector
    done = 0.0
    pushed: list[int] = []
    blocked = None
    while True:
        met = contacts.first_meeting((1.0 - done) * change)
        if met is None:
            done = 1.0
            stage.move_to(origin + change)
            break
        done += met.share * (1.0 - done)
        stage.move_to(origin + done * change)
        contacts.touch(met.items)
        mover, other = _mover_first(contacts, change, met.items)
        thing = _pushed_by(stage, contacts, change, other)
        if thing in (NO_OBJECT, firm):
            blocked = (mover, other)
            break
        stage.carry(thing, mover)
        pushed.append(thing)
    carriers = {thing: int(stage.carrier_of_item[stage.objects[thing].items[0]]) for thing in pushed}
    for thing in pushed:
        stage.settle(thing)
    return Moved(done, carriers, blocked)


def move_freely(stage: Stage, contacts: Contacts, change: Floats) -> bool:
    """Move the free joints by `change` if nothing is met on the way; whether it was done."""
    if contacts.first_meeting(change) is not None:
        return False
    stage.move_to(stage.vector + change)
    return True


def _mover_first(contacts: Contacts, change: Floats, pair: tuple[int, int]) -> tuple[int, int]:
    moving = contacts.moving_items(change)
    return pair if moving[pair[0]] else (pair[1], pair[0])


def _pushed_by(stage: Stage, contacts: Contacts, change: Floats, item: int) -> int:
    """The object that can be pushed along with what met the item; what moves already, or is held, cannot."""
    thing = int(stage.object_of_item[item])
    if thing == NO_OBJECT or contacts.moving_items(change)[item] or stage.holder_of(thing) is not None:
        return NO_OBJECT
    return thing
