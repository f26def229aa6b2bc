"""Rich text that several widgets draw: shortened names, bar plots, and images in terminal cells."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from rich.color import Color
from rich.style import Style
from rich.text import Text

from rck.geometry.arrays import Floats
from rck.rendering.terminal_cells import Cells, runs

_BARS = " ▁▂▃▄▅▆▇█"


def shorten_name(name: str, width: int) -> str:
    """Shorten a name to `width` characters by cutting the middle; of `part/joint`, the joint is kept if it fits."""
    if len(name) <= width:
        return name
    end = len(name) - name.rfind("/") if "/" in name else width // 2
    end = min(end, width - 1)
    return f"{name[: width - 1 - end]}…{name[len(name) - end :]}"


def bars(values: Floats | Sequence[float], width: int) -> str:
    """Draw values as bars, scaled between their minimum and maximum; more values than `width` are sampled."""
    numbers = np.asarray(values, dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) == 0 or width < 1:
        return ""
    if len(numbers) > width:
        numbers = numbers[np.linspace(0, len(numbers) - 1, width).round().astype(int)]
    low, high = float(numbers.min()), float(numbers.max())
    if high - low < 1e-12:
        return _BARS[1] * len(numbers)
    heights = np.round((numbers - low) / (high - low) * (len(_BARS) - 2)).astype(int) + 1
    return "".join(_BARS[height] for height in heights)


def plot_line(name: str, values: Sequence[float], current: str, width: int) -> Text:
    """Draw one line: a name, the values as bars, and the current value."""
    room = max(4, width - 15 - len(current) - 1)
    line = Text(f"{shorten_name(name, 14):<14} ", "dim", no_wrap=True)
    return line.append(f"{bars(values, room):>{room}} ", "cyan").append(current)


def cell_lines(cells: Cells) -> list[Text]:
    """Return the rows of an image drawn in cells."""
    lines = []
    for row in runs(cells):
        line = Text(no_wrap=True, end="")
        for characters, front, back in row:
            line.append(characters, cell_style(front, back))
        lines.append(line)
    return lines


@lru_cache(maxsize=50_000)
def cell_style(front: int, back: int) -> Style:
    """Return the style for two colours 0xrrggbb; negative for the terminal's default colour."""
    return Style(color=_colour(front), bgcolor=_colour(back))


def _colour(number: int) -> Color | None:
    return None if number < 0 else Color.from_rgb(number >> 16, number >> 8 & 255, number & 255)
