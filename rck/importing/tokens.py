"""Tokenizer for files of plain numbers; errors name the line of a token."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.kinds import PROBE_BYTES
from rck.importing.file_errors import NotOfFormat, refused
from rck.support.finding import Built, Finding, errors_of

LARGEST = 1e9
"""Largest coordinate; larger ones lose precision in areas and volumes."""

T = TypeVar("T")


class Tokens:
    """Tokens of a file, separated by white space and consumed in order."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.at = 0
        """Index of the next token."""
        self._data = data
        self._tokens = data.split()

    @property
    def left(self) -> int:
        """Number of remaining tokens."""
        return len(self._tokens) - self.at

    def peek(self) -> bytes:
        """Return the next token; an empty one at the end."""
        return self._tokens[self.at] if self.left else b""

    def skip(self, word: bytes) -> bool:
        """Consume the next token if it is the word; return True if it was."""
        here = self.peek() == word
        self.at += here
        return here

    def where(self, index: int) -> str:
        """Return file and line of the token with that index; the last line for an index past the end."""
        ends = self._tokens_up_to_line
        return f"{self.name}:{min(bisect_right(ends, index) + 1, max(len(ends), 1))}"

    @cached_property
    def _tokens_up_to_line(self) -> list[int]:
        return list(accumulate(len(line.split()) for line in self._data.splitlines()))

    def refusal(self, message: str, index: int, *, code: int = 505, fix: str = "") -> NotOfFormat:
        """Return an error located at the token with that index."""
        return refused(self.where(index), message, code=code, fix=fix)

    def unexpected(self, what: str, index: int, *, code: int = 505) -> NotOfFormat:
        """Return an error for a token that is not the expected `what`."""
        if index >= len(self._tokens):
            return self.refusal(f"the file is truncated; expected {what}", index, code=code)
        if index == len(self._tokens) - 1 and not self._data[-1:].isspace():
            message = f"the file is truncated in {shown(self._tokens[index])}; expected {what}"
            return self.refusal(message, index, code=code)
        return self.refusal(f"expected {what}, found {shown(self._tokens[index])}", index, code=code)

    def accept(self, built: Built[T], index: int) -> tuple[T, list[Finding]]:
        """Return the value and its findings, located at that token; refuse a value that could not be built."""
        if not built.findings and built.value is not None:
            return built.value, []
        where = self.where(index)
        placed = [replace(finding, where=f"{where}: {finding.where}") for finding in built.findings]
        if built.value is None:
            raise NotOfFormat(errors_of(placed)[0])
        return built.value, placed

    def integer(self, what: str, low: int = 0, high: int | None = None) -> int:
        """Return the next token, which must be an integer within the bounds."""
        return self.integers(1, what, low, high)[0]

    def integers(self, count: int, what: str, low: int = 0, high: int | None = None) -> list[int]:
        """Return the next tokens, which must be integers within the bounds."""
        values = self._take(count, what, int)
        if values and (min(values) < low or (high is not None and max(values) > high)):
            wrong = next(n for n, value in enumerate(values) if value < low or (high is not None and value > high))
            bounds = f"at least {low}" if high is None else f"{low} to {high}"
            raise self.unexpected(f"{what}, {bounds}", self.at - count + wrong)
        return values

    def count(self, what: str, each: int, low: int = 0) -> int:
        """Return the next token as a count; at least `each` tokens per element must remain in the file."""
        number = self.integer(what, low)
        if number * each > self.left:
            needed = f"which needs at least {number * each} more numbers"
            message = f"{what} is {number}, {needed}, but the file has only {self.left}"
            raise self.refusal(message, self.at - 1)
        return number

    def number(self, what: str, low: float = -LARGEST, high: float = LARGEST) -> float:
        """Return the next token, which must be a number within the bounds."""
        return self._within(1, what, low, high)[0]

    def numbers(self, count: int, what: str, low: float = -LARGEST, high: float = LARGEST) -> Floats:
        """Return the next tokens, which must be numbers within the bounds. Shape (count,)."""
        return np.array(self._within(count, what, low, high), dtype=float)

    def _within(self, count: int, what: str, low: float, high: float) -> list[float]:
        values: list[float] = self._take(count, what, float)
        if not all(low <= value <= high for value in values):
            wrong = next(n for n, value in enumerate(values) if not low <= value <= high)
            code = 104 if isfinite(values[wrong]) else 101
            raise self.unexpected(f"{what}, {low:g} to {high:g}", self.at - count + wrong, code=code)
        return values

    def word(self, word: bytes, what: str) -> None:
        """Consume the next token, which must be the word."""
        if not self.skip(word):
            raise self.unexpected(what, self.at)

    def end(self, fix: str) -> None:
        """Refuse further tokens."""
        if self.left:
            found = shown(self.peek())
            raise self.refusal(f"expected the end of the file, found {found}", self.at, code=501, fix=fix)

    def _take(self, count: int, what: str, kind: Callable[[bytes], Any]) -> list[Any]:
        block = self._tokens[self.at : self.at + count]
        try:
            values = list(map(kind, block))
        except ValueError:
            values = None
        # Python parses 1_000 as a number; other programs do not.
        if values is None or b"_" in b"".join(block):
            wrong = next(n for n, token in enumerate(block) if not _is_number(token, kind))
            raise self.unexpected(what, self.at + wrong)
        if len(block) < count:
            raise self.unexpected(what, len(self._tokens))
        self.at += count
        return values


def _is_number(token: bytes, kind: Callable[[bytes], Any]) -> bool:
    try:
        kind(token)
    except ValueError:
        return False
    return b"_" not in token


def shown(token: bytes) -> str:
    """Return a token quoted for messages: printable and shortened."""
    text = token.decode("ascii", "backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


def opening(head: bytes) -> list[bytes]:
    """Return the complete tokens in the first bytes of a file, as passed to probes."""
    tokens = head.split()
    return tokens[:-1] if len(head) >= PROBE_BYTES and not head[-1:].isspace() else tokens


_PLAIN = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def are_numbers(tokens: Sequence[bytes]) -> bool:
    """Return True if all tokens are plain decimal numbers."""
    return all(_PLAIN.fullmatch(token) for token in tokens)
