"""Rules for plain 3DFACEs, which are read separately from the rest of their file.

An irregular file is left to ezdxf entirely, so that geometry, repairs and findings are the same either way.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from rck_importers.dxf.content import LooseFaces, Style

COORDINATES = (10, 20, 30, 11, 21, 31, 12, 22, 32, 13, 23, 33)
"""Tags of a face's corners; they must be consecutive and in this order."""
ALLOWED = frozenset({0, 5, 6, 8, 48, 62, 70, 100, 330, 347, 370, 420, 999, *COORDINATES})
"""Tags that a plain face may have; faces with other tags are left to ezdxf."""
LOOK = (8, 62, 420, 6)
"""Tags of layer, colour, true colour and line type."""
UNUSED_NUMBERS = {48: float, 70: int, 370: int}
"""Tags whose values are unused, but must be numbers of these types."""
HANDLE, OWNER, NAME, ATTRIBS_FOLLOW = 5, 330, 2, 66

_HANDLE = re.compile(rb"(?=.*[1-9A-Fa-f])[0-9A-Fa-f]{1,16}")


class NotPlainError(ValueError):
    """Error: the file is too irregular for bulk extraction."""


@dataclass(frozen=True, eq=False)
class Split:
    """A file split into plain faces and the rest."""

    rest: bytes
    """The file without its plain faces."""
    faces: dict[str, LooseFaces]
    """Plain faces by lower-case block name; "" is the model space."""
    handles: frozenset[str]
    """Handles of the faces."""
    owners: frozenset[str]
    """Handles of the owners of the faces."""


def make_split(rest: bytes, faces: dict[str, LooseFaces], handles: list[bytes], owners: list[bytes]) -> Split:
    """Return the split file; raise an error unless handles are unique, nonzero hexadecimal numbers."""
    own, above = frozenset(handles), frozenset(owners)
    if len(own) < len(handles) or not all(_HANDLE.fullmatch(handle) for handle in own | above):
        raise NotPlainError
    return Split(rest, faces, frozenset(map(bytes.decode, own)), frozenset(map(bytes.decode, above)))


def remove_ranges(data: bytes, cuts: Iterable[tuple[int, int]]) -> bytes:
    """Return the file without these byte ranges (start, end), which must be sorted and disjoint."""
    kept = []
    at = 0
    for start, end in cuts:
        kept.append(data[at:start])
        at = end
    return b"".join([*kept, data[at:]])


def is_simple(name: bytes) -> bool:
    """Return True if a name reads the same in every encoding."""
    return name.isascii() and b"\\" not in name and b"%" not in name and b"^" not in name


def style_from(
    layer: bytes | None, aci: bytes | None, true_colour: bytes | None, linetype: bytes | None
) -> Style | None:
    """Return the style for these values of the tags in :data:`LOOK`; None if it is not plain."""
    layer, linetype = b"0" if layer is None else layer, b"BYLAYER" if linetype is None else linetype
    if not is_simple(layer) or not is_simple(linetype) or layer != layer.strip() or not layer:
        return None
    try:
        colour = None if true_colour is None else int(true_colour)
        return Style(layer.decode("ascii"), 256 if aci is None else int(aci), colour, linetype.decode("ascii").upper())
    except ValueError:
        return None


@dataclass(eq=False)
class BlockTracker:
    """Tracker of the current block while the structures of a file, except faces, are read in order."""

    here: str | None = None
    """Lower-case name of the current block; "" in the model space, None where faces are ignored."""
    _structure: bytes = b""
    _named: bool = True
    """False until a structure that requires a name has one."""
    _section: bytes | None = None
    _in_block: bool = False
    _expects_more: bool = False
    """True while vertices or attributes of the current entity may follow."""
    _seen: set[bytes | str] = field(default_factory=set)
    """Names of the sections so far, and lower-case names of the blocks."""

    def begin_structure(self, structure: bytes) -> None:
        """Start the next structure; raise an error if it is not allowed here."""
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

    def read_tag(self, code: int, value: bytes) -> None:
        """Process a tag of the current structure."""
        if self._structure == b"SECTION" and not self._named:
            # The name must come first and be unique: with equal names, ezdxf uses only the last section.
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

    def check_face(self) -> None:
        """Raise an error if a face is not allowed here, for example between a polyline and its vertices."""
        _require(self._named and not self._expects_more)


def _require(right: bool) -> None:
    if not right:
        raise NotPlainError


def _is_layout(block: str) -> bool:
    """Return True if ezdxf converts a block with this lower-case name to a layout."""
    return block.startswith(("*model_space", "*paper_space", "$model_space", "$paper_space"))
