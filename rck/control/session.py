"""One client: its subscriptions, its goals, and what is done with each of its messages."""

from collections.abc import Callable
from time import monotonic
from typing import Any

import msgspec

from rck.control.hub import Hub
from rck.control.messages import JointTrajectory
from rck.control.motions import ClientMotion
from rck.control.packing import Joiner, packed
from rck.control.protocol import (
    LEVELS,
    ActionFeedback,
    ActionResult,
    Advertise,
    CallService,
    CancelActionGoal,
    Fragment,
    FromClient,
    Id,
    Level,
    Publish,
    Refused,
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
from rck.model.finding import RckError

SUCCEEDED, CANCELLED, ABORTED = 4, 5, 6
"""As action_msgs/GoalStatus counts."""


class Session:
    """A client, as the hub sees it. `send` gets a message and whether it may be left out when the client is behind."""

    def __init__(self, hub: Hub, name: str, send: Callable[[bytes, bool], None], address: str = "") -> None:
        self.hub = hub
        self._address = address
        """Below which the client can fetch files."""
        self.caller = Caller(name)
        self.level: Level = "error"
        self._send = send
        self._feeds: dict[str, TopicFeed] = {}
        self._advertised: set[str] = set()
        self._joiner = Joiner(hub.limits.message_bytes)
        self._goals: dict[Id, tuple[SendActionGoal, int]] = {}
        self._listening = False
        hub.join(self)

    def close(self) -> None:
        """The client has gone."""
        self._goals.clear()
        self._listen()
        self.hub.leave(self)

    async def hear(self, text: bytes) -> None:
        """Do what a message asks for; whatever is wrong with it is told to the client."""
        try:
            await self._do(decode(text))
        except Refused as error:
            self.tell(error.level, error.reason, error.about)

    def tell(self, level: Level, text: str, about: Id = None) -> None:
        """Tell the client something, if it wants to be told such things."""
        if LEVELS[level] >= LEVELS[self.level]:
            self._send(encode(refusal(Refused(text, about, level))), False)

    def offer(self, topic: str, text: bytes) -> None:
        """A message of a topic that the client subscribes to."""
        feed = self._feeds[topic]
        due = feed.offer(text, monotonic())
        if due is not None:
            self._pass_on(feed, due)

    def offer_first(self, topic: str) -> None:
        """What those who have just subscribed are sent at once."""
        first = self.hub.first_message(topic, self._address)
        if first is not None:
            self.offer(topic, first)

    def send_waiting(self) -> None:
        """Send what throttles have held back for long enough."""
        for feed in self._feeds.values():
            due = feed.due(monotonic())
            if due is not None:
                self._pass_on(feed, due)

    def _pass_on(self, feed: TopicFeed, text: bytes) -> None:
        wishes = feed.wishes
        if wishes.compression == "none" and wishes.fragment_size is None:
            self._send(text, True)
            return
        for piece in packed(text, wishes.compression, wishes.fragment_size, feed.topic):
            self._send(piece, True)

    async def _do(self, message: FromClient) -> None:
        try:
            if isinstance(message, CallService):
                await self._call(message)
            elif isinstance(message, SendActionGoal):
                await self._begin_goal(message)
            elif isinstance(message, Fragment):
                whole = self._joiner.add(message)
                if whole is not None:
                    await self._joined(whole)
            else:
                self._arrange(message)
        except Refused as error:
            raise Refused(error.reason, message.id if error.about is None else error.about, error.level) from None

    async def _joined(self, whole: bytes) -> None:
        inner = decode(whole)
        if isinstance(inner, Fragment):
            raise Refused("a message in fragments is not itself a fragment")
        await self._do(inner)

    def _arrange(self, message: FromClient) -> None:
        """Do what needs no answer."""
        if isinstance(message, Publish):
            self._publish(message)
        elif isinstance(message, Subscribe):
            self._subscribe(message)
        elif isinstance(message, Unsubscribe):
            self._unsubscribe(message)
        elif isinstance(message, Advertise):
            self._room_for(message.topic)
            self.hub.advertise(message.topic, message.type)
            self._advertised.add(message.topic)
        elif isinstance(message, Unadvertise):
            if message.topic not in self._advertised:
                raise Refused(f"you do not advertise {message.topic}", level="warning")
            self._advertised.remove(message.topic)
        elif isinstance(message, SetLevel):
            self.level = message.level
        elif isinstance(message, CancelActionGoal):
            self._cancel(message)
        else:
            assert isinstance(message, Status), "clients may say what they like; nobody answers"

    def _room_for(self, topic: str) -> None:
        if len(self._feeds.keys() | self._advertised | {topic}) > self.hub.limits.subscriptions:
            raise Refused(f"a client subscribes to or advertises at most {self.hub.limits.subscriptions} topics")

    def _subscribe(self, message: Subscribe) -> None:
        self._room_for(message.topic)
        self.hub.subscribe(self, message.topic, message.type)
        feed = self._feeds.setdefault(message.topic, TopicFeed(message.topic, self.hub.limits.queue))
        feed.subscribe(message)
        self.offer_first(message.topic)

    def _unsubscribe(self, message: Unsubscribe) -> None:
        feed = self._feeds.get(message.topic)
        if feed is None or not feed.unsubscribe(message):
            raise Refused(f"you do not subscribe to {message.topic}", level="warning")
        if not feed.wanted:
            del self._feeds[message.topic]
            self.hub.unsubscribe(self, message.topic)

    def _publish(self, message: Publish) -> None:
        if message.topic == "/joint_trajectory":
            self._trajectory(message)
        elif message.topic in self.hub.topics:
            raise Refused(f"topic {message.topic} is the world's own")
        elif message.topic not in self._advertised and message.topic != MEASURED:
            raise Refused(f"advertise {message.topic} before publishing on it")
        else:
            self.hub.hear(self.caller, message.topic, message.msg)

    def _trajectory(self, message: Publish) -> None:
        """A trajectory on a topic is a command: taken with a note, or refused with an error."""
        try:
            trajectory = msgspec.json.decode(message.msg, type=JointTrajectory)
        except (msgspec.DecodeError, RecursionError) as error:
            raise Refused(f"this is no trajectory_msgs/JointTrajectory: {error}") from None
        args = msgspec.json.encode({"trajectory": trajectory})
        reply = self.hub.call_now(self.caller, "/follow_joint_trajectory", args)
        self.tell("info", f"motion {reply['motion']} {reply['message']}".strip(), message.id)

    async def _call(self, message: CallService) -> None:
        try:
            values: Any = await self.hub.call(self.caller, message.service, message.args)
            result = True
        except Refused as error:
            values, result = error.reason, False
        answer = ServiceResponse(id=message.id, service=message.service, result=result, values=raw(values))
        for piece in packed(encode(answer), message.compression, message.fragment_size, message.id):
            self._send(piece, False)

    # Goals: any service that sets a motion going can be called as an action.

    async def _begin_goal(self, goal: SendActionGoal) -> None:
        if goal.id is None or goal.id in self._goals:
            raise Refused("a goal needs an id that no other goal of yours has")
        if len(self._goals) >= self.hub.limits.goals:
            raise Refused(f"a client has at most {self.hub.limits.goals} goals at a time")
        try:
            reply = await self.hub.call(self.caller, goal.action, goal.args)
            if "motion" not in reply:
                raise Refused(f"{goal.action} sets nothing going; call it as a service")
        except Refused as error:
            self._finish_goal(goal, {"success": False, "message": error.reason}, ABORTED)
            return
        self._goals[goal.id] = goal, reply["motion"]
        self._listen()
        if goal.feedback:
            values = raw({**reply, "state": "started", "progress": 0.0})
            self._send(encode(ActionFeedback(id=goal.id, action=goal.action, values=values)), False)

    def _cancel(self, message: CancelActionGoal) -> None:
        if message.id not in self._goals:
            raise Refused(f"you have no goal {message.id!r} under way")
        try:
            self.hub.world.stop(self._goals[message.id][1], f"cancelled by {self.caller.name}")
        except RckError as error:
            raise Refused(str(error)) from None
        self.hub.tell_motions()

    def _listen(self) -> None:
        """Listen to what becomes of motions while there is a goal: with many clients, few have one."""
        if bool(self._goals) != self._listening:
            self._listening = not self._listening
            (self.hub.on_motion if self._listening else self.hub.off_motion)(self._motion_told)

    def _motion_told(self, motion: ClientMotion) -> None:
        for about, (goal, number) in list(self._goals.items()):
            if number != motion.number:
                continue
            if motion.live:
                if goal.feedback:
                    values = raw(motion.as_message())
                    self._send(encode(ActionFeedback(id=about, action=goal.action, values=values)), True)
                continue
            del self._goals[about]
            self._listen()
            status = {"done": SUCCEEDED, "stopped": CANCELLED}.get(motion.state, ABORTED)
            self._finish_goal(goal, {"success": motion.state == "done", **motion.as_message()}, status)

    def _finish_goal(self, goal: SendActionGoal, values: Reply, status: int) -> None:
        done = status == SUCCEEDED
        # As control_msgs/FollowJointTrajectory has it.
        values = {**values, "error_code": 0 if done else -1, "error_string": values["message"]}
        answer = ActionResult(id=goal.id, action=goal.action, values=raw(values), status=status, result=done)
        for piece in packed(encode(answer), goal.compression, goal.fragment_size, goal.id):
            self._send(piece, False)
