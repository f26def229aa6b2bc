"""A served world in a file: the state of its simulation, and what belongs to clients besides."""

from pathlib import Path
from typing import Any

import msgspec

from rck.control.services import SpawnRequest, spawn
from rck.control.world import ServedWorld
from rck.model.finding import RckError
from rck.simulation.state_file import State, read_state, save_state
from rck.simulation.state_file import restore as restore_simulation
from rck.simulation.state_file import state_of as state_of_simulation


class Owned(msgspec.Struct, frozen=True):
    """A motion of a client: an event that the simulation has in its list or its queue."""

    owner: str
    event: int
    """Its place in the table of events of the state."""


class Served(msgspec.Struct, frozen=True):
    """What a server keeps besides the simulation."""

    paused: bool
    speed: float
    added: list[dict[str, Any]]
    """The requests that added objects."""
    removed: list[str]
    motions: list[Owned]


def save(world: ServedWorld, path: Path) -> None:
    """Write the world as it is, in one step."""
    save_state(state_of(world), path)


def state_of(world: ServedWorld) -> State:
    """The world as it is."""
    state, places = state_of_simulation(world.simulation)
    served = Served(
        world.paused,
        world.speed,
        [dict(request) for request in world.added.values()],
        list(world.removed),
        [Owned(motion.owner, places[id(motion.event)]) for motion in world.motions.live if id(motion.event) in places],
    )
    return msgspec.structs.replace(state, served=msgspec.to_builtins(served))


def resume(world: ServedWorld, path: Path) -> None:
    """Let a fresh world of the same robot go on from a file, also from one that `rck simulate` wrote."""
    state = read_state(path)
    try:
        served = msgspec.convert(state.served, Served | None)
    except msgspec.ValidationError as error:
        raise RckError(f"{path}: this is no saved state: {error}") from None
    for name in () if served is None else served.removed:
        world.remove(name)
    for request in () if served is None else served.added:
        spawn(world, msgspec.convert(request, SpawnRequest))
    events = restore_simulation(world.simulation, state, str(path))
    if served is not None:
        for owned in served.motions:
            world.motions.adopt(world.simulation, owned.owner, events[owned.event])
        world.paused = served.paused
        world.set_speed(served.speed)
