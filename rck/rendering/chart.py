"""Charts: curves over time, in terminal cells or as an image."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np

from rck.geometry.arrays import Floats
from rck.rendering.canvas import Bytes
from rck.rendering.palette import Rgb
from rck.rendering.terminal_cells import BRAILLE, BRAILLE_DOTS

INKS: tuple[Rgb, ...] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (213, 94, 0),
    (204, 121, 167),
    (150, 150, 255),
    (200, 200, 200),
)
"""Colours that are also distinguishable with colour blindness (Okabe and Ito 2008)."""
PAPER, GRID, TEXT = (24, 26, 30), (60, 64, 72), (210, 212, 216)

_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 12, 26, 20
"""Margins for the scales, in pixels."""
# A font of three by five pixels: five rows, each an octal digit.
_LETTERS = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71122",
    "8": "75757", "9": "75717", "A": "25755", "B": "65656", "C": "34443", "D": "65556", "E": "74647", "F": "74644",
    "G": "34553", "H": "55755", "I": "72227", "J": "11152", "K": "55655", "L": "44447", "M": "57755", "N": "65555",
    "O": "25552", "P": "65644", "Q": "25573", "R": "65655", "S": "34216", "T": "72222", "U": "55557", "V": "55552",
    "W": "55775", "X": "55255", "Y": "55222", "Z": "71247", "-": "00700", "+": "02720", ".": "00002", ",": "00024",
    ":": "02020", "/": "11244", "[": "64446", "]": "31113", "(": "24442", ")": "21112", "_": "00007", "°": "25200",
    "|": "22222", "%": "51245", "=": "07070", "#": "57575",
}  # fmt: skip
_LETTER_SCALE = 2


@dataclass(frozen=True, eq=False, slots=True)
class ChartSeries:
    """Values over time."""

    name: str
    times: Floats
    """Times in seconds. Shape (N,)."""
    values: Floats
    """Values, of which only finite ones are drawn. Shape (N,)."""


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """Curves with a common scale."""

    title: str
    """Name of the quantity, and its unit."""
    curves: tuple[ChartSeries, ...]

    @property
    def span(self) -> tuple[float, float, float, float]:
        """First and last time, and lowest and highest value with a margin."""
        times = np.concatenate([curve.times for curve in self.curves] or [np.zeros(1)])
        values = np.concatenate([curve.values for curve in self.curves] or [np.zeros(1)])
        values = values[np.isfinite(values)] if np.isfinite(values).any() else np.zeros(1)
        low, high = float(values.min()), float(values.max())
        room = 0.05 * (high - low) or 0.5 * max(abs(high), 1.0)
        first, last = float(times.min(initial=0.0)), float(times.max(initial=0.0))
        return first, max(last, first + 1e-9), low - room, high + room


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two values, in steps of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / max(most, 1)
    power = 10.0 ** floor(log10(raw))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= raw)
    first = np.ceil(low / step)
    return [round(float(first + number) * step, 12) for number in range(int((high - first * step) / step) + 1)]


def chart_lines(panel: Panel, columns: int = 78, rows: int = 14) -> list[list[tuple[str, int]]]:
    """Draw a panel in braille characters: lines of texts, each with the index of its curve, or -1 for other text."""
    first, last, low, high = panel.span
    width, height = max(columns - 11, 8), max(rows, 3)
    bits = np.zeros((height, width), dtype=np.int64)
    owner = np.full((height, width), -1)
    for number, curve in enumerate(panel.curves):
        for x, y in _dots(curve, (first, last, low, high), 2 * width, 4 * height):
            bits[y // 4, x // 2] |= BRAILLE_DOTS[y % 4, x % 2]
            owner[y // 4, x // 2] = number
    marks = {round((high - value) / (high - low) * (height - 1)): f"{value:g}" for value in ticks(low, high, 4)}
    lines = [[(panel.title, -1)]]
    for row in range(height):
        characters = [(chr(BRAILLE + int(bit)), int(own)) for bit, own in zip(bits[row], owner[row], strict=True)]
        lines.append([(f"{marks.get(row, ''):>9} │", -1), *characters])
    lines.append([(f"{'':>10}└{f'{first:g} s':<{width // 2}}{f'{last:g} s':>{width - width // 2}}", -1)])
    lines.append([(" " * 11, -1), *((f"━ {curve.name}  ", number) for number, curve in enumerate(panel.curves))])
    return lines


def chart_picture(panels: Sequence[Panel], width: int = 960, height: int = 220) -> Bytes:
    """Draw the panels below each other, each `height` pixels high. Shape (panels * height, width, 3)."""
    picture = np.empty((max(len(panels), 1) * height, width, 3), dtype=np.uint8)
    picture[:] = PAPER
    for number, panel in enumerate(panels):
        _paint(picture[number * height : (number + 1) * height], panel)
    return picture


def _paint(picture: Bytes, panel: Panel) -> None:
    height, width = picture.shape[:2]
    first, last, low, high = panel.span
    across, down = width - _LEFT - _RIGHT, height - _TOP - _BOTTOM
    for value in ticks(low, high):
        row = _TOP + round((high - value) / (high - low) * (down - 1))
        picture[row, _LEFT : _LEFT + across] = GRID
        _write(picture, f"{value:g}", _LEFT - 6, row - 5, TEXT, to_right=False)
    for time in ticks(first, last, 10):
        column = _LEFT + round((time - first) / (last - first) * (across - 1))
        picture[_TOP : _TOP + down, column] = GRID
        _write(picture, f"{time:g}", column - 6, height - _BOTTOM + 5, TEXT)
    at = _write(picture, panel.title, _LEFT, 8, TEXT) + 16
    for number, curve in enumerate(panel.curves):
        ink = INKS[number % len(INKS)]
        for x, y in _dots(curve, (first, last, low, high), across, down):
            picture[_TOP + y, _LEFT + x] = ink
        at = _write(picture, curve.name, at, 8, ink) + 12


def _dots(
    curve: ChartSeries, span: tuple[float, float, float, float], width: int, height: int
) -> Iterable[tuple[int, int]]:
    """Yield the dots of a curve in a grid, without gaps between adjacent columns."""
    first, last, low, high = span
    good = np.isfinite(curve.values)
    xs = (curve.times[good] - first) / (last - first) * (width - 1)
    ys = (high - curve.values[good]) / (high - low) * (height - 1)
    for x0, y0, x1, y1 in zip(xs, ys, xs[1:], ys[1:], strict=False):
        steps = int(max(abs(x1 - x0), abs(y1 - y0))) + 1
        for share in np.linspace(0.0, 1.0, steps + 1):
            yield round(float(x0 + share * (x1 - x0))), round(float(y0 + share * (y1 - y0)))


def _write(picture: Bytes, text: str, column: int, row: int, ink: Rgb, *, to_right: bool = True) -> int:
    """Write a text that starts, or ends, at a column; return the column after it."""
    advance = 4 * _LETTER_SCALE
    start = column if to_right else column - advance * len(text)
    for number, character in enumerate(text.upper()):
        shape = _LETTERS.get(character)
        if shape is None:
            continue
        pixels = np.array([[int(digit) >> (2 - bit) & 1 for bit in range(3)] for digit in shape], dtype=bool)
        block = np.kron(pixels, np.ones((_LETTER_SCALE, _LETTER_SCALE), dtype=bool))
        left = start + number * advance
        if left >= 0 and row >= 0:
            area = picture[row : row + block.shape[0], left : left + block.shape[1]]
            area[block[: area.shape[0], : area.shape[1]]] = ink
    return start + advance * len(text)
