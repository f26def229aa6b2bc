"""A served world as a file: what it needs to go on after its server has ended."""

from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from rck.control.services import Spawn, spawn
from rck.control.world import ServedWorld
from rck.geometry.arrays import Floats, frozen
from rck.kinematics.motion import Path as MotionPath
from rck.kinematics.motion.path import DEGREE
from rck.model.files import write_atomically
from rck.model.finding import RckError
from rck.simulation.events import FollowPath, UseGripper
from rck.simulation.falling import Fall
from rck.simulation.stage import Hold, Placement


class SavedMotion(msgspec.Struct, frozen=True):
    """A motion that was under way: the rest of its path, or what a gripper was doing."""

    owner: str
    joints: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    pieces: tuple[tuple[tuple[float, ...], ...], ...] = ()
    gripper: str = ""
    close: bool = False
    object: str = ""


class State(msgspec.Struct, frozen=True):
    """A world at a moment. Radians, metres, seconds."""

    rck_state: int
    """The version of this format: 1."""
    robot: str
    time: float
    paused: bool
    speed: float
    joints: dict[str, float]
    objects: dict[str, list[list[float]]]
    """World from object, by its name: 4x4."""
    held: list[tuple[str, str, str]]
    """Object, gripper, and the item that the object is fastened to."""
    falling: dict[str, float]
    """For how long each object that falls has been falling."""
    added: list[dict[str, Any]]
    removed: list[str]
    motions: list[SavedMotion]


def save(world: ServedWorld, path: Path) -> None:
    """Write the world as it is, in one step."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(state_of(world))))


def state_of(world: ServedWorld) -> State:
    """The world as it is."""
    simulation = world.simulation
    saved = simulation.save()
    names = [thing.name for thing in simulation.stage.objects]
    running = {id(one.event): one for one in simulation.running}
    motions = []
    for motion in world.motions.live:
        event = motion.event
        if isinstance(event, FollowPath):
            elapsed = running[id(event)].elapsed if id(event) in running else 0.0
            path = rest_of(event.path, elapsed)
            pieces = tuple(tuple(map(tuple, piece)) for piece in path.pieces.tolist())
            motions.append(SavedMotion(motion.owner, path.joints, tuple(path.times.tolist()), pieces))
        elif isinstance(event, UseGripper):
            motions.append(SavedMotion(motion.owner, gripper=event.gripper, close=event.close, object=event.object))
    return State(
        1,
        world.robot.name,
        world.time,
        world.paused,
        world.speed,
        {joint.name: float(x) for joint, x in zip(world.robot.free_joints, simulation.vector, strict=True)},
        {name: frame.tolist() for name, frame in zip(names, saved.placement.frames, strict=True)},
        [(names[one.object], one.gripper, world.robot.items[one.item].name) for one in saved.placement.holds],
        {names[fall.object]: fall.elapsed for fall in saved.falls},
        [dict(request) for request in world.added.values()],
        list(world.removed),
        motions,
    )


def resume(world: ServedWorld, path: Path) -> None:
    """Let a fresh world of the same robot go on from a file."""
    try:
        state = msgspec.json.decode(path.read_bytes(), type=State)
    except FileNotFoundError:
        raise RckError(f"{path}: there is no saved state to resume from") from None
    except msgspec.DecodeError as error:
        raise RckError(f"{path}: this is no saved state: {error}") from None
    if state.rck_state != 1:
        raise RckError(f"{path}: written by a newer RCK (version {state.rck_state} of the format); this one reads 1")
    restore(world, state, str(path))


def restore(world: ServedWorld, state: State, where: str) -> None:
    """Let a fresh world go on from a state."""
    joints = [joint.name for joint in world.robot.free_joints]
    if state.robot != world.robot.name or set(state.joints) != set(joints):
        raise RckError(f"{where}: the state of {state.robot} does not fit {world.robot.name}; start without it")
    for name in state.removed:
        world.remove(name)
    for request in state.added:
        spawn(world, msgspec.convert(request, Spawn))
    simulation = world.simulation
    names = [thing.name for thing in simulation.stage.objects]
    if set(state.objects) != set(names):
        raise RckError(f"{where}: its objects are not those of {world.robot.name}; start without it")
    index = world.robot.item_index
    placement = Placement(
        frozen(np.array([state.joints[name] for name in joints])),
        frozen(np.array([state.objects[name] for name in names]).reshape(-1, 4, 4)),
        tuple(Hold(names.index(held), gripper, index[item]) for held, gripper, item in state.held),
    )
    falls = tuple(Fall(names.index(name), elapsed) for name, elapsed in state.falling.items())
    simulation.restore(replace(simulation.save(), time=state.time, placement=placement, falls=falls))
    for saved in state.motions:
        if saved.gripper:
            event: FollowPath | UseGripper = UseGripper(saved.gripper, saved.close, state.time, saved.object)
        else:
            pieces = frozen(np.array(saved.pieces).reshape(-1, DEGREE + 1, len(saved.joints)))
            event = FollowPath(MotionPath(saved.joints, frozen(np.array(saved.times)), pieces), state.time)
        world.motions.begin(simulation, saved.owner, event)
    world.paused = state.paused
    world.set_speed(state.speed)


def rest_of(path: MotionPath, time: float) -> MotionPath:
    """What is left of a path after a time, in seconds."""
    begin = min(max(time, 0.0), path.duration)
    first = int(np.clip(np.searchsorted(path.times, begin, side="right") - 1, 0, len(path.pieces) - 1))
    span = path.times[first + 1] - path.times[first]
    share = (begin - path.times[first]) / span if span > 0 else 0.0
    pieces = path.pieces[first:].copy()
    pieces[0] = _shifted(share) @ pieces[0]
    times = path.times[first:] - begin
    times[0] = 0.0
    return MotionPath(path.joints, frozen(times), frozen(pieces))


def _shifted(share: float) -> Floats:
    """Turns the coefficients of powers of u into those of v, where u = share + (1 - share) v. Shape (6, 6)."""
    matrix = np.zeros((DEGREE + 1, DEGREE + 1))
    for power in range(DEGREE + 1):
        for lower in range(power + 1):
            matrix[lower, power] = comb(power, lower) * share ** (power - lower) * (1.0 - share) ** lower
    return matrix
