"""Fragmentation and PNG compression of large messages."""

from base64 import b64encode
from collections import OrderedDict
from math import ceil, isqrt

import numpy as np

from rck.control.protocol import Fragment, Id, Png, ProtocolError, encode
from rck.rendering.image_file import png_bytes


def split(text: bytes, size: int, about: Id) -> list[bytes]:
    """Return a message as fragments of at most `size` characters each; unchanged if it is short enough."""
    # Fragments carry text, so split between characters, not bytes.
    characters = text.decode()
    if len(characters) <= size:
        return [text]
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
    """Joins the fragments of one client, within limits for their size and number of messages."""

    def __init__(self, max_characters: int, max_messages: int = 8) -> None:
        self._max_characters = max_characters
        self._max_messages = max_messages
        self._fragments: OrderedDict[Id, dict[int, str]] = OrderedDict()
        self._totals: dict[Id, int] = {}
        self._waiting = 0

    def add(self, fragment: Fragment) -> bytes | None:
        """Add a fragment; return the message if it is complete. Raise :class:`ProtocolError` for an invalid one."""
        about = fragment.id
        fragments = self._fragments.setdefault(about, {})
        total = self._totals.setdefault(about, fragment.total)
        if total != fragment.total:
            self._forget(about)
            raise ProtocolError(f"fragment: total changed from {total} to {fragment.total}", about)
        self._waiting += len(fragment.data) - len(fragments.get(fragment.num, ""))
        fragments[fragment.num] = fragment.data
        if self._waiting > self._max_characters:
            self._forget(about)
            raise ProtocolError(
                f"fragment: more than {self._max_characters} characters in incomplete messages; message dropped", about
            )
        if len(fragments) == total:
            self._forget(about)
            return "".join(fragments[number] for number in range(total)).encode(errors="replace")
        while len(self._fragments) > self._max_messages:
            oldest = next(iter(self._fragments))
            self._forget(oldest)
        return None

    def _forget(self, about: Id) -> None:
        self._waiting -= sum(map(len, self._fragments.pop(about, {}).values()))
        self._totals.pop(about, None)
