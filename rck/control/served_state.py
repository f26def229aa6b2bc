"""State files of served worlds: the simulation state, and the state of the server."""

from pathlib import Path
from typing import Any

import msgspec

from rck.control.served_world import ServedWorld
from rck.control.services import SpawnRequest, spawn
from rck.simulation.state_file import StateRecord, encode_state, read_state, restore_state, save_state
from rck.support.finding import RckError
from rck.support.steps import run_steps


class OwnedMotion(msgspec.Struct, frozen=True):
    """A motion of a client: an event in the list or queue of the simulation."""

    owner: str
    event: int
    """Index in the event table of the state."""


class ServerState(msgspec.Struct, frozen=True):
    """State of the server, next to that of the simulation."""

    paused: bool
    speed: float
    added: list[dict[str, Any]]
    """Requests that added objects."""
    removed: list[str]
    motions: list[OwnedMotion]


def save(world: ServedWorld, path: Path) -> None:
    """Write the state of a world to a file, atomically."""
    save_state(state_of(world), path)


def state_of(world: ServedWorld) -> StateRecord:
    """Return the state of a world."""
    state, codec = encode_state(world.simulation)
    known = {id(event) for event in codec.events}
    live = [motion for motion in world.motions.live if id(motion.event) in known]
    served = ServerState(
        world.paused,
        world.speed,
        [dict(request) for request in world.added.values()],
        list(world.removed),
        [OwnedMotion(motion.owner, codec.index_of(motion.event)) for motion in live],
    )
    return msgspec.structs.replace(state, served=msgspec.to_builtins(served))


def resume(world: ServedWorld, path: Path) -> None:
    """Restore a new world of the same robot from a file of this server or of `rck simulate`."""
    state = read_state(path)
    try:
        served = msgspec.convert(state.served, ServerState | None)
    except msgspec.ValidationError as error:
        raise RckError(f"{path}: not a saved state: {error}") from None
    for name in () if served is None else served.removed:
        run_steps(world.remove(name))
    for request in () if served is None else served.added:
        run_steps(spawn(world, msgspec.convert(request, SpawnRequest)))
    events = restore_state(world.simulation, state, str(path))
    if served is not None:
        for owned in served.motions:
            world.motions.adopt(world.simulation, owned.owner, events[owned.event])
        world.paused = served.paused
        world.set_speed(served.speed)
