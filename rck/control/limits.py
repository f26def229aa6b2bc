"""How much a server takes from its clients before it says no."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that keep one client from harming the others."""

    clients: int = 128
    message_bytes: int = 1 << 20
    """The longest message."""
    messages_a_second: float = 2000.0
    """Of one client; one that sends more is read more slowly."""
    queue: int = 1000
    """The most messages that a throttled subscription keeps."""
    subscriptions: int = 200
    """The most topics that one client subscribes to or advertises."""
    goals: int = 100
    """The most action goals of one client that are under way."""
    backlog_bytes: int = 1 << 18
    """What a client may have left unread before topics pass it over."""
    most_backlog_bytes: int = 1 << 23
    """What a client may have left unread before it is dropped."""
    patience: float = 5.0
    """How long a client may stay behind before it is dropped, in seconds."""
    ping: float = 10.0
    """How often, in seconds, a silent client is asked whether it is still there; one that does not answer as long is
    dropped."""
