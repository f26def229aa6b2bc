"""Images in terminals that support them, through the Kitty graphics protocol or Sixel."""

import fcntl
import re
import struct
import sys
import termios
import zlib
from base64 import b64encode
from collections.abc import Mapping
from enum import Enum

import numpy as np

from rck.kernels.image_encoding import encode_sixels
from rck.rendering.canvas import Bytes
from rck.rendering.colour_quantisation import common_palette, in_palette

_CHUNK = 4096
"""Maximum number of characters in one Kitty command."""
_DEFAULT_CELL = (8, 16)
"""Size of a cell in pixels if the terminal does not report it."""


class Protocol(str, Enum):
    """The graphics protocol of a terminal."""

    KITTY = "kitty"
    SIXEL = "sixel"
    NONE = "none"
    """No graphics: draw in cells."""


QUERY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"
"""Query for Kitty graphics, then for the device attributes, which every terminal answers."""

_KITTY_YES = re.compile(r"\x1b_Gi=31;OK\x1b\\")
_ATTRIBUTES = re.compile(r"\x1b\[\?([0-9;]*)c")


def detect(environment: Mapping[str, str], replies: str = "") -> Protocol:
    """Return the protocol of the terminal from its replies to :data:`QUERY`, or else from environment variables.

    Inside tmux and screen only replies count: these pass variables on, but not images.
    """
    if _KITTY_YES.search(replies):
        return Protocol.KITTY
    attributes = _ATTRIBUTES.search(replies)
    if attributes is not None:
        return Protocol.SIXEL if "4" in attributes[1].split(";")[1:] else Protocol.NONE
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if "TMUX" in environment or term.startswith(("screen", "tmux")):
        return Protocol.NONE
    if "KITTY_WINDOW_ID" in environment or term in ("xterm-kitty", "xterm-ghostty") or program == "ghostty":
        return Protocol.KITTY
    if program in ("WezTerm", "mintty") or term.startswith(("foot", "mlterm", "yaft")) or "sixel" in term:
        return Protocol.SIXEL
    return Protocol.NONE


def kitty_text(rgb: Bytes, *, columns: int = 0, rows: int = 0, number: int = 0) -> str:
    """Encode an image of shape (height, width, 3) in the Kitty protocol, shown at the cursor, which does not move.

    The image is scaled to `columns` and `rows` of cells if these are not 0. With a number, it replaces the image that
    had the same number.
    """
    height, width = rgb.shape[:2]
    if height == 0 or width == 0:
        return ""
    keys = {"a": "T", "f": 24, "s": width, "v": height, "o": "z", "q": 2, "C": 1}
    keys |= {name: value for name, value in (("c", columns), ("r", rows), ("i", number)) if value}
    if number:
        keys["p"] = 1
    payload = b64encode(zlib.compress(np.ascontiguousarray(rgb).tobytes(), 1)).decode("ascii")
    chunks = [payload[start : start + _CHUNK] for start in range(0, len(payload), _CHUNK)]
    head = ",".join(f"{name}={value}" for name, value in keys.items())
    commands = []
    for index, chunk in enumerate(chunks):
        more = f"m={int(index < len(chunks) - 1)}"
        commands.append(f"\x1b_G{f'{head},{more}' if index == 0 else more};{chunk}\x1b\\")
    return "".join(commands)


def kitty_clear(number: int) -> str:
    """Return the text that removes the image with a number."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def sixel_text(rgb: Bytes) -> str:
    """Encode an image of shape (height, width, 3) in Sixel, shown at the cursor."""
    height, width = rgb.shape[:2]
    if height == 0 or width == 0:
        return ""
    palette = common_palette([rgb])
    pixels = in_palette(rgb, palette)
    bands = -(-height // 6)
    stream = np.empty(7 * bands * 6 * width + 10 * 256 * bands + 16, np.uint8)
    content = stream[: encode_sixels(pixels, stream)].tobytes().decode("ascii")
    # Sixel channels are percentages.
    shares = np.round(palette * (100 / 255)).astype(int).tolist()
    table = "".join(f"#{number};2;{red};{green};{blue}" for number, (red, green, blue) in enumerate(shares))
    return f'\x1bP0;1q"1;1;{width};{height}{table}{content}\x1b\\'


def cell_size() -> tuple[int, int]:
    """Return the width and height of a terminal cell in pixels."""
    try:
        reply = fcntl.ioctl(sys.__stdout__.fileno() if sys.__stdout__ else 1, termios.TIOCGWINSZ, b"\0" * 8)
        rows, columns, width, height = struct.unpack("HHHH", reply)
    except (OSError, ValueError):
        return _DEFAULT_CELL
    if not rows or not columns or not width or not height:
        return _DEFAULT_CELL
    return max(1, width // columns), max(1, height // rows)


def overlay(protocol: Protocol, rgb: Bytes, place: tuple[int, int], size: tuple[int, int], number: int) -> str:
    """Return the text that shows an image over cells, and leaves the cursor where it is.

    `place` is the column and row of the first cell, from 0; `size` is in cells.
    """
    columns, rows = size
    if protocol is Protocol.KITTY:
        image = kitty_text(rgb, columns=columns, rows=rows, number=number)
    else:
        image = sixel_text(rgb)
    return f"\x1b7\x1b[{place[1] + 1};{place[0] + 1}H{image}\x1b8"


def clear_overlay(protocol: Protocol, number: int) -> str:
    """Return the text that removes an image; a Sixel image is removed by writing over its cells."""
    return kitty_clear(number) if protocol is Protocol.KITTY else ""
