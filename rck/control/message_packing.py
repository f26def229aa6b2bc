"""Fragmentation and PNG compression of large messages."""

from base64 import b64encode
from collections import OrderedDict
from math import ceil, isqrt

import numpy as np

from rck.control.memory_quota import MemoryQuota
from rck.control.protocol import Fragment, Id, Png, ProtocolError, encode
from rck.rendering.image_file import png_bytes

MOST_FRAGMENTS = 1000
"""Largest number of fragments of one message."""
_OVERHEAD = 100
"""Memory of a fragment besides its data, in bytes."""


def split(text: bytes, size: int, about: Id) -> list[bytes]:
    """Return a message as fragments of at most `size` characters each; unchanged if it is short enough.

    Raise :class:`ProtocolError` if there would be too many.
    """
    # Fragments carry text, so split between characters, not bytes.
    characters = text.decode()
    if len(characters) <= size:
        return [text]
    if len(characters) > MOST_FRAGMENTS * size:
        raise ProtocolError(
            f"a message of {len(characters)} characters needs more than {MOST_FRAGMENTS} fragments; "
            f"use a fragment_size of at least {ceil(len(characters) / MOST_FRAGMENTS)}",
            about,
        )
    parts = [characters[start : start + size] for start in range(0, len(characters), size)]
    return [encode(Fragment(id=about, data=part, num=number, total=len(parts))) for number, part in enumerate(parts)]


def compress(text: bytes) -> bytes:
    """Return a PNG message whose pixels are the bytes of a message, row by row, padded with newlines."""
    pixels = ceil(len(text) / 3)
    width = max(1, isqrt(pixels))
    height = max(1, ceil(pixels / width))
    padded = text.ljust(3 * width * height, b"\n")
    pixel_rows = np.frombuffer(padded, np.uint8).reshape(height, width, 3)
    return encode(Png(data=b64encode(png_bytes(pixel_rows)).decode()))


def pack(text: bytes, compression: str | None, fragment_size: int | None, about: Id) -> list[bytes]:
    """Return a message compressed and split as a client has requested."""
    whole = compress(text) if compression == "png" else text
    return [whole] if fragment_size is None else split(whole, fragment_size, about)


class FragmentJoiner:
    """Joins the fragments of one client, within limits for their size and number."""

    def __init__(self, max_bytes: int, max_messages: int = 8, quota: MemoryQuota | None = None) -> None:
        self._max_bytes = max_bytes
        self._max_messages = max_messages
        self._quota = quota or MemoryQuota()
        self._fragments: OrderedDict[Id, dict[int, bytes]] = OrderedDict()
        self._totals: dict[Id, int] = {}
        self._waiting = 0

    def add(self, fragment: Fragment) -> bytes | None:
        """Add a fragment; return the message if it is complete. Raise :class:`ProtocolError` for an invalid one."""
        about = fragment.id
        if fragment.total > MOST_FRAGMENTS:
            raise ProtocolError(f"fragment: total is {fragment.total}; the limit is {MOST_FRAGMENTS}", about)
        fragments = self._fragments.setdefault(about, {})
        total = self._totals.setdefault(about, fragment.total)
        if total != fragment.total:
            self._forget(about)
            raise ProtocolError(f"fragment: total changed from {total} to {fragment.total}", about)
        data = fragment.data.encode(errors="replace")
        self._count(_size(data) - (_size(fragments[fragment.num]) if fragment.num in fragments else 0))
        fragments[fragment.num] = data
        if self._waiting > self._max_bytes or not self._quota.has_room(0):
            self._forget(about)
            raise ProtocolError(
                f"fragment: more than {self._max_bytes} bytes in incomplete messages; message dropped", about
            )
        if len(fragments) == total:
            self._forget(about)
            return b"".join(fragments[number] for number in range(total))
        while len(self._fragments) > self._max_messages:
            oldest = next(iter(self._fragments))
            self._forget(oldest)
        return None

    def _count(self, size: int) -> None:
        self._waiting += size
        self._quota.add(size)

    def _forget(self, about: Id) -> None:
        self._count(-sum(map(_size, self._fragments.pop(about, {}).values())))
        self._totals.pop(about, None)


def _size(data: bytes) -> int:
    return len(data) + _OVERHEAD
