"""Bulk extraction of plain 3DFACEs from a text DXF file, so that ezdxf reads only the rest.

Faces that are not plain stay in the rest: those with tags beyond corners, layer and colour, or with a layer name
that needs decoding. An irregular file is left to ezdxf entirely. The result is therefore the same as with ezdxf alone.
"""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints
from rck_importers.dxf.content import LooseFaces, Style
from rck_importers.dxf.plain_faces import (
    ALLOWED,
    COORDINATES,
    HANDLE,
    LOOK,
    OWNER,
    UNUSED_NUMBERS,
    BlockTracker,
    NotPlainError,
    Split,
    make_split,
    remove_ranges,
    style_from,
)

_MAX_CODE_WIDTH = 8
_BATCH = 20_000
"""Number of faces parsed at a time."""
_CONTAINER_STRUCTURES = (b"SECTION", b"BLOCK", b"INSERT")
"""Structures whose tags determine the container of the faces."""


def split_text(data: bytes) -> Split | None:
    """Split the file into plain faces and the rest; return None if that is not safe."""
    tags = _tags(data)
    try:
        return None if tags is None else _split(tags)
    except ValueError:
        return None


def _split(tags: "_Tags") -> Split:
    heads = np.flatnonzero(tags.codes == 0)
    is_face = tags.equal(heads, b"3DFACE")
    number_of_container, names = _containers(tags, heads, is_face)
    faces = np.flatnonzero(is_face & (number_of_container >= 0))
    bounds = np.append(heads, len(tags.codes))
    corner_tag, plain = _plain_faces(tags, bounds[faces], bounds[faces + 1])
    faces, corner_tag = faces[plain], corner_tag[plain]
    styles = _styles(tags, bounds[faces], bounds[faces + 1])
    known = styles.of_face >= 0
    faces, corner_tag = faces[known], corner_tag[known]
    first, last = bounds[faces], bounds[faces + 1]
    for code, kind in UNUSED_NUMBERS.items():
        for value in {tags.value(tag) for tag in _within(tags, code, first, last)}:
            kind(value)
    corners = _corners(tags, corner_tag)
    style_of_face = styles.of_face[known]
    by_block = {}
    for number, name in enumerate(names):
        here = number_of_container[faces] == number
        if here.any():
            place = np.searchsorted(np.flatnonzero(is_face & (number_of_container == number)), faces[here])
            by_block[name] = LooseFaces(corners[here], styles.styles, style_of_face[here], place)
    handles, owners = ([tags.value(tag) for tag in _within(tags, code, first, last)] for code in (HANDLE, OWNER))
    return make_split(_rest(tags, first, last), by_block, handles, owners)


@dataclass(frozen=True, eq=False)
class _Tags:
    """Offsets of the tags and of their values in the file."""

    data: bytes
    buffer: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]"
    codes: Ints
    begins: Ints
    """Offset of each tag: the first byte of the line of its group code."""
    starts: Ints
    """Offset of each value."""
    ends: Ints

    def equal(self, tags: Ints, word: bytes) -> Bools:
        """Return for each tag whether its value is this word. Shape (T,)."""
        right = self.ends[tags] - self.starts[tags] == len(word)
        for place, letter in enumerate(word):
            right[right] = self.buffer[self.starts[tags[right]] + place] == letter
        return np.asarray(right)

    def value(self, tag: int) -> bytes:
        """Return the value of a tag."""
        return self.data[self.starts[tag] : self.ends[tag]]


def _tags(data: bytes) -> _Tags | None:
    """Return the tags up to EOF; None if the lines are not pairs or a group code is not a number."""
    buffer = np.frombuffer(data, dtype=np.uint8)
    kind = np.int32 if len(data) < 2**31 else np.int64
    ends = np.flatnonzero(buffer == 10).astype(kind)
    if len(data) and (not len(ends) or ends[-1] != len(data) - 1):
        ends = np.append(ends, kind(len(data)))
    starts = np.empty_like(ends)
    starts[:1] = 0
    starts[1:] = ends[:-1] + 1
    ends = ends - ((ends > starts) & (buffer[np.maximum(ends - 1, 0)] == 13))
    pairs = len(starts) // 2
    codes = _group_codes(buffer, starts[: 2 * pairs : 2], ends[: 2 * pairs : 2])
    if codes is None:
        return None
    tags = _Tags(data, buffer, codes, starts[: 2 * pairs : 2], starts[1 : 2 * pairs : 2], ends[1 : 2 * pairs : 2])
    # Other readers treat a lone carriage return as a line end.
    if data.count(b"\r") != data.count(b"\r\n"):
        return None
    heads = np.flatnonzero(codes == 0)
    if not len(heads) or not tags.equal(heads[-1:], b"EOF")[0]:
        return None
    return tags


def _group_codes(buffer: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]", starts: Ints, ends: Ints) -> Ints | None:
    """Parse the number on each line from its last digit; return None if a line is not a number."""
    if not len(starts) or (ends - starts).max() > _MAX_CODE_WIDTH:
        return None
    values = np.zeros(len(starts), dtype=np.int32)
    digits = np.zeros(len(starts), dtype=np.int8)
    done = np.zeros(len(starts), dtype=bool)
    power = np.ones(len(starts), dtype=np.int32)
    for step in range(_MAX_CODE_WIDTH):
        place = ends - 1 - step
        here = place >= starts
        if not here.any():
            break
        letter = buffer[np.maximum(place, 0)]
        digit = here & (letter >= 48) & (letter <= 57)
        blank = here & ((letter == 32) | (letter == 9))
        if (here & ~digit & ~blank).any() or (digit & done).any():
            return None
        values += np.where(digit, (letter.astype(np.int32) - 48) * power, 0)
        power = np.where(digit, power * 10, power).astype(np.int32)
        digits += digit
        done |= blank & (digits > 0)
    return None if (digits == 0).any() else values.astype(np.int64)


def _containers(tags: _Tags, heads: Ints, is_face: Bools) -> tuple[Ints, list[str]]:
    """Return the block index of each structure, -1 outside of blocks, and the block names."""
    numbers: dict[str, int] = {}
    number_of = np.full(len(heads), -1, dtype=np.int64)
    tracker = BlockTracker()
    others = np.flatnonzero(~is_face).tolist()
    for head, after in zip(others, [*others[1:], len(heads)], strict=True):
        first, last = int(heads[head]), int(heads[head + 1]) if head + 1 < len(heads) else len(tags.codes)
        word = tags.value(first)
        tracker.begin_structure(word)
        if word.strip() in _CONTAINER_STRUCTURES:
            for tag in range(first + 1, last):
                tracker.read_tag(int(tags.codes[tag]), tags.value(tag))
        if after == head + 1:
            continue
        tracker.check_face()
        if tracker.here is not None:
            number_of[head:after] = numbers.setdefault(tracker.here, len(numbers))
    return number_of, list(numbers)


def _plain_faces(tags: _Tags, first: Ints, last: Ints) -> tuple[Ints, Bools]:
    """Return for each face, present by its tags, the tag of its first corner and whether the face is plain."""
    table = np.zeros(2048, dtype=bool)
    table[list(ALLOWED)] = True
    odd = np.concatenate([[0], np.cumsum(~table[np.minimum(tags.codes, 2047)])])
    plain = odd[last] == odd[first]
    tens = np.flatnonzero(tags.codes == 10)
    place = np.searchsorted(tens, first)
    corner = tens[np.minimum(place, len(tens) - 1)] if len(tens) else np.zeros(len(first), dtype=np.int64)
    plain &= (corner >= first) & (corner + len(COORDINATES) <= last)
    for step, code in enumerate(COORDINATES):
        plain &= tags.codes[np.minimum(corner + step, len(tags.codes) - 1)] == code
    # No corner may be repeated.
    is_corner = np.isin(tags.codes, COORDINATES)
    count = np.concatenate([[0], np.cumsum(is_corner)])
    plain &= count[last] - count[first] == len(COORDINATES)
    return corner, np.asarray(plain)


def _within(tags: _Tags, code: int, first: Ints, last: Ints) -> list[int]:
    """Return the tags with this code within the ranges from `first` to `last`."""
    where = np.flatnonzero(tags.codes == code)
    place = np.searchsorted(first, where, side="right") - 1
    inside = where[(place >= 0) & (where < last[np.maximum(place, 0)])] if len(first) else where[:0]
    return [int(tag) for tag in inside.tolist()]


@dataclass(frozen=True, eq=False)
class _Styles:
    styles: tuple[Style, ...]
    of_face: Ints
    """Index of each face's style; -1 if the style is not plain."""


def _styles(tags: _Tags, first: Ints, last: Ints) -> _Styles:
    """Return the styles of the faces from their layer, colour and line type."""
    columns = []
    for code in LOOK:
        where = np.flatnonzero(tags.codes == code)
        low, high = np.searchsorted(where, first), np.searchsorted(where, last)
        if (high - low > 1).any():
            raise NotPlainError
        column: list[bytes | None] = [None] * len(first)
        present = np.flatnonzero(high > low)
        for face, tag in zip(present.tolist(), where[low[present]].tolist(), strict=True):
            column[face] = tags.value(tag)
        columns.append(column)
    numbers: dict[tuple[bytes | None, ...], int] = {}
    keys = zip(*columns, strict=True)
    of_face = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    styles = [style_from(*key) for key in numbers]
    usable = np.array([style is not None for style in styles], dtype=bool)
    place = np.where(usable, np.cumsum(usable) - 1, -1)
    listed = tuple(style for style in styles if style is not None)
    return _Styles(listed, place[of_face] if len(of_face) else of_face)


def _corners(tags: _Tags, corner_tag: Ints) -> Floats:
    """Parse the corners of the faces. Shape (F, 4, 3)."""
    corners = np.empty((len(corner_tag), 12))
    data = tags.data
    for low in range(0, len(corner_tag), _BATCH):
        some = (corner_tag[low : low + _BATCH, None] + np.arange(12)).reshape(-1)
        places = zip(tags.starts[some].tolist(), tags.ends[some].tolist(), strict=True)
        numbers = [float(data[start:end]) for start, end in places]
        corners[low : low + _BATCH] = np.array(numbers).reshape(-1, 12)
    return corners.reshape(-1, 4, 3)


def _rest(tags: _Tags, first: Ints, last: Ints) -> bytes:
    """Return the file without the tags in the ranges from `first` to `last`."""
    total = len(tags.codes)
    begins = tags.begins
    ends = [int(begins[tag]) if tag < total else len(tags.data) for tag in last.tolist()]
    return remove_ranges(tags.data, zip(begins[first].tolist(), ends, strict=True))
