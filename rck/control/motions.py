"""What clients have set going: each motion has a number, an owner, and a state that they are told of."""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from rck.model.finding import RckError
from rck.simulation.events import Event, FollowPath, MoveJoint, UseGripper
from rck.simulation.simulation import Simulation

State: TypeAlias = Literal["started", "moving", "blocked", "done", "failed", "stopped"]
LIVE = ("started", "moving", "blocked")
PATIENCE = 5.0
"""A motion that something has blocked for so long, in simulated seconds, is given up: who waits for it is told."""


@dataclass(frozen=True, eq=False, slots=True)
class ClientMotion:
    """A motion under way, or what became of it."""

    number: int
    owner: str
    event: Event
    joints: frozenset[str]
    state: State = "started"
    progress: float = 0.0
    """The share that is done, 0 to 1."""
    message: str = ""

    @property
    def live(self) -> bool:
        """Whether it is still under way."""
        return self.state in LIVE

    def as_message(self) -> dict[str, Any]:
        """What is published of it."""
        return {
            "motion": self.number,
            "owner": self.owner,
            "state": self.state,
            "progress": round(self.progress, 4),
            "message": self.message,
        }


class ClientMotions:
    """The motions of a simulation that belong to clients."""

    def __init__(self) -> None:
        self._live: dict[int, ClientMotion] = {}
        self._next = 1
        self._blocked_since: dict[int, float] = {}

    @property
    def live(self) -> tuple[ClientMotion, ...]:
        """Those under way."""
        return tuple(self._live.values())

    def begin(self, simulation: Simulation, owner: str, event: Event) -> tuple[ClientMotion, list[ClientMotion]]:
        """Set an event going; the motion, and those of the same owner that it takes the place of.

        A joint that another owner moves is not taken over: that is refused, as is everything after an emergency stop.
        """
        if simulation.emergency:
            raise RckError("nothing moves after an emergency stop: see to what called for it and call /reinitialise")
        joints = joints_of(simulation, event)
        rivals = [motion for motion in self._live.values() if motion.joints & joints]
        for rival in rivals:
            if rival.owner != owner:
                name = min(rival.joints & joints)
                raise RckError(f"joint {name} is being moved by {rival.owner} (motion {rival.number})")
        event = simulation.add(event)
        replaced = [self.end(simulation, rival.number, f"motion {self._next} takes its place") for rival in rivals]
        return self.adopt(simulation, owner, event), replaced

    def adopt(self, simulation: Simulation, owner: str, event: Event) -> ClientMotion:
        """Let an event that the simulation has already be the motion of an owner."""
        motion = ClientMotion(self._next, owner, event, joints_of(simulation, event))
        self._live[self._next] = motion
        self._next += 1
        return motion

    def end(self, simulation: Simulation, number: int, why: str) -> ClientMotion:
        """Stop a motion where it is."""
        if number not in self._live:
            raise RckError(f"motion {number} is not under way")
        motion = replace(self._live.pop(number), state="stopped", message=why)
        simulation.give_up(motion.event, why)
        self._blocked_since.pop(number, None)
        return motion

    def owned_by(self, owner: str) -> list[int]:
        """The numbers of the motions of one owner."""
        return [number for number, motion in self._live.items() if motion.owner == owner]

    def refresh(self, simulation: Simulation) -> list[ClientMotion]:
        """Look at what the simulation did: the motions whose state has changed, those that ended included."""
        changed = []
        ended = {id(outcome.event): outcome for outcome in simulation.outcomes}
        running = {id(one.event): one for one in simulation.running}
        pending = {id(event) for event in simulation.pending}
        for number, motion in list(self._live.items()):
            key = id(motion.event)
            if key in ended:
                outcome = ended[key]
                now = replace(motion, state="done" if outcome.done else "failed", progress=1.0, message=outcome.why)
                del self._live[number]
                self._blocked_since.pop(number, None)
            elif key in running:
                one = running[key]
                share = one.elapsed / one.duration if one.duration > 0 else 1.0
                why = "" if one.blocked is None else f"{one.blocked[0]} meets {one.blocked[1]}"
                now = replace(motion, state="blocked" if why else "moving", progress=share, message=why)
                self._live[number] = now
                if simulation.emergency or self._hopeless(simulation, number, bool(why)):
                    why = "emergency stop" if simulation.emergency else f"blocked for {PATIENCE:g} s: {why}"
                    now = replace(now, state="failed", message=why)
                    simulation.give_up(motion.event, now.message)
                    del self._live[number]
                    self._blocked_since.pop(number, None)
            elif key in pending:
                continue
            else:
                now = replace(motion, state="stopped", message="the simulation was put back")
                del self._live[number]
                self._blocked_since.pop(number, None)
            if (now.state, now.progress) != (motion.state, motion.progress):
                changed.append(now)
        return changed

    def _hopeless(self, simulation: Simulation, number: int, blocked: bool) -> bool:
        """Whether a motion has been blocked without a break for too long."""
        if not blocked:
            self._blocked_since.pop(number, None)
            return False
        return simulation.time - self._blocked_since.setdefault(number, simulation.time) >= PATIENCE

    def forget(self, why: str) -> list[ClientMotion]:
        """Everything begins anew: none is under way any more."""
        self._blocked_since.clear()
        gone = [replace(motion, state="stopped", message=why) for motion in self._live.values()]
        self._live.clear()
        return gone


def joints_of(simulation: Simulation, event: Event) -> frozenset[str]:
    """The joints that an event moves."""
    if isinstance(event, MoveJoint):
        return frozenset((event.joint,))
    if isinstance(event, FollowPath):
        return frozenset(event.path.joints)
    if isinstance(event, UseGripper):
        hand = simulation.grasping.hands.get(event.gripper)
        if hand is not None and hand.fingers is not None:
            return frozenset((hand.fingers.joint,))
    return frozenset()
