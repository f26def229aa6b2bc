"""Messages of the rosbridge v2 protocol as typed structs, with decoding and encoding, without sockets.

A message is a JSON object with an operation `op`. Specification:
https://github.com/RobotWebTools/rosbridge_suite/blob/ros2/ROSBRIDGE_PROTOCOL.md
"""

from typing import Any, Literal, TypeAlias, get_args

import msgspec

from rck.support.requirements import Need, refuse_missing

Id: TypeAlias = str | int | None
"""The id that a client gives a message; answers repeat it."""
Level: TypeAlias = Literal["info", "warning", "error", "none"]

NOTHING = msgspec.Raw(b"null")
LONGEST_NAME = 256
"""Longest name of a topic, service, action or type, and longest id, in characters."""
LONGEST_REASON = 1000
"""Longest text of a status or refusal, in characters: reasons quote what clients send."""

LEVELS: dict[Level, int] = {"info": 1, "warning": 2, "error": 3, "none": 4}
"""Severity of each level; a client gets statuses of its own level and above."""


def refuse_without_websockets() -> None:
    """Refuse to go on without the package that transports the protocol."""
    refuse_missing("remote control", Need("websockets", "pip install 'rck[control]'"))


class ProtocolError(Exception):
    """An invalid or refused message, with the reason for its sender."""

    def __init__(self, reason: str, about: Id = None, level: Level = "error") -> None:
        super().__init__(reason)
        self.reason = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}..."
        self.about = about
        self.level: Level = level


class _Message(msgspec.Struct, tag_field="op", frozen=True, kw_only=True, omit_defaults=True):
    id: Id = None


class Advertise(_Message, frozen=True, kw_only=True, tag="advertise"):
    """Announce that the client will publish on a topic."""

    topic: str
    type: str


class Unadvertise(_Message, frozen=True, kw_only=True, tag="unadvertise"):
    """Announce that the client stops publishing on a topic."""

    topic: str


class Publish(_Message, frozen=True, kw_only=True, tag="publish"):
    """A message on a topic, in either direction."""

    topic: str
    msg: msgspec.Raw


class Subscribe(_Message, frozen=True, kw_only=True, tag="subscribe"):
    """Subscription to a topic."""

    topic: str
    type: str | None = None
    throttle_rate: int | float | None = None
    """Shortest time between two messages, in milliseconds."""
    queue_length: int | None = None
    """Number of messages to keep while throttled."""
    fragment_size: int | None = None
    """Largest message that is sent in one fragment, in characters."""
    compression: str | None = None


class Unsubscribe(_Message, frozen=True, kw_only=True, tag="unsubscribe"):
    """End of the subscription with this id; without an id, of all subscriptions to the topic."""

    topic: str


class CallService(_Message, frozen=True, kw_only=True, tag="call_service"):
    """Call of a service."""

    service: str
    args: msgspec.Raw = NOTHING
    type: str | None = None
    fragment_size: int | None = None
    compression: str | None = None
    timeout: float | None = None
    """Time limit of the client, in seconds."""


class ServiceResponse(_Message, frozen=True, kw_only=True, tag="service_response"):
    """Reply of a service; if `result` is false, `values` is the reason as a string."""

    service: str
    result: bool
    values: msgspec.Raw = NOTHING


class SendActionGoal(_Message, frozen=True, kw_only=True, tag="send_action_goal"):
    """Start of an action, which gets feedback, if requested, and one result."""

    action: str
    action_type: str = ""
    args: msgspec.Raw = NOTHING
    feedback: bool = False
    fragment_size: int | None = None
    compression: str | None = None


class CancelActionGoal(_Message, frozen=True, kw_only=True, tag="cancel_action_goal"):
    """Cancellation of an action."""

    action: str


class ActionFeedback(_Message, frozen=True, kw_only=True, tag="action_feedback"):
    """Progress of an action."""

    action: str
    values: msgspec.Raw


class ActionResult(_Message, frozen=True, kw_only=True, tag="action_result"):
    """Result of an action; `status` is that of action_msgs/GoalStatus."""

    action: str
    values: msgspec.Raw
    status: int
    result: bool


class Status(_Message, frozen=True, kw_only=True, tag="status"):
    """Status of the server about a message of the client."""

    level: Level
    msg: str


class SetLevel(_Message, frozen=True, kw_only=True, tag="set_level"):
    """Lowest level of statuses that the client gets."""

    level: Level


class Fragment(_Message, frozen=True, kw_only=True, tag="fragment"):
    """Fragment of a long message."""

    data: str
    num: int
    total: int


class Png(_Message, frozen=True, kw_only=True, tag="png"):
    """Message whose text is compressed as the pixels of a PNG image, in base64."""

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
"""Operations that clients may send."""

_NAMES = ("topic", "service", "action", "type", "action_type")

_from_client: msgspec.json.Decoder[FromClient] = msgspec.json.Decoder(FromClient)
_from_server: msgspec.json.Decoder[FromServer] = msgspec.json.Decoder(FromServer)
_encoder = msgspec.json.Encoder()


class _Envelope(msgspec.Struct, frozen=True):
    op: Any = None
    id: Any = None


_envelope = msgspec.json.Decoder(_Envelope)


def decode(text: bytes | str) -> FromClient:
    """Decode a message of a client; raise :class:`ProtocolError` if it is not valid."""
    try:
        message = _from_client.decode(text)
    except RecursionError:
        raise ProtocolError("the message is nested too deeply") from None
    except msgspec.ValidationError as error:
        raise _explain(text, error) from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ProtocolError(f"not JSON: {error}") from None
    return _check(message)


def decode_answer(text: bytes | str) -> FromServer:
    """Decode a message of a server."""
    try:
        return _from_server.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ProtocolError(f"the server sent a message that is not rosbridge: {error}") from None


def encode(message: FromServer | FromClient) -> bytes:
    """Encode a message as JSON in UTF-8."""
    return _encoder.encode(message)


def raw(value: object) -> msgspec.Raw:
    """Encode a value as JSON to be embedded in a message."""
    return msgspec.Raw(_encoder.encode(value))


def refusal(error: ProtocolError) -> Status:
    """Return the status about an invalid or refused message."""
    return Status(id=error.about, level=error.level, msg=error.reason)


def _explain(text: bytes | str, error: msgspec.ValidationError) -> ProtocolError:
    """Return the error for JSON that is not a message, with its id if it has one."""
    try:
        envelope = _envelope.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return ProtocolError(f"a message must be a JSON object with an `op`: {error}")
    about = envelope.id if isinstance(envelope.id, str | int) and not isinstance(envelope.id, bool) else None
    if not _is_short(about):
        about = None
    if not isinstance(envelope.op, str):
        return ProtocolError("a message must be a JSON object with an `op`, which is a string", about)
    if envelope.op not in CLIENT_OPERATIONS:
        known = ", ".join(CLIENT_OPERATIONS)
        return ProtocolError(f"unknown operation {envelope.op[:LONGEST_NAME]!r}; use one of {known}", about)
    return ProtocolError(f"{envelope.op}: {error}", about)


def _check(message: FromClient) -> FromClient:
    """Check the values that types cannot express; return the message."""
    if not _is_short(message.id):
        raise ProtocolError(f"id is too long; the limit is {LONGEST_NAME} characters, or 64 bits for a number")
    if isinstance(message, Subscribe):
        if not 0 <= (message.throttle_rate or 0) <= 1e9:
            raise ProtocolError("subscribe: throttle_rate must be a time in milliseconds from 0 to 1e9", message.id)
        if not 0 <= (message.queue_length or 0) <= 1_000_000:
            raise ProtocolError("subscribe: queue_length must be from 0 to 1000000", message.id)
    if isinstance(message, Subscribe | CallService | SendActionGoal):
        if message.compression not in (None, "none", "png"):
            raise ProtocolError(f"compression {message.compression!r} is not supported; use none or png", message.id)
        if message.fragment_size is not None and message.fragment_size < 16:
            raise ProtocolError("fragment_size must be at least 16 characters", message.id)
    if isinstance(message, Fragment) and not (message.id is not None and 0 <= message.num < message.total):
        raise ProtocolError("fragment: id is required, and num must be from 0 to total - 1", message.id)
    if any(len(getattr(message, field, "") or "") > LONGEST_NAME for field in _NAMES):
        raise ProtocolError(f"name is too long; the limit is {LONGEST_NAME} characters", message.id)
    return message


def _is_short(about: Id) -> bool:
    return len(about) <= LONGEST_NAME if isinstance(about, str) else about is None or abs(about) < 1 << 64
