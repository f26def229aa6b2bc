"""Pictures as terminal cells: each has a character and two colours."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rck.kernels.block_characters import fit_blocks
from rck.rendering.canvas import Bytes
from rck.rendering.palette import Rgb
from rck.rendering.picture import COLLIDING, GHOST, NOTHING, SELECTED, SOLID, Picture, PlacedLabel

Codes = NDArray[np.uint32]

CELL_ASPECT = 0.5
"""Width of a terminal cell relative to its height, if the terminal does not report it."""


BRAILLE = 0x2800
"""The empty braille character."""
BRAILLE_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], np.uint32)
"""The bit of each dot, by row and column."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows of terminal cells."""

    codes: Codes
    """Unicode code points. Shape (rows, columns)."""
    foreground: Bytes | None = None
    """Shape (rows, columns, 3); None for the terminal's default colour."""
    background: Bytes | None = None
    """Shape (rows, columns, 3); None for the terminal's default colour."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """A set of characters that split a cell into pixels."""

    across: int
    down: int
    codes: tuple[int, ...]
    """The character for each pattern of :func:`rck.kernels.block_characters.fit_blocks`."""

    def pixel_aspect(self, cell_aspect: float = CELL_ASPECT) -> float:
        """Return the width of a pixel relative to its height."""
        return cell_aspect * self.down / self.across


def _sextant(pattern: int) -> int:
    """Return a block sextant of Unicode 13, which omits the four patterns that existed before."""
    known = {0: " ", 0b010101: "▌", 0b101010: "▐", 0b111111: "█"}
    return ord(known[pattern]) if pattern in known else 0x1FB00 + pattern - 1 - (pattern > 21) - (pattern > 42)


HALF = Blocks(1, 2, tuple(map(ord, " ▀▄█")))
"""Two square pixels per cell; supported by every terminal."""
QUADRANT = Blocks(2, 2, tuple(map(ord, " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")))
SEXTANT = Blocks(2, 3, tuple(map(_sextant, range(64))))
"""Six pixels per cell, for terminals and fonts since 2020."""
BLOCKS: Mapping[str, Blocks] = {"half": HALF, "quadrant": QUADRANT, "sextant": SEXTANT}


def block_cells(rgb: Bytes, blocks: Blocks = HALF) -> Cells:
    """Draw pixels, shape (rows * down, columns * across, 3), with block characters in two colours."""
    rows, columns = rgb.shape[0] // blocks.down, rgb.shape[1] // blocks.across
    patterns = np.empty((rows, columns), np.uint8)
    foreground, background = np.empty((rows, columns, 3), np.uint8), np.empty((rows, columns, 3), np.uint8)
    fit_blocks(np.ascontiguousarray(rgb), blocks.across, blocks.down, patterns, foreground, background)
    return Cells(np.array(blocks.codes, np.uint32)[patterns], foreground, background)


# Characters from dark to light, by kind: the selection in shaded blocks, collisions in crosses.
_RAMPS = {
    NOTHING: " .:-=+*%@",
    SOLID: " .:-=+*%@",
    SELECTED: "░░▒▒▓▓██",
    COLLIDING: "xxxXXX##",
    GHOST: "''\"\"~~^^",
}


def sign_cells(picture: Picture) -> Cells:
    """Draw a picture with two pixels per cell, one above the other, with characters only: brightness and kind.

    The picture must have a dark background, for any terminal: the background becomes blank cells.
    """
    rows, columns = picture.rgb.shape[0] // 2, picture.rgb.shape[1]
    bright = picture.rgb[: 2 * rows].reshape(rows, 2, columns, 3).mean(axis=(1, 3))
    kinds = picture.kind[: 2 * rows].reshape(rows, 2, columns).max(axis=1)
    empty = kinds == NOTHING
    # The background is lighter at the top: take the darkest background pixel of each row.
    ground = np.where(empty, bright, np.inf).min(axis=1, initial=np.inf, keepdims=True)
    low = np.where(empty, ground, bright.min(initial=255.0))
    share = (bright - low) / max(float(bright.max(initial=0.0) - bright.min(initial=255.0)), 1.0)
    codes = np.empty((rows, columns), np.uint32)
    for kind, ramp in _RAMPS.items():
        table = np.array([ord(character) for character in ramp], np.uint32)
        mask = kinds == kind
        # Even the darkest object is visible.
        lowest = 0 if kind == NOTHING else 1
        codes[mask] = table[np.clip((share * len(ramp)).astype(int), lowest, len(ramp) - 1)][mask]
    return Cells(codes)


def with_labels(cells: Cells, labels: tuple[PlacedLabel, ...], colour: Rgb, across: int = 1, down: int = 2) -> Cells:
    """Write labels over the cells; the first letter is in the cell of the label's pixel."""
    if not labels:
        return cells
    codes = cells.codes.copy()
    foreground = None if cells.foreground is None else cells.foreground.copy()
    rows, columns = codes.shape
    for label in labels:
        row, column = label.row // down, label.column // across
        text = label.text[: max(columns - column, 0)]
        if 0 <= row < rows and column >= 0 and text:
            codes[row, column : column + len(text)] = [ord(letter) for letter in text]
            if foreground is not None:
                foreground[row, column : column + len(text)] = colour
    return replace(cells, codes=codes, foreground=foreground)


def packed(colours: Bytes | None, shape: tuple[int, int]) -> NDArray[np.int32]:
    """Return colours as numbers 0xrrggbb, or -1 for the terminal's default colour. Shape (rows, columns)."""
    if colours is None:
        return np.full(shape, -1, np.int32)
    parts = colours.astype(np.int32)
    numbers: NDArray[np.int32] = parts[..., 0] << 16 | parts[..., 1] << 8 | parts[..., 2]
    return numbers


def runs(cells: Cells) -> Iterator[list[tuple[str, int, int]]]:
    """Yield the runs of one style of each row: text, foreground, background, in the format of :func:`packed`.

    A blank cell takes the foreground of the previous cell, so that it does not end a run.
    """
    rows, columns = cells.codes.shape
    background = packed(cells.background, (rows, columns))
    foreground = packed(cells.foreground, (rows, columns))
    blank = cells.codes == ord(" ")
    # For each cell, the index of the last cell up to it that is not blank.
    shown = np.maximum.accumulate(np.where(blank, -1, np.arange(columns)), axis=1)
    foreground = np.where(shown < 0, -1, np.take_along_axis(foreground, np.maximum(shown, 0), axis=1))
    changes = np.ones((rows, columns), bool)
    changes[:, 1:] = (foreground[:, 1:] != foreground[:, :-1]) | (background[:, 1:] != background[:, :-1])
    for row in range(rows):
        starts = np.flatnonzero(changes[row])
        text = "".join(map(chr, cells.codes[row].tolist()))
        fronts, backs = foreground[row, starts].tolist(), background[row, starts].tolist()
        bounds = pairwise([*starts.tolist(), columns])
        yield [(text[a:b], front, back) for (a, b), front, back in zip(bounds, fronts, backs, strict=True)]
