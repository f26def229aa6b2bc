"""Names: one or more words joined by ``/``, the scope first (`left/gripper/finger`)."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import TypeVar

from rck.support.finding import Finding, RckError, Severity

T = TypeVar("T")

_NAME = re.compile(r"[^\s/.\\\"'<>&]+(/[^\s/.\\\"'<>&]+)*")
_LONGEST = 200


def name_findings(name: str, where: str) -> list[Finding]:
    """Return an error finding if the name is invalid."""
    if len(name) <= _LONGEST and _NAME.fullmatch(name) and name.isprintable():
        return []
    if len(name) > _LONGEST:
        message = f"a name has at most {_LONGEST} characters, not {len(name)}"
    else:
        message = f"{name!r} is not a name" if name else "a name is missing"
    return [Finding(102, Severity.ERROR, where, message, "use letters, digits, - and _, with / between scopes")]


def repeated_names(names: Iterable[str], what: str) -> list[Finding]:
    """Return an error finding for each repeated name."""
    seen: set[str] = set()
    findings = []
    for name in names:
        if name in seen:
            findings.append(Finding(103, Severity.ERROR, f"{what} {name}", "the name is used twice", "rename one"))
        seen.add(name)
    return findings


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint at the most similar known word, to append to a message; empty if none is similar."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(known), n=1)
    return f" (did you mean {found[0]}?)" if found else ""


def entry_named(name: str, known: Mapping[str, T], what: str) -> T:
    """Return the entry of that name; raise :class:`RckError` with the known names if it does not exist."""
    if name not in known:
        names = ", ".join(known) or "none"
        raise RckError(f"there is no {what} {name!r}{did_you_mean(name, known)}; known: {names}")
    return known[name]


def full_name(name: str, known: Iterable[str], what: str) -> str:
    """Return the full name that a short one denotes: `hand` can stand for `arm/hand` or `hand/grip`."""
    names = list(known)
    if name in names:
        return name
    meant = [one for one in names if one.endswith(f"/{name}")] or [one for one in names if one.startswith(f"{name}/")]
    if len(meant) == 1:
        return meant[0]
    which = f"; it could be {', '.join(meant)}" if meant else did_you_mean(name, names)
    raise RckError(f"there is no {what} called {name}{which}; known: {', '.join(names) or 'none'}")


def nearest_name(text: str, otherwise: str) -> str:
    """Convert a text to a name of one word, with `-` for invalid characters; `otherwise` if nothing remains."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return re.sub(r"[\s/.\\\"'<>&]+", "-", printable)[:_LONGEST].strip("-") or otherwise


def unique_names(
    names: Sequence[str],
    wanted: Sequence[str],
    separator: str,
    taken: Iterable[str] = (),
    key: Callable[[str], str] = str,
) -> list[str]:
    """Return the wanted names, made unique by numbers, for a list of names. The result is the same on every run.

    Names that do not clash stay unchanged; of equal ones, the later get a number. Names are equal if
    their keys are. No name in `taken` is used.
    """
    used = {key(name) for name in taken}
    unique = [""] * len(names)
    for number, name in enumerate(names):
        if name == wanted[number] and key(name) not in used:
            unique[number] = name
            used.add(key(name))
    for number, stem in enumerate(wanted):
        if not unique[number]:
            numbered = (stem if n == 1 else f"{stem}{separator}{n}" for n in count(1))
            unique[number] = next(name for name in numbered if key(name) not in used)
            used.add(key(unique[number]))
    return unique


def legal_names(
    names: Sequence[str], *, taken: Iterable[str] = (), identifiers: bool = False, any_case: bool = False
) -> list[str]:
    """Return a different :func:`legal_name` for each name, as :func:`unique_names` does.

    With `any_case`, names that differ only in case count as equal, as file names do on some systems.
    """
    wanted = [legal_name(name, identifiers=identifiers) for name in names]
    return unique_names(names, wanted, "_", taken, str.casefold if any_case else str)


def legal_name(name: str, *, identifiers: bool = False) -> str:
    """Return the name in ASCII letters, digits, ``-`` and ``_``, starting with a letter or digit, for other programs.

    Scopes become prefixes: `left/finger` is ``left_finger``. An identifier starts with a letter and has no ``-``.
    """
    if not name.isascii():
        without_accents = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
        name = re.sub(r"[^\x00-\x7f]", lambda found: f"u{ord(found[0]):x}", without_accents)
    plain = re.sub(r"[^A-Za-z0-9_]" if identifiers else r"[^A-Za-z0-9_-]", "_", name)
    starts_well = plain[:1].isalpha() or (plain[:1].isdigit() and not identifiers)
    return plain if starts_well else f"x{plain}"
