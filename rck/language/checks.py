"""Everything that is looked at when a robot is checked: motors, kinds of devices, and what plugins add."""

from rck.hooks import Check, Plugins
from rck.hooks.serving import served_kinds, unserved
from rck.kinematics.loads import load_findings
from rck.model import Finding, RckError, Robot


def check_robot(robot: Robot, plugins: Plugins) -> list[Finding]:
    """What is wrong with a robot that could be built; a check of a plugin that raises switches its plugin off."""
    findings = [*load_findings(robot), *unserved(robot.devices, served_kinds(plugins))]
    for plugin, one in plugins.named(Check):
        try:
            findings += one.run(robot)
        except (RckError, OSError) as error:
            # A check has nothing to refuse. Who looks at the plugins hears of it.
            plugins.fail(plugin, error)
    return findings
