"""Functions in a child process: limits, crashes, cancellation, and the end of the parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rck.support.finding import Cancelled
from rck.support.job import Job
from rck.support.worker import WorkerError, run_in_child
from tests.model import worker_functions


def run(function, *arguments, **limits):
    return run_in_child(function, *arguments, library="Library", subject="arm.step", **limits)


def test_result_comes_back_with_arrays_and_bytes():
    points = np.arange(6.0).reshape(2, 3)
    result = run(
        worker_functions.echo, {"points": points, "name": "arm", "data": b"\x00\xff", "more": [1, 2.5, None, True]}
    )
    assert np.array_equal(result["points"], points)
    assert (result["name"], result["data"], result["more"]) == ("arm", b"\x00\xff", [1, 2.5, None, True])


def test_objects_are_not_pickled():
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        run(worker_functions.echo, object())


def test_child_that_takes_too_long_is_stopped():
    started = time.monotonic()
    with pytest.raises(WorkerError, match=r"^Library did not finish within 0\.5 s on arm\.step$") as caught:
        run(worker_functions.sleep, 60, time_limit=0.5)
    assert caught.value.reason == "time"
    assert time.monotonic() - started < 20


@pytest.mark.skipif(sys.platform == "win32", reason="no memory limits on Windows")
def test_child_that_allocates_too_much_is_refused():
    with pytest.raises(WorkerError, match=r"^Library needs more than 1 GiB of memory for arm\.step$") as caught:
        run(worker_functions.allocate, 4 << 30, memory_limit=1 << 30)
    assert caught.value.reason == "memory"


def test_abort_is_reported_as_a_crash_on_the_file():
    with pytest.raises(WorkerError, match=r"^Library crashed on arm\.step \((SIGABRT|exit status \d+)\)$") as caught:
        run(worker_functions.abort)
    assert caught.value.reason == "crash"


def test_exception_is_reported_with_its_type():
    with pytest.raises(WorkerError, match=r"^Library failed on arm\.step: IndexError: no such face$") as caught:
        run(worker_functions.fail)
    assert caught.value.reason == "exception"


def test_progress_is_passed_on_and_cancelling_stops_the_child(tmp_path):
    shown = []

    def show(fraction, step):
        shown.append((fraction, step))
        if fraction:
            job.cancel()

    job = Job(show)
    with pytest.raises(Cancelled):
        run(worker_functions.report_and_sleep, str(tmp_path / "pid"), 60, job=job)
    assert shown[-1] == (0.5, "faces of arm")
    assert_ends(int((tmp_path / "pid").read_text()))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_child_ends_when_its_parent_is_killed(tmp_path):
    pid = tmp_path / "pid"
    code = (
        "from rck.support.worker import run_in_child\nfrom tests.model.worker_functions import report_and_sleep\n"
        f"run_in_child(report_and_sleep, {str(pid)!r}, 60, library='Library', subject='x')"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2]) as parent:
        deadline = time.monotonic() + 60
        while not pid.exists() or not pid.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        parent.send_signal(signal.SIGKILL)
    assert_ends(int(pid.read_text()))


def test_folder_of_a_killed_process_is_removed_at_the_next_run(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    abandoned, used = tmp_path / f"rck-worker-{ended.pid}-a", tmp_path / f"rck-worker-{os.getppid()}-b"
    for folder in (abandoned, used):
        folder.mkdir()
        (folder / "request").write_bytes(b"")
    assert run(worker_functions.echo, {"n": 1}) == {"n": 1}
    assert list(tmp_path.iterdir()) == [used]


def assert_ends(pid):
    deadline = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} is still running"
        time.sleep(0.05)


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    try:
        # A process whose parent was killed stays a zombie until somebody waits for it.
        return not status.parent.parent.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
