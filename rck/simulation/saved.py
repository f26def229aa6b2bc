"""A moment of a simulation, kept, to be gone back to or on from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rck.simulation.events import Event, WaitFor
from rck.simulation.falling import Fall
from rck.simulation.notices import Notice, Outcome
from rck.simulation.placed_joints import PlacedJoints
from rck.simulation.running import Running
from rck.simulation.sensing import SensorUnit
from rck.simulation.stage import Placement


@dataclass(frozen=True, eq=False, slots=True)
class SavedState:
    """All that a simulation needs to go on from a moment. It belongs to the simulation that saved it."""

    time: float
    placement: Placement
    pending: tuple[Event, ...]
    queue: tuple[Running, ...]
    falls: tuple[Fall, ...]
    waiting: WaitFor | None
    waited: float
    delay: float
    camera: str
    sensors: tuple[SensorUnit, ...]
    outcomes: tuple[Outcome, ...]
    notices: tuple[Notice, ...]
    emergency: bool
    """Whether an emergency stop was called for."""
    held: bool
    """Whether all motion was held for safety."""
    placed: PlacedJoints = field(default_factory=PlacedJoints)
    """The last placements of joints from outside."""
    pushed: Mapping[int, int] = field(default_factory=dict)
    """See :attr:`rck.simulation.motions.Motions.pushed`."""
    resting: Mapping[tuple[int, int], float] = field(default_factory=dict)
    """See :attr:`rck.simulation.meeting.Contacts.resting`."""
    forces: Any = None
    """What the physics remembers; None without it."""
    touched: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """See :attr:`rck.simulation.grasping.Grasping.touched`."""


def copied(running: Running) -> Running:
    """The same motion as far as it has come, to go on by itself."""
    return replace(running, blockings=list(running.blockings), pushed=list(running.pushed))
