"""Encoding of pixels with up to 256 colours for GIF files and for terminals."""

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import helper, kernel, read_only, types

Bytes = NDArray[np.uint8]

_CLEAR, _END = 256, 257
_CODES = 4096
"""GIF codes have at most 12 bits."""


@kernel(types.int64(read_only(types.uint8, 1), types.uint8[::1]))
def compress_lzw(pixels: Bytes, stream: Bytes) -> int:
    """Write the LZW stream of a GIF image, 8 bits per pixel, without its division into blocks; return its length.

    `stream` needs two bytes per pixel and ten more (GIF89a, appendix F).
    """
    # The code that follows each code for each next pixel: a tree instead of strings (Welch 1984).
    following = np.full((_CODES, 256), -1, np.int16)
    waiting, held, length = 0, 0, 0
    size, used = 9, _END + 1
    waiting |= _CLEAR
    held = size
    current = -1
    for k in range(len(pixels)):
        pixel = pixels[k]
        if current < 0:
            current = int(pixel)
            continue
        found = following[current, pixel]
        if found >= 0:
            current = int(found)
            continue
        waiting |= current << held
        held += size
        while held >= 8:
            stream[length] = waiting & 255
            waiting >>= 8
            held -= 8
            length += 1
        if used < _CODES:
            following[current, pixel] = used
            # The decoder is one code behind: the size grows when the code just added no longer fits.
            if used == 1 << size:
                size += 1
            used += 1
        else:
            waiting |= _CLEAR << held
            held += size
            following[:] = -1
            size, used = 9, _END + 1
        current = int(pixel)
    if current >= 0:
        waiting |= current << held
        held += size
        if used == 1 << size and size < 12:
            size += 1
    waiting |= _END << held
    held += size
    while held > 0:
        stream[length] = waiting & 255
        waiting >>= 8
        held -= 8
        length += 1
    return length


@helper
def _put_number(stream: Bytes, length: int, number: int) -> int:
    """Write a number in decimal digits; return the new length."""
    digits = 1
    while number >= 10**digits:
        digits += 1
    for k in range(digits):
        stream[length + digits - 1 - k] = 48 + number // 10**k % 10
    return length + digits


@kernel(types.int64(read_only(types.uint8, 2), types.uint8[::1]))
def encode_sixels(pixels: Bytes, stream: Bytes) -> int:
    """Write the bands of a Sixel image, without its header; return the length (DEC STD 070, chapter 9).

    `pixels` are colour indices, shape (height, width). Each band has six rows; in it, each colour draws its pixels from
    left to right. `stream` needs seven bytes per pixel, and ten per colour and band.
    """
    height, width = pixels.shape
    length = 0
    first = np.empty(256, np.int64)
    last = np.empty(256, np.int64)
    for top in range(0, height, 6):
        first[:] = width
        last[:] = -1
        for row in range(top, min(top + 6, height)):
            for column in range(width):
                colour = pixels[row, column]
                first[colour] = min(first[colour], column)
                last[colour] = max(last[colour], column)
        for colour in range(256):
            if last[colour] < 0:
                continue
            stream[length] = 35  # '#', a colour
            length = _put_number(stream, length + 1, colour)
            column, run, sign = 0, 0, 63
            while column <= last[colour] + 1:
                bits = 0
                if first[colour] <= column <= last[colour]:
                    for row in range(top, min(top + 6, height)):
                        if pixels[row, column] == colour:
                            bits |= 1 << (row - top)
                if column <= last[colour] and 63 + bits == sign:
                    run += 1
                else:
                    if run > 3:
                        stream[length] = 33  # '!', a repetition
                        length = _put_number(stream, length + 1, run)
                        stream[length] = sign
                        length += 1
                    else:
                        for _ in range(run):
                            stream[length] = sign
                            length += 1
                    run, sign = 1, 63 + bits
                column += 1
            stream[length] = 36  # '$', back to the left
            length += 1
        stream[length] = 45  # '-', the next band
        length += 1
    return length
