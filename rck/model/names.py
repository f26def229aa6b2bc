"""What a name may look like: one or more words joined by ``/``, the scope first (`left/gripper/finger`)."""

import re

from rck.model.finding import Finding, Severity

_NAME = re.compile(r"[^\s/.\\\"'<>&]+(/[^\s/.\\\"'<>&]+)*")


def name_findings(name: str, where: str) -> list[Finding]:
    """An error where the name cannot be used."""
    if _NAME.fullmatch(name) and len(name) <= 200:
        return []
    message = f"{name!r} is not a name" if name else "a name is missing"
    return [Finding(102, Severity.ERROR, where, message, "use letters, digits, - and _, with / between scopes")]


def repeated_names(names: list[str], what: str) -> list[Finding]:
    """An error for each name that stands twice."""
    seen: set[str] = set()
    findings = []
    for name in names:
        if name in seen:
            findings.append(Finding(103, Severity.ERROR, f"{what} {name}", "the name is used twice", "rename one"))
        seen.add(name)
    return findings
