"""The state of a simulation: everything that changes while it runs."""

from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from rck.simulation.active_motion import ActiveMotion
from rck.simulation.events import Event
from rck.simulation.external_joints import ExternalJoints
from rck.simulation.kinematic_state import ItemIndex, ItemPlacement, ObjectIndex
from rck.simulation.notices import EventOutcome, Notice
from rck.simulation.sensors import SensorUnit


@dataclass(frozen=True, slots=True)
class Fall:
    """An object in free fall."""

    object: ObjectIndex
    elapsed: float = 0.0
    """In seconds."""


@dataclass(eq=False, slots=True)
class SimulationState:
    """Everything that changes while a simulation runs.

    A simulation owns one, and its components read and write it. `save` copies it, `restore` sets it, and a state file
    is its encoding: a field that is added here is saved, restored and written.
    """

    placement: ItemPlacement
    """Snapshot of the kinematic state; `Simulation.save` updates it."""
    time: float = 0.0
    """In seconds."""
    pending: tuple[Event, ...] = ()
    """Events that have not begun, by start."""
    running: list[ActiveMotion] = field(default_factory=list)
    falls: list[Fall] = field(default_factory=list)
    waiting: Event | None = None
    """The event that holds back all later events."""
    waited: float = 0.0
    """Time since it began, in seconds."""
    delay: float = 0.0
    """Delay of all pending events, in seconds."""
    camera: str = ""
    sensors: dict[str, SensorUnit] = field(default_factory=dict)
    outcomes: list[EventOutcome] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    emergency: bool = False
    """True if a sensor called for an emergency stop."""
    held: bool = False
    """True if a safety sensor holds all motion."""
    external: ExternalJoints = field(default_factory=ExternalJoints)
    """The last joint positions that were set from outside."""
    pushed: dict[ObjectIndex, ItemIndex] = field(default_factory=dict)
    """The objects that were pushed in the last substep, each with the item of a robot that moved it."""
    resting: dict[tuple[ItemIndex, ItemIndex], float] = field(default_factory=dict)
    """The pairs of items that rest on each other, and how deep they may penetrate, in metres."""
    touched: dict[str, set[ObjectIndex]] = field(default_factory=dict)
    """The objects that each gripper may touch."""
    physics: Any = None
    """Snapshot of the physics engine; `Simulation.save` updates it. None without physics."""

    def copy(self) -> "SimulationState":
        """Return a state that does not change with this one; frozen values are shared."""
        return SimulationState(**{each.name: _copied(getattr(self, each.name)) for each in fields(self)})

    def assign(self, other: "SimulationState") -> None:
        """Take over a copy of another state."""
        for each in fields(self):
            setattr(self, each.name, _copied(getattr(other, each.name)))


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied(element) for element in value]
    if isinstance(value, dict):
        return {key: _copied(element) for key, element in value.items()}
    return copy(value) if isinstance(value, set | ActiveMotion | SensorUnit) else value
