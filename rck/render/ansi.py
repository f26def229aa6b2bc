"""Cells as text for a terminal, in as many colours as it has."""

from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache

from rck.render.cells import Cells, runs
from rck.render.palette import SIXTEEN, Rgb

_RESET = "\x1b[0m"
# The 256 colours after the first sixteen: a cube of six levels, then 24 greys (ECMA-48 terminals since xterm).
_LEVELS = (0, 95, 135, 175, 215, 255)
_GREYS = tuple(range(8, 239, 10))
_VIVID = 1.7


class ColourDepth(IntEnum):
    """How many colours a terminal has."""

    NONE = 0
    SIXTEEN = 16
    MANY = 256
    FULL = 1 << 24


def colour_depth(environment: Mapping[str, str], is_terminal: bool) -> ColourDepth:
    """What the environment says of the terminal's colours; NO_COLOR, set to anything, turns them off."""
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR") or term == "dumb":
        return ColourDepth.NONE
    if not is_terminal and not environment.get("FORCE_COLOR"):
        return ColourDepth.NONE
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ColourDepth.FULL
    if any(name in term for name in ("kitty", "ghostty", "wezterm", "foot", "alacritty", "direct")):
        return ColourDepth.FULL
    return ColourDepth.MANY if "256" in term else ColourDepth.SIXTEEN


def ansi_text(cells: Cells, depth: ColourDepth = ColourDepth.FULL) -> str:
    """The cells as lines of text with escape codes, each line ending in the terminal's own colours."""
    lines = []
    for row in runs(cells):
        parts = []
        style: tuple[str, str] = ("", "")
        for text, foreground, background in row:
            wanted = _code(foreground, depth, False), _code(background, depth, True)
            if wanted != style:
                lost = any(old and not new for old, new in zip(style, wanted, strict=True))
                before = ("", "") if lost else style
                fresh = [new for old, new in zip(before, wanted, strict=True) if new and new != old]
                parts.append((_RESET if lost else "") + (f"\x1b[{';'.join(fresh)}m" if fresh else ""))
                style = wanted
            parts.append(text)
        lines.append("".join(parts) + (_RESET if style != ("", "") else ""))
    return "".join(f"{line}\n" for line in lines)


def _code(colour: int, depth: ColourDepth, background: bool) -> str:
    """The parameters that choose a colour; none for the terminal's own."""
    if colour < 0 or depth is ColourDepth.NONE:
        return ""
    if depth is ColourDepth.SIXTEEN:
        number = nearest_of_sixteen(colour)
        return str((40 if background else 30) + number if number < 8 else (100 if background else 90) + number - 8)
    kind = 48 if background else 38
    if depth is ColourDepth.MANY:
        return f"{kind};5;{nearest_of_256(colour)}"
    red, green, blue = _channels(colour)
    return f"{kind};2;{red};{green};{blue}"


def _channels(colour: int) -> Rgb:
    return colour >> 16, colour >> 8 & 255, colour & 255


def _difference(a: Rgb, b: Rgb) -> float:
    """How unlike two colours look: a weighted distance that follows the mean of their reds."""
    red = (a[0] + b[0]) / 2
    dr, dg, db = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return (2 + red / 256) * dr * dr + 4 * dg * dg + (2 + (255 - red) / 256) * db * db


@lru_cache(maxsize=1 << 16)
def nearest_of_sixteen(colour: int) -> int:
    """The number, 0 to 15, of the colour that looks most like a more vivid 0xrrggbb.

    More vivid, because between pure colours and greys everything shaded would turn grey.
    """
    channels = _channels(colour)
    if channels in SIXTEEN:
        return SIXTEEN.index(channels)
    grey = sum(channels) / 3
    red, green, blue = (min(max(round(grey + _VIVID * (one - grey)), 0), 255) for one in channels)
    wanted = (red, green, blue)
    return min(range(16), key=lambda number: _difference(SIXTEEN[number], wanted))


@lru_cache(maxsize=1 << 16)
def nearest_of_256(colour: int) -> int:
    """The number, 16 to 255, of the colour that looks most like 0xrrggbb; the first 16 are the user's own."""
    wanted = _channels(colour)
    red, green, blue = (_nearest(value, _LEVELS) for value in wanted)
    grey = _nearest(sum(wanted) / 3, _GREYS)
    in_cube = (_LEVELS[red], _LEVELS[green], _LEVELS[blue])
    in_greys = (_GREYS[grey],) * 3
    if _difference(in_greys, wanted) < _difference(in_cube, wanted):
        return 232 + grey
    return 16 + 36 * red + 6 * green + blue


def _nearest(value: float, levels: tuple[int, ...]) -> int:
    """The place of the level that is nearest to the value."""
    return min(range(len(levels)), key=lambda place: abs(levels[place] - value))
