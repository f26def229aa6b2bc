"""Bulk extraction of plain 3DFACEs from a binary DXF file, as :mod:`rck_importers.dxf.bulk_text` does for text."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rck.geometry.arrays import Floats
from rck_importers.dxf.content import LooseFaces, Style
from rck_importers.dxf.plain_faces import (
    ALLOWED,
    ATTRIBS_FOLLOW,
    COORDINATES,
    HANDLE,
    LOOK,
    OWNER,
    BlockTracker,
    NotPlainError,
    Split,
    make_split,
    remove_ranges,
    style_from,
)

SIGNATURE = b"AutoCAD Binary DXF\r\n\x1a\x00"
_TEXT, _CHUNK = 0, -1
_CORNERS = -10
_WIDE_CODE = 255
"""In files with one-byte codes: marker for a code in the next two bytes."""


def split_binary(data: bytes) -> Split | None:
    """Split the file into plain faces and the rest; return None if that is not safe."""
    if not data.startswith(SIGNATURE):
        return None
    try:
        return _split(data, 2 if _has_wide_codes(data) else 1)
    except (IndexError, ValueError):
        # The file is truncated or malformed.
        return None


def _has_wide_codes(data: bytes) -> bool:
    """Return True if group codes have two bytes (Release 13 and later): the first tag is 0 SECTION."""
    return data[len(SIGNATURE) + 1 : len(SIGNATURE) + 2] == b"\x00"


def _sizes() -> list[int]:
    """Return the value size in bytes for each group code; texts end with a zero, chunks start with their size."""
    from ezdxf.lldxf.types import BINARY_DATA, BYTES, DOUBLE, INT16, INT32, INT64

    sizes = [_TEXT] * 0x10000
    for codes, size in ((BYTES, 1), (INT16, 2), (INT32, 4), (DOUBLE, 8), (INT64, 8), (BINARY_DATA, _CHUNK)):
        for code in codes:
            sizes[code] = size
    return sizes


def as_text(data: bytes) -> bytes:
    """Convert the readable tags of a binary file to lines of text, because ezdxf recovers only text files."""
    lines: list[bytes] = []
    width = 2 if _has_wide_codes(data) else 1
    try:
        for code, begin, start, end in _tags(data, width):
            if code == _CORNERS:
                numbers = _corners(data, width, [begin]).ravel().tolist()
                for number, value in zip(COORDINATES, numbers, strict=True):
                    lines += [b"%d" % number, repr(value).encode()]
            else:
                lines += [b"%d" % code, _format_value(code, data[start:end])]
    except (IndexError, ValueError, struct.error):
        pass  # the file is truncated here
    return b"\n".join([*lines, b""])


def _format_value(code: int, value: bytes) -> bytes:
    """Format the value of a tag as a line of text."""
    from ezdxf.lldxf.types import BINARY_DATA, BYTES, DOUBLE, INT16, INT32, INT64

    if code in BINARY_DATA:
        return value[1:].hex().upper().encode()
    for codes, kind in ((DOUBLE, "<d"), (BYTES, "<B"), (INT16, "<h"), (INT32, "<i"), (INT64, "<q")):
        if code in codes:
            return repr(struct.unpack(kind, value)[0]).encode()
    return value[:-1].translate(None, b"\r\n")


@dataclass(eq=False)
class _BlockFaces:
    """The plain faces of one block."""

    corners: list[int] = field(default_factory=list)
    """File offset of the corners of each face."""
    styles: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    count: int = 0
    """Number of faces so far, including those that are not plain."""


@dataclass(slots=True)
class _Face:
    """Tags read so far of the current face."""

    begin: int
    plain: bool = True
    corner: int = -1
    """File offset of its corners."""
    values: dict[int, bytes] = field(default_factory=dict)


def _tags(data: bytes, width: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield for each tag up to EOF its group code and three offsets: tag start, value start, value end.

    The twelve consecutive coordinate tags of a face count as one tag with the code :data:`_CORNERS`.
    """
    sizes = _sizes()
    stride = width + 8
    row, high = bytes(COORDINATES), bytes(len(COORDINATES))
    span = stride * len(COORDINATES)
    at = len(SIGNATURE)
    while True:
        begin = at
        code = data[at]
        if width == 2:
            code |= data[at + 1] << 8
        elif code == _WIDE_CODE:
            code = data[at + 1] | data[at + 2] << 8
            at += 2
        at += width
        size = sizes[code]
        start = at
        if (
            code == row[0]
            and data[begin : begin + span : stride] == row
            and (width == 1 or data[begin + 1 : begin + span : stride] == high)
        ):
            code, size = _CORNERS, span - width
        if size > 0:
            at += size
        elif size == _TEXT:
            at = data.index(0, at) + 1
        else:
            at += 1 + data[at]
        yield code, begin, start, at
        if code == 0 and data[start:at] == b"EOF\0":
            return


def _split(data: bytes, width: int) -> Split:
    found: dict[str, _BlockFaces] = {}
    styles = _Styles()
    cuts: list[tuple[int, int]] = []
    tracker = BlockTracker()
    face: _Face | None = None
    handles: dict[int, list[bytes]] = {HANDLE: [], OWNER: []}
    for code, begin, start, end in _tags(data, width):
        if code == 0:
            if face is not None and tracker.here is not None:
                block = found.setdefault(tracker.here, _BlockFaces())
                if (style := styles.number(face)) >= 0:
                    block.corners.append(face.corner)
                    block.styles.append(style)
                    block.places.append(block.count)
                    cuts.append((face.begin, begin))
                    for kind, listed in handles.items():
                        listed += [face.values[kind]] if kind in face.values else []
                block.count += 1
            structure = data[start : end - 1]
            if structure == b"EOF" and data[end:].strip(b"\0\x1a\r\n "):
                raise NotPlainError
            face = _Face(begin) if structure == b"3DFACE" else None
            if face is None:
                tracker.begin_structure(structure)
            else:
                tracker.check_face()
        elif face is None:
            tracker.read_tag(
                code, _text_value(code, data[start:end]) if code == ATTRIBS_FOLLOW else data[start : end - 1]
            )
        elif code == _CORNERS and face.corner < 0:
            face.corner = begin
        elif code not in ALLOWED or code in COORDINATES or code in face.values:
            face.plain = False
        elif code in _USED_CODES:
            face.values[code] = _text_value(code, data[start:end])
    by_block = {}
    for name, some in found.items():
        if some.corners:
            numbers = np.array([some.styles, some.places], dtype=np.int64)
            by_block[name] = LooseFaces(_corners(data, width, some.corners), styles.listed, numbers[0], numbers[1])
    return make_split(remove_ranges(data, cuts), by_block, handles[HANDLE], handles[OWNER])


_USED_CODES = (*LOOK, HANDLE, OWNER)
_TEXT_CODES = (6, 8, HANDLE, OWNER)


def _text_value(code: int, value: bytes) -> bytes:
    """Return the value as written in a text file."""
    return value[:-1] if code in _TEXT_CODES else str(int.from_bytes(value, "little", signed=True)).encode()


class _Styles:
    """Distinct styles of the faces."""

    def __init__(self) -> None:
        self.listed: tuple[Style, ...] = ()
        self._numbers: dict[tuple[bytes | None, ...], int] = {}

    def number(self, face: _Face) -> int:
        """Return the index of the face's style; -1 if the face is not plain."""
        if not face.plain or face.corner < 0:
            return -1
        key = (face.values.get(8), face.values.get(62), face.values.get(420), face.values.get(6))
        number = self._numbers.get(key)
        if number is None:
            style = style_from(*key)
            number = self._numbers[key] = -1 if style is None else len(self.listed)
            self.listed += () if style is None else (style,)
        return number


def _corners(data: bytes, width: int, places: list[int]) -> Floats:
    """Return the corners at these file offsets, each stored as twelve tags of a code and a double. Shape (F, 4, 3)."""
    buffer = np.frombuffer(data, dtype=np.uint8)
    tags = buffer[np.array(places)[:, None] + np.arange(12 * (width + 8))].reshape(-1, 12, width + 8)
    return np.ascontiguousarray(tags[:, :, width:]).view("<f8").astype(float).reshape(-1, 4, 3)
