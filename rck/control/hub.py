"""Routing of messages, services and topics between clients and a served world, without sockets."""

import asyncio
import logging
import os
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from math import inf
from time import thread_time
from typing import TYPE_CHECKING, Any

import msgspec

from rck.control import protocol
from rck.control.client_motions import ClientMotion
from rck.control.client_recording import Sent
from rck.control.hardware_feedback import Feedback
from rck.control.lockstep import THE_WORLD, LateClient, Lockstep
from rck.control.memory_quota import MEMORY
from rck.control.messages import JointState, plain_type
from rck.control.protocol import ProtocolError, Publish
from rck.control.sensor_topics import sensor_topics, switch_sensors
from rck.control.served_world import ServedWorld
from rck.control.services import SERVICES, Caller, Reply, Request, Service, request_of
from rck.control.shared_services import rosapi_services, sharing_services
from rck.control.topics import MEASURED, SUBSCRIBED, TOPICS, Topic
from rck.control.trajectories import trajectory_message
from rck.simulation.events import FollowPath
from rck.support.finding import RckError
from rck.support.names import did_you_mean
from rck.support.steps import Step, Steps

if TYPE_CHECKING:
    from rck.control.client_session import ClientSession

_log = logging.getLogger("rck.control")

_LARGE = 1 << 16
"""Size from which arguments are decoded in another thread, in bytes."""
MAX_TOPICS = 1000
"""Topics of the world and of clients together."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits that keep one client from harming the others."""

    clients: int = 128
    message_bytes: int = 1 << 20
    """Largest message."""
    messages_a_second: float = 2000.0
    """Per client; the server reads faster clients more slowly."""
    queue: int = 1000
    """Longest queue of a throttled subscription."""
    subscriptions: int = 200
    """Subscriptions of one client, and topics that it may subscribe to or advertise."""
    client_bytes: int = MEMORY
    """Memory for the queued messages and incomplete fragments of one client."""
    processor_share: float = 0.5
    """Share of a processor for the messages of one client while others are connected."""
    goals: int = 100
    """Active action goals of one client."""
    backlog_bytes: int = 1 << 18
    """Unread bytes above which a client misses messages of topics."""
    most_backlog_bytes: int = 1 << 23
    """Unread bytes above which a client is disconnected."""
    patience: float = 5.0
    """Time above `backlog_bytes` after which a client is disconnected, in seconds."""
    ping: float = 10.0
    """Time between pings, and the time limit for the answer, in seconds."""


class Hub:
    """A served world and the sessions of its clients."""

    def __init__(
        self,
        world: ServedWorld,
        limits: ServerLimits | None = None,
        lockstep: Lockstep | None = None,
        record: Callable[[Sent], None] | None = None,
    ) -> None:
        self.world = world
        self.guard: AbstractContextManager[object] = nullcontext()
        """Lock that is held while the world is used, for worlds that are shared with other threads."""
        self._worker = ThreadPoolExecutor(1, "rck-requests")
        """Thread for the slow steps of requests: one, because solvers are not thread-safe."""
        self.limits = limits or ServerLimits()
        self.lockstep = lockstep or Lockstep()
        self.feedback = Feedback()
        self.sessions: dict[str, ClientSession] = {}
        self.topics: dict[str, Topic] = {**TOPICS, **sensor_topics(world)}
        self.services: dict[str, Service] = {**SERVICES, **sharing_services(self), **rosapi_services(self)}
        self.types: dict[str, str] = {**{name: topic.ros_type for name, topic in self.topics.items()}, **SUBSCRIBED}
        """The type of every topic, including those that clients advertise."""
        self.lockstep.set(THE_WORLD, "step", b"null", 0.0)
        self._record = record
        self._recorded: set[str] = set()
        """Clients with at least one recorded message."""
        self._subscribers: defaultdict[str, dict[str, ClientSession]] = defaultdict(dict)
        self._advertisers: defaultdict[str, set[str]] = defaultdict(set)
        self._latched: dict[str, bytes] = {}
        self._listeners: list[Callable[[ClientMotion], None]] = []
        self._published_at = -1
        self._described = world.names

    @contextmanager
    def turn(self, caller: Caller) -> Iterator[None]:
        """Hold the world for a client, and count the processor time that it takes."""
        start = thread_time()
        try:
            with self.guard:
                yield
        finally:
            caller.processor_time += thread_time() - start

    async def _run_step(self, caller: Caller, step: Step) -> Any:
        """Run a step of a request in the worker thread and return its result; only let others go on if it is None."""
        if step is None:
            await asyncio.sleep(0)
            return None

        def run() -> Any:
            start = thread_time()
            try:
                return step()
            finally:
                caller.processor_time += thread_time() - start

        return await asyncio.get_running_loop().run_in_executor(self._worker, run)

    def close(self) -> None:
        """End the worker thread."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    # Clients

    def join(self, session: "ClientSession") -> None:
        """Add a client."""
        self.sessions[session.caller.name] = session

    def leave(self, session: "ClientSession") -> None:
        """Remove a client that has disconnected or was disconnected."""
        name = session.caller.name
        if self.sessions.pop(name, None) is None:
            return
        for topic in list(self._subscribers):
            self.unsubscribe(session, topic)
        for topic in list(self._advertisers):
            self.unadvertise(session, topic)
        if name in self._recorded:
            self._recorded.remove(name)
            self._record_message(Sent(self.world.time, name, gone=True))
        self.end_caller(session.caller)

    def end_caller(self, caller: Caller) -> None:
        """Stop waiting for a disconnected client, and end its motions and grasps as it has requested."""
        self.lockstep.forget(caller.name)
        if caller.stop_on_disconnect:
            self.world.stop_all_of(caller.name, f"{caller.name} has disconnected")
        if caller.open_on_disconnect:
            self.world.open_all_of(caller.name)
        self.publish_motions()

    def _record_message(self, message: Sent) -> None:
        if self._record is not None:
            self._record(message)
            if not message.gone:
                self._recorded.add(message.client)

    def free_name(self, wanted: str) -> str:
        """Return an unused name for a new client."""
        if wanted and wanted not in self.sessions and wanted != THE_WORLD:
            return wanted
        stem = wanted or "client"
        number = 1 if not wanted else 2
        while f"{stem}-{number}" in self.sessions:
            number += 1
        return f"{stem}-{number}"

    # Topics

    def subscribe(self, session: "ClientSession", topic: str, ros_type: str | None) -> None:
        """Subscribe a client to a topic; a topic that does not exist yet needs a type."""
        known = self.types.get(topic)
        if known is None:
            if not ros_type:
                raise ProtocolError(f"there is no topic {topic}; give its type to subscribe before it exists")
            self._add_topic(topic, ros_type)
        elif ros_type and plain_type(ros_type) != known:
            raise ProtocolError(f"topic {topic} is of type {known}, not {ros_type}")
        self._subscribers[topic][session.caller.name] = session

    def unsubscribe(self, session: "ClientSession", topic: str) -> None:
        """Unsubscribe a client from a topic."""
        if topic in self._subscribers:
            self._subscribers[topic].pop(session.caller.name, None)
            self._forget_unused(topic)

    def unadvertise(self, session: "ClientSession", topic: str) -> None:
        """Note that a client publishes on a topic no more."""
        if topic in self._advertisers:
            self._advertisers[topic].discard(session.caller.name)
            self._forget_unused(topic)

    def _forget_unused(self, topic: str) -> None:
        """Forget a topic of clients that none of them uses any more."""
        if not self._subscribers.get(topic):
            self._subscribers.pop(topic, None)
        if not self._advertisers.get(topic):
            self._advertisers.pop(topic, None)
        used = topic in self._subscribers or topic in self._advertisers
        if not used and topic not in self.topics and topic not in SUBSCRIBED:
            self.types.pop(topic, None)

    def advertise(self, session: "ClientSession", topic: str, ros_type: str) -> None:
        """Let a client publish on a topic."""
        if topic in self.topics:
            raise ProtocolError(f"only the server publishes on {topic}")
        known = self.types.get(topic)
        if known is None:
            self._add_topic(topic, ros_type)
        elif known != plain_type(ros_type):
            raise ProtocolError(f"topic {topic} is of type {known}, not {ros_type}")
        self._advertisers[topic].add(session.caller.name)

    def _add_topic(self, topic: str, ros_type: str) -> None:
        if not topic.startswith("/") or "/" not in plain_type(ros_type):
            raise ProtocolError(
                f"invalid topic {topic} of type {ros_type}; use a name such as /name and a type such as std_msgs/String"
            )
        if len(self.types) >= MAX_TOPICS:
            raise ProtocolError(f"too many topics; the limit is {MAX_TOPICS}")
        self.types[topic] = plain_type(ros_type)

    def first_message(self, topic: str, address: str = "") -> bytes | None:
        """Return the first message for a new subscriber, if any; it downloads files from below an address."""
        source = self.topics.get(topic)
        if source is None or source.make is None:
            return None
        if source.make_at is not None:
            return _publication(topic, source.make_at(self.world, address))
        if topic in self._latched:
            return self._latched[topic]
        message = source.make(self.world)
        if message is None:
            return None
        text = _publication(topic, message)
        if source.latched:
            self._latched[topic] = text
        return text

    def publish(self, topic: str, message: object) -> None:
        """Send a message to all subscribers of a topic."""
        subscribers = self._subscribers.get(topic)
        if subscribers:
            self._send(subscribers.values(), topic, _publication(topic, message))

    def receive(self, caller: Caller, topic: str, message: msgspec.Raw) -> None:
        """Handle a message that a client publishes: measured joint states, or a topic of its own."""
        self._record_message(Sent(self.world.time, caller.name, topic=topic, msg=message))
        if topic == MEASURED:
            self._receive_measurement(message)
            return
        subscribers = self._subscribers.get(topic)
        if subscribers:
            self._send(subscribers.values(), topic, protocol.encode(Publish(topic=topic, msg=message)))

    def publish_world(self) -> None:
        """Publish the state of the world, if it has changed, and messages that throttling has delayed."""
        self.publish_motions()
        self._update_description()
        if self.world.changes != self._published_at:
            self._published_at = self.world.changes
            if self.world.time < self.world.sent_until:
                # A reset has set the simulated time back.
                self.world.sent_until = -inf
            for topic, source in self.topics.items():
                if source.make is not None and not source.latched and self._subscribers.get(topic):
                    message = source.make(self.world)
                    if message is not None:
                        self.publish(topic, message)
            self.world.sent_until = self.world.time
        for session in list(self.sessions.values()):
            session.send_due()

    def _update_description(self) -> None:
        """Publish latched topics again if objects were added or removed."""
        if self._described is self.world.names:
            return
        self._described = self.world.names
        self._latched.clear()
        for topic, source in self.topics.items():
            if source.latched:
                for session in list(self._subscribers[topic].values()):
                    session.send_first(topic)

    def replace_world(self, world: ServedWorld) -> None:
        """Serve another world, such as a changed version of the same one; common joints keep their positions."""
        old = self.world
        world.paused, world.speed, world.changes = old.paused, old.speed, old.changes + 1
        free = {joint.name for joint in world.robot.free_joints}
        world.place({name: value for name, value in old.positions.items() if name in free})
        for motion in old.motions.forget("the robot was changed"):
            self.publish("/motions", motion.as_message())
        self.world = world
        self.topics = {**TOPICS, **sensor_topics(world)}
        self.types.update((name, topic.ros_type) for name, topic in self.topics.items())
        self._update_description()

    def _send(self, subscribers: Iterable["ClientSession"], topic: str, text: bytes) -> None:
        for session in list(subscribers):
            session.send(topic, text)

    # Motions

    def add_listener(self, listener: Callable[[ClientMotion], None]) -> None:
        """Call a function with every motion whose state has changed."""
        self._listeners.append(listener)

    def remove_listener(self, listener: Callable[[ClientMotion], None]) -> None:
        """Stop calling a function."""
        self._listeners.remove(listener)

    def publish_motions(self) -> None:
        """Publish the motions whose state has changed."""
        for motion in self.world.take_changed_motions():
            self.publish("/motions", motion.as_message())
            if motion.state == "started":
                self._send_to_robot(motion)
            for listener in list(self._listeners):
                listener(motion)

    def _send_to_robot(self, motion: ClientMotion) -> None:
        """Send the trajectory of a motion to a real robot that follows the simulation."""
        if self.feedback.settings.mode == "follow" and isinstance(motion.event.action, FollowPath):
            path = motion.event.action.path
            self.publish("/robot/joint_trajectory", trajectory_message(path, self.world.names, self.world.time))

    # Services

    async def call(self, caller: Caller, name: str, args: bytes | msgspec.Raw) -> Reply:
        """Call a service and return its reply; raise :class:`ProtocolError` with the reason if it refuses."""
        name = f"/{name.removeprefix('/')}"
        before = self.world.time
        with self._record_refusal(caller, name, args):
            service = self._find_service(name)
            if len(args) < _LARGE:
                with self.turn(caller):
                    request = request_of(service, args)
            else:
                request = await self._run_step(caller, lambda: request_of(service, args))
            with self.turn(caller):
                answer = service.run(self.world, caller, request)
            reply = await self._finish_steps(caller, answer) if isinstance(answer, Generator) else answer
        with self.turn(caller):
            self._finish_call(caller, name, request, before)
        return reply

    async def _finish_steps(self, caller: Caller, steps: Steps[Reply]) -> Reply:
        """Run the steps of a request, the slow ones off the event loop, and return its reply."""
        value: Any = None
        while True:
            with self.turn(caller):
                try:
                    step = steps.send(value)
                except StopIteration as end:
                    reply: Reply = end.value
                    return reply
            value = await self._run_step(caller, step)

    @contextmanager
    def _record_refusal(self, caller: Caller, name: str, args: bytes | msgspec.Raw) -> Iterator[None]:
        """Turn errors into refusals, and record those of services that change the world."""
        try:
            yield
        except Exception as error:
            reason = self.explain(name, error)
            service = self.services.get(name)
            if service is not None and service.changes:
                self._record_message(Sent(self.world.time, caller.name, name, msgspec.Raw(bytes(args)), refused=reason))
            raise ProtocolError(reason) from None

    def explain(self, request: str, error: Exception) -> str:
        """Return the reason of a refusal for the client; log errors of the server, which affect no other client."""
        if isinstance(error, ProtocolError):
            return error.reason
        if isinstance(error, RckError):
            return str(error)
        reason = f"internal error in {request}: {type(error).__name__}: {error}"
        _log.error("%s", reason, exc_info=bool(os.environ.get("RCK_DEBUG")))
        return reason

    def warn_all(self, text: str) -> None:
        """Send a status to all clients."""
        for session in list(self.sessions.values()):
            session.send_status("error", text)

    def _find_service(self, name: str) -> Service:
        service = self.services.get(name)
        if service is None:
            raise ProtocolError(
                f"there is no service {name}{did_you_mean(name, self.services)}; /rosapi/services lists all"
            )
        return service

    def _finish_call(self, caller: Caller, name: str, request: Request, before: float) -> None:
        if self._record is not None and self.services[name].changes:
            # A reset sets the clock back: record it at the time before.
            time = before if name == "/reset" else self.world.time
            self._record_message(Sent(time, caller.name, name, msgspec.Raw(msgspec.json.encode(request))))
        self._update_description()
        self.publish_motions()

    # Lock-step and real robots

    def may_step(self, now: float) -> bool:
        """Return True if the world may step; in lock-step, only after registered clients have acknowledged the last."""
        if self.world.rests_sensors:
            switch_sensors(self.world, {topic for topic, subscribers in self._subscribers.items() if subscribers})
        verdict, _, late = self.lockstep.set(THE_WORLD, "step", b"null", now)
        self.publish_late(late)
        return verdict == "OK"

    def finish_step(self) -> None:
        """Pass the positions after a step to the coupling with a real robot."""
        if self.feedback.settings.mode != "off":
            self.feedback.add_simulated(self.world.time, self.world.positions)

    def _receive_measurement(self, message: msgspec.Raw) -> None:
        """Handle measured joint states of a real robot."""
        world = self.world
        try:
            state = msgspec.json.decode(message, type=JointState)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ProtocolError(f"not a sensor_msgs/JointState: {error}") from None
        if len(state.name) != len(state.position) or not state.name:
            raise ProtocolError("a joint state needs at least one name, and one position per name")
        try:
            positions = {world.names.joint(name): value for name, value in zip(state.name, state.position, strict=True)}
            new = self.feedback.add_measured(world.time, positions, world.positions)
            if new:
                world.place(new)
        except RckError as error:
            raise ProtocolError(str(error)) from None
        if self.feedback.deviation is not None:
            self.publish("/deviation", self.feedback.deviation.as_message())

    def publish_late(self, late: Iterable[LateClient]) -> None:
        """Publish clients that did not acknowledge in time."""
        for client in late:
            self.publish("/late_clients", {"client": client.client, "owner": client.owner, "message": str(client)})


def _publication(topic: str, message: object) -> bytes:
    return protocol.encode(Publish(topic=topic, msg=protocol.raw(message)))
