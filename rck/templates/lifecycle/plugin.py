"""Lifecycle hooks: refuse file names with spaces, and report exports of robots without mass."""

from pathlib import Path
from typing import Any

from rck.hooks import hookimpl
from rck.model import Finding, RckError, Robot, Severity


@hookimpl
def rck_before_save(path: Path) -> None:
    """Refuse a file name with spaces: the file stays as it is."""
    if " " in path.name:
        raise RckError(f"{path.name!r} has spaces; save as {path.name.replace(' ', '-')}")


@hookimpl
def rck_on_export(path: Path, robot: Any) -> list[Finding]:
    """Report a robot without mass; the findings are printed with those of the exporter."""
    if isinstance(robot, Robot) and robot.mass_properties.mass == 0:
        return [Finding(610, Severity.WARNING, str(path), "the robot has no mass", "set the mass of its parts")]
    return []
