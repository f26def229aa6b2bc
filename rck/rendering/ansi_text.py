"""Terminal cells as text with escape codes, in 16, 256 or 16 million colours, or none."""

from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache

from rck.rendering.palette import SIXTEEN, Rgb
from rck.rendering.terminal_cells import Cells, runs

_RESET = "\x1b[0m"
# The 256 colours after the first sixteen: a cube of six levels, then 24 greys (ECMA-48 terminals since xterm).
_LEVELS = (0, 95, 135, 175, 215, 255)
_GREYS = tuple(range(8, 239, 10))
_SATURATION = 1.7


class ColourDepth(IntEnum):
    """The number of colours of a terminal."""

    NONE = 0
    SIXTEEN = 16
    MANY = 256
    FULL = 1 << 24


def colour_depth(environment: Mapping[str, str], is_terminal: bool) -> ColourDepth:
    """Return the number of colours according to the environment; a non-empty NO_COLOR disables colours."""
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
    """Return the cells as lines of text with escape codes; each line ends with a reset to the default colours."""
    lines = []
    for row in runs(cells):
        parts = []
        style: tuple[str, str] = ("", "")
        for text, foreground, background in row:
            new_style = _code(foreground, depth, False), _code(background, depth, True)
            if new_style != style:
                needs_reset = any(old and not new for old, new in zip(style, new_style, strict=True))
                previous = ("", "") if needs_reset else style
                codes = [new for old, new in zip(previous, new_style, strict=True) if new and new != old]
                parts.append((_RESET if needs_reset else "") + (f"\x1b[{';'.join(codes)}m" if codes else ""))
                style = new_style
            parts.append(text)
        lines.append("".join(parts) + (_RESET if style != ("", "") else ""))
    return "".join(f"{line}\n" for line in lines)


def _code(colour: int, depth: ColourDepth, background: bool) -> str:
    """Return the escape parameters of a colour; empty for the terminal's default colour."""
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
    """Return the perceived difference of two colours: a distance weighted by their mean red."""
    red = (a[0] + b[0]) / 2
    dr, dg, db = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return (2 + red / 256) * dr * dr + 4 * dg * dg + (2 + (255 - red) / 256) * db * db


@lru_cache(maxsize=1 << 16)
def nearest_of_sixteen(colour: int) -> int:
    """Return the index, 0 to 15, of the colour closest to a more saturated 0xrrggbb.

    Without the added saturation, most shaded colours would become grey.
    """
    channels = _channels(colour)
    if channels in SIXTEEN:
        return SIXTEEN.index(channels)
    grey = sum(channels) / 3
    red, green, blue = (min(max(round(grey + _SATURATION * (value - grey)), 0), 255) for value in channels)
    saturated = (red, green, blue)
    return min(range(16), key=lambda number: _difference(SIXTEEN[number], saturated))


@lru_cache(maxsize=1 << 16)
def nearest_of_256(colour: int) -> int:
    """Return the index, 16 to 255, of the colour closest to 0xrrggbb; users redefine the first 16 colours."""
    channels = _channels(colour)
    red, green, blue = (_nearest(value, _LEVELS) for value in channels)
    grey = _nearest(sum(channels) / 3, _GREYS)
    in_cube = (_LEVELS[red], _LEVELS[green], _LEVELS[blue])
    in_greys = (_GREYS[grey],) * 3
    if _difference(in_greys, channels) < _difference(in_cube, channels):
        return 232 + grey
    return 16 + 36 * red + 6 * green + blue


def _nearest(value: float, levels: tuple[int, ...]) -> int:
    """Return the index of the level closest to the value."""
    return min(range(len(levels)), key=lambda index: abs(levels[index] - value))
