"""Safe XML reader: elements keep their line number, and document types are refused to prevent entity expansion."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import isfinite
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from rck.geometry.arrays import Floats
from rck.importing.file_errors import NotOfFormat, refused
from rck.support.names import did_you_mean
from rck.support.units import counted

DEEPEST = 2000
"""Maximum nesting depth of elements."""
_ENDS_EARLY = tuple(
    expat.errors.codes[text]
    for text in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
"""Error codes of expat for a truncated file."""
_LATE_DECLARATION = re.compile(rb"(\s+)(<\?xml[^>]*\?>)")


@dataclass(slots=True, eq=False)
class Element:
    """XML element with its attributes, ordered children and text. Namespace prefixes are kept as written."""

    tag: str
    attributes: Mapping[str, str]
    file: str
    line: int
    children: "list[Element]" = field(default_factory=list)
    text: str = ""

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.file}:{self.line}"

    def tree(self) -> ElementTree.Element:
        """Return the element as one that can be written as XML."""
        made = ElementTree.Element(self.tag, dict(self.attributes))
        made.text = self.text.strip() or None
        made.extend(child.tree() for child in self.children)
        return made

    def __iter__(self) -> "Iterator[Element]":
        return iter(self.children)

    def all(self, tag: str) -> "list[Element]":
        """Return the children with that tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> "Element | None":
        """Return the first child with that tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def get(self, name: str, default: str = "") -> str:
        """Return the attribute without surrounding white space."""
        return self.attributes.get(name, default).strip()

    def require(self, name: str) -> str:
        """Return a required attribute; refuse the file if it is missing or empty."""
        value = self.get(name)
        if not value:
            hint = did_you_mean(name, self.attributes)
            raise self.refusal(f"<{self.tag}> has no {name}{hint}", code=104)
        return value

    def number(self, name: str, default: float) -> float:
        """Return the attribute as one finite number."""
        return self.one_of(self.attributes[name], name) if name in self.attributes else default

    def numbers(self, name: str, count: int, default: "tuple[float, ...] | Floats") -> Floats:
        """Return the attribute as `count` finite numbers. Shape (count,)."""
        if name not in self.attributes:
            return np.array(default, dtype=float)
        return self.numbers_of(self.attributes[name], name, count)

    def one_of(self, text: str, what: str) -> float:
        """Parse text of this element as one finite number."""
        return float(self.numbers_of(text, what, 1)[0])

    def numbers_of(self, text: str, what: str, count: int | None = None) -> Floats:
        """Parse text of this element as finite numbers; `count` is the required number of them. Shape (count,)."""
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
        """Return an error located at this element."""
        return refused(self.where, message, code=code, fix=fix)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def parse_xml(data: bytes, file: str, count: "Callable[[Element], None] | None" = None) -> Element:
    """Return the root element; refuse malformed XML, document types and excessive depth with the line number.

    `count` is called with each element, and may refuse it.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    open_elements: list[Element] = []
    roots: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, file, parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)
        if count is not None:
            count(element)
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
    """Move the XML declaration before leading white space, which other readers accept."""
    match = _LATE_DECLARATION.match(data)
    return data if match is None else match[2] + match[1] + data[match.end() :]


def scan_xml(
    data: bytes, file: str, start: Callable[[str, dict[str, str]], None], end: Callable[[str], None] | None = None
) -> None:
    """Call functions at the start, with tag and attributes, and at the end of each element.

    Malformed XML and document types are refused.
    """
    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = _refuser(parser, file)
    with _refusing(file):
        parser.Parse(_declared_first(data), True)


def refuse_document_types(data: bytes, file: str) -> None:
    """Refuse XML that is malformed or has a document type, before a library that may expand entities parses it."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuser(parser, file)
    with _refusing(file):
        parser.Parse(_declared_first(data), True)


def opening_tags(head: bytes) -> list[str]:
    """Return the tags at the start of a file, the root first; none if it is not XML."""
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, _attributes: found.append(tag)
    parser.StartDoctypeDeclHandler = _refuser(parser, "")
    # The start of a file may be incomplete: keep the tags found before an error.
    with suppress(NotOfFormat), _refusing(""):
        parser.Parse(_declared_first(head), False)
    return found


def _refuser(parser: expat.XMLParserType, file: str) -> Callable[..., None]:
    def refuse(name: str, *_: object) -> None:
        message = f"the document type {name} is not allowed: it may define entities"
        raise refused(f"{file}:{parser.CurrentLineNumber}", message, fix="remove the <!DOCTYPE ...> line")

    return refuse


@contextmanager
def _refusing(file: str) -> Iterator[None]:
    """Convert errors of the parser to a refusal with the line number."""
    try:
        yield
    except expat.ExpatError as error:
        message = f"is not well-formed XML: {expat.ErrorString(error.code)}"
        if error.code in _ENDS_EARLY:
            message = "the file is truncated"
        raise refused(f"{file}:{error.lineno}", message, fix="repair the file or download it again") from error
    except (LookupError, ValueError) as error:
        raise refused(file, f"is not readable as XML: {error}") from error
