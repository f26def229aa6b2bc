"""Exports do not depend on the order of sets, which Python changes from process to process."""

import os
import subprocess
import sys
from pathlib import Path

CELL = Path(__file__).parent.parent.parent / "examples" / "scara-cell.rck"


def files_of(seed, out):
    """Return the files of `rck export --all` under a hash seed."""
    out.parent.mkdir(parents=True)
    command = (sys.executable, "-c", "from rck.cli.main import main; main()", "export", CELL, out, "--all")
    subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": str(seed)}, capture_output=True, check=False)
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_exports_are_identical_under_any_hash_seed(tmp_path):
    one, other = (files_of(seed, tmp_path / str(seed) / "out") for seed in (1, 2))
    assert len(one) > 10
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []
