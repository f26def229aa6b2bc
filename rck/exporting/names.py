"""Names that files of other programs can hold: no scopes, no accents, no two alike."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import count


def legal_names(
    names: Sequence[str], *, taken: Iterable[str] = (), identifiers: bool = False, any_case: bool = False
) -> list[str]:
    """For each name a :func:`legal_name`, all of them different, and the same on every run.

    Names that are legal as they stand keep theirs; where others come out alike, the later ones get a number.
    Nobody gets a name that is `taken`. With `any_case`, names that differ only by their case count as alike,
    as the names of files do on some systems.
    """

    def key(name: str) -> str:
        return name.casefold() if any_case else name

    used = {key(name) for name in taken}
    wanted = [legal_name(name, identifiers=identifiers) for name in names]
    given = [""] * len(names)
    for number, name in enumerate(names):
        if name == wanted[number] and key(name) not in used:
            given[number] = name
            used.add(key(name))
    for number, stem in enumerate(wanted):
        if not given[number]:
            given[number] = next(name for name in _numbered(stem) if key(name) not in used)
            used.add(key(given[number]))
    return given


def legal_name(name: str, *, identifiers: bool = False) -> str:
    """The name in ASCII letters, digits, ``-`` and ``_``, beginning with a letter or digit.

    Scopes become prefixes: `left/finger` is ``left_finger``. An identifier begins with a letter and has no ``-``.
    """
    without_accents = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    spelled = re.sub(r"[^\x00-\x7f]", lambda found: f"u{ord(found[0]):x}", without_accents)
    plain = re.sub(r"[^A-Za-z0-9_]" if identifiers else r"[^A-Za-z0-9_-]", "_", spelled)
    begins_well = plain[:1].isalpha() or (plain[:1].isdigit() and not identifiers)
    return plain if begins_well else f"x{plain}"


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    for number in count(2):
        yield f"{stem}_{number}"
