"""STEP to glTF in a process of its own: the library writes to the terminal, cannot be stopped and may crash."""

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from rck.hooks import Job
from rck.importing.assets import Unavailable

_WORKER = Path(__file__).with_name("worker.py")


def to_glb(data: bytes, name: str, deviation: float, turn: float, job: Job) -> bytes:
    """The bodies of the file as triangles no farther than `deviation`, in metres, from the true faces.

    `turn` is the largest angle, in radians, between neighbouring triangles of a curved face.
    """
    if find_spec("cascadio") is None:
        raise Unavailable(f"{name} is a STEP file, and cascadio is not installed", "pip install 'rck[step]'", code=510)
    with tempfile.TemporaryDirectory(prefix="rck-step-") as folder:
        source, target = Path(folder, "model.step"), Path(folder, "model.glb")
        source.write_bytes(data)
        command = [sys.executable, str(_WORKER), str(source), str(target), repr(deviation), repr(turn)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                _wait(process, job)
            finally:
                process.kill()
        if process.returncode != 0 or not target.is_file() or not target.stat().st_size:
            raise Unavailable(f"{name} cannot be read: OpenCASCADE finds no bodies in it, or it is damaged")
        return target.read_bytes()


def _wait(process: "subprocess.Popen[bytes]", job: Job) -> None:
    while process.poll() is None:
        job.progress(0.1, "bodies")
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
