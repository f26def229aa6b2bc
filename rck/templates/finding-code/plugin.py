"""Finding code of a check whose findings carry the commands that fix them."""

from collections.abc import Iterator

from rck.grammar import quote
from rck.hooks import Check, FindingCode, hookimpl
from rck.model import Finding, Robot, Severity

CODE = "MYPLUGIN101"


@hookimpl
def rck_finding_codes() -> list[FindingCode]:
    """Return the code with its documentation."""
    return [FindingCode(CODE, "a joint has no velocity limit", "Set the limit of the motor.")]


@hookimpl
def rck_checks() -> list[Check]:
    """Return the check."""
    return [Check("my-plugin", "velocity limits of joints", check_limits)]


def check_limits(robot: Robot) -> Iterator[Finding]:
    """Yield the joints without a velocity limit, each with the command that sets a low one."""
    for joint in robot.free_joints:
        if joint.speed is None:
            speed = "10rpm" if joint.kind.turns else "10mm/s"
            command = f"set joint {quote(joint.name)} speed={speed}"
            message = "has no velocity limit"
            yield Finding(CODE, Severity.WARNING, f"joint {joint.name}", message, command, (command,))
