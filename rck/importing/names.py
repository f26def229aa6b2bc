"""Names that files give, made into names that RCK allows, each once."""

from collections.abc import Iterable
from pathlib import Path

from rck.importing.report import Report
from rck.model.names import name_findings, nearest_name


def lawful_names(names: Iterable[str], what: str, where: str, report: Report) -> list[str]:
    """For each name itself, or the nearest that is allowed and not taken; changes are reported."""
    given = list(names)
    taken = {name for name in given if not name_findings(name, "")}
    seen: set[str] = set()
    lawful = []
    for name in given:
        wish = name if name in taken else "/".join(nearest_name(word, what) for word in name.split("/") if word)
        wish = wish or what
        fresh, number = wish, 1
        while fresh in seen or (fresh != name and fresh in taken):
            number += 1
            fresh = f"{wish}-{number}"
        if fresh != name and name:
            message = f"{what} {name!r} is called {fresh}"
            report.note(504, where, message, "rename it in the file to choose another name", kind=f"renamed {what}")
        seen.add(fresh)
        lawful.append(fresh)
    return lawful


def name_of(path: Path) -> str:
    """A robot's name from that of its file, with - for what names may not have."""
    return nearest_name(path.stem, "robot")
