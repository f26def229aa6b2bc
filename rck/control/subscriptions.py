"""What a client wants of a topic, and when it is time to send it. Time is given, in seconds, never asked for."""

from collections import deque
from dataclasses import dataclass, field

from rck.control.protocol import Id, Subscribe, Unsubscribe


@dataclass(frozen=True, slots=True)
class Wishes:
    """How messages of a topic are to be sent: what all subscriptions of a client to it come to."""

    throttle: float = 0.0
    """The least time between two messages, in seconds."""
    queue_length: int = 0
    fragment_size: int | None = None
    compression: str = "none"


@dataclass(slots=True)
class TopicFeed:
    """The subscriptions of one client to one topic, and what waits to be sent to it."""

    topic: str
    longest_queue: int
    """However much the client asks for."""
    wishes: Wishes = field(default_factory=Wishes)
    _subscriptions: dict[Id, Subscribe] = field(default_factory=dict)
    _waiting: deque[bytes] = field(default_factory=deque)
    _sent_at: float = float("-inf")

    def subscribe(self, message: Subscribe) -> None:
        """Add a subscription, or replace the one with the same id."""
        self._subscriptions[message.id] = message
        self._settle()

    def unsubscribe(self, message: Unsubscribe) -> bool:
        """End the subscription with that id, or all of them without one; whether there was any."""
        if message.id is None:
            known = bool(self._subscriptions)
            self._subscriptions.clear()
        else:
            known = self._subscriptions.pop(message.id, None) is not None
        self._settle()
        return known

    @property
    def wanted(self) -> bool:
        """Whether any subscription is left."""
        return bool(self._subscriptions)

    def offer(self, text: bytes, now: float) -> bytes | None:
        """A new message: what is to be sent now. What the throttle holds back waits, the oldest giving way."""
        if not self._waiting and now - self._sent_at >= self.wishes.throttle:
            self._sent_at = now
            return text
        # Without a queue, the newest message alone waits for its turn.
        while len(self._waiting) >= max(1, self.wishes.queue_length):
            self._waiting.popleft()
        self._waiting.append(text)
        return self.due(now)

    def due(self, now: float) -> bytes | None:
        """What has waited and is to be sent now."""
        if not self._waiting or now - self._sent_at < self.wishes.throttle:
            return None
        self._sent_at = now
        return self._waiting.popleft()

    def _settle(self) -> None:
        """The lowest throttle and fragment size, the longest queue, as the protocol has it."""
        asked = list(self._subscriptions.values())
        if not asked:
            self._waiting.clear()
            return
        sizes = [one.fragment_size for one in asked if one.fragment_size is not None]
        pictures = all(one.compression == "png" for one in asked)
        self.wishes = Wishes(
            min(one.throttle_rate or 0 for one in asked) / 1000.0,
            min(self.longest_queue, max(one.queue_length or 0 for one in asked)),
            min(sizes, default=None),
            "png" if pictures else "none",
        )
