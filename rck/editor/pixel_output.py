"""Pixels over cells: writing a picture to a terminal that can show one, at the place of a widget."""

import fcntl
import struct
import sys
import termios
from typing import Any

from textual.geometry import Region

from rck.render.pixels import Protocol, kitty_clear, kitty_text, sixel_text

_USUAL_CELL = (8, 16)
"""Pixels of a cell where the terminal does not tell."""


def cell_size() -> tuple[int, int]:
    """Width and height of a terminal cell in pixels."""
    try:
        answer = fcntl.ioctl(sys.__stdout__.fileno() if sys.__stdout__ else 1, termios.TIOCGWINSZ, b"\0" * 8)
        rows, columns, width, height = struct.unpack("HHHH", answer)
    except (OSError, ValueError):
        return _USUAL_CELL
    if not rows or not columns or not width or not height:
        return _USUAL_CELL
    return max(1, width // columns), max(1, height // rows)


def overlay(protocol: Protocol, rgb: Any, region: Region, number: int) -> str:
    """What shows the picture over the cells of a region; the cursor comes back to where it was."""
    if protocol is Protocol.KITTY:
        picture = kitty_text(rgb, columns=region.width, rows=region.height, number=number)
    else:
        picture = sixel_text(rgb)
    return f"\x1b7\x1b[{region.y + 1};{region.x + 1}H{picture}\x1b8"


def withdraw(protocol: Protocol, number: int) -> str:
    """What takes the picture away; in Sixel it goes when cells are written over it."""
    return kitty_clear(number) if protocol is Protocol.KITTY else ""
