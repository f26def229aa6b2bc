"""Where clients and the world meet: who hears what, and what becomes of each message. No sockets here."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

import msgspec

from rck.control import protocol
from rck.control.dependence import THE_WORLD, Dependence, Late
from rck.control.feedback import Feedback
from rck.control.limits import Limits
from rck.control.messages import JointState, plain_type
from rck.control.motions import ClientMotion
from rck.control.protocol import Publish, Refused
from rck.control.recording import Sent
from rck.control.sensors import listen_only, sensor_topics
from rck.control.services import SERVICES, Caller, Reply, Request, Service, request_of
from rck.control.sharing import rosapi_services, sharing_services
from rck.control.topics import MEASURED, TAKEN, TOPICS, Topic
from rck.control.trajectories import trajectory_message
from rck.control.world import ServedWorld
from rck.model.finding import RckError
from rck.model.names import did_you_mean
from rck.simulation.events import FollowPath

if TYPE_CHECKING:
    from rck.control.session import Session

MOST_TOPICS = 1000
"""That clients may add to those of the world."""


class Hub:
    """A world and the sessions of its clients."""

    def __init__(
        self,
        world: ServedWorld,
        limits: Limits | None = None,
        dependence: Dependence | None = None,
        record: Callable[[Sent], None] | None = None,
    ) -> None:
        self.world = world
        self.limits = limits or Limits()
        self.dependence = dependence or Dependence()
        self.feedback = Feedback()
        self.sessions: dict[str, Session] = {}
        self.topics: dict[str, Topic] = {**TOPICS, **sensor_topics(world)}
        self.services: dict[str, Service] = {**SERVICES, **sharing_services(self), **rosapi_services(self)}
        self.types: dict[str, str] = {**{name: topic.ros_type for name, topic in self.topics.items()}, **TAKEN}
        """The type of every topic, those that clients advertise included."""
        self.dependence.set(THE_WORLD, "step", b"null", 0.0)
        self._record = record
        self._recorded: set[str] = set()
        """Clients of which something was recorded."""
        self._readers: defaultdict[str, dict[str, Session]] = defaultdict(dict)
        self._latched: dict[str, bytes] = {}
        self._listeners: list[Callable[[ClientMotion], None]] = []
        self._published_at = -1
        self._described = world.names

    # Clients

    def join(self, session: "Session") -> None:
        """A client has come."""
        self.sessions[session.caller.name] = session

    def leave(self, session: "Session") -> None:
        """A client has gone, in order or not."""
        name = session.caller.name
        if self.sessions.pop(name, None) is None:
            return
        for readers in self._readers.values():
            readers.pop(name, None)
        if name in self._recorded:
            self._recorded.remove(name)
            self._note(Sent(self.world.time, name, gone=True))
        self.part_from(session.caller)

    def part_from(self, caller: Caller) -> None:
        """Nobody waits for a client any more, and what it set going ends as it wished."""
        self.dependence.forget(caller.name)
        if caller.stop_on_disconnect:
            self.world.stop_all_of(caller.name, f"{caller.name} has gone")
        if caller.open_on_disconnect:
            self.world.open_all_of(caller.name)
        self.tell_motions()

    def _note(self, event: Sent) -> None:
        if self._record is not None:
            self._record(event)
            if not event.gone:
                self._recorded.add(event.client)

    def free_name(self, wanted: str) -> str:
        """A name for a new client that nobody has."""
        if wanted and wanted not in self.sessions and wanted != THE_WORLD:
            return wanted
        stem = wanted or "client"
        number = 1 if not wanted else 2
        while f"{stem}-{number}" in self.sessions:
            number += 1
        return f"{stem}-{number}"

    # Topics

    def subscribe(self, session: "Session", topic: str, ros_type: str | None) -> None:
        """A client wants a topic, which may not exist yet if the client says of which type it will be."""
        known = self.types.get(topic)
        if known is None:
            if not ros_type:
                raise Refused(f"there is no topic {topic}; say its type to wait for it")
            self._add_topic(topic, ros_type)
        elif ros_type and plain_type(ros_type) != known:
            raise Refused(f"topic {topic} is of type {known}, not {ros_type}")
        self._readers[topic][session.caller.name] = session

    def unsubscribe(self, session: "Session", topic: str) -> None:
        """A client wants it no longer."""
        self._readers[topic].pop(session.caller.name, None)

    def advertise(self, topic: str, ros_type: str) -> None:
        """A client will publish on a topic."""
        if topic in self.topics:
            raise Refused(f"topic {topic} is the world's own")
        known = self.types.get(topic)
        if known is None:
            self._add_topic(topic, ros_type)
        elif known != plain_type(ros_type):
            raise Refused(f"topic {topic} is of type {known}, not {ros_type}")

    def _add_topic(self, topic: str, ros_type: str) -> None:
        if not topic.startswith("/") or "/" not in plain_type(ros_type):
            raise Refused(f"a topic has a name such as /name and a type such as std_msgs/String: {topic} {ros_type}")
        if len(self.types) >= MOST_TOPICS:
            raise Refused(f"there are {MOST_TOPICS} topics already")
        self.types[topic] = plain_type(ros_type)

    def first_message(self, topic: str, address: str = "") -> bytes | None:
        """What somebody who has just subscribed, and fetches files below an address, is sent at once."""
        made = self.topics.get(topic)
        if made is None or made.make is None:
            return None
        if made.make_at is not None:
            return _publication(topic, made.make_at(self.world, address))
        if topic in self._latched:
            return self._latched[topic]
        message = made.make(self.world)
        if message is None:
            return None
        text = _publication(topic, message)
        if made.latched:
            self._latched[topic] = text
        return text

    def publish(self, topic: str, message: object) -> None:
        """Send a message to all who want it."""
        readers = self._readers.get(topic)
        if readers:
            self._send(readers.values(), topic, _publication(topic, message))

    def hear(self, caller: Caller, topic: str, message: msgspec.Raw) -> None:
        """A client publishes: where a real robot is, or whatever others subscribe to."""
        self._note(Sent(self.world.time, caller.name, topic=topic, msg=message))
        if topic == MEASURED:
            self._measured(message)
            return
        readers = self._readers.get(topic)
        if readers:
            self._send(readers.values(), topic, protocol.encode(Publish(topic=topic, msg=message)))

    def publish_world(self) -> None:
        """Send the world as it is now, if it has changed, to all who want it."""
        self.tell_motions()
        self._tell_objects()
        if self.world.changes != self._published_at:
            self._published_at = self.world.changes
            if self.world.time < self.world.sent_until:
                # Somebody went back in time.
                self.world.sent_until = -inf
            for topic, made in self.topics.items():
                if made.make is not None and not made.latched and self._readers.get(topic):
                    message = made.make(self.world)
                    if message is not None:
                        self.publish(topic, message)
            self.world.sent_until = self.world.time
        for session in list(self.sessions.values()):
            session.send_waiting()

    def _tell_objects(self) -> None:
        """Where objects have come or gone, send again what was sent once."""
        if self._described is self.world.names:
            return
        self._described = self.world.names
        self._latched.clear()
        for topic, made in self.topics.items():
            if made.latched:
                for session in list(self._readers[topic].values()):
                    session.offer_first(topic)

    def show(self, fresh: ServedWorld) -> None:
        """Serve another world from now on, such as the same one after a change; joints that both have stay put."""
        old = self.world
        fresh.paused, fresh.speed, fresh.changes = old.paused, old.speed, old.changes + 1
        free = {joint.name for joint in fresh.robot.free_joints}
        fresh.place({name: value for name, value in old.positions.items() if name in free})
        for motion in old.motions.forget("the robot was changed"):
            self.publish("/motions", motion.as_message())
        self.world = fresh
        self.topics = {**TOPICS, **sensor_topics(fresh)}
        self.types.update((name, topic.ros_type) for name, topic in self.topics.items())
        self._tell_objects()

    def _send(self, readers: Iterable["Session"], topic: str, text: bytes) -> None:
        for session in list(readers):
            session.offer(topic, text)

    # Motions

    def on_motion(self, listener: Callable[[ClientMotion], None]) -> None:
        """Have a function called with what becomes of motions."""
        self._listeners.append(listener)

    def off_motion(self, listener: Callable[[ClientMotion], None]) -> None:
        """No longer."""
        self._listeners.remove(listener)

    def tell_motions(self) -> None:
        """Tell everybody what became of motions."""
        for motion in self.world.news():
            self.publish("/motions", motion.as_message())
            if motion.state == "started":
                self._send_to_robot(motion)
            for listener in list(self._listeners):
                listener(motion)

    def _send_to_robot(self, motion: ClientMotion) -> None:
        """Let a robot that follows the simulation do what that does."""
        if self.feedback.settings.mode == "follow" and isinstance(motion.event, FollowPath):
            path = motion.event.path
            self.publish("/robot/joint_trajectory", trajectory_message(path, self.world.names, self.world.time))

    # Services

    async def call(self, caller: Caller, name: str, args: bytes | msgspec.Raw) -> Reply:
        """What a service answers; :class:`Refused` with the reason where it does not."""
        name = f"/{name.removeprefix('/')}"
        before = self.world.time
        with self._noting_refusal(caller, name, args):
            service, asked = self._asked(name, args)
            answer = service.run(self.world, caller, asked)
            reply = await answer if inspect.isawaitable(answer) else answer
        self._answered(caller, name, asked, before)
        return reply

    def call_now(self, caller: Caller, name: str, args: bytes) -> Reply:
        """The same for a service that answers at once."""
        before = self.world.time
        with self._noting_refusal(caller, name, args):
            service, asked = self._asked(name, args)
            reply = service.run(self.world, caller, asked)
        assert isinstance(reply, dict)
        self._answered(caller, name, asked, before)
        return reply

    @contextmanager
    def _noting_refusal(self, caller: Caller, name: str, args: bytes | msgspec.Raw) -> Iterator[None]:
        """Refuse what cannot be done, and record that."""
        try:
            yield
        except (RckError, Refused) as error:
            reason = error.reason if isinstance(error, Refused) else str(error)
            service = self.services.get(name)
            if service is not None and service.changes:
                self._note(Sent(self.world.time, caller.name, name, msgspec.Raw(bytes(args)), refused=reason))
            raise Refused(reason) from None

    def _asked(self, name: str, args: bytes | msgspec.Raw) -> tuple[Service, Request]:
        service = self.services.get(name)
        if service is None:
            raise Refused(f"there is no service {name}{did_you_mean(name, self.services)}; /rosapi/services lists all")
        return service, request_of(service, args)

    def _answered(self, caller: Caller, name: str, asked: Request, before: float) -> None:
        if self._record is not None and self.services[name].changes:
            # A reset sets the clock back; it belongs to the time before.
            time = before if name == "/reset" else self.world.time
            self._note(Sent(time, caller.name, name, msgspec.Raw(msgspec.json.encode(asked))))
        self._tell_objects()
        self.tell_motions()

    # What clients wait for, and what they measure

    def may_step(self, now: float) -> bool:
        """Whether simulated time may go on: in lock-step, only when all who depend on the world have seen it."""
        if self.world.rests_sensors:
            listen_only(self.world, {topic for topic, readers in self._readers.items() if readers})
        verdict, _, late = self.dependence.set(THE_WORLD, "step", b"null", now)
        self.tell_late(late)
        return verdict == "OK"

    def stepped(self) -> None:
        """Simulated time has gone on."""
        if self.feedback.settings.mode != "off":
            self.feedback.simulated(self.world.time, self.world.positions)

    def _measured(self, message: msgspec.Raw) -> None:
        """A real robot says where its joints are."""
        world = self.world
        try:
            state = msgspec.json.decode(message, type=JointState)
        except (msgspec.DecodeError, RecursionError) as error:
            raise Refused(f"this is no sensor_msgs/JointState: {error}") from None
        if len(state.name) != len(state.position) or not state.name:
            raise Refused("a joint state has one position for each name")
        try:
            positions = {world.names.joint(name): value for name, value in zip(state.name, state.position, strict=True)}
            taken = self.feedback.measured(world.time, positions, world.positions)
            if taken:
                world.place(taken)
        except RckError as error:
            raise Refused(str(error)) from None
        if self.feedback.deviation is not None:
            self.publish("/deviation", self.feedback.deviation.as_message())

    def tell_late(self, late: Iterable[Late]) -> None:
        """Tell everybody who was waited for in vain."""
        for one in late:
            self.publish("/late_clients", {"client": one.client, "owner": one.owner, "message": str(one)})


def _publication(topic: str, message: object) -> bytes:
    return protocol.encode(Publish(topic=topic, msg=protocol.raw(message)))
