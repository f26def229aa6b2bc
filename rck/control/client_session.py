"""Session of one client: its subscriptions, its action goals and the handling of its messages."""

from collections.abc import Callable
from time import monotonic
from typing import Any

import msgspec

from rck.control.client_motions import ClientMotion
from rck.control.hub import Hub
from rck.control.memory_quota import MemoryQuota
from rck.control.message_packing import FragmentJoiner, pack
from rck.control.messages import JointTrajectory
from rck.control.protocol import (
    LEVELS,
    NOTHING,
    ActionFeedback,
    ActionResult,
    Advertise,
    CallService,
    CancelActionGoal,
    Fragment,
    FromClient,
    Id,
    Level,
    ProtocolError,
    Publish,
    SendActionGoal,
    ServiceResponse,
    SetLevel,
    Status,
    Subscribe,
    Unadvertise,
    Unsubscribe,
    decode,
    encode,
    raw,
    refusal,
)
from rck.control.services import Caller, Reply
from rck.control.subscriptions import TopicFeed
from rck.control.topics import MEASURED
from rck.support.finding import RckError

SUCCEEDED, CANCELLED, ABORTED = 4, 5, 6
"""Constants of action_msgs/GoalStatus."""


class ClientSession:
    """A client of the hub. `send` takes a message and whether it may be dropped if the client reads too slowly."""

    def __init__(self, hub: Hub, name: str, send: Callable[[bytes, bool], None], address: str = "") -> None:
        self.hub = hub
        self._address = address
        """URL below which the client downloads files."""
        self.caller = Caller(name)
        self.level: Level = "error"
        self._send = send
        self._feeds: dict[str, TopicFeed] = {}
        self._advertised: set[str] = set()
        self._quota = MemoryQuota(hub.limits.client_bytes)
        self._joiner = FragmentJoiner(hub.limits.message_bytes, quota=self._quota)
        self._goals: dict[Id, tuple[SendActionGoal, int]] = {}
        self._listening = False
        hub.join(self)

    def close(self) -> None:
        """End the session of a disconnected client."""
        self._goals.clear()
        self._update_listening()
        self.hub.leave(self)

    async def receive(self, text: bytes) -> None:
        """Handle a message of the client; answer an invalid one with a status."""
        try:
            with self.hub.turn(self.caller):
                message = decode(text)
            await self._handle(message)
        except ProtocolError as error:
            self.send_status(error.level, error.reason, error.about)
        except Exception as error:
            self.send_status("error", self.hub.explain("a message", error))

    def send_status(self, level: Level, text: str, about: Id = None) -> None:
        """Send a status to the client if its level is high enough."""
        if LEVELS[level] >= LEVELS[self.level]:
            self._send(encode(refusal(ProtocolError(text, about, level))), False)

    def send(self, topic: str, text: bytes) -> None:
        """Send a message of a topic, or queue it if the subscription is throttled."""
        feed = self._feeds[topic]
        due = feed.offer(text, monotonic())
        if due is not None:
            self._deliver(feed, due)

    def send_first(self, topic: str) -> None:
        """Send the message that new subscribers get at once."""
        first = self.hub.first_message(topic, self._address)
        if first is not None:
            self.send(topic, first)

    def send_due(self) -> None:
        """Send queued messages that throttling has delayed long enough."""
        for feed in self._feeds.values():
            due = feed.due(monotonic())
            if due is not None:
                self._deliver(feed, due)

    def _deliver(self, feed: TopicFeed, text: bytes) -> None:
        options = feed.options
        if options.compression == "none" and options.fragment_size is None:
            self._send(text, True)
            return
        try:
            fragments = pack(text, options.compression, options.fragment_size, feed.topic)
        except ProtocolError as error:
            self.send_status(error.level, error.reason, error.about)
            return
        for fragment in fragments:
            self._send(fragment, True)

    async def _handle(self, message: FromClient) -> None:
        try:
            if isinstance(message, CallService):
                await self._call(message)
            elif isinstance(message, SendActionGoal):
                await self._start_goal(message)
            elif isinstance(message, Fragment):
                whole = self._joiner.add(message)
                if whole is not None:
                    await self._handle_joined(whole)
            elif isinstance(message, Publish) and message.topic == "/joint_trajectory":
                await self._start_trajectory(message)
            else:
                with self.hub.turn(self.caller):
                    self._handle_unanswered(message)
        except ProtocolError as error:
            raise ProtocolError(error.reason, message.id if error.about is None else error.about, error.level) from None

    async def _handle_joined(self, whole: bytes) -> None:
        inner = decode(whole)
        if isinstance(inner, Fragment):
            raise ProtocolError("fragments must not contain a fragment message")
        await self._handle(inner)

    def _handle_unanswered(self, message: FromClient) -> None:
        """Handle a message that gets no answer."""
        if isinstance(message, Publish):
            self._publish(message)
        elif isinstance(message, Subscribe):
            self._subscribe(message)
        elif isinstance(message, Unsubscribe):
            self._unsubscribe(message)
        elif isinstance(message, Advertise):
            self._check_topic_count(message.topic)
            self.hub.advertise(self, message.topic, message.type)
            self._advertised.add(message.topic)
        elif isinstance(message, Unadvertise):
            if message.topic not in self._advertised:
                raise ProtocolError(f"this client does not advertise {message.topic}", level="warning")
            self._advertised.remove(message.topic)
            self.hub.unadvertise(self, message.topic)
        elif isinstance(message, SetLevel):
            self.level = message.level
        elif isinstance(message, CancelActionGoal):
            self._cancel(message)
        else:
            assert isinstance(message, Status), "a status of a client is ignored"

    def _check_topic_count(self, topic: str) -> None:
        if len(self._feeds.keys() | self._advertised | {topic}) > self.hub.limits.subscriptions:
            raise ProtocolError(f"too many topics; the limit per client is {self.hub.limits.subscriptions}")

    def _subscribe(self, message: Subscribe) -> None:
        self._check_topic_count(message.topic)
        feed = self._feeds.get(message.topic) or TopicFeed(message.topic, self.hub.limits.queue, self._quota)
        if not feed.has(message) and sum(each.count for each in self._feeds.values()) >= self.hub.limits.subscriptions:
            raise ProtocolError(f"too many subscriptions; the limit per client is {self.hub.limits.subscriptions}")
        self.hub.subscribe(self, message.topic, message.type)
        self._feeds[message.topic] = feed
        feed.subscribe(message)
        self.send_first(message.topic)

    def _unsubscribe(self, message: Unsubscribe) -> None:
        feed = self._feeds.get(message.topic)
        if feed is None or not feed.unsubscribe(message):
            raise ProtocolError(f"this client does not subscribe to {message.topic}", level="warning")
        if not feed.count:
            del self._feeds[message.topic]
            self.hub.unsubscribe(self, message.topic)

    def _publish(self, message: Publish) -> None:
        if message.topic in self.hub.topics:
            raise ProtocolError(f"only the server publishes on {message.topic}")
        if message.topic not in self._advertised and message.topic != MEASURED:
            raise ProtocolError(f"topic {message.topic} is not advertised; send advertise first")
        self.hub.receive(self.caller, message.topic, message.msg)

    async def _start_trajectory(self, message: Publish) -> None:
        """Start a published trajectory; answer with a status that names the motion, or refuse it."""
        with self.hub.turn(self.caller):
            try:
                trajectory = msgspec.json.decode(message.msg, type=JointTrajectory)
            except (msgspec.DecodeError, RecursionError) as error:
                raise ProtocolError(f"not a trajectory_msgs/JointTrajectory: {error}") from None
            args = msgspec.json.encode({"trajectory": trajectory})
        reply = await self.hub.call(self.caller, "/follow_joint_trajectory", args)
        self.send_status("info", f"motion {reply['motion']} {reply['message']}".strip(), message.id)

    async def _call(self, message: CallService) -> None:
        try:
            values: Any = await self.hub.call(self.caller, message.service, message.args)
            result = True
        except ProtocolError as error:
            values, result = error.reason, False
        with self.hub.turn(self.caller):
            answer = ServiceResponse(id=message.id, service=message.service, result=result, values=raw(values))
            for fragment in pack(encode(answer), message.compression, message.fragment_size, message.id):
                self._send(fragment, False)

    # Goals: every service that starts a motion is also an action.

    async def _start_goal(self, goal: SendActionGoal) -> None:
        if goal.id is None or goal.id in self._goals:
            raise ProtocolError("a goal needs an id that is different from those of active goals")
        if len(self._goals) >= self.hub.limits.goals:
            raise ProtocolError(f"too many active goals; the limit per client is {self.hub.limits.goals}")
        try:
            reply = await self.hub.call(self.caller, goal.action, goal.args)
            if "motion" not in reply:
                raise ProtocolError(f"{goal.action} starts no motion; call it as a service")
        except ProtocolError as error:
            self._finish_goal(goal, {"success": False, "message": error.reason}, ABORTED)
            return
        # Without the arguments, which may be large.
        self._goals[goal.id] = msgspec.structs.replace(goal, args=NOTHING), reply["motion"]
        self._update_listening()
        if goal.feedback:
            values = raw({**reply, "state": "started", "progress": 0.0})
            self._send(encode(ActionFeedback(id=goal.id, action=goal.action, values=values)), False)

    def _cancel(self, message: CancelActionGoal) -> None:
        if message.id not in self._goals:
            raise ProtocolError(f"this client has no active goal {message.id!r}")
        try:
            self.hub.world.stop(self._goals[message.id][1], f"cancelled by {self.caller.name}")
        except RckError as error:
            raise ProtocolError(str(error)) from None
        self.hub.publish_motions()

    def _update_listening(self) -> None:
        """Listen to motions only while there are goals: of many clients, few have any."""
        if bool(self._goals) != self._listening:
            self._listening = not self._listening
            (self.hub.add_listener if self._listening else self.hub.remove_listener)(self._update_goals)

    def _update_goals(self, motion: ClientMotion) -> None:
        """Send feedback or results of the goals of a motion."""
        for about, (goal, number) in list(self._goals.items()):
            if number != motion.number:
                continue
            if motion.live:
                if goal.feedback:
                    values = raw(motion.as_message())
                    self._send(encode(ActionFeedback(id=about, action=goal.action, values=values)), True)
                continue
            del self._goals[about]
            self._update_listening()
            status = {"done": SUCCEEDED, "stopped": CANCELLED}.get(motion.state, ABORTED)
            self._finish_goal(goal, {"success": motion.state == "done", **motion.as_message()}, status)

    def _finish_goal(self, goal: SendActionGoal, values: Reply, status: int) -> None:
        done = status == SUCCEEDED
        # The fields of the result of control_msgs/FollowJointTrajectory.
        values = {**values, "error_code": 0 if done else -1, "error_string": values["message"]}
        answer = ActionResult(id=goal.id, action=goal.action, values=raw(values), status=status, result=done)
        for fragment in pack(encode(answer), goal.compression, goal.fragment_size, goal.id):
            self._send(fragment, False)
