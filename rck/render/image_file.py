"""Pictures as files, PNG and animated GIF, in the same bytes for the same pixels."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


def png_bytes(rgb: Bytes) -> bytes:
    """A PNG file of a picture of shape (height, width, 3) (ISO/IEC 15948)."""
    height, width = rgb.shape[:2]
    if height == 0 or width == 0:
        raise ValueError("a PNG file needs at least one pixel")
    # Each row is stored as its difference from the row above, filter 2: flat areas become zeros.
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 2
    flat = rgb.reshape(height, 3 * width)
    rows[0, 1:] = flat[0]
    rows[1:, 1:] = flat[1:] - flat[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _png_chunk(name, content)
        for name, content in ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    )


def _png_chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
