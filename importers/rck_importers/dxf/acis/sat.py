"""The text format of ACIS (SAT), all versions."""

import re
from collections.abc import Iterator

from rck_importers.dxf.acis.records import CLOSE, MOST_RECORDS, OPEN, AcisError, Record, Ref, Stream, Token

_WORD = re.compile(r"\s*(?:@(\d+) |(\$-?\d+)|([{}#])|([^\s{}#]+))")
_FIRST_LONG_HEADER = 200
"""Version from which the header has three lines instead of one."""
_ENDS = ("End-of-A", "Begin-of-A")


def parse_sat(text: str) -> Stream:
    """Return the records of a text stream; an unterminated last record is an error."""
    head, _, rest = text.lstrip().partition("\n")
    version = _version(head)
    if version >= _FIRST_LONG_HEADER:
        rest = rest.partition("\n")[2].partition("\n")[2]
    records: dict[int, Record] = {}
    tokens: list[Token] = []
    for token in _tokens(rest):
        if token != "#":
            tokens.append(token)
            continue
        record = _record(tokens, len(records))
        if record.kind.startswith(_ENDS):
            break
        records[record.index] = record
        tokens = []
        if len(records) > MOST_RECORDS:
            raise AcisError(f"it has more than {MOST_RECORDS:,} records")
    if tokens and not str(tokens[0]).startswith(_ENDS):
        raise AcisError(f"its ACIS data is truncated after {len(records)} records")
    return Stream(version, records)


def _version(head: str) -> int:
    words = head.split()
    if len(words) < 3 or not all(word.lstrip("-").isdigit() for word in words[:3]):
        raise AcisError("its ACIS data has no header")
    return int(words[0][:9])


def _record(tokens: list[Token], position: int) -> Record:
    """Return the record of these tokens; some writers state its index first, as a negative number."""
    if tokens and isinstance(tokens[0], int) and tokens[0] <= 0:
        position = -tokens[0]
        tokens = tokens[1:]
    if not tokens or not isinstance(tokens[0], str):
        raise AcisError(f"record {position} of its ACIS data has no type")
    return Record(position, tokens[0], tuple(tokens[1:]))


def _tokens(text: str) -> Iterator[Token]:
    place = 0
    while match := _WORD.match(text, place):
        place = match.end()
        length, reference, mark, word = match.groups()
        if length is not None:
            size = int(length[:9])
            yield text[place : place + size] or " "
            place += size
        elif reference is not None:
            yield Ref(int(reference[1:12]))
        elif mark is not None:
            yield {"{": OPEN, "}": CLOSE}.get(mark, mark)
        else:
            yield read_word(word)


def read_word(word: str) -> Token:
    """Return a number, or the word itself if it is none."""
    if word[0] not in "+-.0123456789" or len(word) > 60:
        return word
    try:
        return int(word)
    except ValueError:
        pass
    try:
        return float(word)
    except ValueError:
        return word
