"""PNG and animated GIF files; the same pixels give the same bytes."""

import struct
import zlib
from collections.abc import Sequence

import numpy as np

from rck.kernels.image_encoding import compress_lzw
from rck.rendering.canvas import Bytes
from rck.rendering.colour_quantisation import common_palette, in_palette

_SAME = 255
"""Index of the transparent GIF colour, which shows the previous frame."""


def png_bytes(rgb: Bytes) -> bytes:
    """Encode an image of shape (height, width, 3) as PNG (ISO/IEC 15948)."""
    height, width = rgb.shape[:2]
    if height == 0 or width == 0:
        raise ValueError("a PNG file needs at least one pixel")
    # Store each row as the difference from the row above (filter 2): flat areas become zeros.
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 2
    flat = rgb.reshape(height, 3 * width)
    rows[0, 1:] = flat[0]
    rows[1:, 1:] = flat[1:] - flat[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(name, content) for name, content in chunks)


def _png_chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def gif_bytes(frames: Sequence[Bytes], frame_seconds: float = 0.05) -> bytes:
    """Encode images of one shape (height, width, 3) as an endless GIF with 255 common colours."""
    if not frames or 0 in frames[0].shape:
        raise ValueError("a GIF file needs at least one frame of at least one pixel")
    height, width = frames[0].shape[:2]
    if max(height, width) > 0xFFFF or any(frame.shape != frames[0].shape for frame in frames):
        raise ValueError("the frames of a GIF file must have the same size, at most 65535 pixels a side")
    palette = common_palette(frames, 255)
    table = np.zeros((256, 3), np.uint8)
    table[: len(palette)] = palette
    # 0xF7: a table of 256 colours for all frames.
    parts = [b"GIF89a", struct.pack("<HHBBB", width, height, 0xF7, 0, 0), table.tobytes()]
    if len(frames) > 1:
        parts.append(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
    previous = None
    for frame in frames:
        pixels = in_palette(frame, palette)
        changed = pixels if previous is None else np.where(pixels == previous, np.uint8(_SAME), pixels)
        # 0x05: keep the frame; its last colour is transparent.
        parts.append(struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 0x05, round(100 * frame_seconds), _SAME, 0))
        parts.append(struct.pack("<BHHHHBB", 0x2C, 0, 0, width, height, 0, 8))
        parts.append(_gif_blocks(changed))
        previous = pixels
    return b"".join([*parts, b"\x3b"])


def _gif_blocks(pixels: Bytes) -> bytes:
    """Return the compressed pixels in blocks of at most 255 bytes, and the empty final block."""
    stream = np.empty(2 * pixels.size + 10, np.uint8)
    content = stream[: compress_lzw(np.ascontiguousarray(pixels).ravel(), stream)].tobytes()
    blocks = (content[start : start + 255] for start in range(0, len(content), 255))
    return b"".join(bytes([len(block)]) + block for block in blocks) + b"\x00"
