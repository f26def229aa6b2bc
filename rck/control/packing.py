"""Messages in pieces, and messages as pictures: what the protocol does with those that are large."""

from base64 import b64encode
from collections import OrderedDict
from math import ceil, isqrt

import numpy as np

from rck.control.protocol import Fragment, Id, Png, Refused, encode
from rck.render.image_file import png_bytes


def split(text: bytes, size: int, about: Id) -> list[bytes]:
    """A message in fragments of at most `size` characters of its text; itself where it is no longer than that."""
    # Fragments carry text: a piece must not end inside a character.
    characters = text.decode()
    if len(characters) <= size:
        return [text]
    pieces = [characters[start : start + size] for start in range(0, len(characters), size)]
    return [
        encode(Fragment(id=about, data=piece, num=number, total=len(pieces))) for number, piece in enumerate(pieces)
    ]


def as_picture(text: bytes) -> bytes:
    """A message whose bytes are the pixels of a PNG picture, row by row, filled up with newlines."""
    pixels = ceil(len(text) / 3)
    width = max(1, isqrt(pixels))
    height = max(1, ceil(pixels / width))
    padded = text.ljust(3 * width * height, b"\n")
    picture = np.frombuffer(padded, np.uint8).reshape(height, width, 3)
    return encode(Png(data=b64encode(png_bytes(picture)).decode()))


def packed(text: bytes, compression: str | None, fragment_size: int | None, about: Id) -> list[bytes]:
    """A message as a client asked for it."""
    whole = as_picture(text) if compression == "png" else text
    return [whole] if fragment_size is None else split(whole, fragment_size, about)


class Joiner:
    """Puts the fragments of one client together again. It keeps no more than it was told it may."""

    def __init__(self, most_bytes: int, most_messages: int = 8) -> None:
        self._most_bytes = most_bytes
        self._most_messages = most_messages
        self._pieces: OrderedDict[Id, dict[int, str]] = OrderedDict()
        self._totals: dict[Id, int] = {}
        self._waiting = 0

    def add(self, fragment: Fragment) -> bytes | None:
        """The whole message when this was the last piece of it; :class:`Refused` where it cannot become one."""
        about = fragment.id
        pieces = self._pieces.setdefault(about, {})
        total = self._totals.setdefault(about, fragment.total)
        if total != fragment.total:
            self._forget(about)
            raise Refused(f"fragment: the message had {total} pieces before, now {fragment.total}", about)
        self._waiting += len(fragment.data) - len(pieces.get(fragment.num, ""))
        pieces[fragment.num] = fragment.data
        if self._waiting > self._most_bytes:
            self._forget(about)
            raise Refused(f"fragments of more than {self._most_bytes} characters are waiting; they are dropped", about)
        if len(pieces) == total:
            self._forget(about)
            return "".join(pieces[number] for number in range(total)).encode(errors="replace")
        while len(self._pieces) > self._most_messages:
            oldest = next(iter(self._pieces))
            self._forget(oldest)
        return None

    def _forget(self, about: Id) -> None:
        self._waiting -= sum(map(len, self._pieces.pop(about, {}).values()))
        self._totals.pop(about, None)
