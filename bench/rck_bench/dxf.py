"""Import of drawings: 100,000 3DFACEs converted to solids, against ezdxf reading the file only; a plate of 3,600 holes.

Each turn is a separate process, to measure its memory; both sides first read a small drawing, which loads their
libraries. The compared answer is the volume that the faces enclose.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from os import times
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck_bench.machine import package_version
from rck_bench.report import Report, Row

FACES = 100_000
TURNS = 3
MOST_TIME, MOST_MEMORY = 1.3, 1.5
"""Target: multiple of the processor time and of the memory of ezdxf."""
HOLES = 60
"""Number of holes in a row and in a column of the plate."""
PLATE_COMMANDS = {
    "import": (("import", "plate.dxf", "--thickness", "5mm"), None),
    "show": (("show", "plate.rck"), 2.0),
    "check": (("check", "plate.rck"), 2.0),
    "export to URDF": (("export", "plate.rck", "plate.urdf"), 2.0),
    "export to MJCF": (("export", "plate.rck", "plate.xml", "--format", "mjcf"), 2.0),
}
"""The subcommands that are measured on it, and the target in seconds of processor time."""
FILES = {"R12 text": ("R12", "asc"), "R2010 text": ("R2010", "asc"), "R2010 binary": ("R2010", "bin")}
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def run(report: Report) -> None:
    """Add the rows of this area."""
    report.machine["ezdxf"] = package_version("ezdxf")
    with TemporaryDirectory() as folder:
        for name, (version, kind) in FILES.items():
            _compare(report, name, write_boxes(Path(folder) / f"{version}-{kind}.dxf", version, kind, FACES))
        write_plate(Path(folder) / "plate.dxf")
        for what, (words, most) in PLATE_COMMANDS.items():
            seconds = min(_processor_time(words, Path(folder)) for _ in range(1 if most is None else TURNS))
            what = f"plate with {HOLES**2:,} holes, rck {what} ({seconds:.2f} s of processor time): holes"
            least_rate = None if most is None else HOLES**2 / most
            peer = "none" if most is None else f"none; the best of {TURNS} runs"
            report.rows.append(Row(what, HOLES**2 / seconds, peer, least_rate=least_rate, one_pass=True))


def write_boxes(path: Path, version: str, kind: str, faces: int) -> Path:
    """Create a drawing of boxes of all sizes on ten layers, with at least `faces` faces."""
    import ezdxf

    document = ezdxf.new(version)
    layout = document.modelspace()
    chance = np.random.default_rng(5)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    for number in range(-(-faces // len(_SIDES))):
        place = np.array([number % 100, number // 100 % 100, number // 10_000]) * 12.0
        box = corners * chance.uniform(1, 9, 3) + place + chance.uniform(0, 1, 3)
        for side in _SIDES:
            layout.add_3dface(box[list(side)], dxfattribs={"layer": f"LAYER-{number % 10}"})
    document.saveas(path, fmt=kind)
    return path


def write_plate(path: Path) -> None:
    """Create a drawing of a square plate with round holes in rows and columns, in millimetres."""
    import ezdxf

    document = ezdxf.new(units=4)
    layout = document.modelspace()
    side = 10.0 * HOLES
    layout.add_lwpolyline([(0, 0), (side, 0), (side, side), (0, side)], close=True)
    for number in range(HOLES**2):
        layout.add_circle((10.0 * (number % HOLES) + 5.0, 10.0 * (number // HOLES) + 5.0), 3.0)
    document.saveas(path)


def _processor_time(words: Sequence[str], folder: Path) -> float:
    """Return the processor time of a run of `rck`, in seconds."""
    before = times()
    subprocess.run([sys.executable, "-m", "rck.cli", *words], cwd=folder, check=True, capture_output=True)
    after = times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _compare(report: Report, name: str, path: Path) -> None:
    small = write_boxes(path.with_name("small.dxf"), "R2010", "asc", 6)
    turns = [(_turn("rck", path, small), _turn("ezdxf", path, small)) for _ in range(TURNS)]
    ours, theirs = ({key: min(turn[side][key] for turn in turns) for key in turns[0][side]} for side in (0, 1))
    difference = abs(ours["volume"] / theirs["volume"] - 1.0)
    what = f"3DFACEs, {FACES:,} in a file, {name}"
    peer = f"ezdxf.readfile alone; the best of {TURNS} turns"
    rates = FACES / ours["seconds"], FACES / theirs["seconds"]
    report.rows.append(Row(what, rates[0], peer, rates[1], difference, least_ratio=1 / MOST_TIME))
    thrift = FACES / ours["mebibytes"], FACES / theirs["mebibytes"]
    row = Row(f"{what}, memory", thrift[0], peer, thrift[1], least_ratio=1 / MOST_MEMORY, unit="/MiB")
    report.rows.append(row)


def _turn(side: str, path: Path, small: Path) -> dict[str, float]:
    """Return seconds, peak memory in MiB and volume in cubic metres of one side, measured in a child process."""
    command = [sys.executable, "-m", "rck_bench.dxf", side, str(path), str(small)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _measured(side: str, path: Path, small: Path) -> dict[str, float]:
    """Return the measurements of one run."""
    read, volume_of = {"rck": (_read_in_rck, _volume_in_rck), "ezdxf": (_read_in_ezdxf, _volume_in_ezdxf)}[side]
    volume_of(read(small))
    start = process_time()
    made = read(path)
    seconds = process_time() - start
    return {"seconds": seconds, "mebibytes": _peak_memory(), "volume": volume_of(made)}


def _read_in_rck(path: Path) -> Sequence[Any]:
    from rck_importers.dxf.reader import read

    from rck.hooks import Job

    return read(path, {"length-unit": "mm"}, Job()).parts


def _volume_in_rck(parts: Sequence[Any]) -> float:
    from rck.model import PartDefinition

    items = [item for part in parts if isinstance(part, PartDefinition) for item in part.items]
    return sum(subitem.shape.volume for item in items for subitem in item.subitems)


def _read_in_ezdxf(path: Path) -> Any:
    import ezdxf

    return ezdxf.readfile(path)


def _volume_in_ezdxf(document: Any) -> float:
    faces = document.modelspace().query("3DFACE")
    corners: Floats = np.array([[tuple(point) for point in face.wcs_vertices()] for face in faces]) * 1e-3
    a, b, c, d = (corners[:, k] for k in range(4))
    # Divergence theorem, with the first corner of the drawing as the origin.
    along = np.einsum("ij,ij->i", a - a[0], np.cross(b - a, c - a) + np.cross(c - a, d - a))
    return float(abs(along.sum()) / 6.0)


def _peak_memory() -> float:
    """Return the peak memory of this process, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1024
    import resource

    # In kilobytes, but in bytes on macOS.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    print(json.dumps(_measured(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
