"""Limit of the memory that the server keeps for one client."""

MEMORY = 1 << 23
"""Default limit, in bytes."""


class MemoryQuota:
    """Bytes that wait for one client: queued messages, fragments and shared values."""

    def __init__(self, limit: int = MEMORY) -> None:
        self.limit = limit
        self.used = 0

    def has_room(self, size: int) -> bool:
        """Return True if more bytes fit."""
        return self.used + size <= self.limit

    def add(self, size: int) -> None:
        """Count more bytes; a negative size frees them."""
        self.used += size
