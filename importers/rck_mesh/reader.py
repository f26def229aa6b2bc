"""Reading a mesh file into items."""

from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.hooks.number_file import NotOfFormat, name_of
from rck.importing.assets import Assets, Unavailable
from rck.importing.mesh_file import read_mesh
from rck.importing.report import Report, summary_of
from rck.importing.settings import convexity_of, limits_of
from rck.importing.solids import metres_and_up, moved_surfaces, robot_of, solid_wishes
from rck.model.finding import Severity

USUAL_UNIT = "mm"
"""Of files whose format has no unit: they come from CAD and are printed."""


def read(path: Path, values: Values, job: Job) -> Imported:
    """The solids in the file as one rigid piece, or the error that keeps it from being one."""
    report = Report()
    try:
        wishes = solid_wishes(values, "one", convexity_of(values, "cut"))
        job.progress(0.0, f"reading {path.name}")
        held = read_mesh(path, Assets(path, limits_of(values)))
        for kind in held.left_out:
            report.left_out(kind, path.name)
        metres = metres_and_up(values, held.metres, held.up, USUAL_UNIT, path.name, report)
        job.progress(0.3, "solids")
        robot = robot_of(name_of(path), moved_surfaces(held.surfaces, metres), wishes, path.name, report, job)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding, *report.findings))
    except Unavailable as unavailable:
        return Imported(findings=(unavailable.finding(path.name, Severity.ERROR), *report.findings))
    return Imported(robot, findings=report.findings, summary=summary_of(robot))
