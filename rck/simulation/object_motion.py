"""Motion of objects without physics: moving joints push them, and released objects fall."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rates_at, translation
from rck.simulation.contacts import ContactChecker
from rck.simulation.kinematic_state import NO_OBJECT, KinematicState
from rck.simulation.state import Fall

GRAVITY = 9.80665
"""Standard gravity, ISO 80000-3, in m/s2."""
DEEPEST = 100.0
"""Search depth for the ground, in metres: an object without anything below it stays where it is."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The result of a motion of joints."""

    share: float
    """The share that was made, 0 to 1."""
    pushed: Mapping[int, int] = field(default_factory=dict)
    """The objects that were pushed, each with the item of a robot that moved it."""
    blocked: tuple[int, int] | None = None
    """The items in contact that blocked the rest, the moving one first."""


def move(kinematics: KinematicState, contacts: ContactChecker, change: Floats, firm: int = NO_OBJECT) -> Moved:
    """Move the free joints by `change`, shape (free joints,), as far as possible.

    A mobile object in the way moves with the item that met it, and pushes others in turn. If one of them meets
    something fixed, the whole motion ends there. The object `firm` is not pushed: fingers close on it.
    """
    origin = kinematics.vector
    done = 0.0
    pushed: list[int] = []
    blocked = None
    while True:
        contact = contacts.first_contact((1.0 - done) * change)
        if contact is None:
            done = 1.0
            kinematics.move_to(origin + change)
            break
        done += contact.share * (1.0 - done)
        kinematics.move_to(origin + done * change)
        contacts.touch(contact.items)
        moving = contacts.moving_items(change)
        mover, other = contact.items if moving[contact.items[0]] else contact.items[::-1]
        thing = int(kinematics.object_of_item[other])
        # An object that moves already or is held cannot be pushed.
        if thing in (NO_OBJECT, firm) or moving[other] or kinematics.holder_of(thing) is not None:
            blocked = (mover, other)
            break
        kinematics.carry(thing, mover)
        pushed.append(thing)
    carriers = {thing: int(kinematics.carrier_of_item[kinematics.objects[thing].items[0]]) for thing in pushed}
    for thing in pushed:
        kinematics.settle(thing)
    return Moved(done, carriers, blocked)


def move_freely(kinematics: KinematicState, contacts: ContactChecker, change: Floats) -> bool:
    """Move the free joints by `change` if that leads to no contact; return True if it was done."""
    if contacts.first_contact(change) is not None:
        return False
    kinematics.move_to(kinematics.vector + change)
    return True


def ground_below(contacts: ContactChecker, number: int) -> int | None:
    """Return the item on which an object would land."""
    contact = contacts.fall(number, DEEPEST)
    return None if contact is None else _other(contacts.kinematics, contact.items, number)


def fall_on(
    kinematics: KinematicState, contacts: ContactChecker, fall: Fall, seconds: float
) -> tuple[Fall, int | None]:
    """Let an object fall for a time; return the item on which it has landed, if any."""
    until = fall.elapsed + seconds
    distance = GRAVITY / 2 * (until**2 - fall.elapsed**2)
    contact = contacts.fall(fall.object, distance)
    share = 1.0 if contact is None else contact.share
    first = kinematics.objects[fall.object].items[0]
    kinematics.put(fall.object, translation((0.0, 0.0, -share * distance)) @ kinematics.poses[first])
    contacts.forget_near_pairs()
    landed = None if contact is None else _other(kinematics, contact.items, fall.object)
    return replace(fall, elapsed=until), landed


def item_rates(
    kinematics: KinematicState, joint_rates: tuple[Floats, Floats], pushed: Mapping[int, int], falls: Iterable[Fall]
) -> tuple[Floats, Floats]:
    """Return velocity and acceleration of every item, as in `rck.geometry.transforms`. Shape (items, 6) each.

    `joint_rates` are those of the free joints; `pushed` are objects, each with the item that moves it.
    """
    velocities, accelerations = kinematics.rates(*joint_rates)
    poses = kinematics.poses
    for number, carrier in pushed.items():
        items = list(kinematics.objects[number].items)
        arms = poses[items, :3, 3] - poses[carrier, :3, 3]
        velocities[items], accelerations[items] = rates_at(velocities[[carrier]], accelerations[[carrier]], arms)
    for fall in falls:
        items = list(kinematics.objects[fall.object].items)
        velocities[items, 2], accelerations[items, 2] = -GRAVITY * fall.elapsed, -GRAVITY
    return velocities, accelerations


def _other(kinematics: KinematicState, pair: tuple[int, int], number: int) -> int:
    """Return the item of a pair that does not belong to an object."""
    return pair[1] if kinematics.object_of_item[pair[0]] == number else pair[0]
