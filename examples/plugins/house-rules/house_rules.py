"""Rules of a workshop: a mass limit that users set, and released files that nobody may overwrite."""

from pathlib import Path
from typing import Any

from rck.hooks import FindingCode, Option, Settings, hookimpl, read_settings
from rck.model import Finding, RckError, Robot, Severity

SETTINGS = Settings(
    "house-rules",
    "limits of our workshop",
    (
        Option("heaviest", "largest mass of a robot in kg", "number", 25.0),
        Option("released", "beginning of the names of released files", "text", "released-"),
    ),
)


@hookimpl
def rck_settings() -> list[Settings]:
    """Return the settings; `rck plugins set house-rules` and the Plugins screen change them."""
    return [SETTINGS]


@hookimpl
def rck_finding_codes() -> list[FindingCode]:
    """Return the code of the finding."""
    return [FindingCode("HSE101", "a robot is too heavy for the workshop", "Choose lighter parts.")]


@hookimpl
def rck_on_compile(robot: Robot) -> list[Finding]:
    """Report a robot that is too heavy."""
    mass, limit = robot.mass_properties.mass, read_settings(SETTINGS)["heaviest"]
    if mass <= limit:
        return []
    return [Finding("HSE101", Severity.WARNING, f"robot {robot.name}", f"weighs {mass:.1f} kg, more than {limit:g} kg")]


@hookimpl
def rck_before_save(path: Path, document: Any) -> None:
    """Refuse to overwrite a released file."""
    if path.exists() and path.name.startswith(read_settings(SETTINGS)["released"]):
        raise RckError(f"{path.name} is released; save under another name")
