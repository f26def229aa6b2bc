"""Read every robot and mesh file in a list of public packages, and print the tables of docs/import.md.

    python tools/import_corpus.py FOLDER            fetch the packages into FOLDER and read all files
    python tools/import_corpus.py FOLDER --peers    compare with pinocchio, yourdfpy, MuJoCo and Drake as well

The packages are only unpacked, not installed.
"""

import argparse
import subprocess
import sys
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from corpus_peers import agrees, readers

from rck.hooks import Importer, Job, discover
from rck.hooks.file_exchange import FileContents, compile_imported
from rck.hooks.options import read_options
from rck.importing.assets import Assets, Unavailable
from rck.importing.mesh_file import read_mesh
from rck.importing.mesh_kind import ENDINGS as MESH_ENDINGS
from rck.importing.xml_file import opening_tags
from rck.model import Robot
from rck.support.finding import Severity

PACKAGES = (
    "brax", "dm_control", "drake", "example-robot-data", "gymnasium", "gymnasium-robotics", "mani_skill", "metaworld",
    "mujoco-core", "pybullet", "robopal", "robosuite", "rtb-data", "safety-gymnasium", "scikit-robot",
)  # fmt: skip
FORMAT_OF_ENDING = {".urdf": "urdf", ".xacro": "urdf", ".srdf": "srdf", ".sdf": "sdf", ".world": "sdf", ".xml": "mjcf"}
FRAGMENTS = ("the robot has no links", "root is <mujocoinclude>")


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


def read_robot(importer: Importer, path: Path, row: Row) -> Robot | None:
    """Read with default options and, if files are outside the folder, again with `allow-outside`."""
    row.files += 1
    start = time.perf_counter()
    contents = _contents(importer, path, {})
    if any("allow-outside" in finding.fix for finding in contents.findings):
        row.outside += 1
        contents = _contents(importer, path, {"allow-outside": "yes"})
    row.seconds += time.perf_counter() - start
    if contents.robot is None:
        row.failures.append((path, contents.findings[0].message))
        return None
    row.loaded += 1
    row.warned += any(finding.severity is Severity.WARNING for finding in contents.findings)
    return contents.robot


def _contents(importer: Importer, path: Path, given: Mapping[str, str]) -> FileContents:
    return compile_imported(importer.read(path, read_options(importer.options, given), Job()), path)


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
    plugins = discover()
    importers = plugins.all(Importer)
    rows: dict[tuple[str, str], Row] = defaultdict(Row)
    meshes: Counter[str] = Counter()
    bad_meshes: list[str] = []
    for package in PACKAGES:
        for name, path in robot_files(arguments.folder / package):
            sys.stderr.write(f"\r\x1b[K{package} {path.name}")
            row = rows[package, name]
            robot = read_robot(plugins.choose("urdf" if name == "xacro" else name, importers, "importer"), path, row)
            if arguments.peers and robot is not None:
                verdict = agrees(name, path, robot)
                row.compared += verdict is not None
                row.agreeing += verdict is True
                if verdict is False:
                    sys.stderr.write(f"\r\x1b[Kdiffers: {path}\n")
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
