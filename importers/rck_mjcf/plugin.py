"""What this package adds to RCK."""

from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.importing.xml_file import opening_tags


def looks_like_mjcf(path: Path, head: bytes) -> bool:
    """A root element `mujoco`."""
    return opening_tags(head)[:1] == ["mujoco"]


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_mjcf.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of MJCF."""
    from rck.importing.robots import ROBOT_OPTIONS

    options = (Option("keyframe", "the keyframe to stand in, by name"), *ROBOT_OPTIONS)
    return [Importer("mjcf", "models of MuJoCo: MJCF", (".xml", ".mjcf"), looks_like_mjcf, _read, options)]
