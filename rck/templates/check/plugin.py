"""A check: can one person carry the robot?"""

from collections.abc import Iterator

from rck.hooks import Check, hookimpl
from rck.model import Finding, Robot, Severity

CARRIED = 25.0
"""What one person can lift, in kilograms."""


@hookimpl
def rck_checks() -> list[Check]:
    """What this plugin adds."""
    return [Check("my-plugin", "a robot that one person can carry", look_over)]


def look_over(robot: Robot) -> Iterator[Finding]:
    """What is wrong with the robot, each with its place and what to do about it."""
    mass = robot.mass_properties.mass
    if mass > CARRIED:
        message = f"weighs {mass:.1f} kg, more than the {CARRIED:.0f} kg that one person can carry"
        yield Finding(610, Severity.WARNING, f"robot {robot.name}", message, "choose lighter parts")
