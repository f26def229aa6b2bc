"""Reader of STEP files."""

from dataclasses import replace
from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.importing.assets import Assets
from rck.importing.file_errors import refused
from rck.importing.import_options import convexity_of, limits_of
from rck.importing.import_report import Report, reported
from rck.importing.legal_names import name_of
from rck.importing.mesh_file import decode_mesh
from rck.importing.solids import metres_and_up, moved_surfaces, read_solid_options, rigid_part
from rck.model import PartDefinition
from rck.model.colours import from_linear
from rck_importers.step.conversion import to_glb

_END = b"END-ISO-10303-21"
_NEAR_THE_END = 4096
"""Number of bytes to search for the end marker; comments may follow it."""


def read(path: Path, values: Values, job: Job) -> Imported:
    """Read the bodies in the file as one rigid part, or return the error."""

    def make(report: Report) -> PartDefinition:
        chosen = read_solid_options(values, "objects", convexity_of(values, "cut"))
        assets = Assets(path, limits_of(values))
        job.progress(0.0, f"reading {path.name}")
        deviation, turn = _positive(values, "deviation", 1e-4), _positive(values, "turn", 0.35)
        data = assets.read(path)
        if _END not in data[-_NEAR_THE_END:]:
            where = f"{path.name}:{data.count(10) + 1}"
            raise refused(where, "the file is truncated", fix="download or export it again")
        glb = to_glb(data, path.name, deviation, turn, assets.limits, job)
        held = decode_mesh(glb, "glb", path, assets)
        # The glTF is in metres and has the axes of the STEP file.
        frame = metres_and_up(values, 1.0, "z", "m", path.name, report)
        # Its colours are in linear light; the STEP file states sRGB colours.
        coloured = [
            replace(surface, colour=surface.colour and from_linear(surface.colour)) for surface in held.surfaces
        ]
        surfaces = moved_surfaces(coloured, frame)
        job.progress(0.3, "solids")
        return rigid_part(name_of(path), surfaces, chosen, path.name, report, job)

    return reported(path, make)


def _positive(values: Values, name: str, default: float) -> float:
    number = float(values.get(name) or default)
    if not 0 < number < 1e3:
        raise refused(f"option {name}", f"must be positive and below 1000, not {number:g}", code=104)
    return number
