"""The binary format of ACIS (SAB), with integers of 4 or 8 bytes."""

import struct
from collections.abc import Iterator

from rck_importers.dxf.acis.records import CLOSE, MOST_RECORDS, OPEN, AcisError, Record, Ref, Stream, Token

SIGNATURES = (b"ACIS BinaryFile", b"ASM BinaryFile4", b"ASM BinaryFile8")
_HEADER_TOKENS = 6
"""Three strings and three numbers: product, version, date; unit and two tolerances."""
_IDENTIFIER, _SUBIDENTIFIER, _END = 13, 14, 17
_ENDS = ("End-of-A", "End-of-ASM", "Begin-of-A", "End", "Begin")


def parse_sab(data: bytes) -> Stream:
    """Return the records of a binary stream."""
    if not data.startswith(SIGNATURES):
        raise AcisError("its ACIS data has no header")
    wide = data.startswith(b"ASM BinaryFile8")
    size = 8 if wide else 4
    start = len(SIGNATURES[0])
    if len(data) < start + 4 * size:
        raise AcisError("its ACIS data is truncated in the header")
    (version,) = struct.unpack_from("<q" if wide else "<i", data, start)
    values = _tagged_values(data, start + 4 * size, wide)
    for _ in range(_HEADER_TOKENS):
        if next(values, None) is None:
            raise AcisError("its ACIS data is truncated in the header")
    return Stream(int(version), _records(values))


def _records(values: Iterator[tuple[int, Token]]) -> dict[int, Record]:
    records: dict[int, Record] = {}
    kind: list[str] = []
    is_named = False
    tokens: list[Token] = []
    for tag, value in values:
        if not is_named and tag in (_IDENTIFIER, _SUBIDENTIFIER):
            kind.append(str(value))
            is_named = tag == _IDENTIFIER
            if is_named and kind[0] in _ENDS:
                return records
        elif tag == _END:
            if not is_named:
                raise AcisError(f"record {len(records)} of its ACIS data has no type")
            records[len(records)] = Record(len(records), "-".join(kind), tuple(tokens))
            kind, tokens, is_named = [], [], False
            if len(records) > MOST_RECORDS:
                raise AcisError(f"it has more than {MOST_RECORDS:,} records")
        else:
            tokens.append(value)
    if kind and kind[0] not in _ENDS:
        raise AcisError(f"its ACIS data is truncated after {len(records)} records")
    return records


_FIXED = {2: "<b", 3: "<h", 5: "<f", 6: "<d"}
_VECTORS = {19: 3, 20: 3, 22: 2}
_STRINGS = {7: "<B", 8: "<H", 9: "<I", 13: "<B", 14: "<B", 18: "<I"}
_CONSTANTS: dict[int, Token] = {10: True, 11: False, 15: OPEN, 16: CLOSE, 17: "#"}


def _tagged_values(data: bytes, place: int, wide: bool) -> Iterator[tuple[int, Token]]:
    """Yield each value with its tag; a vector is yielded as its numbers."""
    integer = "<q" if wide else "<i"
    try:
        while place < len(data):
            tag = data[place]
            place += 1
            if tag in _CONSTANTS:
                yield tag, _CONSTANTS[tag]
            elif tag in _STRINGS:
                (size,) = struct.unpack_from(_STRINGS[tag], data, place)
                place += struct.calcsize(_STRINGS[tag])
                if place + size > len(data):
                    raise AcisError(f"its ACIS data is truncated at byte {len(data)}")
                yield tag, data[place : place + size].decode("utf-8", "replace")
                place += size
            elif tag in _VECTORS:
                numbers = struct.unpack_from(f"<{_VECTORS[tag]}d", data, place)
                place += 8 * len(numbers)
                for number in numbers:
                    yield tag, number
            elif tag in (4, 12, 21, 23):
                form = "<q" if tag == 23 else integer
                (value,) = struct.unpack_from(form, data, place)
                place += struct.calcsize(form)
                yield tag, Ref(value) if tag == 12 else value
            elif tag in _FIXED:
                (value,) = struct.unpack_from(_FIXED[tag], data, place)
                place += struct.calcsize(_FIXED[tag])
                yield tag, value
            else:
                raise AcisError(f"its ACIS data is damaged: unknown tag {tag} at byte {place - 1}")
    except struct.error as error:
        raise AcisError(f"its ACIS data is truncated at byte {len(data)}") from error
