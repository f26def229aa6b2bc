"""The conversion that :mod:`rck_importers.step.conversion` runs in a child process; it loads little of RCK."""

from typing import Any


def convert(_job: object, data: bytes, deviation: float, turn: float) -> Any:
    """Return a STEP file as glTF; empty if it has no bodies."""
    import cascadio

    # OpenCASCADE works in millimetres, regardless of the unit of the file.
    return cascadio.load(data, file_type="step", tol_linear=1000 * deviation, tol_angular=turn) or b""
