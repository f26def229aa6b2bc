"""Importer for SDF, the model and world format of Gazebo and Drake."""

from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.importing.xml_file import opening_tags


def looks_like_sdf(path: Path, head: bytes) -> bool:
    """Return True if the root element is `sdf`, or `gazebo` as in early versions."""
    return opening_tags(head)[:1] in (["sdf"], ["gazebo"])


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.sdf.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importer for SDF."""
    from rck.importing.robot_reader import ROBOT_OPTIONS

    options = (Option("model", "model to import, from a world with several"), *ROBOT_OPTIONS)
    return [Importer("sdf", "Gazebo models and worlds: SDF", (".sdf", ".world"), looks_like_sdf, _read, options)]
