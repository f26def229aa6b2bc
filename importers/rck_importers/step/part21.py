"""Exchange files of ISO 10303-21: instances with their attributes, parsed when they are first used."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rck.geometry.brep.errors import BrepError

_INSTANCE = re.compile(r"#(\d++)\s*+=\s*+((?:[^'/;]++|'[^']*+'|/\*(?s:.*?)\*/|/)*+);")
_TOKEN = re.compile(
    r"\s*+(?:/\*(?s:.*?)\*/\s*+)*+(?:"
    r"#(?P<ref>\d++)|(?P<text>'(?:[^']|'')*+')|\.(?P<enum>[A-Za-z0-9_]++)\.|(?P<mark>[(),$*])"
    r"|(?P<number>[+-]?\d++(?P<real>\.\d*+)?(?:[Ee][+-]?\d++)?)|(?P<word>!?[A-Za-z_][A-Za-z0-9_]*+)|(?P<binary>\"[^\"]*+\"))"
)
_DATA = re.compile(r"\bDATA\s*(?:\([^;]*\))?\s*;")
_ESCAPE = re.compile(
    r"\\X2\\((?:[0-9A-F]{4})*+)\\X0\\|\\X4\\((?:[0-9A-F]{8})*+)\\X0\\|\\X\\([0-9A-F]{2})|\\S\\(.)|\\P[A-I]\\|\\\\"
)
_MOST_NESTED = 200


class StepError(BrepError):
    """Error: data of a STEP file that is damaged or of an unsupported form; the message names the instance."""


@dataclass(frozen=True, slots=True)
class Ref:
    """Reference to an instance."""

    number: int


class Enum(str):
    """Value of an enumeration, without its dots."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Typed:
    """Value with its type: `LENGTH_MEASURE(25.4)`."""

    kind: str
    values: "list[Value]"


Value = None | int | float | str | Ref | Enum | Typed | list["Value"]


@dataclass(frozen=True, eq=False)
class Record:
    """An instance: the attributes of each of its types, one unless it is a complex instance."""

    number: int
    parts: Mapping[str, list[Value]]

    @property
    def kind(self) -> str:
        """Type of a simple instance; all types of a complex one, joined by `+`."""
        return "+".join(self.parts)

    @property
    def label(self) -> str:
        """Number and type, for messages."""
        return f"#{self.number} ({self.kind if len(self.parts) == 1 else next(iter(self.parts), 'nothing')})"

    def has(self, *kinds: str) -> bool:
        """Return True if it is of one of these types."""
        return any(kind in self.parts for kind in kinds)

    def value(self, place: int, kind: str = "") -> Value:
        """Return an attribute of a type, of the only one by default."""
        values = self.parts.get(kind) if kind else next(iter(self.parts.values()), None)
        if values is None or place >= len(values):
            raise StepError(f"{self.label} has too few attributes")
        return values[place]

    def ref(self, place: int, kind: str = "") -> Ref:
        """Return an attribute that is a reference."""
        value = self.value(place, kind)
        if not isinstance(value, Ref):
            raise StepError(f"{self.label} has {value!r} in place of a reference")
        return value

    def refs(self, place: int, kind: str = "") -> list[Ref]:
        """Return the references in a list; other members are left out."""
        return [value for value in self.list(place, kind) if isinstance(value, Ref)]

    def list(self, place: int, kind: str = "") -> list[Value]:
        """Return an attribute that is a list."""
        value = self.value(place, kind)
        if not isinstance(value, list):
            raise StepError(f"{self.label} has {value!r} in place of a list")
        return value

    def number_at(self, place: int, kind: str = "") -> float:
        """Return an attribute that is a finite number."""
        return as_number(self.value(place, kind), self)

    def integer(self, place: int, kind: str = "") -> int:
        """Return an attribute that is an integer."""
        return as_integer(self.value(place, kind), self)

    def flag(self, place: int, kind: str = "") -> bool:
        """Return an attribute that is a truth value."""
        value = self.value(place, kind)
        if value not in ("T", "F"):
            raise StepError(f"{self.label} has {value!r} in place of .T. or .F.")
        return value == "T"

    def text(self, place: int, kind: str = "") -> str:
        """Return an attribute that is a text; empty if it is missing."""
        values = self.parts.get(kind) if kind else next(iter(self.parts.values()), [])
        value = values[place] if values and place < len(values) else ""
        return value if isinstance(value, str) and not isinstance(value, Enum) else ""


def as_number(value: Value, record: Record) -> float:
    """Return a value that is a finite number."""
    if isinstance(value, Typed) and len(value.values) == 1:
        value = value.values[0]
    if not isinstance(value, int | float) or not abs(value) < 1e100:
        raise StepError(f"{record.label} has {value!r} in place of a number")
    return float(value)


def as_integer(value: Value, record: Record) -> int:
    """Return a value that is an integer."""
    number = as_number(value, record)
    if number != int(number):
        raise StepError(f"{record.label} has {number:g} in place of an integer")
    return int(number)


@dataclass(eq=False)
class Exchange:
    """The instances in the data sections of a file."""

    texts: dict[int, str]
    """Unparsed attributes by number."""
    _records: dict[int, Record] = field(default_factory=dict)

    def get(self, ref: Ref | int) -> Record:
        """Return an instance."""
        number = ref.number if isinstance(ref, Ref) else ref
        found = self._records.get(number)
        if found is None:
            text = self.texts.get(number)
            if text is None:
                raise StepError(f"instance #{number} does not exist")
            found = self._records[number] = Record(number, _parse(text, number))
        return found

    def of_kind(self, *kinds: str) -> Iterator[Record]:
        """Yield the instances of these types, in the order of the file."""
        pattern = re.compile(r"\b(?:" + "|".join(kinds) + r")\s*\(")
        for number, text in self.texts.items():
            if pattern.search(text):
                record = self.get(number)
                if record.has(*kinds):
                    yield record

    def needed_by(self, numbers: Iterator[int]) -> list[int]:
        """Return these instances and all that they refer to, in ascending order."""
        waiting = list(numbers)
        found: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number in found or number not in self.texts:
                continue
            found.add(number)
            waiting += [int(one) for one in re.findall(r"#(\d+)", self.texts[number])]
        return sorted(found)


def read_exchange(data: bytes) -> Exchange:
    """Return the instances of a file."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    start = _DATA.search(text)
    if start is None:
        raise StepError("it has no data section")
    found = {int(one[1]): one[2] for one in _INSTANCE.finditer(text, start.end())}
    if not found:
        raise StepError("its data section is empty or damaged")
    return Exchange(found)


def _parse(text: str, number: int) -> dict[str, list[Value]]:
    """Return the attributes of each type of an instance."""
    # A list of values for each open parenthesis; a word waits for the parenthesis that follows it.
    stack: list[list[Value]] = [[]]
    words: list[str] = [""]
    word, place = "", 0
    end = len(text.rstrip())
    while place < end:
        token = _TOKEN.match(text, place)
        if token is None:
            raise StepError(f"instance #{number} is damaged near {text[place : place + 20].strip()!r}")
        place = token.end()
        kind, mark = token.lastgroup, token["mark"]
        if token["real"] is not None:
            kind = "number"
        if mark == "(":
            if len(stack) > _MOST_NESTED:
                raise StepError(f"instance #{number} is nested too deeply")
            stack.append([])
            words.append(word)
            word = ""
        elif mark == ")":
            if len(stack) == 1:
                raise StepError(f"instance #{number} has a parenthesis too many")
            values, owner = stack.pop(), words.pop()
            stack[-1].append(Typed(owner, values) if owner else values)
        elif mark == ",":
            continue
        elif mark in ("$", "*"):
            stack[-1].append(None)
        elif kind == "ref":
            stack[-1].append(Ref(int(token["ref"])))
        elif kind == "number":
            stack[-1].append(_number(token["number"]))
        elif kind == "text":
            stack[-1].append(_unescape(token["text"][1:-1]))
        elif kind == "enum":
            stack[-1].append(Enum(token["enum"].upper()))
        elif kind == "word":
            word = token["word"].upper()
        else:
            stack[-1].append(token["binary"])
    if len(stack) != 1 or not stack[0]:
        raise StepError(f"instance #{number} is incomplete")
    whole = stack[0][0]
    members = whole if isinstance(whole, list) else [whole]
    if not all(isinstance(member, Typed) for member in members):
        raise StepError(f"instance #{number} has no type")
    return {one.kind: one.values for one in members if isinstance(one, Typed)}


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdigit() and len(text) < 30 else float(text)


def _unescape(text: str) -> str:
    """Return a text with its escapes (ISO 10303-21, section 6.4.3) replaced."""
    plain = text.replace("''", "'")
    if "\\" not in plain:
        return plain

    def letters(found: "re.Match[str]") -> str:
        if found[1] is not None:
            return bytes.fromhex(found[1]).decode("utf-16-be", "replace")
        if found[2] is not None:
            return bytes.fromhex(found[2]).decode("utf-32-be", "replace")
        if found[3] is not None:
            return bytes.fromhex(found[3]).decode("latin-1")
        if found[4] is not None:
            return chr((ord(found[4]) + 128) % 256)
        return "\\" if found[0] == "\\\\" else ""

    return _ESCAPE.sub(letters, plain)
