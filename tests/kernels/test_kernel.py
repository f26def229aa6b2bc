"""Compilation of kernels: progress line, cache, and read-only folders."""

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rck
from rck.kernels import fk
from rck.kernels.body_tables import BODY, FRAME
from rck.kernels.kernel import FIRST_USE

ROOT = Path(rck.__file__).parent.parent

CALL = """
import numpy as np
from rck.kernels import fk
from rck.kernels.array_table import ArrayTable
from rck.kernels.body_tables import BODY
poses = np.empty((1, 4, 4))
bodies = np.zeros(1, BODY)
bodies["parent"] = -1
bodies["parent_from_body"] = np.eye(4)[:3]
table = ArrayTable(bodies)
fk.forward_bodies(table.address, np.zeros(0), poses)
stats = fk.forward_bodies._dispatcher.stats
print((poses[0] == np.eye(4)).all(), sum(stats.cache_hits.values()), stats.cache_path)
"""


def run(code, *, root=ROOT, terminal=False, **environment):
    """Standard output and error of a fresh interpreter; `terminal` gives it a terminal as standard error."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    variables |= {"PYTHONPATH": str(root), "TERM": "xterm", "PYTHONDONTWRITEBYTECODE": "1"} | environment
    command = [sys.executable, "-c", code]
    if not terminal:
        done = subprocess.run(command, env=variables, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env=variables, cwd=root, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 4096):
                seen += piece
        except OSError:  # Linux says so when the other end is closed
            pass
        output = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0, seen
    return output.decode(), seen.decode()


def copied_kernels(folder):
    """A copy of the kernels alone, with no cache, importable as `rck.kernels` from `folder`."""
    shutil.copytree(ROOT / "rck" / "kernels", folder / "rck" / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "rck" / "__init__.py", folder / "rck")
    return folder


@pytest.mark.slow
def test_terminal_shows_progress_line_only_while_compiling(tmp_path):
    cache = str(tmp_path / "cache")
    _, cold = run(CALL, terminal=True, NUMBA_CACHE_DIR=cache)
    notice = FIRST_USE.replace("\n", "\r\n")
    assert cold == notice + "compiling kernels, once: fk (0 s so far) ...\r\x1b[K"
    answer, warm = run(CALL, terminal=True, NUMBA_CACHE_DIR=cache)
    assert warm == ""
    assert answer.startswith("True 1 ")


@pytest.mark.slow
def test_dumb_terminal_keeps_progress_line(tmp_path):
    _, seen = run(CALL, terminal=True, NUMBA_CACHE_DIR=str(tmp_path), TERM="dumb")
    assert seen.endswith("compiling kernels, once: fk (0 s so far) ...\r\n")


@pytest.mark.slow
def test_pipe_gets_no_progress_line(tmp_path):
    answer, errors = run(CALL, NUMBA_CACHE_DIR=str(tmp_path))
    assert answer.startswith("True 0 ")
    assert errors == ""


@pytest.mark.slow
def test_read_only_package_caches_kernels_in_user_folder(tmp_path):
    package = copied_kernels(tmp_path / "package")
    # A file in the place of the folder refuses even the superuser.
    (package / "rck" / "kernels" / "__pycache__").write_text("")
    cache = tmp_path / "cache"
    for hits in (0, 1):
        answer, errors = run(CALL, root=package, XDG_CACHE_HOME=str(cache))
        assert answer.split()[:2] == ["True", str(hits)]
        assert Path(answer.split()[2]).is_relative_to(cache)
        assert errors == ""


@pytest.mark.slow
def test_kernels_run_without_writable_folder(tmp_path):
    package = copied_kernels(tmp_path / "package")
    (package / "rck" / "kernels" / "__pycache__").write_text("")
    (tmp_path / "file").write_text("")
    answer, errors = run(CALL, root=package, XDG_CACHE_HOME=str(tmp_path / "file" / "cache"))
    assert answer.startswith("True 0 ")
    assert errors == ""


NUMBER = "from rck.kernels.kernel import helper\n@helper\ndef number():\n    return {}\n"
USE = (
    "from rck.kernels.kernel import kernel, types\n"
    "from rck.kernels.numbers import number\n"
    "@kernel(types.int64())\n"
    "def use():\n"
    "    return number()\n"
)
ASK = (
    "from rck.kernels.use import use\n"
    "print(use())\n"
    "print(sum(use._dispatcher.stats.cache_hits.values()))"  # how often it came from the disk
)


@pytest.mark.slow
def test_kernels_recompile_only_after_change_of_imported_file(tmp_path):
    package = copied_kernels(tmp_path)
    folder = package / "rck" / "kernels"
    (folder / "numbers.py").write_text(NUMBER.format(1))
    (folder / "use.py").write_text(USE)
    assert run(ASK, root=package)[0].split() == ["1", "0"]
    (folder / "fk.py").write_text((folder / "fk.py").read_text() + "\nCHANGED = True\n")
    assert run(ASK, root=package)[0].split() == ["1", "1"]
    (folder / "numbers.py").write_text(NUMBER.format(2))
    assert run(ASK, root=package)[0].split() == ["2", "0"]


@pytest.mark.slow
def test_concurrent_threads_share_one_compilation(tmp_path):
    together = CALL.split("fk.forward_bodies(")[0] + (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from threading import Barrier\n"
        "gate = Barrier(4)\n"
        "def call(_):\n"
        "    gate.wait()\n"
        "    fk.forward_bodies(table.address, np.zeros(0), np.empty((1, 4, 4)))\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    list(pool.map(call, range(4)))\n"
        "print(sum(fk.forward_bodies._dispatcher.stats.cache_misses.values()))\n"
    )
    answer, seen = run(together, terminal=True, NUMBA_CACHE_DIR=str(tmp_path))
    assert answer == "1\n"
    assert seen.count("compiling kernels") == 1


def test_kernels_run_as_plain_python():
    assert run(CALL.split("stats")[0] + "print(poses[0, 0, 0])", NUMBA_DISABLE_JIT="1")[0] == "1.0\n"


@pytest.mark.slow
def test_warm_up_compiles_every_kernel(tmp_path):
    package = copied_kernels(tmp_path)
    folder = package / "rck" / "kernels"
    for file in folder.glob("*.py"):
        if file.stem not in ("__init__", "kernel"):
            file.unlink()
    (folder / "numbers.py").write_text(NUMBER.format(1))
    (folder / "use.py").write_text(USE)
    (folder / "twice.py").write_text(USE.replace("use", "twice"))
    answer, _ = run("from rck.kernels.kernel import warm_up\nprint(*warm_up())", root=package)
    assert answer.split() == ["rck.kernels.twice.twice", "rck.kernels.use.use"]
    assert {file.name.split("-")[0] for file in folder.rglob("*.nbc")} == {"twice.twice", "use.use"}


@pytest.mark.slow
def test_all_kernels_can_be_compiled_at_once_with_their_number(tmp_path):
    package = copied_kernels(tmp_path)
    folder = package / "rck" / "kernels"
    for file in folder.glob("*.py"):
        if file.stem not in ("__init__", "__main__", "kernel"):
            file.unlink()
    (folder / "numbers.py").write_text(NUMBER.format(1))
    (folder / "use.py").write_text(USE)
    call = "import runpy\nrunpy.run_module('rck.kernels', run_name='__main__')"
    _, errors = run(call, root=package)
    assert re.search(r"one to two minutes.*\n1 kernels are ready after \d+ s", errors)
    _, seen = run(call, root=package, terminal=True)
    assert "0 of 1 kernels, 0 s: use ..." in seen


def test_importing_model_does_not_import_numba():
    code = "import sys, rck.model, rck.model.robot_arrays, rck.kernels.body_tables\nprint('numba' in sys.modules)"
    assert run(code)[0] == "False\n"


def test_kernel_refuses_other_types_instead_of_compiling():
    arrays = np.zeros(1, BODY), np.zeros(1, FRAME)
    fk.forward_frames_batch(*arrays, np.zeros((1, 1)), np.zeros((1, 1, 4, 4)))
    with pytest.raises(TypeError, match="No matching definition"):
        fk.forward_frames_batch(*arrays, np.zeros((1, 1), dtype=np.float32), np.zeros((1, 1, 4, 4)))


def test_read_only_arrays_are_accepted_as_input():
    inputs = np.zeros(1, BODY), np.zeros(1, FRAME), np.zeros((1, 1))
    for array in inputs:
        array.setflags(write=False)
    poses = np.zeros((1, 1, 4, 4))
    fk.forward_frames_batch(*inputs, poses)
    assert poses[0, 0, 3, 3] == 1.0
