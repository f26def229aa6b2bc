"""Lines of small bars: how joints moved and what sensors said, the newest on the right."""

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from rck.editor.short_names import shortened
from rck.geometry.arrays import Floats

_BARS = " ▁▂▃▄▅▆▇█"


def bars(values: Floats | Sequence[float], width: int) -> str:
    """The last so many values as bars between their least and their greatest."""
    numbers = np.asarray(values, dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) == 0 or width < 1:
        return ""
    if len(numbers) > width:
        # The last of each stretch, so that the right end is now.
        numbers = numbers[np.linspace(0, len(numbers) - 1, width).round().astype(int)]
    low, high = float(numbers.min()), float(numbers.max())
    if high - low < 1e-12:
        return _BARS[1] * len(numbers)
    heights = np.round((numbers - low) / (high - low) * (len(_BARS) - 2)).astype(int) + 1
    return "".join(_BARS[height] for height in heights)


def plot_line(name: str, values: Sequence[float], shown: str, width: int) -> Text:
    """A name, the bars, and the value now."""
    room = max(4, width - 15 - len(shown) - 1)
    line = Text(f"{shortened(name, 14):<14} ", "dim").append(f"{bars(values, room):>{room}} ", "cyan").append(shown)
    line.no_wrap = True
    return line
