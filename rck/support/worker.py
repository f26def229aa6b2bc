"""Functions run in a child process, for libraries that can hang, crash or use all memory.

Arguments and results cross the process boundary as MessagePack: None, booleans, numbers, text, bytes, lists,
dictionaries with text keys, and NumPy arrays. Nothing is pickled.
"""

import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Literal

import msgspec

from rck.support.files import is_running
from rck.support.finding import RckError
from rck.support.job import UNOBSERVED, Job

TIME_LIMIT = 600.0
"""In seconds."""
MEMORY_LIMIT = 8 << 30
"""In bytes."""
_PREFIX = "rck-worker-"
"""Start of the names of folders; the number of the process that made one follows."""
_POLL = 0.05
"""Seconds between two checks of a running child."""
_ARRAY = 1
"""Code of the MessagePack extension for NumPy arrays."""


class WorkerError(RckError):
    """A library failed in its child process."""

    def __init__(self, message: str, reason: Literal["time", "memory", "crash", "exception"]) -> None:
        super().__init__(message)
        self.reason = reason


def run_in_child(
    function: Callable[..., Any],
    *arguments: Any,
    library: str,
    subject: str,
    job: Job = UNOBSERVED,
    time_limit: float = TIME_LIMIT,
    memory_limit: int = MEMORY_LIMIT,
) -> Any:
    """Call a function of a module with a job and the arguments in a child process; return its result.

    `library` and `subject`, such as the name of a file, are for messages. The child loads the file of the function
    by itself, without its package, so that little else is imported. It ends with this process.
    """
    _remove_abandoned_folders()
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as name:
        folder = Path(name)
        request = {
            "file": function.__code__.co_filename,
            "function": function.__name__,
            "arguments": arguments,
            "path": sys.path,
            "memory": memory_limit,
            "parent": os.getpid(),
        }
        (folder / "request").write_bytes(_encode(request))
        # The child watches its input, which closes when this process ends.
        command = [sys.executable, "-P", "-m", "rck.support.worker", name]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with (
            (folder / "stderr").open("wb") as errors,
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors, env=environment
            ) as child,
        ):
            try:
                finished = _wait(child, folder / "progress", job, time.monotonic() + time_limit)
            finally:
                child.kill()
        if not finished:
            raise WorkerError(f"{library} did not finish within {time_limit:g} s on {subject}", "time")
        outcome = _decode((folder / "result").read_bytes()) if (folder / "result").exists() else {}
        if "result" in outcome:
            return outcome["result"]
        if "error" in outcome:
            raise WorkerError(f"{library} failed on {subject}: {outcome['error']}", "exception")
        stderr = (folder / "stderr").read_bytes()
        if "memory" in outcome or b"bad_alloc" in stderr or b"MemoryError" in stderr:
            limit = f"{memory_limit / (1 << 30):.3g} GiB"
            raise WorkerError(f"{library} needs more than {limit} of memory for {subject}", "memory")
        raise WorkerError(f"{library} crashed on {subject} ({_exit_reason(child.returncode)})", "crash")


def _wait(child: "subprocess.Popen[bytes]", progress: Path, job: Job, deadline: float) -> bool:
    """Wait for the child, passing on its progress; return False if it runs past the deadline."""
    fraction, step = 0.0, ""
    while child.poll() is None:
        with suppress(OSError, ValueError):
            text, _, step = progress.read_text("utf-8").partition(" ")
            fraction = float(text)
        job.progress(fraction, step)
        if time.monotonic() > deadline:
            return False
        with suppress(subprocess.TimeoutExpired):
            child.wait(_POLL)
    return True


def _remove_abandoned_folders() -> None:
    """Remove the folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        number = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(OSError):
            if number.isdigit() and not is_running(int(number)) and folder.stat().st_uid == os.getuid():
                shutil.rmtree(folder)


def _exit_reason(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"exit status {status}"


def _encode(value: Any) -> bytes:
    def encode_array(array: Any) -> msgspec.msgpack.Ext:
        import numpy as np

        buffer = io.BytesIO()
        np.save(buffer, np.asarray(array), allow_pickle=False)
        return msgspec.msgpack.Ext(_ARRAY, buffer.getvalue())

    return msgspec.msgpack.encode(value, enc_hook=encode_array)


def _decode(data: bytes) -> Any:
    def decode_array(code: int, content: memoryview) -> Any:
        import numpy as np

        return np.load(io.BytesIO(content), allow_pickle=False)

    return msgspec.msgpack.decode(data, ext_hook=decode_array)


def _serve(folder: Path) -> None:
    """Run the request in a folder: the main function of the child process."""
    request = _decode((folder / "request").read_bytes())
    _end_with(request["parent"])
    sys.path[:] = request["path"]

    def show(fraction: float, step: str) -> None:
        (folder / "progress").write_text(f"{fraction} {step}", "utf-8")

    try:
        _limit_memory(request["memory"])
        function = _load(Path(request["file"]), request["function"])
        content = _encode({"result": function(Job(show), *request["arguments"])})
    except MemoryError:
        content = _encode({"memory": True})
    except Exception as error:
        content = _encode({"error": f"{type(error).__name__}: {error}"})
    (folder / "result").write_bytes(content)


def _load(file: Path, name: str) -> Any:
    spec = spec_from_file_location(f"rck_worker_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name)


def _limit_memory(size: int) -> None:
    if sys.platform != "win32":
        import resource

        # Linux counts what a process allocates as data; other systems limit only all of its addresses.
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


def _end_with(parent: int) -> None:
    """Let this process end when its parent does."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    if sys.platform == "linux":
        import ctypes

        # PR_SET_PDEATHSIG: works even while a library holds the interpreter lock.
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _end_with_input() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
