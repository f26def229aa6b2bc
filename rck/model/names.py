"""What a name may look like: one or more words joined by ``/``, the scope first (`left/gripper/finger`)."""

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from rck.model.finding import Finding, RckError, Severity

T = TypeVar("T")

_NAME = re.compile(r"[^\s/.\\\"'<>&]+(/[^\s/.\\\"'<>&]+)*")
_LONGEST = 200


def name_findings(name: str, where: str) -> list[Finding]:
    """An error where the name cannot be used."""
    if len(name) <= _LONGEST and _NAME.fullmatch(name) and name.isprintable():
        return []
    if len(name) > _LONGEST:
        message = f"a name may have {_LONGEST} characters, not {len(name)}"
    else:
        message = f"{name!r} is not a name" if name else "a name is missing"
    return [Finding(102, Severity.ERROR, where, message, "use letters, digits, - and _, with / between scopes")]


def repeated_names(names: Iterable[str], what: str) -> list[Finding]:
    """An error for each name that stands twice."""
    seen: set[str] = set()
    findings = []
    for name in names:
        if name in seen:
            findings.append(Finding(103, Severity.ERROR, f"{what} {name}", "the name is used twice", "rename one"))
        seen.add(name)
    return findings


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that looks most like the given one, to put into a message; else nothing."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(known), n=1)
    return f" (did you mean {found[0]}?)" if found else ""


def entry_named(name: str, known: Mapping[str, T], what: str) -> T:
    """The entry of that name; where there is none, :class:`RckError` tells which there are."""
    if name not in known:
        names = ", ".join(known) or "none"
        raise RckError(f"there is no {what} {name!r}{did_you_mean(name, known)}; known: {names}")
    return known[name]


def full_name(name: str, known: Iterable[str], what: str) -> str:
    """The name, or the only one that ends or begins with it at a scope: `hand` stands for `arm/hand` or `hand/grip`."""
    names = list(known)
    if name in names:
        return name
    meant = [one for one in names if one.endswith(f"/{name}")] or [one for one in names if one.startswith(f"{name}/")]
    if len(meant) == 1:
        return meant[0]
    which = f"; it could be {', '.join(meant)}" if meant else did_you_mean(name, names)
    raise RckError(f"there is no {what} called {name}{which}; known: {', '.join(names) or 'none'}")


def nearest_name(text: str, otherwise: str) -> str:
    """The text as a name of one word, with - for what names may not have; `otherwise` if nothing is left."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return re.sub(r"[\s/.\\\"'<>&]+", "-", printable)[:_LONGEST].strip("-") or otherwise
