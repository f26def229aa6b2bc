"""Read every robot and mesh file in a list of public packages, and print the tables of docs/import.md.

    python tools/import_corpus.py FOLDER            fetch the packages into FOLDER and read all files
    python tools/import_corpus.py FOLDER --peers    compare with pinocchio, yourdfpy, MuJoCo and Drake as well

The packages are only unpacked, not installed. Each file has a limited time: files are read in child processes.
"""

import argparse
import subprocess
import sys
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus_peers import agrees, readers

from rck.hooks import Importer, Job, Plugins, discover
from rck.hooks.file_exchange import FileContents, compile_imported
from rck.hooks.options import read_options
from rck.importing.assets import Assets, Unavailable
from rck.importing.mesh_file import read_mesh
from rck.importing.mesh_kind import ENDINGS as MESH_ENDINGS
from rck.importing.xml_file import opening_tags
from rck.support.finding import Severity
from rck.support.worker import WorkerError, run_in_child

PACKAGES = (
    "brax", "dm_control", "drake", "example-robot-data", "gymnasium", "gymnasium-robotics", "mani_skill", "metaworld",
    "mujoco-core", "playground", "pybullet", "robopal", "robosuite", "rtb-data", "safety-gymnasium", "scikit-robot",
)  # fmt: skip
FORMAT_OF_ENDING = {".urdf": "urdf", ".xacro": "urdf", ".srdf": "srdf", ".sdf": "sdf", ".world": "sdf", ".xml": "mjcf"}
FRAGMENTS = ("the robot has no links", "root is <mujocoinclude>")
BATCH = 10
"""Number of files that a child process reads."""
SECONDS = 300.0
"""Time limit of one file; RCK reads a batch that fails file by file."""


@dataclass
class Row:
    """The results for the files of one format in one package."""

    files: int = 0
    loaded: int = 0
    warned: int = 0
    outside: int = 0
    """Number of files that load completely only with `allow-outside`."""
    seconds: float = 0.0
    failures: list[tuple[Path, str]] = field(default_factory=list)
    agreeing: int = 0
    compared: int = 0


def fetch(folder: Path) -> None:
    """Download and unpack missing packages."""
    for package in PACKAGES:
        target = folder / package
        if target.exists():
            continue
        wheels = folder / "wheels"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(wheels), package]
        subprocess.run(command, check=True)
        stem = package.replace("-", "_").lower()
        wheel = next(path for path in wheels.glob("*.whl") if path.name.lower().startswith(f"{stem}-"))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)


def robot_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield format and path of every robot description, detected by content if the ending is ambiguous."""
    for path in sorted(folder.rglob("*")):
        name = FORMAT_OF_ENDING.get(path.suffix.lower())
        if name is None or not path.is_file():
            continue
        with path.open("rb") as file:
            root = opening_tags(file.read(4096))[:1]
        if name == "mjcf" and root not in (["mujoco"], ["mujocoinclude"]):
            continue
        yield ("xacro" if path.suffix.lower() == ".xacro" else name), path


def read_files(name: str, paths: Sequence[Path], peers: bool) -> Iterator[dict[str, Any]]:
    """Yield what :func:`read_batch` returns about each file; a batch that fails is read again file by file."""
    for start in range(0, len(paths), BATCH):
        batch = [str(path) for path in paths[start : start + BATCH]]
        sys.stderr.write(f"\r\x1b[K{batch[0]}")
        try:
            yield from _in_child(name, batch, peers)
        except WorkerError:
            for path in batch:
                try:
                    yield from _in_child(name, [path], peers)
                except WorkerError as error:
                    yield {"seconds": SECONDS, "outside": False, "warned": False, "failure": str(error), "agrees": None}


def _in_child(name: str, paths: Sequence[str], peers: bool) -> Any:
    subject = Path(paths[0]).name
    return run_in_child(read_batch, name, paths, peers, library="RCK", subject=subject, time_limit=SECONDS)


def read_batch(job: Job, name: str, paths: Sequence[str], peers: bool) -> list[dict[str, Any]]:
    """Return for each file the time, what happened, and whether the poses agree with the peer's."""
    plugins = discover()
    return [_read(plugins, name, Path(path), peers) for path in paths]


def _read(plugins: Plugins, name: str, path: Path, peers: bool) -> dict[str, Any]:
    """Read with default options and, if files are outside the folder, again with `allow-outside`."""
    importer = plugins.choose("urdf" if name == "xacro" else name, plugins.all(Importer), "importer")
    start = time.perf_counter()
    contents = _contents(importer, path, {})
    outside = any("allow-outside" in finding.fix for finding in contents.findings)
    if outside:
        contents = _contents(importer, path, {"allow-outside": "yes"})
    robot = contents.robot
    return {
        "seconds": time.perf_counter() - start,
        "outside": outside,
        "warned": any(finding.severity is Severity.WARNING for finding in contents.findings),
        "failure": contents.findings[0].message if robot is None else "",
        "agrees": agrees(name, path, robot) if peers and robot is not None else None,
    }


def _contents(importer: Importer, path: Path, given: Mapping[str, str]) -> FileContents:
    return compile_imported(importer.read(path, read_options(importer.options, given), Job()), path)


def add(row: Row, path: Path, result: dict[str, Any]) -> None:
    """Count a file."""
    row.files += 1
    row.seconds += result["seconds"]
    row.outside += result["outside"]
    if result["failure"]:
        row.failures.append((path, result["failure"]))
        return
    row.loaded += 1
    row.warned += result["warned"]
    row.compared += result["agrees"] is not None
    row.agreeing += result["agrees"] is True
    if result["agrees"] is False:
        sys.stderr.write(f"\r\x1b[Kdiffers: {path}\n")


def mesh_row(folder: Path) -> tuple[Counter[str], list[str]]:
    """Count the readable mesh files by ending, and list the others."""
    counts: Counter[str] = Counter()
    failures = []
    for path in sorted(folder.rglob("*")):
        ending = path.suffix.lower()
        if ending not in MESH_ENDINGS or not path.is_file():
            continue
        counts[ending] += 1
        try:
            read_mesh(path, Assets(path))
        except Unavailable as unavailable:
            failures.append(str(unavailable))
    return counts, failures


def main() -> None:
    """Fetch the packages, read the files, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", action="store_true", help="compare poses with the libraries that are installed")
    parser.add_argument("--no-meshes", action="store_true", help="leave out the count of mesh files")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    fetch(arguments.folder)
    rows: dict[tuple[str, str], Row] = defaultdict(Row)
    meshes: Counter[str] = Counter()
    bad_meshes: list[str] = []
    for package in PACKAGES:
        files = defaultdict(list)
        for name, path in robot_files(arguments.folder / package):
            files[name].append(path)
        for name, paths in files.items():
            for path, result in zip(paths, read_files(name, paths, arguments.peers), strict=True):
                add(rows[package, name], path, result)
        if not arguments.no_meshes:
            counts, failures = mesh_row(arguments.folder / package)
            meshes += counts
            bad_meshes += failures
    sys.stderr.write("\r\x1b[K")
    sys.stdout.write(tables(rows, meshes, bad_meshes, peers=arguments.peers))


def tables(rows: dict[tuple[str, str], Row], meshes: Counter[str], bad_meshes: list[str], *, peers: bool) -> str:
    """Return the tables in Markdown."""
    head = ["package", "format", "files", "load", "with warnings", "reach outside", "fragments", "fail", "s"]
    lines = ["| " + " | ".join(head + ["agree with the peer"] * peers) + " |", "|" + "---|" * (len(head) + peers)]
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * 9)
    for (package, name), row in rows.items():
        fragments = sum(any(mark in reason for mark in FRAGMENTS) for _, reason in row.failures)
        numbers = [row.files, row.loaded, row.warned, row.outside, fragments, len(row.failures) - fragments]
        shown = [package, name, *map(str, numbers), f"{row.seconds:.0f}"]
        lines.append("| " + " | ".join(shown + [f"{row.agreeing} of {row.compared}"] * peers) + " |")
        more = [*numbers, row.seconds, row.agreeing, row.compared]
        sums[name] = [a + b for a, b in zip(sums[name], more, strict=True)]
    for name, total in sums.items():
        shown = ["**all**", name, *(f"{one:.0f}" for one in total[:7])]
        lines.append("| " + " | ".join(shown + [f"{total[7]:.0f} of {total[8]:.0f}"] * peers) + " |")
    lines += ["", "| file that fails | why |" + " read by |" * peers, "|---|---|" + "---|" * peers]
    for (package, name), row in rows.items():
        for path, reason in row.failures:
            if not any(mark in reason for mark in FRAGMENTS):
                others = f" {', '.join(readers(name, path)) or 'none'} |" if peers else ""
                lines.append(f"| {package}: {path.name} | {reason.replace('|', '/')} |" + others)
    if meshes:
        counted = ", ".join(f"{count} {ending[1:].upper()}" for ending, count in meshes.most_common())
        lines += [
            "",
            f"Mesh files: {counted}; {sum(meshes.values()) - len(bad_meshes)} of {sum(meshes.values())} read.",
        ]
        lines += [f"- {reason}" for reason in bad_meshes]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
