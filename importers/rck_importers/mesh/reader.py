"""Reader of mesh files."""

from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.importing.assets import Assets
from rck.importing.import_options import convexity_of, limits_of
from rck.importing.import_report import Report, reported
from rck.importing.legal_names import name_of
from rck.importing.mesh_file import read_mesh
from rck.importing.solids import metres_and_up, moved_surfaces, read_solid_options, rigid_part
from rck.model import PartDefinition

USUAL_UNIT = "mm"
"""Default unit for formats without a unit: most such files are CAD exports for 3D printing."""


def read(path: Path, values: Values, job: Job) -> Imported:
    """Read the solids in the file as one rigid part, or return the error."""

    def make(report: Report) -> PartDefinition:
        chosen = read_solid_options(values, "one", convexity_of(values, "cut"))
        job.progress(0.0, f"reading {path.name}")
        held = read_mesh(path, Assets(path, limits_of(values)))
        for kind in held.left_out:
            report.left_out(kind, path.name)
        metres = metres_and_up(values, held.metres, held.up, USUAL_UNIT, path.name, report)
        job.progress(0.3, "solids")
        return rigid_part(name_of(path), moved_surfaces(held.surfaces, metres), chosen, path.name, report, job)

    return reported(path, make)
