"""The simulation: a clock, a list of events, and a queue of those under way.

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.hooks import PhysicsWorld, Plugins, StopDemand
from rck.model.finding import Finding, RckError, Severity
from rck.model.robot import Robot
from rck.model.units import amount, require_positive
from rck.model.world import World, flatten
from rck.simulation.conditions import holds
from rck.simulation.events import (
    Announce,
    Event,
    FollowPath,
    MoveJoint,
    SwitchCamera,
    SwitchSensor,
    UseGripper,
    WaitFor,
    check_event,
    in_order,
)
from rck.simulation.falling import Fall, fall_on, ground_below
from rck.simulation.forces import Forces
from rck.simulation.grasping import Grasping
from rck.simulation.hands import hands_of
from rck.simulation.item_rates import item_rates
from rck.simulation.meeting import Contacts
from rck.simulation.motions import Motions
from rck.simulation.notices import Notice, NoticeKind, Outcome
from rck.simulation.placed_joints import PlacedJoints
from rck.simulation.rays import Caster, Rays
from rck.simulation.running import Running
from rck.simulation.saved import SavedState, copied
from rck.simulation.sensing import SensorSetting, sensor_units
from rck.simulation.stage import NO_OBJECT, Stage
from rck.simulation.view import View

LONGEST_SLICE = 0.1
"""A step that is longer than this, in seconds, is done in several."""
STEP = 0.01
"""The step of :meth:`Simulation.run`, in seconds."""
EMERGENCY = "emergency stop: see to what called for it and reinitialise, which gives up what is under way"
"""What is told when all motion is stopped."""
_MOMENT = 1e-9
PhysicsMaker: TypeAlias = Callable[[Robot], PhysicsWorld]
"""Makes the world of forces for a robot, which comes with its loose objects free."""


class Simulation:
    """Robots and objects that do what events tell them. Step it, look at it, change its events, step on."""

    def __init__(
        self,
        robot: Robot | World,
        events: Iterable[Event] = (),
        *,
        plugins: Plugins | None = None,
        sensors: Iterable[SensorSetting] = (),
        collisions: bool = True,
        seed: int = 0,
        physics: PhysicsMaker | None = None,
        rays: Caster = "auto",
    ) -> None:
        """Take robots and objects, and events. Without plugins there are no hands and no sensors.

        With `physics`, motors follow what the joints are led to, objects go where forces take them, and sensors are
        read in that world. `rays` says what casts those of sensors.
        """
        self.stage = Stage(flatten(robot) if isinstance(robot, World) else robot)
        self.contacts = Contacts(self.stage)
        self.collisions = collisions
        self.forces = None if physics is None else Forces(physics(self.stage.robot), self.stage, self.contacts)
        """What moves and what presses on what under physics; None without it."""
        self.time = 0.0
        self.camera = ""
        self.notices: list[Notice] = []
        self.outcomes: list[Outcome] = []
        self.findings: list[Finding] = []
        self.emergency = False
        """Whether an emergency stop was called for; :meth:`reinitialise` ends it."""
        plugins_given = plugins or Plugins(())
        hands = hands_of(plugins_given, self.stage)
        self.grasping = Grasping(self.stage, self.contacts, hands, yielding=physics is not None)
        self.sensors = sensor_units(plugins_given, self.stage.robot, sensors, seed)
        self._rays = Rays(self.stage, rays)
        self._pending: tuple[Event, ...] = ()
        self._listed: tuple[Event, ...] = ()
        self._motions = Motions(self.stage, self.contacts, self.tell, collisions=collisions)
        self._falls: list[Fall] = []
        self._waiting: WaitFor | None = None
        self._waited = 0.0
        self._delay = 0.0
        self._held = False
        self._placed = PlacedJoints()
        self._view: View | None = None
        for event in events:
            self.add(event, listed=True)
        self._warn_of_overlaps()
        self._sense()
        self._begin = self.save()

    @property
    def robot(self) -> Robot:
        """All robots and objects as they were at the start."""
        return self.stage.robot

    @property
    def vector(self) -> Floats:
        """The positions of the free joints, in radians and metres."""
        return self.stage.vector

    @property
    def view(self) -> View:
        """The world at this moment."""
        if self._view is None or self._view.time != self.time:
            self._view = self._look()
        return self._view

    @property
    def joint_velocities(self) -> Floats:
        """Velocities of the free joints as they go on from here. Shape (free joints,), in rad/s and m/s."""
        return self._joint_rates()[0] if self.forces is None else self.forces.world.speeds

    @property
    def pending(self) -> tuple[Event, ...]:
        """The events that have not begun, by start."""
        return self._pending

    @property
    def running(self) -> tuple[Running, ...]:
        """The motions under way."""
        return tuple(self._motions.running)

    @property
    def stuck(self) -> bool:
        """Whether nothing can happen any more although something was to."""
        return bool(
            self.running
            and all(running.blocked for running in self.running)
            and not (self._pending or self._falls or self._waiting)
        )

    @property
    def finished(self) -> bool:
        """Whether all events are done."""
        return not (self._pending or self.running or self._falls or self._waiting)

    @property
    def events(self) -> tuple[Event, ...]:
        """The event list, by start, whatever has begun of it: what a restart begins with."""
        return in_order(self._listed)

    def list_events(self, events: Iterable[Event]) -> None:
        """Let other events be the event list; what is to come and what is under way stays as it is."""
        self._listed = tuple(events)

    def add(self, event: Event, *, listed: bool = False) -> Event:
        """Let an event come at its time, or refuse it: the event that will come, by which its outcome is known.

        That is another one where it was to be quicker than its joint can: it finishes later, and a finding says so.
        Where it is `listed`, it belongs to the event list and comes again after a restart.
        """
        built = check_event(event, self.robot)
        if built.value is None:
            raise RckError("; ".join(str(finding) for finding in built.findings))
        hands = self.grasping.hands
        if isinstance(event, UseGripper) and event.gripper not in hands:
            unknown = next((device.kind.value for device in self.robot.devices if device.name == event.gripper), None)
            if unknown is not None:
                raise RckError(f"no plugin serves {event.gripper}, which is of the kind {unknown}")
            raise RckError(f"there is no gripper {event.gripper}; grippers: {', '.join(hands) or 'none'}")
        self._pending = in_order((*self._pending, built.value))
        if listed:
            self._listed = (*self._listed, built.value)
        self.findings += built.findings
        for finding in built.findings:
            self.tell("warning", f"{finding.where}: {finding.message}")
        return built.value

    def remove(self, event: Event) -> None:
        """Take an event out of the list; if it has begun, it goes on."""
        self._pending = tuple(other for other in self._pending if other is not event)
        self._listed = tuple(other for other in self._listed if other is not event)

    def tell(self, kind: NoticeKind, text: str, *items: str) -> None:
        """Note something worth telling."""
        self.notices.append(Notice(self.time, kind, text, items))

    def step(self, seconds: float = STEP) -> None:
        """Let time pass."""
        require_positive("time step", seconds, "s", STEP)
        until = self.time + seconds
        while self.time < until - 1e-12:
            self._slice(min(until - self.time, LONGEST_SLICE))

    def run(self, until: float = np.inf, seconds: float = STEP, after_step: Callable[[], None] | None = None) -> None:
        """Step until all events are done, or nothing can move any more, or the time is reached."""
        while (left := until - self.time) > _MOMENT and not self.finished:
            # A last step that is whole but for what numbers cannot hold is whole: runs that go on from there are alike.
            self.step(seconds if left > seconds - _MOMENT else left)
            if after_step is not None:
                after_step()
            if self.stuck or self.emergency:
                break
        if self.stuck:
            self.tell("stuck", "nothing that is under way can move on")

    def give_up(self, event: Event, why: str) -> None:
        """End an event where it is, whether it has begun or not; its outcome says why."""
        if any(event is other for other in self._pending):
            self.remove(event)
            self.outcomes.append(Outcome(event, self.time, self.time, False, why))
        self.outcomes += [running.outcome(why) for running in self.running if running.event is event]
        self._motions.running = [running for running in self.running if running.event is not event]

    def place(self, vector: Floats) -> None:
        """Put the free joints elsewhere at once, shape (free joints,), as one says who measures them."""
        self._placed = self._placed.placed(self.time, vector - self.vector)
        self.stage.move_to(vector)
        self.contacts.begin_again()
        self._view = None

    def reinitialise(self) -> None:
        """End an emergency stop, if there is one; what was under way is given up. It comes again if its cause stays."""
        if not self.emergency:
            return
        self.outcomes += [running.outcome("emergency stop") for running in self.running]
        self._motions.running = []
        self.emergency = False
        self.tell("safety", "reinitialised after an emergency stop")

    def save(self) -> SavedState:
        """Everything as it is now."""
        return SavedState(
            self.time,
            self.stage.placement(),
            self._pending,
            tuple(copied(running) for running in self._motions.running),
            tuple(self._falls),
            self._waiting,
            self._waited,
            self._delay,
            self.camera,
            tuple(sensor.copy(self.robot) for sensor in self.sensors.values()),
            tuple(self.outcomes),
            tuple(self.notices),
            self.emergency,
            self._held,
            self._placed,
            self._motions.pushed,
            self.contacts.resting,
            None if self.forces is None else self.forces.memory(),
            self.grasping.touched,
        )

    def restore(self, state: SavedState) -> None:
        """Go back to, or on from, a moment that was saved."""
        self.stage.restore(state.placement)
        self.time = state.time
        self._pending = state.pending
        self._motions.running = [copied(running) for running in state.queue]
        self._falls = list(state.falls)
        self._waiting, self._waited, self._delay = state.waiting, state.waited, state.delay
        self.camera, self.emergency = state.camera, state.emergency
        self.sensors = {sensor.name: sensor.copy(self.robot) for sensor in state.sensors}
        self.outcomes, self.notices = list(state.outcomes), list(state.notices)
        self._held = state.held
        self.contacts.begin_again(state.resting)
        self.grasping.restore(state.touched)
        if self.forces is not None and state.forces is not None:
            self.forces.recall(state.forces)
        self._placed, self._motions.pushed = state.placed, dict(state.pushed)
        self._view = self._look()

    def restart(self) -> None:
        """Stop, and put everything back to the beginning; the events are those of the event list."""
        self.restore(self._begin)
        self._pending = self.events

    def _slice(self, seconds: float) -> None:
        until = round(self.time + seconds, 12)
        self._take_motions(until)
        if self.emergency or self._held:
            self._motions.hold(seconds, until)
        else:
            for done in self._motions.advance(seconds, until):
                self._finish(done)
        if self.forces is None:
            self._fall(seconds)
        else:
            self.forces.follow(seconds)
        self.time = until
        self._view = self._look()
        self._sense()
        self._take_others(until, seconds)

    def _look(self) -> View:
        world = None if self.forces is None else self.forces.world
        return View(self.stage, self.contacts, self._rays, self.time, self._item_rates, world)

    def _joint_rates(self) -> tuple[Floats, Floats]:
        """Velocity and acceleration of the free joints without physics. Shape (free joints,) each."""
        velocity, acceleration = self._placed.rates(self.time, len(self.vector))
        if not (self.emergency or self._held):
            moved, pushed = self._motions.rates()
            velocity, acceleration = velocity + moved, acceleration + pushed
        return velocity, acceleration

    def _item_rates(self) -> tuple[Floats, Floats]:
        falls = [fall for fall in self._falls if fall.elapsed > 0.0]
        return item_rates(self.stage, self._joint_rates(), self._motions.pushed, falls)

    def _due(self, event: Event, until: float) -> bool:
        return event.start + self._delay <= until + 1e-12

    def _take_motions(self, until: float) -> None:
        """Move the motions that begin before a time from the list to the queue."""
        if self._waiting:
            return
        taken = []
        for event in self._pending:
            if not self._due(event, until) or isinstance(event, WaitFor):
                break
            if isinstance(event, MoveJoint | FollowPath) and event.start + self._delay < until - 1e-12:
                taken.append(event)
        for event in taken:
            self._motions.begin(event, event, event.start + self._delay)
        # By identity: two events may be equal.
        self._pending = tuple(event for event in self._pending if not any(event is other for other in taken))

    def _take_others(self, until: float, seconds: float) -> None:
        """Do what is due and takes no time."""
        if self._waiting and not self._wait(seconds):
            return
        while self._pending and self._due(self._pending[0], until) and not self._waiting:
            event = self._pending[0]
            if isinstance(event, MoveJoint | FollowPath):
                break
            self._pending = self._pending[1:]
            self._do(event)

    def _do(self, event: Event) -> None:
        if isinstance(event, WaitFor):
            self._waiting, self._waited = event, 0.0
            self._wait(0.0)
            return
        if isinstance(event, UseGripper):
            self._use_gripper(event)
            return
        if isinstance(event, Announce):
            self.tell("message", event.text)
        elif isinstance(event, SwitchCamera):
            self.camera = event.camera
            self.tell("camera", event.camera)
        elif isinstance(event, SwitchSensor):
            self._switch(event.sensor, event.on)
        self.outcomes.append(Outcome(event, self.time, self.time, True))

    def _switch(self, name: str, on: bool) -> None:
        if name not in self.sensors:
            self.tell("refused", f"there is no sensor {name}; sensors: {', '.join(self.sensors) or 'none'}")
            return
        self.sensors[name].on = on
        self.tell("sensor", f"{name} {'on' if on else 'off'}")

    def _wait(self, seconds: float) -> bool:
        """Whether what is waited for has come, or patience is at an end; else all later events are put off."""
        event = self._waiting
        assert event is not None
        patience = event.patience
        if holds(event.condition, self.sensors):
            self.outcomes.append(Outcome(event, self.time - self._waited, self.time, True))
        elif patience is not None and self._waited >= patience - 1e-9:
            why = f"{event.condition} did not come in {patience:g} s"
            self.tell("waiting", why)
            self.outcomes.append(Outcome(event, self.time - self._waited, self.time, False, why))
        else:
            if seconds == 0.0:
                self.tell("waiting", f"for {event.condition}")
            self._waited += seconds
            self._delay += seconds
            return False
        self._waiting = None
        return True

    def _finish(self, running: Running) -> None:
        if isinstance(running.event, UseGripper):
            self._gripper_done(running.event, running.started, running.closing_on, running.why)
        else:
            self.outcomes.append(running.outcome())

    def _use_gripper(self, event: UseGripper) -> None:
        """Begin to close or open a gripper; one without fingers takes no time."""
        number, why = NO_OBJECT, ""
        if event.close:
            chosen, why = self.grasping.choose(event.gripper, self.view, event.object)
            number = NO_OBJECT if chosen is None else chosen
        else:
            freed = self.grasping.release(event.gripper)
            if self.forces is None:
                self._falls += map(Fall, freed)
        fingers = self.grasping.hands[event.gripper].fingers
        if fingers is None:
            self._gripper_done(event, self.time, number, why)
            return
        here = self.stage.vector[self.stage.arrays.joint_names.index(fingers.joint)]
        end = fingers.closed if event.close else fingers.at_opening(event.opening)
        way = end - float(here)
        motion = MoveJoint(fingers.joint, way, self.time, self.time + abs(way) / fingers.speed)
        running = self._motions.begin(event, motion, self.time)
        running.closing_on, running.why = number, why

    def _gripper_done(self, event: UseGripper, started: float, number: int, why: str) -> None:
        if number != NO_OBJECT:
            name = self.stage.objects[number].name
            self.grasping.take(event.gripper, number)
            self.tell("gripped", f"{event.gripper} holds {name}", name)
        elif event.close:
            self.tell("refused", f"{event.gripper} holds nothing: {why}")
        else:
            falling = frozenset(fall.object for fall in self._falls)
            self.grasping.part(event.gripper, falling)
            self.tell("released", f"{event.gripper} is open")
        self.outcomes.append(Outcome(event, started, self.time, not why, why))

    def _fall(self, seconds: float) -> None:
        """Let fall what was let go, once the fingers that held it are open."""
        if any(isinstance(running.event, UseGripper) and not running.event.close for running in self.running):
            return
        falling, self._falls = self._falls, []
        for fall in falling:
            name = self.stage.objects[fall.object].name
            if fall.elapsed == 0.0 and ground_below(self.contacts, fall.object) is None:
                self.tell("landed", f"nothing lies below {name}: it stays where it is", name)
                continue
            fall, ground = fall_on(self.stage, self.contacts, fall, seconds)
            if ground is None:
                self._falls.append(fall)
            else:
                self.tell("landed", f"{name} lies on {self.robot.items[ground].name}", name)
        if falling and not self._falls:
            for hand in self.grasping.hands:
                self.grasping.part(hand, frozenset(hold.object for hold in self.stage.holds if hold.gripper == hand))

    def _sense(self) -> None:
        """Read the sensors whose time has come, and do what those for safety ask for."""
        demand = StopDemand.NOTHING
        for sensor in self.sensors.values():
            try:
                sensor.sense(self.view)
            except Exception as error:
                # A sensor is a plugin's: one that fails must not end the run.
                sensor.on = False
                self.tell(
                    "warning", f"sensor {sensor.name} failed and is switched off: {type(error).__name__}: {error}"
                )
            if sensor.on and "stop" in sensor.reading:
                demand = max(demand, _demand_of(sensor.reading["stop"]))
        held = demand == StopDemand.HOLD
        if demand == StopDemand.EMERGENCY and not self.emergency:
            self.emergency = True
            self.tell("safety", EMERGENCY)
        if held != self._held:
            self.tell("safety", "held" if held else "resumed from where it was held")
        self._held = held

    def _warn_of_overlaps(self) -> None:
        items = self.robot.items
        for (a, b), depth in sorted(self.contacts.overlaps().items()):
            message = f"overlaps {items[b].name} by {amount(1000 * depth)} mm from the start; that is no obstacle"
            self.findings.append(Finding(913, Severity.WARNING, f"item {items[a].name}", message))


def _demand_of(stop: NDArray[Any]) -> StopDemand:
    """The most that a channel `stop` asks for; what it does not know is the nearest that there is."""
    asked = int(stop.max(initial=StopDemand.NOTHING))
    return StopDemand(min(max(asked, StopDemand.NOTHING), StopDemand.EMERGENCY))
