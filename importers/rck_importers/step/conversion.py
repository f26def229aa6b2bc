"""Conversion of STEP to glTF with OpenCASCADE, in a child process: the library cannot be cancelled and may crash."""

from importlib.util import find_spec

from rck.hooks import Job
from rck.importing.assets import Unavailable
from rck.importing.import_options import ImportLimits
from rck.importing.work_budget import memory_limit, raise_limit, time_limit
from rck.support.worker import WorkerError, run_in_child
from rck_importers.step.opencascade import convert


def to_glb(data: bytes, name: str, deviation: float, turn: float, limits: ImportLimits, job: Job) -> bytes:
    """Return the bodies of a STEP file as triangles no farther than `deviation`, in metres, from the true faces.

    `turn` is the largest angle, in radians, between neighbouring triangles of a curved face.
    """
    if find_spec("cascadio") is None:
        raise Unavailable(f"{name} is a STEP file, and cascadio is not installed", "pip install 'rck[step]'", code=510)
    try:
        glb = run_in_child(
            convert, data, deviation, turn,
            library="OpenCASCADE", subject=name, job=job.part(0.1, 0.3, "bodies"),
            time_limit=time_limit(limits, len(data)), memory_limit=memory_limit(limits, len(data)),
        )  # fmt: skip
    except WorkerError as error:
        raise Unavailable(f"{name} cannot be read: {error}", raise_limit(error.reason)) from error
    if not glb:
        raise Unavailable(f"{name} cannot be read: OpenCASCADE finds no bodies in it, or it is damaged")
    return bytes(glb)
