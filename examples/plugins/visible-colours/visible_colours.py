"""Check of items that are nearly black, with the commands that make them visible."""

from collections.abc import Iterator

from rck.hooks import Check, FindingCode, hookimpl
from rck.model import Finding, Robot, Severity

DARKEST = 0.06
"""Brightness, 0 to 1, below which an item cannot be told from a dark background."""


@hookimpl
def rck_finding_codes() -> list[FindingCode]:
    """Return the code of the findings."""
    return [FindingCode("VIS101", "an item is too dark to be seen", "Set a brighter colour.")]


@hookimpl
def rck_checks() -> list[Check]:
    """Return the check."""
    return [Check("visible-colours", "items that are too dark to be seen", find_dark_items)]


def find_dark_items(robot: Robot) -> Iterator[Finding]:
    """Yield a finding for each instance with a dark item; `rck check --fix` runs its commands."""
    found = set()
    for item in robot.items:
        instance = item.name.partition("/")[0]
        if instance not in found and any(max(subitem.colour[:3]) < DARKEST for subitem in item.subitems):
            found.add(instance)
            fix = (f"set {instance} colour=#404040",) if "/" in item.name else ()
            yield Finding("VIS101", Severity.WARNING, f"item {item.name}", "is nearly black", commands=fix)
