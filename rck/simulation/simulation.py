"""The simulation: a clock, events, and the motions in progress."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import PhysicsWorld, Plugins, StopDemand
from rck.hooks.actions import Action, MoveJoint, UseGripper
from rck.model.robot import Robot
from rck.model.world import World, flatten
from rck.rendering.camera import Camera
from rck.simulation.actions import action_type
from rck.simulation.active_motion import ActiveMotion
from rck.simulation.contacts import ContactChecker
from rck.simulation.events import Event, in_order, moved_joints
from rck.simulation.grippers import Grasps, grippers_of
from rck.simulation.kinematic_state import KinematicState
from rck.simulation.motion_queue import MotionQueue
from rck.simulation.notices import EventOutcome, Notice, NoticeKind
from rck.simulation.object_motion import fall_on, ground_below, item_rates
from rck.simulation.physics_link import PhysicsLink
from rck.simulation.plugin_actions import use_plugin_actions
from rck.simulation.rays import Caster, Rays
from rck.simulation.sensors import SensorSetting, SensorUnit, sensor_units, unserved_devices
from rck.simulation.state import SimulationState
from rck.simulation.world_view import WorldView
from rck.support.finding import Finding, RckError, Severity
from rck.support.units import amount, require_positive

LONGEST_SUBSTEP = 0.1
"""Longer steps are divided into substeps, in seconds."""
STEP = 0.01
"""Default time step, in seconds."""
EMERGENCY = "emergency stop: clear the cause, then reinitialise; running motions are cancelled"
"""Message of an emergency stop."""
_MOMENT = 1e-9
_AT_REST = 1e-3
"""Highest velocity of an intruder at rest, in m/s and rad/s: contact forces make objects tremble."""
PhysicsMaker: TypeAlias = Callable[[Robot], PhysicsWorld]
"""Function that makes the physics world of a robot whose loose objects are free."""


class Simulation:
    """A simulation of robots and objects. Add events, step it, inspect it, change its events, and continue."""

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
        cameras: Mapping[str, Camera] | None = None,
    ) -> None:
        """Create a simulation at time 0. Without plugins it has no grippers and no sensors.

        With `physics`, motors follow the joint positions of the kinematic simulation, forces move the objects, and
        sensors read the physics world. `rays` selects the ray-casting engine of sensors.
        `cameras` are saved views, which events can select besides the standard ones.
        """
        self.kinematics = KinematicState(flatten(robot) if isinstance(robot, World) else robot)
        self.state = SimulationState(self.kinematics.placement())
        self.contacts = ContactChecker(self.kinematics, self.state)
        self.collisions = collisions
        self.cameras: Mapping[str, Camera] = cameras or {}
        """The saved views by name."""
        self.forces = (
            None if physics is None else PhysicsLink(physics(self.kinematics.robot), self.kinematics, self.contacts)
        )
        """The physics world; None without physics."""
        self.findings: list[Finding] = []
        loaded = plugins or Plugins(())
        hands = grippers_of(loaded, self.kinematics)
        self.grasps = Grasps(self.kinematics, self.contacts, self.state, hands, yielding=physics is not None)
        use_plugin_actions(loaded)
        if plugins is not None:
            self.findings += unserved_devices(loaded, self.kinematics.robot)
        self.state.sensors = sensor_units(loaded, self.kinematics.robot, sensors, seed)
        self._rays = Rays(self.kinematics, rays)
        self._listed: tuple[Event, ...] = ()
        self._motions = MotionQueue(self.kinematics, self.contacts, self.state, self.tell, collisions=collisions)
        self._view: WorldView | None = None
        self._plugins = loaded
        self._is_watched = loaded.listens("rck_on_simulation_step")
        self._ended_at = -1.0
        for event in events:
            self.add(event, listed=True)
        self._warn_of_overlaps()
        self._sense()
        self._begin = self.save()

    @property
    def robot(self) -> Robot:
        """All robots and objects as they were at the start."""
        return self.kinematics.robot

    @property
    def vector(self) -> Floats:
        """The positions of the free joints, in radians and metres."""
        return self.kinematics.vector

    @property
    def time(self) -> float:
        """Simulated time, in seconds."""
        return self.state.time

    @property
    def camera(self) -> str:
        """The selected camera."""
        return self.state.camera

    @camera.setter
    def camera(self, name: str) -> None:
        self.state.camera = name

    @property
    def sensors(self) -> dict[str, SensorUnit]:
        """The sensors by name."""
        return self.state.sensors

    @property
    def notices(self) -> list[Notice]:
        """The messages so far."""
        return self.state.notices

    @property
    def outcomes(self) -> list[EventOutcome]:
        """The outcomes of the events that are over."""
        return self.state.outcomes

    @property
    def emergency(self) -> bool:
        """True if an emergency stop is in force; :meth:`reinitialise` ends it."""
        return self.state.emergency

    @property
    def pending(self) -> tuple[Event, ...]:
        """The events that have not begun, by start."""
        return self.state.pending

    @property
    def running(self) -> tuple[ActiveMotion, ...]:
        """The motions in progress."""
        return tuple(self.state.running)

    @property
    def view(self) -> WorldView:
        """The world at the present time, as sensors see it."""
        if self._view is None or self._view.time != self.time:
            self._view = self._look()
        return self._view

    @property
    def joint_velocities(self) -> Floats:
        """Velocities of the free joints. Shape (free joints,), in rad/s and m/s."""
        return self._joint_rates()[0] if self.forces is None else self.forces.world.speeds

    @property
    def stuck(self) -> bool:
        """True if every motion in progress is blocked, or held for ever, and nothing else can happen."""
        return bool(self.running) and not self._has_more and all(map(self._cannot_continue, self.running))

    @property
    def finished(self) -> bool:
        """True if all events are over."""
        return not (self.state.running or self._has_more)

    @property
    def _has_more(self) -> bool:
        return bool(self.state.pending or self.state.falls or self.state.waiting)

    @property
    def events(self) -> tuple[Event, ...]:
        """The event list, by start, with the events that have begun: a restart begins with it."""
        return in_order(self._listed)

    def list_events(self, events: Iterable[Event]) -> None:
        """Replace the event list; pending events and motions in progress stay."""
        self._listed = tuple(events)

    def add(self, event: Event, *, listed: bool = False) -> Event:
        """Add an event, or refuse it; return the event that will take place, to which its outcome refers.

        That is another event if the action was changed, for example because it exceeds a velocity limit; a finding
        then says so. A `listed` event belongs to the event list and takes place again after a restart.
        """
        kind = action_type(event.action)
        where = f"event at {event.start:g} s"
        if not kind.can_be_event:
            raise RckError(f"{where}: {kind.describe(event.action)} is an instruction for programs only")
        if not 0 <= event.start < np.inf:
            raise RckError(str(Finding(104, Severity.ERROR, where, "start must be a time from 0 s on")))
        try:
            built: Any = kind.check(self, event.action)
        except RckError as error:
            raise RckError(f"{where}: {error}") from None
        findings = [replace(finding, where=f"{where}, {finding.where}") for finding in built.findings]
        if built.value is None:
            raise RckError("; ".join(map(str, findings)))
        if built.value is not event.action:
            event = replace(event, action=built.value)
        self.state.pending = in_order((*self.state.pending, event))
        if listed:
            self._listed = (*self._listed, event)
        self.findings += findings
        for finding in findings:
            self.tell("warning", f"{finding.where}: {finding.message}")
        return event

    def remove(self, event: Event) -> None:
        """Remove an event that has not begun; an event in progress continues."""
        self.state.pending = tuple(other for other in self.state.pending if other is not event)
        self._listed = tuple(other for other in self._listed if other is not event)

    def tell(self, kind: NoticeKind, text: str, *items: str) -> None:
        """Add a notice."""
        self.notices.append(Notice(self.time, kind, text, items))

    def begin_motion(self, event: Event, fingers: MoveJoint | None = None) -> ActiveMotion:
        """Begin the motion of an event that is due, or the motion of the fingers of its gripper."""
        start = self.time if fingers else event.start + self.state.delay
        return self._motions.begin(event, start, fingers)

    def complete(self, event: Event, why: str = "", started: float | None = None) -> None:
        """Record that an event is over: done, unless `why` gives a reason."""
        self.outcomes.append(EventOutcome(event, self.time if started is None else started, self.time, not why, why))

    def step(self, seconds: float = STEP, *, inspected: bool = True) -> None:
        """Simulate for a time. Without `inspected`, plugins do not see the step."""
        require_positive("time step", seconds, "s", STEP)
        until = self.time + seconds
        while self.time < until - 1e-12:
            self._substep(min(until - self.time, LONGEST_SUBSTEP))
        if self._is_watched and inspected:
            self._inspect("rck_on_simulation_step")

    def end(self) -> None:
        """Tell plugins that the run is over; the second call at the same time does nothing."""
        if self._ended_at != self.time:
            self._ended_at = self.time
            self._inspect("rck_on_simulation_end")

    def report_end(self) -> tuple[str, ...]:
        """Tell plugins that the run is over, unless nothing has run; return their messages, refusals included."""
        if self.time <= self._begin.time:
            return ()
        told = len(self.notices)
        try:
            self.end()
        except RckError as refusal:
            self.tell("refused", str(refusal))
        return tuple(notice.text for notice in self.notices[told:])

    def _inspect(self, hook: str) -> None:
        """Let plugins inspect the world; report each finding once in a run."""
        for finding in self._plugins.inspect(hook, world=self.view):
            if finding not in self.findings:
                self.findings.append(finding)
            text = f"{finding.where}: {finding.message}" if finding.where else finding.message
            if all(notice.text != text for notice in self.notices):
                self.tell("warning", text)

    def run(self, until: float = np.inf, seconds: float = STEP, after_step: Callable[[], None] | None = None) -> None:
        """Step until all events are over, every motion is blocked or held for ever, or the time is reached."""
        while (left := until - self.time) > _MOMENT and not self.finished:
            # A last step that differs from a whole one by rounding only is whole, so that resumed runs are the same.
            self.step(seconds if left > seconds - _MOMENT else left)
            if after_step is not None:
                after_step()
            if self.stuck or self.emergency:
                break
        if self.stuck:
            self.tell("stuck", f"no motion can continue: {'; '.join(map(self.obstacle, self.running))}")
        self.end()

    def give_up(self, event: Event, why: str) -> None:
        """End an event, whether it has begun or not; its outcome says why."""
        if any(event is other for other in self.pending):
            self.remove(event)
            self.complete(event, why)
        self.outcomes.extend(running.outcome(why) for running in self.running if running.event is event)
        self.state.running = [running for running in self.running if running.event is not event]

    def place(self, vector: Floats) -> None:
        """Set the free joints, shape (free joints,), for example to measured positions."""
        self.state.external = self.state.external.placed(self.time, vector - self.vector)
        self.kinematics.move_to(vector)
        self.contacts.forget_resting_pairs()
        self._view = None

    def reinitialise(self) -> None:
        """End an emergency stop and cancel the motions in progress. If the cause remains, it comes again."""
        if not self.emergency:
            return
        self.outcomes.extend(running.outcome("emergency stop") for running in self.running)
        self.state.running = []
        self.state.emergency = False
        self.tell("safety", "reinitialised after an emergency stop")

    def save(self) -> SimulationState:
        """Return a copy of the state."""
        self.state.placement = self.kinematics.placement()
        self.state.physics = None if self.forces is None else self.forces.memory()
        return self.state.copy()

    def restore(self, state: SimulationState) -> None:
        """Set the state. The event list and the findings stay."""
        self._ended_at = -1.0
        self.state.assign(state)
        self.kinematics.restore(state.placement)
        self.contacts.forget_near_pairs()
        self.grasps.refresh()
        if self.forces is not None and state.physics is not None:
            self.forces.recall(state.physics)
        self._view = self._look()

    def restart(self) -> None:
        """Return to the start, with the events of the event list."""
        self.restore(self._begin)
        self.state.pending = self.events

    def _substep(self, seconds: float) -> None:
        until = round(self.time + seconds, 12)
        self._begin_motions(until)
        for done in self._motions.advance(seconds, until, self._is_held):
            action_type(done.event.action).finish(self, done)
        if self.forces is None:
            self._fall(seconds)
        else:
            self.forces.follow(seconds)
        self.state.time = until
        self._view = self._look()
        self._sense()
        self._begin_others(until, seconds)

    def _look(self) -> WorldView:
        world = None if self.forces is None else self.forces.world
        return WorldView(self.kinematics, self.contacts, self._rays, self.time, self._item_rates, world)

    def _joint_rates(self) -> tuple[Floats, Floats]:
        """Return velocity and acceleration of the free joints without physics. Shape (free joints,) each."""
        velocity, acceleration = self.state.external.rates(self.time, len(self.vector))
        moved, pushed = self._motions.rates(self._is_held)
        return velocity + moved, acceleration + pushed

    def _item_rates(self) -> tuple[Floats, Floats]:
        falls = [fall for fall in self.state.falls if fall.elapsed > 0.0]
        return item_rates(self.kinematics, self._joint_rates(), self.state.pushed, falls)

    def _begin_motions(self, until: float) -> None:
        """Begin the motions that start before a time."""
        if self.state.waiting or not self.pending:
            return
        due = []
        for event in self.pending:
            kind = action_type(event.action)
            start = event.start + self.state.delay
            if start > until + 1e-12 or kind.holds_back:
                break
            if kind.is_motion and start < until - 1e-12:
                due.append(event)
        # By identity: two events may be equal.
        self.state.pending = tuple(event for event in self.pending if not any(event is other for other in due))
        for event in due:
            action_type(event.action).begin(self, event, event.action)

    def _begin_others(self, until: float, seconds: float) -> None:
        """Carry out the other actions that are due."""
        if self.state.waiting and not self._wait(seconds):
            return
        while self.pending and not self.state.waiting:
            event = self.pending[0]
            kind = action_type(event.action)
            if event.start + self.state.delay > until + 1e-12 or kind.is_motion:
                break
            self.state.pending = self.pending[1:]
            if kind.holds_back:
                self.state.waiting, self.state.waited = event, 0.0
                self._wait(0.0)
            else:
                kind.begin(self, event, event.action)

    def _wait(self, seconds: float) -> bool:
        """Return True if the event that holds back others is over; otherwise delay them."""
        event, waited = self.state.waiting, self.state.waited
        assert event is not None
        kind: Any = action_type(event.action)
        why = kind.poll(self, event.action, waited)
        if why is None:
            if seconds == 0.0:
                self.tell("waiting", kind.describe(event.action))
            self.state.waited += seconds
            self.state.delay += seconds
            return False
        if why:
            self.tell("waiting", why)
        self.complete(event, why, self.time - waited)
        self.state.waiting = None
        return True

    def _fall(self, seconds: float) -> None:
        """Let released objects fall, once the fingers that held them are open."""
        if any(_is_opening(running.event.action) for running in self.running):
            return
        falling, self.state.falls = self.state.falls, []
        for fall in falling:
            name = self.kinematics.objects[fall.object].name
            if fall.elapsed == 0.0 and ground_below(self.contacts, fall.object) is None:
                self.tell("landed", f"there is nothing below {name}: it stays where it is", name)
                continue
            fall, ground = fall_on(self.kinematics, self.contacts, fall, seconds)
            if ground is None:
                self.state.falls.append(fall)
            else:
                self.tell("landed", f"{name} lies on {self.robot.items[ground].name}", name)
        if falling and not self.state.falls:
            for hand in self.grasps.grippers:
                self.grasps.part(hand, frozenset(hold.object for hold in self.kinematics.holds if hold.gripper == hand))

    def _sense(self) -> None:
        """Read the sensors that are due, and stop if a safety sensor demands it."""
        before = {name: sensor.demand for name, sensor in self.sensors.items()}
        for sensor in self.sensors.values():
            try:
                sensor.sense(self.view)
            except Exception as error:
                # Sensors belong to plugins: one that fails must not end the run.
                sensor.on = False
                self.tell(
                    "warning", f"sensor {sensor.name} failed and is switched off: {type(error).__name__}: {error}"
                )
        self._announce_warnings(before)
        demand = max((sensor.demand for sensor in self.sensors.values()), default=StopDemand.NOTHING)
        held = demand == StopDemand.HOLD
        if demand == StopDemand.EMERGENCY and not self.emergency:
            self.state.emergency = True
            self.tell("safety", EMERGENCY)
        if held != self.state.held:
            by = [name for name, sensor in self.sensors.items() if sensor.demand == StopDemand.HOLD]
            self.tell("safety", f"held by {', '.join(by)}" if held else "resumed after being held")
        self.state.held = held

    def _announce_warnings(self, before: Mapping[str, StopDemand]) -> None:
        for name, sensor in self.sensors.items():
            warned, warns = before[name] == StopDemand.WARN, sensor.demand == StopDemand.WARN
            if warns and not warned:
                self.tell("safety", f"{name} warns of an intruder")
            elif warned and sensor.demand == StopDemand.NOTHING:
                self.tell("safety", f"{name} no longer warns of an intruder")

    def _is_held(self, running: ActiveMotion) -> bool:
        return self.emergency or bool(self.holding(running))

    def holding(self, running: ActiveMotion) -> tuple[SensorUnit, ...]:
        """Return the safety sensors that hold a motion. They do not hold the motions of their intruders."""
        if not self.state.held:
            return ()
        return tuple(
            sensor
            for sensor in self.sensors.values()
            if sensor.demand == StopDemand.HOLD and not self._moves_intruder(running, sensor)
        )

    def _moves_intruder(self, running: ActiveMotion, sensor: SensorUnit) -> bool:
        """Return True if the joints of a motion move an intruder of a safety sensor, but not the sensor itself.

        Objects in grippers do not count: a robot that holds one is still a robot.
        """
        joints = np.zeros(len(self.vector), dtype=np.bool_)
        joints[running.columns] = True
        moved = self.contacts.carried_items(joints)
        return bool(moved[list(sensor.intruders)].any()) and not moved[self.robot.item_index[sensor.mount.item]]

    def _cannot_continue(self, running: ActiveMotion) -> bool:
        """Return True if a motion is blocked, or held by a sensor with an intruder that is at rest."""
        return bool(running.blocked) or any(
            sensor.detects(self.view) and not self._are_moving(sensor.intruders) for sensor in self.holding(running)
        )

    def _are_moving(self, items: Collection[int]) -> bool:
        return bool(np.abs(self.view.velocities[list(items)]).max(initial=0.0) > _AT_REST)

    def obstacle(self, running: ActiveMotion) -> str:
        """Return what keeps a motion from continuing; empty if nothing does."""
        if running.blocked is not None:
            mover, other = running.blocked
            return f"{mover} is blocked by {other}"
        by = [sensor.name for sensor in self.holding(running)]
        return f"{', '.join(moved_joints(running.motion))} held by safety sensor {', '.join(by)}" if by else ""

    def _warn_of_overlaps(self) -> None:
        items = self.robot.items
        for (a, b), depth in sorted(self.contacts.overlaps().items()):
            message = (
                f"already overlaps {items[b].name} by {amount(1000 * depth)} mm at the start; ignored as an obstacle"
            )
            self.findings.append(Finding(913, Severity.WARNING, f"item {items[a].name}", message))


def _is_opening(action: Action) -> bool:
    return isinstance(action, UseGripper) and not action.close
