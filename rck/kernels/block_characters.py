"""Pictures in block characters: the two-colour block nearest to the pixels of each character cell."""

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import kernel, read_only, types

Bytes = NDArray[np.uint8]

# Pixels of a cell that differ by less than this in each channel are one colour.
_SAME = 6


@kernel(
    types.void(
        read_only(types.uint8, 3),
        types.int64,
        types.int64,
        types.uint8[:, ::1],
        types.uint8[:, :, ::1],
        types.uint8[:, :, ::1],
    )
)
def fit_blocks(rgb: Bytes, across: int, down: int, patterns: Bytes, foreground: Bytes, background: Bytes) -> None:
    """Split each cell of `across` times `down` pixels, at most six, into two colours with the least error.

    Bit k of a pattern is set if pixel k of the cell, row by row, has the foreground colour. The pattern is 0 if one
    colour is enough; both colours are then equal. Outputs have a row and a column for each cell.
    """
    rows, columns = patterns.shape
    count = across * down
    values = np.empty((count, 3))
    for row in range(rows):
        for column in range(columns):
            total = np.zeros(3)
            flat = True
            for k in range(count):
                for channel in range(3):
                    value = rgb[row * down + k // across, column * across + k % across, channel]
                    values[k, channel] = value
                    total[channel] += value
                    flat = flat and abs(values[k, channel] - values[0, channel]) < _SAME
            best, chosen = 0.0, 0
            if not flat:
                # The last pixel is always background: its complement is the same split.
                for pattern in range(1, 1 << (count - 1)):
                    red, green, blue, inside = 0.0, 0.0, 0.0, 0
                    for k in range(count - 1):
                        if pattern >> k & 1:
                            red += values[k, 0]
                            green += values[k, 1]
                            blue += values[k, 2]
                            inside += 1
                    outside = count - inside
                    # The error is the sum of squares minus the squares of the two means.
                    gain = (red * red + green * green + blue * blue) / inside
                    red, green, blue = total[0] - red, total[1] - green, total[2] - blue
                    gain += (red * red + green * green + blue * blue) / outside
                    if gain > best:
                        best, chosen = gain, pattern
            patterns[row, column] = chosen
            for channel in range(3):
                inside, mine = 0, 0.0
                for k in range(count):
                    if chosen >> k & 1:
                        inside += 1
                        mine += values[k, channel]
                other = (total[channel] - mine) / (count - inside)
                background[row, column, channel] = int(other + 0.5)
                foreground[row, column, channel] = int(mine / inside + 0.5) if inside else int(other + 0.5)
