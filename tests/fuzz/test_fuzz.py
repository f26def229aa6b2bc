"""A small sample of the fuzzer, the same in each run; `make fuzz` reads 20,000 mutated files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUZZER = Path(__file__).with_name("run.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fuzzer copies its process")
def test_mutated_files_are_read_or_refused_with_a_reason(tmp_path: Path):
    words = ("--files", "90", "--seed", "0", "--jobs", "1", "--keep", tmp_path)
    ran = subprocess.run([sys.executable, FUZZER, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "90 files" in ran.stdout
    assert " 0 problems" in ran.stdout
    refused = int(ran.stdout.split(" refused")[0].split()[-1])
    assert 45 < refused < 90
