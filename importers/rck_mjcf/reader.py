"""Reading MJCF files."""

from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.importing.links import Linkage
from rck.importing.robots import Reading, read_robot
from rck_mjcf.linkage import linkage_of
from rck_mjcf.meshes import read_any_mesh
from rck_mjcf.source import load


def read(path: Path, values: Values, job: Job) -> Imported:
    """The model of an MJCF file, in the keyframe of the option `keyframe`."""

    def parse(reading: Reading) -> Linkage:
        reading.shelf.read = read_any_mesh
        return linkage_of(load(path, reading), str(values.get("keyframe") or ""))

    return read_robot(path, values, job, parse)
