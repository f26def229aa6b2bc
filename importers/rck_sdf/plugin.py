"""What this package adds to RCK."""

from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.importing.xml_file import opening_tags


def looks_like_sdf(path: Path, head: bytes) -> bool:
    """A root element `sdf`, or `gazebo` as it was called at first."""
    return opening_tags(head)[:1] in (["sdf"], ["gazebo"])


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_sdf.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of SDF."""
    from rck.importing.robots import ROBOT_OPTIONS

    options = (Option("model", "only the model of that name, of a world with several"), *ROBOT_OPTIONS)
    return [Importer("sdf", "models and worlds of Gazebo: SDF", (".sdf", ".world"), looks_like_sdf, _read, options)]
