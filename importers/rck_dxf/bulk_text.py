"""Plain 3DFACEs taken out of a text DXF file at one go, so that only the rest goes through ezdxf.

Whatever is not plain stays in the rest: a face with more than corners, layer and colour, a layer name that needs
decoding. A file in which anything is odd is left alone altogether. So the result is the same as without this.
"""

import re
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints
from rck_dxf.content import LooseFaces, Style

COORDINATES = (10, 20, 30, 11, 21, 31, 12, 22, 32, 13, 23, 33)
"""The tags of a face's corners, which must follow one another in this order."""
ALLOWED = frozenset({0, 5, 6, 8, 48, 62, 70, 100, 330, 347, 370, 420, 999, *COORDINATES})
"""The tags that a plain face may have; others tell something that ezdxf understands better."""
DEFAULTS = {8: b"0", 62: b"256", 420: b"", 6: b"BYLAYER"}
"""The tags of layer, colour, true colour and line type, and what a face without them has."""

HANDLE, OWNER = 5, 330
_HANDLE = re.compile(rb"[0-9A-Fa-f]{1,16}")

_WIDEST_CODE = 8
_AT_A_TIME = 20_000
"""Faces whose numbers are read at a time."""


def split_text(data: bytes) -> tuple[bytes, dict[str, LooseFaces]] | None:
    """The file without its plain faces, and those by block, in small letters; None if the file is not that simple."""
    tags = _tags(data)
    if tags is None:
        return None
    heads = np.flatnonzero(tags.codes == 0)
    is_face = tags.say(heads, b"3DFACE")
    container = _containers(tags, heads, is_face)
    if container is None:
        return None
    number_of_container, names = container
    faces = np.flatnonzero(is_face & (number_of_container >= 0))
    bounds = np.append(heads, len(tags.codes))
    corner_tag, plain = _plain_faces(tags, bounds[faces], bounds[faces + 1])
    faces, corner_tag = faces[plain], corner_tag[plain]
    first, last = bounds[faces], bounds[faces + 1]
    styles = _styles(tags, first, last)
    if styles is None:
        return None
    known = styles.of_face >= 0
    faces, corner_tag, first, last = faces[known], corner_tag[known], first[known], last[known]
    corners = _corners(tags, corner_tag)
    if corners is None or not _handles_are_sound(tags, first, last):
        return None
    style_of_face = styles.of_face[known]
    by_block = {}
    for number, name in enumerate(names):
        here = number_of_container[faces] == number
        if here.any():
            by_block[name] = LooseFaces(corners[here], styles.styles, style_of_face[here])
    return _rest(tags, first, last), by_block


@dataclass(frozen=True, eq=False)
class _Tags:
    """Where each tag's value lies in the file."""

    data: bytes
    buffer: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]"
    codes: Ints
    begins: Ints
    """Of the tag: the first byte of its group code's line."""
    starts: Ints
    """Of the value."""
    ends: Ints

    def say(self, tags: Ints, word: bytes) -> Bools:
        """Whether the value of each tag is that word."""
        right = self.ends[tags] - self.starts[tags] == len(word)
        for place, letter in enumerate(word):
            right[right] = self.buffer[self.starts[tags[right]] + place] == letter
        return np.asarray(right)

    def value(self, tag: int) -> bytes:
        """The value of a tag."""
        return self.data[self.starts[tag] : self.ends[tag]]


def _tags(data: bytes) -> _Tags | None:
    """The tags up to EOF; None where lines do not pair up or a group code is no number."""
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
    # A lone carriage return would be the end of a line to others.
    if data.count(b"\r") != data.count(b"\r\n"):
        return None
    heads = np.flatnonzero(codes == 0)
    if not len(heads) or not tags.say(heads[-1:], b"EOF")[0]:
        return None
    return tags


def _group_codes(buffer: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]", starts: Ints, ends: Ints) -> Ints | None:
    """The numbers on the lines, read from their last digit; None where one is something else."""
    if not len(starts) or (ends - starts).max() > _WIDEST_CODE:
        return None
    values = np.zeros(len(starts), dtype=np.int32)
    digits = np.zeros(len(starts), dtype=np.int8)
    done = np.zeros(len(starts), dtype=bool)
    power = np.ones(len(starts), dtype=np.int32)
    for step in range(_WIDEST_CODE):
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


def _containers(tags: _Tags, heads: Ints, is_face: Bools) -> tuple[Ints, list[str]] | None:
    """For each structure the number of the block that it is in, -1 outside; and the names, the model space first."""
    names = [""]
    number_of = np.full(len(heads), -1, dtype=np.int64)
    here, since = -1, 0
    others = np.flatnonzero(~is_face).tolist()
    for head in others:
        tag = int(heads[head])
        word = tags.value(tag)
        number_of[since:head] = here
        since = head
        if word == b"SECTION":
            here = 0 if tag + 1 < len(tags.codes) and tags.value(tag + 1) == b"ENTITIES" else -1
        elif word in (b"ENDSEC", b"ENDBLK", b"EOF"):
            here = -1
        elif word == b"BLOCK":
            last = int(heads[head + 1])
            said = [tags.value(k) for k in range(tag, last) if tags.codes[k] == 2]
            if len(said) != 1 or not is_simple(said[0]):
                return None
            name = said[0].decode("ascii").lower()
            if name in names:
                return None
            names.append(name)
            here = -1 if is_layout(name) else len(names) - 1
    number_of[since:] = here
    return number_of, names


def is_simple(name: bytes) -> bool:
    """Whether a name is the same in every encoding."""
    return name.isascii() and b"\\" not in name and b"%" not in name and b"^" not in name


def is_layout(block: str) -> bool:
    """Whether a block of that name, in small letters, is what ezdxf makes a layout of."""
    return block.startswith(("*model_space", "*paper_space", "$model_space", "$paper_space"))


def _plain_faces(tags: _Tags, first: Ints, last: Ints) -> tuple[Ints, Bools]:
    """For each face, given by its tags, where its corners begin, and whether it is plain."""
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
    # No corner may come a second time.
    is_corner = np.isin(tags.codes, COORDINATES)
    count = np.concatenate([[0], np.cumsum(is_corner)])
    plain &= count[last] - count[first] == len(COORDINATES)
    return corner, np.asarray(plain)


def _handles_are_sound(tags: _Tags, first: Ints, last: Ints) -> bool:
    """Whether every handle of the faces is a hexadecimal number, and no two have the same."""
    own = [tags.value(tag) for tag in _within(tags, HANDLE, first, last)]
    owners = {tags.value(tag) for tag in _within(tags, OWNER, first, last)}
    return len(set(own)) == len(own) and all(map(is_handle, own)) and all(map(is_handle, owners))


def _within(tags: _Tags, code: int, first: Ints, last: Ints) -> list[int]:
    """The tags of that code that lie from a first to a last."""
    where = np.flatnonzero(tags.codes == code)
    place = np.searchsorted(first, where, side="right") - 1
    inside = where[(place >= 0) & (where < last[np.maximum(place, 0)])] if len(first) else where[:0]
    return [int(tag) for tag in inside.tolist()]


def is_handle(value: bytes) -> bool:
    """Whether it is a hexadecimal number."""
    return _HANDLE.fullmatch(value) is not None


@dataclass(frozen=True, eq=False)
class _Styles:
    styles: tuple[Style, ...]
    of_face: Ints
    """-1 where the style is not plain."""


def _styles(tags: _Tags, first: Ints, last: Ints) -> _Styles | None:
    """The styles that the faces have, from their layer, colour and line type."""
    columns = []
    for code, without in DEFAULTS.items():
        where = np.flatnonzero(tags.codes == code)
        low, high = np.searchsorted(where, first), np.searchsorted(where, last)
        if (high - low > 1).any():
            return None
        column = [without] * len(first)
        given = np.flatnonzero(high > low)
        for face, tag in zip(given.tolist(), where[low[given]].tolist(), strict=True):
            column[face] = tags.value(tag)
        columns.append(column)
    numbers: dict[tuple[bytes, ...], int] = {}
    keys = zip(*columns, strict=True)
    of_face = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    styles = [style_from(*key) for key in numbers]
    usable = np.array([style is not None for style in styles], dtype=bool)
    place = np.where(usable, np.cumsum(usable) - 1, -1)
    listed = tuple(style for style in styles if style is not None)
    return _Styles(listed, place[of_face] if len(of_face) else of_face)


def style_from(layer: bytes, aci: bytes, true_colour: bytes, linetype: bytes) -> Style | None:
    """The style that these values of tags 8, 62, 420 and 6 say; None if it is not plain."""
    if not is_simple(layer) or not is_simple(linetype) or layer != layer.strip() or not layer:
        return None
    try:
        colour = int(true_colour) if true_colour else None
        return Style(layer.decode("ascii"), int(aci), colour, linetype.decode("ascii").upper())
    except ValueError:
        return None


def _corners(tags: _Tags, corner_tag: Ints) -> Floats | None:
    """The corners of the faces, shape (F, 4, 3); None where one is no number."""
    corners = np.empty((len(corner_tag), 12))
    data = tags.data
    for low in range(0, len(corner_tag), _AT_A_TIME):
        some = (corner_tag[low : low + _AT_A_TIME, None] + np.arange(12)).reshape(-1)
        places = zip(tags.starts[some].tolist(), tags.ends[some].tolist(), strict=True)
        try:
            numbers = [float(data[start:end]) for start, end in places]
        except ValueError:
            return None
        corners[low : low + _AT_A_TIME] = np.array(numbers).reshape(-1, 12)
    return corners.reshape(-1, 4, 3)


def _rest(tags: _Tags, first: Ints, last: Ints) -> bytes:
    """The file without the tags from each first to each last."""
    total = len(tags.codes)
    begins = tags.begins
    cut_from = begins[first].tolist()
    cut_to = [int(begins[tag]) if tag < total else len(tags.data) for tag in last.tolist()]
    kept = []
    at = 0
    for start, end in zip(cut_from, cut_to, strict=True):
        if start > at:
            kept.append(tags.data[at:start])
        at = end
    kept.append(tags.data[at:])
    return b"".join(kept)
