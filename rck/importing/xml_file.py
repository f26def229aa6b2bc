"""XML read with care: elements that know their line, and no document types, so that no entity can expand."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import isfinite
from xml.parsers import expat

import numpy as np

from rck.geometry.arrays import Floats
from rck.importing.refusals import NotOfFormat, refused
from rck.model.names import did_you_mean
from rck.model.units import counted

DEEPEST = 2000
"""Elements inside elements beyond this depth are no robot."""
_ENDS_EARLY = tuple(
    expat.errors.codes[text]
    for text in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
"""What expat says where there is no more."""
_LATE_DECLARATION = re.compile(rb"(\s+)(<\?xml[^>]*\?>)")


@dataclass(slots=True, eq=False)
class Element:
    """An element with its attributes, its children in order and its own text. Prefixes stay as written."""

    tag: str
    attributes: Mapping[str, str]
    file: str
    line: int
    children: "list[Element]" = field(default_factory=list)
    text: str = ""

    @property
    def where(self) -> str:
        """File and line, as messages name them."""
        return f"{self.file}:{self.line}"

    def __iter__(self) -> "Iterator[Element]":
        return iter(self.children)

    def all(self, tag: str) -> "list[Element]":
        """The children of that tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> "Element | None":
        """The first child of that tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def get(self, name: str, default: str = "") -> str:
        """The attribute without white space round it."""
        return self.attributes.get(name, default).strip()

    def require(self, name: str) -> str:
        """An attribute that must be there and not be empty."""
        value = self.get(name)
        if not value:
            hint = did_you_mean(name, self.attributes)
            raise self.refusal(f"<{self.tag}> has no {name}{hint}", code=104)
        return value

    def number(self, name: str, default: float) -> float:
        """The attribute as one finite number."""
        return self.one_of(self.attributes[name], name) if name in self.attributes else default

    def numbers(self, name: str, count: int, default: "tuple[float, ...] | Floats") -> Floats:
        """The attribute as that many finite numbers. Shape (count,)."""
        if name not in self.attributes:
            return np.array(default, dtype=float)
        return self.numbers_of(self.attributes[name], name, count)

    def one_of(self, text: str, what: str) -> float:
        """A text of this element as one finite number."""
        return float(self.numbers_of(text, what, 1)[0])

    def numbers_of(self, text: str, what: str, count: int | None = None) -> Floats:
        """A text of this element as finite numbers, so many if a count is given. Shape (count,)."""
        words = text.split()
        if count is not None and len(words) != count:
            wanted = counted(count, "number")
            raise self.refusal(f"{what} of <{self.tag}> takes {wanted}, not {_shown(text)}", code=104)
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = []
        if len(values) != len(words) or "_" in text:
            raise self.refusal(f"{what} of <{self.tag}> is not a number: {_shown(text)}", code=104)
        if not all(isfinite(value) for value in values):
            raise self.refusal(f"{what} of <{self.tag}> is not finite: {_shown(text)}", code=101)
        return np.array(values, dtype=float)

    def refusal(self, message: str, *, code: int = 505, fix: str = "") -> NotOfFormat:
        """A refusal of the file because of this element."""
        return refused(self.where, message, code=code, fix=fix)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def parse_xml(data: bytes, file: str) -> Element:
    """The root element; damaged XML, document types and absurd depth are refused with the line."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    open_elements: list[Element] = []
    roots: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, file, parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)
        if len(open_elements) > DEEPEST:
            raise element.refusal(f"elements are nested more than {DEEPEST} deep", code=509)

    def end(_tag: str) -> None:
        open_elements.pop()

    def text(characters: str) -> None:
        open_elements[-1].text += characters

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuser(parser, file)
    with _refusing(file):
        parser.Parse(_declared_first(data), True)
    return roots[0]


def _declared_first(data: bytes) -> bytes:
    """The XML with its declaration before the blanks that it may come after, which other readers do not mind."""
    match = _LATE_DECLARATION.match(data)
    return data if match is None else match[2] + match[1] + data[match.end() :]


def refuse_document_types(data: bytes, file: str) -> None:
    """Refuse XML that is damaged or has a document type, before a library that might expand it sees it."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuser(parser, file)
    with _refusing(file):
        parser.Parse(_declared_first(data), True)


def opening_tags(head: bytes) -> list[str]:
    """The tags at the start of a file, the root's first; none where it is no XML."""
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, _attributes: found.append(tag)
    parser.StartDoctypeDeclHandler = _refuser(parser, "")
    # The start of a file may break off or go wrong after the root: what was found stands.
    with suppress(NotOfFormat), _refusing(""):
        parser.Parse(_declared_first(head), False)
    return found


def _refuser(parser: expat.XMLParserType, file: str) -> Callable[..., None]:
    def refuse(name: str, *_: object) -> None:
        message = f"a document type ({name}) may define entities and is not read"
        raise refused(f"{file}:{parser.CurrentLineNumber}", message, fix="remove the <!DOCTYPE ...> line")

    return refuse


@contextmanager
def _refusing(file: str) -> Iterator[None]:
    """What the parser stumbles over becomes a refusal that names the line."""
    try:
        yield
    except expat.ExpatError as error:
        message = f"is not well-formed XML: {expat.ErrorString(error.code)}"
        if error.code in _ENDS_EARLY:
            message = "the file breaks off"
        raise refused(f"{file}:{error.lineno}", message, fix="mend the file, or fetch it anew") from error
    except (LookupError, ValueError) as error:
        raise refused(file, f"is not readable as XML: {error}") from error
