"""Ctrl+C in the middle of whatever takes long: one line, exit status 130, and nothing half-written."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import trimesh

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
INTERRUPT = Path(__file__).with_name("interrupt.py")
LINES = [
    "import rings.stl",
    "export desk-arm.rck all --all",
    "bench assembly",
    "simulate desk-cell.rck desk-pick.rckp --step 0.00001 --out run.csv --plot run.png --film run.gif",
    "simulate desk-cell.rck desk-pick.rckp --step 0.00001 --physics mujoco",
    "reach desk-arm.rck --samples 100000000 -o map.csv",
    "collide desk-arm.rck --matrix --samples 10000000",
    "render desk-cell.rck --turntable 2000 -o turn.gif",
    "ik desk-arm.rck --to 5000,0,0 --budget 1000000",
    "parts check",
]


def test_ctrl_c_ends_what_takes_long_with_one_line_and_leaves_nothing(tmp_path):
    for name in ("desk-arm.rck", "desk-cell.rck", "desk-pick.rckp"):
        shutil.copy(EXAMPLES / name, tmp_path)
    ring = trimesh.creation.torus(20, 5, major_sections=10, minor_sections=8)
    rings = [ring.copy().apply_translation([60 * number, 0, 0]) for number in range(100)]
    trimesh.util.concatenate(rings).export(tmp_path / "rings.stl")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    text = "\n".join(json.dumps(line.split()) for line in LINES)
    done = subprocess.run(
        [sys.executable, INTERRUPT], cwd=tmp_path, input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = dict(zip(LINES, json.loads(done.stdout), strict=True))
    assert answers == {line: {"status": 130, "said": "\nstopped\n"} for line in LINES}
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
