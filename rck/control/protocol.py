"""The rosbridge v2 protocol: what clients and server say to each other, as typed values.

A message is a JSON object whose `op` says what it is. Nothing here reads or writes a socket. The protocol is that of
https://github.com/RobotWebTools/rosbridge_suite/blob/ros2/ROSBRIDGE_PROTOCOL.md
"""

from typing import Any, Literal, TypeAlias, get_args

import msgspec

Id: TypeAlias = str | int | None
"""What a client calls an interaction; answers carry it."""
Level: TypeAlias = Literal["info", "warning", "error", "none"]

NOTHING = msgspec.Raw(b"null")
LONGEST_NAME = 256
"""Of topics, services and actions, in characters."""

LEVELS: dict[Level, int] = {"info": 1, "warning": 2, "error": 3, "none": 4}
"""How serious each level is; a client hears of those that are not below its own."""


class Refused(Exception):
    """A message that is not taken, with what its sender is told."""

    def __init__(self, reason: str, about: Id = None, level: Level = "error") -> None:
        super().__init__(reason)
        self.reason = reason
        self.about = about
        self.level: Level = level


class _Message(msgspec.Struct, tag_field="op", frozen=True, kw_only=True, omit_defaults=True):
    id: Id = None


class Advertise(_Message, frozen=True, kw_only=True, tag="advertise"):
    """The client will publish on a topic."""

    topic: str
    type: str


class Unadvertise(_Message, frozen=True, kw_only=True, tag="unadvertise"):
    """The client publishes on a topic no longer."""

    topic: str


class Publish(_Message, frozen=True, kw_only=True, tag="publish"):
    """A message on a topic, either way."""

    topic: str
    msg: msgspec.Raw


class Subscribe(_Message, frozen=True, kw_only=True, tag="subscribe"):
    """The client wants the messages of a topic."""

    topic: str
    type: str | None = None
    throttle_rate: int | float | None = None
    """The least time between two messages, in milliseconds."""
    queue_length: int | None = None
    """How many messages that the throttle holds back are kept."""
    fragment_size: int | None = None
    """The largest message that is sent in one piece, in characters."""
    compression: str | None = None


class Unsubscribe(_Message, frozen=True, kw_only=True, tag="unsubscribe"):
    """The client wants them no longer; with an id, only that subscription ends."""

    topic: str


class CallService(_Message, frozen=True, kw_only=True, tag="call_service"):
    """A question, or a command, that gets one answer."""

    service: str
    args: msgspec.Raw = NOTHING
    type: str | None = None
    fragment_size: int | None = None
    compression: str | None = None
    timeout: float | None = None
    """How long the client waits, in seconds."""


class ServiceResponse(_Message, frozen=True, kw_only=True, tag="service_response"):
    """The answer; where `result` is false, `values` is a text that says why."""

    service: str
    result: bool
    values: msgspec.Raw = NOTHING


class SendActionGoal(_Message, frozen=True, kw_only=True, tag="send_action_goal"):
    """A command that takes its time: it gets feedback, if wanted, and one result."""

    action: str
    action_type: str = ""
    args: msgspec.Raw = NOTHING
    feedback: bool = False
    fragment_size: int | None = None
    compression: str | None = None


class CancelActionGoal(_Message, frozen=True, kw_only=True, tag="cancel_action_goal"):
    """Stop what such a command does."""

    action: str


class ActionFeedback(_Message, frozen=True, kw_only=True, tag="action_feedback"):
    """How far it has come."""

    action: str
    values: msgspec.Raw


class ActionResult(_Message, frozen=True, kw_only=True, tag="action_result"):
    """What became of it; `status` is that of action_msgs/GoalStatus."""

    action: str
    values: msgspec.Raw
    status: int
    result: bool


class Status(_Message, frozen=True, kw_only=True, tag="status"):
    """What the server thinks of something that the client said."""

    level: Level
    msg: str


class SetLevel(_Message, frozen=True, kw_only=True, tag="set_level"):
    """From which level on the client wants to be told."""

    level: Level


class Fragment(_Message, frozen=True, kw_only=True, tag="fragment"):
    """A piece of a message that is too long for one."""

    data: str
    num: int
    total: int


class Png(_Message, frozen=True, kw_only=True, tag="png"):
    """A message whose text is the pixels of a picture, in base64."""

    data: str
    num: int | None = None
    total: int | None = None


FromClient: TypeAlias = (
    Advertise
    | Unadvertise
    | Publish
    | Subscribe
    | Unsubscribe
    | CallService
    | SendActionGoal
    | CancelActionGoal
    | Status
    | SetLevel
    | Fragment
)
FromServer: TypeAlias = Publish | ServiceResponse | ActionFeedback | ActionResult | Status | Fragment | Png

CLIENT_OPERATIONS = tuple(sorted(str(kind.__struct_config__.tag) for kind in get_args(FromClient)))
"""The operations that a client may ask for."""

_from_client: msgspec.json.Decoder[FromClient] = msgspec.json.Decoder(FromClient)
_from_server: msgspec.json.Decoder[FromServer] = msgspec.json.Decoder(FromServer)
_encoder = msgspec.json.Encoder()


class _Envelope(msgspec.Struct, frozen=True):
    op: Any = None
    id: Any = None


_envelope = msgspec.json.Decoder(_Envelope)


def decode(text: bytes | str) -> FromClient:
    """What a client says; :class:`Refused` where that is no message of this protocol."""
    try:
        message = _from_client.decode(text)
    except RecursionError:
        raise Refused("the message is nested too deeply") from None
    except msgspec.ValidationError as error:
        raise _refusal(text, error) from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise Refused(f"this is not JSON: {error}") from None
    return _checked(message)


def decode_answer(text: bytes | str) -> FromServer:
    """What a server says, for clients."""
    try:
        return _from_server.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused(f"the server does not speak rosbridge: {error}") from None


def encode(message: FromServer | FromClient) -> bytes:
    """The message as JSON, in UTF-8."""
    return _encoder.encode(message)


def raw(value: object) -> msgspec.Raw:
    """A value as JSON, to be put into a message."""
    return msgspec.Raw(_encoder.encode(value))


def refusal(error: Refused) -> Status:
    """What the client is told of a message that was not taken."""
    return Status(id=error.about, level=error.level, msg=error.reason)


def _refusal(text: bytes | str, error: msgspec.ValidationError) -> Refused:
    """What was wrong with JSON that is no message, with the id where it has one."""
    try:
        envelope = _envelope.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return Refused(f"a message is a JSON object with an `op`: {error}")
    about = envelope.id if isinstance(envelope.id, str | int) and not isinstance(envelope.id, bool) else None
    if not isinstance(envelope.op, str):
        return Refused("a message is a JSON object with an `op`, a text", about)
    if envelope.op not in CLIENT_OPERATIONS:
        known = ", ".join(CLIENT_OPERATIONS)
        return Refused(f"there is no operation {envelope.op[:LONGEST_NAME]!r} here; known: {known}", about)
    return Refused(f"{envelope.op}: {error}", about)


def _checked(message: FromClient) -> FromClient:
    """The message, if the values that types cannot express are sound."""
    if isinstance(message, Subscribe):
        if not 0 <= (message.throttle_rate or 0) <= 1e9:
            raise Refused("subscribe: throttle_rate is a time from zero on, in milliseconds", message.id)
        if not 0 <= (message.queue_length or 0) <= 1_000_000:
            raise Refused("subscribe: queue_length is a number from zero on", message.id)
    if isinstance(message, Subscribe | CallService | SendActionGoal):
        if message.compression not in (None, "none", "png"):
            raise Refused(f"compression {message.compression!r} is not offered; use none or png", message.id)
        if message.fragment_size is not None and message.fragment_size < 16:
            raise Refused("fragment_size is a number of characters, at least 16", message.id)
    if isinstance(message, Fragment) and not (message.id is not None and 0 <= message.num < message.total):
        raise Refused("fragment: needs an id, and num counts from zero to below total", message.id)
    if any(len(getattr(message, field, "")) > LONGEST_NAME for field in ("topic", "service", "action")):
        raise Refused(f"a name has at most {LONGEST_NAME} characters", message.id)
    return message
