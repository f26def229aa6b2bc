"""Ctrl+C during a long command prints one line, gives exit status 130, and leaves no partial file."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import ezdxf
import pytest
import trimesh

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
INTERRUPT = Path(__file__).with_name("interrupt.py")
LINES = [
    "import rings.stl",
    "import sieves.dxf --thickness 4mm",
    "export arms.rck all --all",
    "bench assembly",
    "simulate desk-cell.rck desk-pick.rckp --step 0.00001 --out run.csv --plot run.png --film run.gif",
    "simulate desk-cell.rck desk-pick.rckp --step 0.00001 --physics mujoco",
    "reach desk-arm.rck --samples 100000000 -o map.csv",
    "collide desk-arm.rck --matrix --samples 10000000",
    "render desk-cell.rck --turntable 2000 -o turn.gif",
    "render desk-cell.rck --run long.csv --rate 100 -o run.gif",
    "run matrix.rcks desk-arm.rck",
    "simulate desk-cell.rck talk.rckp --realtime --out talk.csv --save-state talk.json",
    "path desk-arm.rck --to waist/axis=30 --step 0.0000001 -o path.csv",
    "ik desk-arm.rck --to 5000,0,0 --budget 1000000",
    "parts check",
    "view desk-arm.rck --no-open",
]
SERVE = "serve desk-cell.rck --port 0 --state desk.json"


@pytest.fixture
def bench(tmp_path):
    """Return a folder with files that take long to import, run or render."""
    for name in ("desk-arm.rck", "desk-cell.rck", "desk-pick.rckp"):
        shutil.copy(EXAMPLES / name, tmp_path)
    (tmp_path / "matrix.rcks").write_text("matrix --samples 10000000\n")
    (tmp_path / "talk.rckp").write_text("message begun\nwait 1000\n")
    (tmp_path / "arms.rcks").write_text("create universal-robots/ur5e arm\npattern arm line 200 --by 1000,0,0\n")
    (tmp_path / "nap.rckp").write_text("wait 20\n")
    long = ["simulate", "desk-cell.rck", "nap.rckp", "--step", "0.1", "--out", "long.csv"]
    for line in (long, ["run", "arms.rcks", "arms.rck"]):
        subprocess.run([sys.executable, "-m", "rck.cli", *line], cwd=tmp_path, check=True, capture_output=True)
    drawing = ezdxf.new(units=4)
    space = drawing.modelspace()
    for x in range(60):
        space.add_lwpolyline([(100 * x, 0), (100 * x + 90, 0), (100 * x + 90, 90), (100 * x, 90)], close=True)
        for hole in range(100):
            space.add_circle((100 * x + 5 + 8 * (hole % 10), 5 + 8 * (hole // 10)), 2)
    drawing.saveas(tmp_path / "sieves.dxf")
    ring = trimesh.creation.torus(20, 5, major_sections=10, minor_sections=8)
    rings = [ring.copy().apply_translation([60 * number, 0, 0]) for number in range(100)]
    trimesh.util.concatenate(rings).export(tmp_path / "rings.stl")
    return tmp_path


def interrupted(lines, folder):
    """Return the answer of each command to Ctrl+C."""
    text = "\n".join(json.dumps(line.split()) for line in lines)
    done = subprocess.run(
        [sys.executable, INTERRUPT], cwd=folder, input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(lines, json.loads(done.stdout), strict=True))


def test_ctrl_c_ends_a_long_command_with_one_line_and_leaves_no_file(bench):
    before = {file: file.read_bytes() for file in bench.iterdir()}
    answers = interrupted([*LINES, SERVE], bench)
    served = answers.pop(SERVE)
    assert answers == {line: {"status": 130, "said": "\nstopped\n"} for line in LINES}
    assert served == {
        "status": 130,
        "said": "saved desk.json; `rck serve desk-cell.rck --state desk.json --resume` continues from it\n",
    }
    # A server writes this file on purpose, and it is complete.
    assert json.loads((bench / "desk.json").read_text())["served"]
    (bench / "desk.json").unlink()
    assert {file: file.read_bytes() for file in bench.iterdir()} == before
