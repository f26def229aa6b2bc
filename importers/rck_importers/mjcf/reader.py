"""Reader of MJCF files."""

from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.importing.linkage import Linkage
from rck.importing.robot_reader import Reading, read_robot
from rck_importers.mjcf.linkage import linkage_of
from rck_importers.mjcf.meshes import read_any_mesh
from rck_importers.mjcf.source import load


def read(path: Path, values: Values, job: Job) -> Imported:
    """Read the model of an MJCF file, in the pose of the keyframe that the option `keyframe` names."""

    def parse(reading: Reading) -> Linkage:
        reading.shelf.read = read_any_mesh
        return linkage_of(load(path, reading), str(values.get("keyframe") or ""))

    return read_robot(path, values, job, parse)
