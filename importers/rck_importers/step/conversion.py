"""Reading of STEP files in child processes: by RCK itself, and by OpenCASCADE what RCK cannot divide into triangles."""

from importlib.util import find_spec
from typing import Any

from rck.hooks import Job
from rck.importing.assets import Unavailable
from rck.importing.import_options import ImportLimits
from rck.importing.work_budget import memory_limit, raise_limit, time_limit
from rck.support.worker import WorkerError, run_in_child
from rck_importers.step.opencascade import convert
from rck_importers.step.reading import read_components

TURN = 0.35
"""Largest angle, in radians, between neighbouring triangles of OpenCASCADE."""


def read_in_child(data: bytes, name: str, deviation: float, limits: ImportLimits, job: Job) -> dict[str, Any]:
    """Return the components of a file, as :func:`rck_importers.step.reading.read_components` does."""
    try:
        found: dict[str, Any] = run_in_child(
            read_components, data, deviation, limits.objects,
            library="the reader", subject=name, job=job,
            time_limit=time_limit(limits, len(data)), memory_limit=memory_limit(limits, len(data)),
        )  # fmt: skip
    except WorkerError as error:
        message = str(error).removeprefix(f"the reader failed on {name}: StepError: ")
        raise Unavailable(f"{name} cannot be read: {message}", raise_limit(error.reason)) from error
    return found


def has_opencascade() -> bool:
    """Return True if cascadio is installed."""
    return find_spec("cascadio") is not None


def to_glb(data: bytes, name: str, deviation: float, limits: ImportLimits, job: Job) -> bytes:
    """Return the bodies of a STEP file as triangles no farther than `deviation`, in metres, from the true faces."""
    try:
        glb = run_in_child(
            convert, data, deviation, TURN,
            library="OpenCASCADE", subject=name, job=job,
            time_limit=time_limit(limits, len(data)), memory_limit=memory_limit(limits, len(data)),
        )  # fmt: skip
    except WorkerError as error:
        raise Unavailable(f"{name} cannot be read: {error}", raise_limit(error.reason)) from error
    if not glb:
        raise Unavailable(f"{name} cannot be read: OpenCASCADE finds no bodies in it, or it is damaged")
    return bytes(glb)
