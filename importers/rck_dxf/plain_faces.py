"""What makes a 3DFACE so plain that it can be read apart from its file, and where in the file such faces may stand.

A file in which anything is odd is left to ezdxf altogether, so that what is read, repaired and told is the same.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from rck_dxf.content import LooseFaces, Style

COORDINATES = (10, 20, 30, 11, 21, 31, 12, 22, 32, 13, 23, 33)
"""The tags of a face's corners, which must follow one another in this order."""
ALLOWED = frozenset({0, 5, 6, 8, 48, 62, 70, 100, 330, 347, 370, 420, 999, *COORDINATES})
"""The tags that a plain face may have; others tell something that ezdxf understands better."""
LOOK = (8, 62, 420, 6)
"""The tags of layer, colour, true colour and line type."""
UNUSED_NUMBERS = {48: float, 70: int, 370: int}
"""Tags that tell nothing here, but must be numbers of these kinds."""
HANDLE, OWNER, NAME, ATTRIBS_FOLLOW = 5, 330, 2, 66

_HANDLE = re.compile(rb"(?=.*[1-9A-Fa-f])[0-9A-Fa-f]{1,16}")


class NotPlainError(ValueError):
    """The file is not as simple as it would have to be."""


@dataclass(frozen=True, eq=False)
class Split:
    """A file taken apart."""

    rest: bytes
    """The file without its plain faces."""
    faces: dict[str, LooseFaces]
    """Those faces by block, in small letters; "" is the model space."""
    handles: frozenset[str]
    """Of the faces."""
    owners: frozenset[str]
    """The handles of what the faces say that they are in."""


def split_of(rest: bytes, faces: dict[str, LooseFaces], handles: list[bytes], owners: list[bytes]) -> Split:
    """The file taken apart, if every handle is a hexadecimal number, not zero, and no two faces have the same."""
    own, above = frozenset(handles), frozenset(owners)
    if len(own) < len(handles) or not all(_HANDLE.fullmatch(handle) for handle in own | above):
        raise NotPlainError
    return Split(rest, faces, frozenset(map(bytes.decode, own)), frozenset(map(bytes.decode, above)))


def without(data: bytes, cuts: Iterable[tuple[int, int]]) -> bytes:
    """The file without the stretches from each first byte to the byte after the last, which follow one another."""
    kept = []
    at = 0
    for start, end in cuts:
        kept.append(data[at:start])
        at = end
    return b"".join([*kept, data[at:]])


def is_simple(name: bytes) -> bool:
    """Whether a name is the same in every encoding."""
    return name.isascii() and b"\\" not in name and b"%" not in name and b"^" not in name


def style_from(
    layer: bytes | None, aci: bytes | None, true_colour: bytes | None, linetype: bytes | None
) -> Style | None:
    """The style that these values of the tags in :data:`LOOK` say; None if it is not plain."""
    layer, linetype = b"0" if layer is None else layer, b"BYLAYER" if linetype is None else linetype
    if not is_simple(layer) or not is_simple(linetype) or layer != layer.strip() or not layer:
        return None
    try:
        colour = None if true_colour is None else int(true_colour)
        return Style(layer.decode("ascii"), 256 if aci is None else int(aci), colour, linetype.decode("ascii").upper())
    except ValueError:
        return None


@dataclass(eq=False)
class Whereabouts:
    """In which block one is while the structures of a file pass by, faces left out."""

    here: str | None = None
    """The block, in small letters, "" in the model space, None where faces mean nothing."""
    _structure: bytes = b""
    _named: bool = True
    """Whether the structure has told its name, if it has to."""
    _section: bytes | None = None
    _in_block: bool = False
    _expects_more: bool = False
    """Whether vertices or attributes belong to what passes by."""
    _seen: set[bytes | str] = field(default_factory=set)
    """The sections, and the blocks in small letters."""

    def begins(self, structure: bytes) -> None:
        """The next structure begins; one that has no place there is refused."""
        word = structure.strip()
        _require(self._named and self._structure != b"EOF")
        if word == b"SECTION":
            _require(self._section is None)
        elif word in (b"ENDSEC", b"EOF"):
            _require((self._section is None) == (word == b"EOF") and not self._in_block)
            self.here = self._section = None
        elif word == b"BLOCK":
            _require(self._section == b"BLOCKS" and not self._in_block)
            self._in_block = True
        elif word == b"ENDBLK":
            _require(self._in_block)
            self.here, self._in_block = None, False
        self._expects_more = word == b"POLYLINE" or (self._expects_more and word in (b"VERTEX", b"ATTRIB"))
        self._structure, self._named = word, word not in (b"SECTION", b"BLOCK")

    def says(self, code: int, value: bytes) -> None:
        """A tag of the structure that began last."""
        if self._structure == b"SECTION" and not self._named:
            # Its name comes first, and the last section of a name would hide the others.
            _require(code == NAME and value not in self._seen)
            self._section = value
            self.here = "" if value == b"ENTITIES" else None
            self._take_name(value)
        elif self._structure == b"BLOCK" and code == NAME:
            _require(not self._named and is_simple(value))
            name = value.decode("ascii").lower()
            self.here = None if _is_layout(name) else name
            self._take_name(name)
        elif code == ATTRIBS_FOLLOW and value.strip() != b"0":
            self._expects_more = True

    def _take_name(self, name: bytes | str) -> None:
        _require(bool(name) and name not in self._seen)
        self._seen.add(name)
        self._named = True

    def passes_face(self) -> None:
        """A face is here, which must not stand between a polyline and its vertices."""
        _require(self._named and not self._expects_more)


def _require(right: bool) -> None:
    if not right:
        raise NotPlainError


def _is_layout(block: str) -> bool:
    """Whether a block of that name, in small letters, is what ezdxf makes a layout of."""
    return block.startswith(("*model_space", "*paper_space", "$model_space", "$paper_space"))
