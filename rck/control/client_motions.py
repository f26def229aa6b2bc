"""Motions of clients, each with a number, an owner and a state."""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from rck.hooks.actions import Action
from rck.simulation.actions import action_type
from rck.simulation.events import Event
from rck.simulation.simulation import Simulation
from rck.support.finding import RckError

State: TypeAlias = Literal["started", "moving", "blocked", "done", "failed", "stopped"]
LIVE = ("started", "moving", "blocked")
PATIENCE = 5.0
"""Simulated time after which a blocked motion fails, in seconds."""


@dataclass(frozen=True, eq=False, slots=True)
class ClientMotion:
    """An active or ended motion."""

    number: int
    owner: str
    event: Event
    joints: frozenset[str]
    state: State = "started"
    progress: float = 0.0
    """Completed share, from 0 to 1."""
    message: str = ""

    @property
    def live(self) -> bool:
        """True if the motion is active."""
        return self.state in LIVE

    def as_message(self) -> dict[str, Any]:
        """Return the message for /motions."""
        return {
            "motion": self.number,
            "owner": self.owner,
            "state": self.state,
            "progress": round(self.progress, 4),
            "message": self.message,
        }


class ClientMotions:
    """The active motions of clients in a simulation."""

    def __init__(self) -> None:
        self._live: dict[int, ClientMotion] = {}
        self._next = 1
        self._blocked_since: dict[int, float] = {}

    @property
    def live(self) -> tuple[ClientMotion, ...]:
        """The active motions."""
        return tuple(self._live.values())

    def begin(self, simulation: Simulation, owner: str, action: Action) -> tuple[ClientMotion, list[ClientMotion]]:
        """Start an action now; return the motion, and those of the same owner that it replaces.

        Refuse joints that another owner moves, and all motions during an emergency stop.
        """
        if simulation.emergency:
            raise RckError("emergency stop: clear the cause, then call /reinitialise")
        joints = action_type(action).joints(simulation, action)
        overlapping = [motion for motion in self._live.values() if motion.joints & joints]
        for other in overlapping:
            if other.owner != owner:
                name = min(other.joints & joints)
                raise RckError(f"joint {name} is being moved by {other.owner} (motion {other.number})")
        event = simulation.add(Event(simulation.time, action))
        replaced = [self.end(simulation, other.number, f"replaced by motion {self._next}") for other in overlapping]
        return self.adopt(simulation, owner, event), replaced

    def adopt(self, simulation: Simulation, owner: str, event: Event) -> ClientMotion:
        """Make an event of the simulation the motion of an owner."""
        motion = ClientMotion(self._next, owner, event, action_type(event.action).joints(simulation, event.action))
        self._live[self._next] = motion
        self._next += 1
        return motion

    def end(self, simulation: Simulation, number: int, why: str) -> ClientMotion:
        """Stop a motion."""
        if number not in self._live:
            raise RckError(f"motion {number} is not active")
        motion = replace(self._live.pop(number), state="stopped", message=why)
        simulation.give_up(motion.event, why)
        self._blocked_since.pop(number, None)
        return motion

    def owned_by(self, owner: str) -> list[int]:
        """Return the numbers of the motions of an owner."""
        return [number for number, motion in self._live.items() if motion.owner == owner]

    def refresh(self, simulation: Simulation) -> list[ClientMotion]:
        """Update all motions after a step; return those whose state has changed, including ended ones."""
        changed = []
        ended = {id(outcome.event): outcome for outcome in simulation.outcomes}
        running = {id(active.event): active for active in simulation.running}
        pending = {id(event) for event in simulation.pending}
        for number, motion in list(self._live.items()):
            key = id(motion.event)
            if key in ended:
                outcome = ended[key]
                now = replace(motion, state="done" if outcome.done else "failed", progress=1.0, message=outcome.why)
            elif key in running:
                active = running[key]
                share = active.elapsed / active.duration if active.duration > 0 else 1.0
                why = "" if active.blocked is None else f"{active.blocked[0]} collides with {active.blocked[1]}"
                now = replace(motion, state="blocked" if why else "moving", progress=share, message=why)
                if simulation.emergency or self._is_stuck(simulation, number, bool(why)):
                    why = "emergency stop" if simulation.emergency else f"blocked for {PATIENCE:g} s: {why}"
                    now = replace(now, state="failed", message=why)
                    simulation.give_up(motion.event, now.message)
            elif key in pending:
                continue
            else:
                now = replace(motion, state="stopped", message="the simulation was reset")
            if now.live:
                self._live[number] = now
            else:
                del self._live[number]
                self._blocked_since.pop(number, None)
            if (now.state, now.progress) != (motion.state, motion.progress):
                changed.append(now)
        return changed

    def _is_stuck(self, simulation: Simulation, number: int, blocked: bool) -> bool:
        """Return True if a motion has been blocked without interruption for too long."""
        if not blocked:
            self._blocked_since.pop(number, None)
            return False
        return simulation.time - self._blocked_since.setdefault(number, simulation.time) >= PATIENCE

    def forget(self, why: str) -> list[ClientMotion]:
        """Stop all motions; return them."""
        self._blocked_since.clear()
        stopped = [replace(motion, state="stopped", message=why) for motion in self._live.values()]
        self._live.clear()
        return stopped
