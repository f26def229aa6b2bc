"""Settings that users keep for a plugin: the largest mass, which a check compares with that of the robot."""

from collections.abc import Iterator

from rck.hooks import Check, Option, Settings, hookimpl, read_settings
from rck.model import Finding, Robot, Severity

SETTINGS = Settings(
    "my-plugin",
    "limits of our workshop",
    (Option("heaviest", "largest mass of a robot in kg", "number", 25.0),),
)


@hookimpl
def rck_settings() -> list[Settings]:
    """Return the settings."""
    return [SETTINGS]


@hookimpl
def rck_checks() -> list[Check]:
    """Return the check that uses them."""
    return [Check("my-plugin", "a robot that is not too heavy", check_mass)]


def check_mass(robot: Robot) -> Iterator[Finding]:
    """Yield a finding if the robot is heavier than the setting says."""
    mass, heaviest = robot.mass_properties.mass, read_settings(SETTINGS)["heaviest"]
    if mass > heaviest:
        message = f"weighs {mass:.1f} kg, more than {heaviest:g} kg"
        yield Finding(610, Severity.WARNING, f"robot {robot.name}", message, "choose lighter parts")
