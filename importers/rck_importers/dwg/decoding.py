"""Decoding of DWG files with ezdwg, in a child process; this file loads nothing of RCK."""

import re
from typing import Any

_STRUCTURE = {
    "ATTDEF", "ATTRIB", "BLOCK", "ENDBLK", "SEQEND", "VERTEX_2D", "VERTEX_3D", "VERTEX_MESH", "VERTEX_PFACE",
    "VERTEX_PFACE_FACE", "VIEWPORT",
}  # fmt: skip
"""Types that are parts of others, or that never hold geometry of their own."""
_WITH_ACIS = {"3DSOLID", "BODY", "REGION"}
_TEXT_START = re.compile(rb"\d{3,5} +\d+ +\d+ +\d+ *\r?\n")
_BINARY_STARTS = (b"ACIS BinaryFile", b"ASM BinaryFile4", b"ASM BinaryFile8")
_BINARY_END = re.compile(rb"\x0e\x03End\x0e\x02of\x0e(\x04ACIS|\x03ASM)\x0d\x04data")
_MOST_BLOCKS = 1 << 20
"""Maximum number of blocks of one encoded text."""


def decode_dwg(job: Any, path: str) -> dict[str, Any]:
    """Return units, layers, blocks and entities of a file, and the number of entities that ezdwg does not read."""
    import ezdwg
    from ezdwg import raw

    job.progress(0.1, "decoding")
    document = ezdwg.read(path)
    headers = raw.list_object_headers_with_type(path)
    types = {int(row[0]): str(row[4]) for row in headers if row[5] == "E"}
    entities = []
    seen = set()
    for entity in document.entities().query():
        handle = int(entity.handle)
        seen.add(handle)
        mode, owner = document.entity_placement(handle) or (2, None)
        entities.append([entity.dxftype, handle, int(mode), int(owner or 0), _plain(entity.dxf)])
    job.progress(0.7, "decoding")
    missing: dict[str, int] = {}
    for handle, kind in types.items():
        if handle not in seen and kind not in _STRUCTURE and not kind.startswith("DIM_"):
            missing[kind] = missing.get(kind, 0) + 1
    return {
        "version": document.version,
        "insunits": document.insunits,
        "layers": [_layer(layer) for layer in document.layers],
        "blocks": [[int(handle), str(name)] for handle, name in raw.decode_block_header_names(path)],
        "bases": _bases(raw, path),
        "entities": entities,
        "missing": missing,
        "acis": _acis(raw, path, sorted(handle for handle, kind in types.items() if kind in _WITH_ACIS)),
    }


def _plain(value: Any) -> Any:
    """Return a value of lists, text keys and plain values, without the parts that only ezdwg uses."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items() if key != "common"}
    if isinstance(value, list | tuple | set):
        return [_plain(one) for one in value]
    return value if isinstance(value, bool | int | float | str | bytes) else None


def _layer(layer: Any) -> dict[str, Any]:
    names = ("handle", "name", "color", "true_color", "on", "frozen", "linetype")
    return {name: getattr(layer, name, None) for name in names}


def _bases(raw: Any, path: str) -> dict[str, list[float]]:
    """Return the base points of the blocks by name, as far as ezdwg knows them."""
    try:
        rows = raw.decode_write_blocks(path)
    except Exception:
        return {}
    return {str(row["name"]): [float(x) for x in row["base_point"]] for row in rows}


def _acis(raw: Any, path: str, handles: list[int]) -> dict[str, bytes]:
    """Return the ACIS data of entities by handle: from their records, else from the data section of newer files."""
    found = {}
    for row in raw.read_object_records_by_handle(path, handles) if handles else []:
        data = find_acis(bytes(row[4]))
        if data:
            found[str(row[0])] = data
    without = [handle for handle in handles if str(handle) not in found]
    if without:
        streams = _section_streams(raw, path)
        # The section lists the streams in the order of the handles; any other number of them is ambiguous.
        if len(streams) == len(without):
            found.update({str(handle): data for handle, data in zip(without, streams, strict=True)})
    return found


def _section_streams(raw: Any, path: str) -> list[bytes]:
    """Return the binary streams of the section for binary data, in file order."""
    try:
        names = [row[0] for row in raw.list_section_locators(path)]
        section = bytes(raw.read_section_bytes(path, names.index("AcDb:AcDsPrototype_1b")))
    except Exception:
        return []
    return list(binary_streams(section))


def binary_streams(data: bytes) -> list[bytes]:
    """Return the binary ACIS streams in some bytes."""
    streams = []
    for end in _BINARY_END.finditer(data):
        start = max(data.rfind(start, 0, end.start()) for start in _BINARY_STARTS)
        if start >= 0:
            streams.append(data[start : end.end()])
    return streams


def find_acis(record: bytes) -> bytes | None:
    """Return the ACIS data in the bits of an entity's record, which begins at any bit; None without any."""
    bits = int.from_bytes(record, "big")
    total = 8 * len(record)
    for shift in range(8):
        shifted = (bits << shift).to_bytes(len(record) + 1, "big")[1:] if shift else record
        if any(start in shifted for start in _BINARY_STARTS):
            return next(iter(binary_streams(shifted)), None)
        match = _TEXT_START.search(decrypted(shifted))
        if match:
            return _text_at(bits, total, 8 * match.start() + shift)
    return None


def decrypted(data: bytes) -> bytes:
    """Return text whose characters other than blanks and controls are subtracted from 159."""
    return bytes(159 - byte if 32 < byte < 127 else byte for byte in data)


def _text_at(bits: int, total: int, place: int) -> bytes | None:
    """Return an encoded text, whose first block begins at a bit: each block is preceded by its number of bytes."""

    def take(start: int, count: int) -> int:
        return (bits >> (total - start - count)) & ((1 << count) - 1)

    def read_size(start: int) -> tuple[int, int]:
        kind = take(start, 2)
        if kind == 0:
            raw = take(start + 2, 32)
            return int.from_bytes(raw.to_bytes(4, "big"), "little"), start + 34
        return (take(start + 2, 8), start + 10) if kind == 1 else (0, start + 2)

    # The size before the first block is 34 or 10 bits long.
    for back in (34, 10):
        if place < back:
            continue
        size, after = read_size(place - back)
        if after == place and 0 < size <= (total - place) // 8:
            break
    else:
        return None
    pieces = []
    for _ in range(_MOST_BLOCKS):
        if not 0 < size <= (total - place) // 8:
            break
        pieces.append(take(place, 8 * size).to_bytes(size, "big"))
        place += 8 * size
        if place + 34 > total:
            break
        size, place = read_size(place)
    return decrypted(b"".join(pieces))
