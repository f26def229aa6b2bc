"""Checks of a whole robot: motor loads, device kinds, and the checks of plugins."""

from collections import Counter
from collections.abc import Iterator
from math import isclose

from rck.exporting.losses import list_names
from rck.hooks import Check, Plugins
from rck.hooks.device_kinds import served_kinds, unserved
from rck.kinematics.loads import load_findings
from rck.language.document import Document
from rck.model import Finding, RckError, Robot, Severity
from rck.model.loop_checks import branch_findings
from rck.parts.search import FAMILIES
from rck.support.job import UNOBSERVED, Job


def check_robot(robot: Robot, plugins: Plugins, job: Job = UNOBSERVED) -> list[Finding]:
    """Return the findings about a compiled robot; a check that raises is reported as a problem of its plugin.

    The progress of the job names the check that runs.
    """
    findings = [*load_findings(robot), *branch_findings(robot), *mass_status_findings(robot)]
    findings += unserved(robot.devices, served_kinds(plugins))
    checks = plugins.named(Check)
    for number, (plugin, check) in enumerate(checks):
        job.progress(number / len(checks), f"check {check.name} of plugin {plugin}")
        try:
            with plugins.guard(check, robot.name):
                findings += plugins.check_codes(plugin, check.run(robot))
        except (RckError, OSError) as error:
            # A check has nothing to refuse.
            plugins.report(check, error, robot.name)
    return findings


def mass_status_findings(robot: Robot) -> Iterator[Finding]:
    """Yield a note for each origin of masses that no document states, with the items that have them.

    How the published mass of a motor is divided between its body and its output is not reported: it hardly matters.
    """
    origins = {"derived": "derived from other figures", "drawn": "computed from the drawn shapes"}
    bodies = Counter(item.name.rpartition("/")[0] for item in robot.items)
    for status, origin in origins.items():
        fewest = 3 if status == "derived" else 1
        items = [item.name for item in robot.items if item.mass_status == status]
        names = [name for name in items if bodies[name.rpartition("/")[0]] >= fewest]
        if names:
            fix = "find published masses, or weigh the links, before you rely on forces and torques"
            yield Finding(410, Severity.NOTE, robot.name, f"masses are {origin}: {list_names(names)}", fix)


def effort_figures(document: Document, robot: Robot) -> dict[str, str]:
    """Return, by joint, the data sheet figure that its effort limit comes from, such as `stall torque`.

    Joints whose effort limit is not a figure of their part are omitted.
    """
    figures = {}
    for joint in robot.free_joints:
        instance = document.assembly.parts.get(joint.name.partition("/")[0])
        entry = None if instance is None else document.catalogue.entries.get(instance.part)
        if entry is None or not joint.effort or not joint.kind.turns:
            continue
        for name in FAMILIES["torque"]:
            if isclose(entry.figures.get(name, 0.0), joint.effort, rel_tol=1e-6):
                figures[joint.name] = name.replace("-", " ")
                break
    return figures
