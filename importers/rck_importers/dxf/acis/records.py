"""Records of an ACIS stream: the common form of the text format (SAT) and the binary format (SAB)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.errors import BrepError

MOST_RECORDS = 2_000_000
"""Maximum number of records of one stream."""
OPEN, CLOSE = "{", "}"
"""Tokens round the data of a spline."""


class AcisError(BrepError):
    """Error: ACIS data that is damaged or of an unsupported form; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a record; a negative index means none."""

    index: int


Token = Ref | bool | int | float | str


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its type, such as `plane-surface`, and its fields."""

    index: int
    kind: str
    tokens: tuple[Token, ...]

    @property
    def family(self) -> str:
        """Last word of the type: `surface` of `plane-surface`, `edge` of `tedge-edge`."""
        return self.kind.rsplit("-", 1)[-1]

    @property
    def label(self) -> str:
        """Description for messages."""
        return f"ACIS record {self.index} ({self.kind[:40]})"


@dataclass(frozen=True, eq=False)
class Stream:
    """The records of one stream by index, in file order."""

    version: int
    """Version of the format times 100: 700 is ACIS 7.0."""
    records: Mapping[int, Record]


class Fields:
    """Reader of the fields of a record, one after the other."""

    def __init__(self, record: Record, tokens: tuple[Token, ...] | None = None) -> None:
        self.record = record
        self.tokens = record.tokens if tokens is None else tokens
        self.place = 0

    def skip_header(self) -> None:
        """Skip what every entity begins with: its attribute and, from version 7 on, numbers and a pattern."""
        self.ref()
        place = self.place
        while place < len(self.tokens) and place < self.place + 2 and is_number(self.tokens[place]):
            place += 1
        if place > self.place and place < len(self.tokens) and isinstance(self.tokens[place], Ref):
            self.place = place + 1

    @property
    def following(self) -> Token | None:
        """The next field; None at the end."""
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self) -> Token:
        """Return the next field."""
        if self.place >= len(self.tokens):
            raise AcisError(f"{self.record.label} ends too early")
        self.place += 1
        return self.tokens[self.place - 1]

    def ref(self) -> int:
        """Return the next field, a reference."""
        token = self.take()
        if not isinstance(token, Ref):
            raise AcisError(f"{self.record.label} has {token!r} in place of a reference")
        return token.index

    def number(self) -> float:
        """Return the next field, a finite number."""
        token = self.take()
        if not is_number(token):
            raise AcisError(f"{self.record.label} has {token!r} in place of a number")
        value = float(token)  # type: ignore[arg-type]
        if not abs(value) < 1e100:
            raise AcisError(f"{self.record.label} has the number {value:g}")
        return value

    def integer(self) -> int:
        """Return the next field, an integer."""
        value = self.number()
        if value != int(value):
            raise AcisError(f"{self.record.label} has {value:g} in place of an integer")
        return int(value)

    def vector(self) -> Floats:
        """Return the next three fields. Shape (3,)."""
        return np.array([self.number(), self.number(), self.number()])

    def flag(self, *words: str) -> bool:
        """Return the next field, a truth value: 1, true, or one of the words."""
        token = self.take()
        if isinstance(token, Ref) or (isinstance(token, float) and token not in (0.0, 1.0)):
            raise AcisError(f"{self.record.label} has {token!r} in place of one of {', '.join(words)}")
        return token in words if isinstance(token, str) else bool(token)

    def skip_optional_number(self) -> None:
        """Skip the next field if it is a number."""
        if is_number(self.following):
            self.place += 1

    def skip_interval(self) -> None:
        """Skip two limits, each infinite or a number."""
        for _ in range(2):
            if self.flag("F", "f"):
                self.number()


def is_number(token: Token | None) -> bool:
    """Return True for a number that is not a truth value."""
    return isinstance(token, int | float) and not isinstance(token, bool)
