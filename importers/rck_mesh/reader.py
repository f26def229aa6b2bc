"""Reading a mesh file into items."""

from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.importing.assets import Assets
from rck.importing.mesh_file import read_mesh
from rck.importing.names import name_of
from rck.importing.report import Report, reported
from rck.importing.settings import convexity_of, limits_of
from rck.importing.solids import metres_and_up, moved_surfaces, robot_of, solid_wishes
from rck.model import Robot

USUAL_UNIT = "mm"
"""Of files whose format has no unit: they come from CAD and are printed."""


def read(path: Path, values: Values, job: Job) -> Imported:
    """The solids in the file as one rigid piece, or the error that keeps it from being one."""

    def make(report: Report) -> Robot:
        wishes = solid_wishes(values, "one", convexity_of(values, "cut"))
        job.progress(0.0, f"reading {path.name}")
        held = read_mesh(path, Assets(path, limits_of(values)))
        for kind in held.left_out:
            report.left_out(kind, path.name)
        metres = metres_and_up(values, held.metres, held.up, USUAL_UNIT, path.name, report)
        job.progress(0.3, "solids")
        return robot_of(name_of(path), moved_surfaces(held.surfaces, metres), wishes, path.name, report, job)

    return reported(path, make)
