"""Detection of truncated mesh files, for formats that define their length or end."""

import json
import re
from collections.abc import Callable

_SIZES = {
    "char": 1, "uchar": 1, "int8": 1, "uint8": 1, "short": 2, "ushort": 2, "int16": 2, "uint16": 2,
    "int": 4, "uint": 4, "int32": 4, "uint32": 4, "float": 4, "float32": 4, "double": 8, "float64": 8,
}  # fmt: skip
"""Sizes of the PLY types, in bytes."""
STL_HEAD = 84
"""Size of the header of a binary STL file, in bytes."""
_SMALLEST_FACE = 3
"""Minimum number of vertices."""
_PLY_ELEMENT = re.compile(r"^element[ \t]+(\w+)[ \t]+(\d+)(.*?)(?=^element|\Z)", re.MULTILINE | re.DOTALL)
_PLY_PROPERTY = re.compile(r"^property[ \t]+(list[ \t]+)?(\w+)[ \t]+(\w+)", re.MULTILINE)


def describe_truncation(data: bytes, kind: str) -> str:
    """Return where data of a format such as `stl` is truncated, in words; empty if it is or may be complete."""
    look = _LOOKS.get(kind)
    if look is None or not look(data):
        return ""
    # Binary files have no lines.
    lines = b"\0" not in data[:4096]
    return f"in line {data.count(10) + 1}" if lines else f"at byte {len(data)}"


def _stl(data: bytes) -> bool:
    if re.match(rb"\s*solid\b", data) and b"\0" not in data[:1024]:
        return re.search(rb"\bendsolid\b[^\n]*\s*$", data[-2048:]) is None
    return len(data) < stl_size(data)


def stl_size(head: bytes) -> int:
    """Return the size in bytes of a binary STL file with this header."""
    return STL_HEAD + 50 * int.from_bytes(head[80:84], "little")


def _glb(data: bytes) -> bool:
    return len(data) < int.from_bytes(data[8:12], "little")


def _gltf(data: bytes) -> bool:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated") or error.pos >= len(error.doc.rstrip())
    except ValueError:
        return False
    return False


def _zip(data: bytes) -> bool:
    """Return True if the end-of-central-directory record is missing (APPNOTE, 4.3.16)."""
    return b"PK\5\6" not in data[-65_557:]


def _off(data: bytes) -> bool:
    rows = (line.split(b"#")[0].split() for line in data.splitlines())
    words = [row for row in rows if row]
    # The counts follow the first word or are on a separate line.
    first = 0 if len(words[0]) > 1 else 1
    head = [word for row in words[: first + 1] for word in row]
    counts = [int(word) for word in head[1:3] if word.isdigit()]
    return not counts or len(words) - 1 - first < sum(counts)


def _ply(data: bytes) -> bool:
    head, ended, rest = data.partition(b"end_header")
    if not ended:
        return True
    text = b"format ascii" in head
    content = rest.partition(b"\n")[2]
    return (len(content.split()) if text else len(content)) < _ply_needs(head.decode("latin-1"), text)


def _ply_needs(head: str, text: bool) -> int:
    """Return the minimum count of numbers, or bytes, for the elements that a header declares."""
    needed = 0
    for name, count, properties in _PLY_ELEMENT.findall(head):
        corners = _SMALLEST_FACE if name == "face" else 0
        for listed, first, second in _PLY_PROPERTY.findall(properties):
            one, other = (1, 1) if text else (_SIZES.get(first, 1), _SIZES.get(second, 1))
            needed += int(count) * (one + corners * other if listed else one)
    return needed


_LOOKS: dict[str, Callable[[bytes], bool]] = {
    "stl": _stl,
    "glb": _glb,
    "gltf": _gltf,
    "3mf": _zip,
    "off": _off,
    "ply": _ply,
}
