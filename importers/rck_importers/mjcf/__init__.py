"""Importer for MJCF, the model format of MuJoCo."""

from dataclasses import replace
from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.importing.xml_file import opening_tags


def looks_like_mjcf(path: Path, head: bytes) -> bool:
    """Return True if the root element is `mujoco`."""
    return opening_tags(head)[:1] == ["mujoco"]


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.mjcf.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the MJCF importer."""
    from rck.importing.import_options import MOST_CORNERS
    from rck.importing.robot_reader import ROBOT_OPTIONS

    # MuJoCo uses the whole hulls of meshes.
    defaults: dict[Option, str | float] = {MOST_CORNERS: 0.0}
    shared = (replace(one, default=defaults.get(one, one.default)) for one in ROBOT_OPTIONS)
    options = (Option("keyframe", "name of the keyframe to use as the initial pose"), *shared)
    return [Importer("mjcf", "MuJoCo models: MJCF", (".xml", ".mjcf"), looks_like_mjcf, _read, options)]
