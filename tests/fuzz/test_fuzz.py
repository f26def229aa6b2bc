"""A small sample of the fuzzer, the same in each run; `make fuzz` reads 20,000 mutated files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rck.hooks import Importer, discover

FUZZER = Path(__file__).with_name("run.py")
HANGS = """
import sys, time
sys.path.insert(0, sys.argv[1])
import readers, sandbox
def burn(path, options):
    while True:
        pass
readers.READERS |= {"burn": burn, "sleep": lambda path, options: time.sleep(1e9), "read": lambda path, options: ""}
sandbox.WAIT_LIMIT = 1.0
cases = [sandbox.Case(number, "x.y", b"", target) for number, target in enumerate(("burn", "read", "sleep", "read"))]
for outcome in sandbox.run(cases, time_limit=0.3):
    print(outcome.case.target, outcome.problem)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fuzzer copies its process")
def test_mutated_files_are_read_or_refused_with_a_reason(tmp_path: Path):
    words = ("--files", "90", "--seed", "0", "--jobs", "1", "--keep", tmp_path)
    ran = subprocess.run([sys.executable, FUZZER, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "90 files" in ran.stdout
    assert " 0 problems" in ran.stdout
    refused = int(ran.stdout.split(" refused")[0].split()[-1])
    assert 45 < refused < 90


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fuzzer copies its process")
def test_unchanged_files_are_read_by_every_importer(tmp_path: Path):
    words = ("--unchanged", "--jobs", "1", "--keep", tmp_path)
    ran = subprocess.run([sys.executable, FUZZER, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " 0 refused, 0 problems" in ran.stdout
    endings = {Path(word.rstrip(":")).suffix for word in ran.stdout.split()}
    assert [each.name for each in discover().all(Importer) if endings.isdisjoint(each.endings)] == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the fuzzer reads processor times from /proc")
def test_only_readers_that_compute_or_wait_for_too_long_are_called_hanging():
    ran = subprocess.run([sys.executable, "-c", HANGS, FUZZER.parent], capture_output=True, text=True, check=True)
    burn, read, sleep, again = ran.stdout.splitlines()
    assert "of processor time and 0 s of waiting" in burn
    assert "does not end within 0 s of processor time" in sleep
    assert (read, again) == ("read ", "read ")
