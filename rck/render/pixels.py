"""Pixels in terminals that can show them: the Kitty graphics protocol and Sixel, as strings to be printed."""

import re
import zlib
from base64 import b64encode
from collections.abc import Mapping
from enum import Enum

import numpy as np

from rck.render.canvas import Bytes
from rck.render.quantise import common_palette, in_palette

_CHUNK = 4096
"""Characters in one Kitty command, at most."""


class Protocol(str, Enum):
    """How a terminal takes pixels."""

    KITTY = "kitty"
    SIXEL = "sixel"
    NONE = "none"
    """It does not: draw in cells."""


QUERY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"
"""Asks a terminal what it can do: whether it knows Kitty graphics, and then, what every terminal answers, its kind."""

_KITTY_YES = re.compile(r"\x1b_Gi=31;OK\x1b\\")
_ATTRIBUTES = re.compile(r"\x1b\[\?([0-9;]*)c")


def detect(environment: Mapping[str, str], replies: str = "") -> Protocol:
    """What the terminal can do, by its answers to :data:`QUERY`; without any, by its environment variables.

    Inside tmux and screen only answers count, for these pass variables on but not pictures.
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
    """A picture of shape (height, width, 3) in the Kitty graphics protocol, shown at the cursor, which stays.

    It is stretched to so many columns and rows of cells where these are given. With a number, it takes the
    place of the picture that had that number before.
    """
    height, width = rgb.shape[:2]
    if height == 0 or width == 0:
        return ""
    keys = {"a": "T", "f": 24, "s": width, "v": height, "o": "z", "q": 2, "C": 1}
    keys |= {name: value for name, value in (("c", columns), ("r", rows), ("i", number)) if value}
    if number:
        keys["p"] = 1
    payload = b64encode(zlib.compress(np.ascontiguousarray(rgb).tobytes(), 1)).decode("ascii")
    pieces = [payload[start : start + _CHUNK] for start in range(0, len(payload), _CHUNK)]
    head = ",".join(f"{name}={value}" for name, value in keys.items())
    commands = []
    for index, piece in enumerate(pieces):
        more = f"m={int(index < len(pieces) - 1)}"
        commands.append(f"\x1b_G{f'{head},{more}' if index == 0 else more};{piece}\x1b\\")
    return "".join(commands)


def kitty_clear(number: int) -> str:
    """Takes the picture of that number away."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def sixel_text(rgb: Bytes) -> str:
    """A picture of shape (height, width, 3) in Sixel, at the cursor."""
    from rck.kernels.encode import encode_sixels

    height, width = rgb.shape[:2]
    if height == 0 or width == 0:
        return ""
    palette = common_palette([rgb])
    pixels = in_palette(rgb, palette)
    bands = -(-height // 6)
    stream = np.empty(7 * bands * 6 * width + 10 * 256 * bands + 16, np.uint8)
    content = stream[: encode_sixels(pixels, stream)].tobytes().decode("ascii")
    # Sixel counts colours in hundredths.
    shares = np.round(palette * (100 / 255)).astype(int).tolist()
    table = "".join(f"#{number};2;{red};{green};{blue}" for number, (red, green, blue) in enumerate(shares))
    return f'\x1bP0;1q"1;1;{width};{height}{table}{content}\x1b\\'
