"""Names in files, converted to names that RCK allows."""

from collections.abc import Iterable
from pathlib import Path

from rck.importing.import_report import Report
from rck.support.names import name_findings, nearest_name, unique_names


def allowed_names(names: Iterable[str], what: str, where: str, report: Report) -> list[str]:
    """Return for each name itself, or the nearest name that is allowed and unique; report the changes."""
    given = list(names)
    lawful = unique_names(given, [_nearest(name, what) for name in given], "-")
    for name, new in zip(given, lawful, strict=True):
        if new != name and name:
            message = f"{what} {name!r} is renamed to {new}"
            report.note(504, where, message, "rename it in the file to choose another name", kind=f"renamed {what}")
    return lawful


def _nearest(name: str, what: str) -> str:
    if not name_findings(name, ""):
        return name
    return "/".join(nearest_name(word, what) for word in name.split("/") if word) or what


def name_of(path: Path) -> str:
    """Return the name of a robot from that of its file, with - for characters that names may not have."""
    return nearest_name(path.stem, "robot")
