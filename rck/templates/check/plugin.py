"""Check whether one person can carry the robot."""

from collections.abc import Iterator

from rck.hooks import Check, hookimpl
from rck.model import Finding, Robot, Severity

CARRIED = 25.0
"""Mass that one person can lift, in kilograms."""


@hookimpl
def rck_checks() -> list[Check]:
    """Return the check."""
    return [Check("my-plugin", "a robot that one person can carry", check_mass)]


def check_mass(robot: Robot) -> Iterator[Finding]:
    """Yield the problems of the robot, each with a location and a remedy."""
    mass = robot.mass_properties.mass
    if mass > CARRIED:
        message = f"weighs {mass:.1f} kg, more than the {CARRIED:.0f} kg that one person can carry"
        yield Finding(610, Severity.WARNING, f"robot {robot.name}", message, "choose lighter parts")
