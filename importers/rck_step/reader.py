"""Reading a STEP file into items."""

from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.importing.assets import Assets
from rck.importing.mesh_file import decode_mesh
from rck.importing.names import name_of
from rck.importing.refusals import refused
from rck.importing.report import Report, reported
from rck.importing.settings import convexity_of, limits_of
from rck.importing.solids import metres_and_up, moved_surfaces, robot_of, solid_wishes
from rck.model import Robot
from rck_step.convert import to_glb

_END = b"END-ISO-10303-21"
_NEAR_THE_END = 4096
"""Bytes: comments may follow."""


def read(path: Path, values: Values, job: Job) -> Imported:
    """The bodies in the file as one rigid piece, or the error that keeps it from being one."""

    def make(report: Report) -> Robot:
        wishes = solid_wishes(values, "objects", convexity_of(values, "cut"))
        assets = Assets(path, limits_of(values))
        job.progress(0.0, f"reading {path.name}")
        deviation, turn = _positive(values, "deviation", 1e-4), _positive(values, "turn", 0.35)
        data = assets.read(path)
        if _END not in data[-_NEAR_THE_END:]:
            where = f"{path.name}:{data.count(10) + 1}"
            raise refused(where, "the file breaks off", fix="fetch or export it anew")
        glb = to_glb(data, path.name, deviation, turn, job)
        held = decode_mesh(glb, "glb", path, assets)
        # What comes out is in metres, and has the axes of the file.
        frame = metres_and_up(values, 1.0, "z", "m", path.name, report)
        surfaces = moved_surfaces(held.surfaces, frame)
        job.progress(0.3, "solids")
        return robot_of(name_of(path), surfaces, wishes, path.name, report, job)

    return reported(path, make)


def _positive(values: Values, name: str, default: float) -> float:
    number = float(values.get(name) or default)
    if not 0 < number < 1e3:
        raise refused(f"option {name}", f"{number:g} is not possible", code=104)
    return number
