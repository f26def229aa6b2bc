"""Mutations of files: bytes, truncation, tokens, extreme numbers, repeated and nested structure, archives."""

import io
import random
import re
import struct
import zipfile
from collections.abc import Callable

_TOKEN = re.compile(rb"[\w.+\-/]+")
_NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?(?![\w.])")
_ELEMENT = re.compile(rb"<([\w:]+)\b[^<>]*?(?:/>|>(?:[^<]*|.*?)</\1>)", re.DOTALL)
_EXTREMES = (
    b"0", b"-0", b"-1", b"1e308", b"-1e308", b"1e-300", b"nan", b"inf", b"-inf", b"1e400", b"2147483648",
    b"-2147483649", b"4294967295", b"99999999999999999999", b"100000", b"1000000000", b"1e9", b"0x10", b"1_000",
    b"1,5", b"", b"1e", b"0.1.2",
)  # fmt: skip
_WORDS = (
    b"../secret/canary.xml", b"../secret/canary.stl", b"../secret/canary.yaml", b"package://work/secret/canary.stl",
    b"model://../secret", b"/etc/passwd", b"file:///etc/passwd", b"true", b"null", b"*a", b"&a", b"${1/0}", b"[", b"]",
    b"{", b"}", b"<", b">", b'"', b"'", b"-", b":", b"#", b"\xff\xfe", b"\0", b"\xc3\xa9", b"world", b"base",
    b"9" * 400,
)  # fmt: skip
_BINARY = tuple(
    struct.pack(kind, value)
    for kind, values in {
        "<i": (0, 1, -1, 0x7FFFFFFF, -0x80000000, 1 << 24, 65536),
        "<f": (float("nan"), float("inf"), 1e38, -1e38, 1e-40),
        "<Q": (1 << 40, (1 << 64) - 1),
    }.items()
    for value in values
)

Mutation = Callable[[bytes, random.Random], bytes]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return the data after one to four random mutations; the members of an archive are mutated one by one."""
    if data.startswith(b"PK\x03\x04") and chance.random() < 0.7:
        return _in_archive(data, chance)
    for _ in range(chance.choice((1, 1, 2, 4))):
        data = chance.choice(MUTATIONS)(data, chance)
    return data


def _in_archive(data: bytes, chance: random.Random) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as changed:
        names = archive.namelist()
        chosen = chance.choice(names)
        for name in names:
            content = archive.read(name)
            changed.writestr(name, mutated(content, chance) if name == chosen else content)
    return output.getvalue()


def _place(data: bytes, chance: random.Random) -> int:
    return chance.randrange(len(data)) if data else 0


def _flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 3, 20))):
        if changed:
            changed[_place(data, chance)] = chance.randrange(256)
    return bytes(changed)


def _truncate(data: bytes, chance: random.Random) -> bytes:
    return data[: _place(data, chance)]


def _remove(data: bytes, chance: random.Random) -> bytes:
    start = _place(data, chance)
    return data[:start] + data[start + chance.choice((1, 4, 40, 400)) :]


def _insert(data: bytes, chance: random.Random) -> bytes:
    start = _place(data, chance)
    return data[:start] + chance.choice(_WORDS) + data[start:]


def _put(data: bytes, found: list[re.Match[bytes]], content: bytes, chance: random.Random) -> bytes:
    if not found:
        return data
    place = chance.choice(found)
    return data[: place.start()] + content + data[place.end() :]


def _swap_tokens(data: bytes, chance: random.Random) -> bytes:
    found = list(_TOKEN.finditer(data))
    if len(found) < 2:
        return data
    one, other = sorted(chance.sample(found, 2), key=lambda match: match.start())
    return data[: one.start()] + other[0] + data[one.end() : other.start()] + one[0] + data[other.end() :]


def _replace_token(data: bytes, chance: random.Random) -> bytes:
    return _put(data, list(_TOKEN.finditer(data)), chance.choice(_WORDS), chance)


def _copy_token(data: bytes, chance: random.Random) -> bytes:
    found = list(_TOKEN.finditer(data))
    return _put(data, found, chance.choice(found)[0], chance) if found else data


def _extreme_number(data: bytes, chance: random.Random) -> bytes:
    return _put(data, list(_NUMBER.finditer(data)), chance.choice(_EXTREMES), chance)


def _binary_number(data: bytes, chance: random.Random) -> bytes:
    start = _place(data, chance) & ~3
    content = chance.choice(_BINARY)
    return data[:start] + content + data[start + len(content) :]


def _repeat_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    start = chance.randrange(len(lines))
    block = lines[start : start + chance.choice((1, 2, 8))]
    place = chance.randrange(len(lines) + 1)
    return b"".join([*lines[:place], *(block * chance.choice((1, 2, 50))), *lines[place:]])


def _shuffle_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data
    one, other = chance.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _copy_element(data: bytes, chance: random.Random) -> bytes:
    """Copy an XML element, often into itself, so that structures nest."""
    found = list(_ELEMENT.finditer(data))
    if not found:
        return _repeat_lines(data, chance)
    copied = chance.choice(found)[0] * chance.choice((1, 1, 3))
    place = data.find(b">", _place(data, chance)) + 1
    return data[:place] + copied + data[place:]


def _nest_element(data: bytes, chance: random.Random) -> bytes:
    """Put an XML element into itself a few times."""
    found = [match for match in _ELEMENT.finditer(data) if not match[0].endswith(b"/>")]
    if not found:
        return _repeat_lines(data, chance)
    match = chance.choice(found)
    whole = match[0]
    for _ in range(chance.choice((1, 2, 5))):
        opened = whole.index(b">") + 1
        whole = whole[:opened] + whole + whole[opened:]
        if len(whole) > 200_000:
            break
    return data[: match.start()] + whole + data[match.end() :]


MUTATIONS: tuple[Mutation, ...] = (
    _flip, _truncate, _remove, _insert, _swap_tokens, _replace_token, _copy_token, _extreme_number, _extreme_number,
    _binary_number, _repeat_lines, _shuffle_lines, _copy_element, _nest_element,
)  # fmt: skip
