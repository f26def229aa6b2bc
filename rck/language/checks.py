"""Everything that is looked at when a robot is checked: motors, and what plugins add."""

from rck.hooks import Check, Plugins
from rck.kinematics.loads import load_findings
from rck.model import Finding, Robot


def check_robot(robot: Robot, plugins: Plugins) -> list[Finding]:
    """What is wrong with a robot that could be built; a check of a plugin that raises switches its plugin off."""
    findings = load_findings(robot)
    for plugin, one in plugins.named(Check):
        try:
            findings += one.run(robot)
        except Exception as error:
            plugins.fail(plugin, error)
    return findings
