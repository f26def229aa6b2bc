"""Throttling and queues of subscriptions. Callers pass the current time, in seconds."""

from collections import deque
from dataclasses import dataclass, field

from rck.control.memory_quota import MemoryQuota
from rck.control.protocol import Id, Subscribe, Unsubscribe


@dataclass(frozen=True, slots=True)
class SubscriptionOptions:
    """Combined options of all subscriptions of a client to a topic."""

    throttle: float = 0.0
    """Shortest time between two messages, in seconds."""
    queue_length: int = 0
    fragment_size: int | None = None
    compression: str = "none"


@dataclass(slots=True)
class TopicFeed:
    """The subscriptions of one client to one topic, and the queue of messages."""

    topic: str
    longest_queue: int
    """Upper limit of the queue length that clients request."""
    quota: MemoryQuota = field(default_factory=MemoryQuota)
    """Memory of the client, which queued messages use."""
    options: SubscriptionOptions = field(default_factory=SubscriptionOptions)
    _subscriptions: dict[Id, Subscribe] = field(default_factory=dict)
    _queue: deque[bytes] = field(default_factory=deque)
    _sent_at: float = float("-inf")

    def subscribe(self, message: Subscribe) -> None:
        """Add a subscription, or replace the one with the same id."""
        self._subscriptions[message.id] = message
        self._combine_options()

    def unsubscribe(self, message: Unsubscribe) -> bool:
        """End the subscription with that id, or all without an id; return True if there was any."""
        if message.id is None:
            known = bool(self._subscriptions)
            self._subscriptions.clear()
        else:
            known = self._subscriptions.pop(message.id, None) is not None
        self._combine_options()
        return known

    def has(self, message: Subscribe) -> bool:
        """Return True if there is a subscription with the same id."""
        return message.id in self._subscriptions

    @property
    def count(self) -> int:
        """Number of subscriptions."""
        return len(self._subscriptions)

    def offer(self, text: bytes, now: float) -> bytes | None:
        """Add a message; return the one to send now, if any. A full queue drops its oldest message."""
        if not self._queue and now - self._sent_at >= self.options.throttle:
            self._sent_at = now
            return text
        # Without a queue, only the newest message waits.
        length = max(1, self.options.queue_length)
        while self._queue and (len(self._queue) >= length or not self.quota.has_room(len(text))):
            self._take()
        if self.quota.has_room(len(text)):
            self._queue.append(text)
            self.quota.add(len(text))
        return self.due(now)

    def due(self, now: float) -> bytes | None:
        """Return the queued message to send now, if any."""
        if not self._queue or now - self._sent_at < self.options.throttle:
            return None
        self._sent_at = now
        return self._take()

    def _take(self) -> bytes:
        text = self._queue.popleft()
        self.quota.add(-len(text))
        return text

    def _combine_options(self) -> None:
        """Use the lowest throttle and fragment size and the longest queue, as the protocol specifies."""
        subscriptions = list(self._subscriptions.values())
        if not subscriptions:
            while self._queue:
                self._take()
            return
        sizes = [each.fragment_size for each in subscriptions if each.fragment_size is not None]
        compressed = all(each.compression == "png" for each in subscriptions)
        self.options = SubscriptionOptions(
            min(each.throttle_rate or 0 for each in subscriptions) / 1000.0,
            min(self.longest_queue, max(each.queue_length or 0 for each in subscriptions)),
            min(sizes, default=None),
            "png" if compressed else "none",
        )
