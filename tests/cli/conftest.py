"""Separate environments with the RCK wheel, with all extras or with the required libraries only."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
WALK = Path(__file__).with_name("run_commands.py")
LIBRARIES = Path(sysconfig.get_path("purelib"))


@dataclass(frozen=True)
class Environment:
    """A Python environment without access to the checkout."""

    folder: Path

    @property
    def site(self) -> Path:
        """Folder of the installed libraries."""
        return next((self.folder / "lib").iterdir()) / "site-packages"

    def run(self, program: str, *words: str | Path, cwd: Path, text: str = "") -> str:
        """Run a program of this environment outside the checkout and return its output."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        command = [str(self.folder / "bin" / program), *map(str, words)]
        done = subprocess.run(command, cwd=cwd, env=own, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def walk(self, lines: Sequence[str], cwd: Path) -> dict[str, dict[str, Any]]:
        """Run each line as an `rck` command, all in one process, and return the answers; none may crash."""
        text = "\n".join(json.dumps(line.split()) for line in lines)
        answers = json.loads(self.run("python", WALK, cwd=cwd, text=text).splitlines()[-1])
        broken = [f"{line}\n{answer['broke']}" for line, answer in zip(lines, answers, strict=True) if answer["broke"]]
        assert not broken, "\n".join(broken)
        return dict(zip(lines, answers, strict=True))

    def install(self, *wheels: Path) -> None:
        """Install packages with pip."""
        python = self.folder / "bin" / "python"
        _pip("--python", python, "install", "--no-deps", "--no-index", "--no-compile", *wheels)

    def link(self, entries: Iterable[Path]) -> None:
        """Link these libraries, which is faster than installing them."""
        for entry in entries:
            if not (self.site / entry.name).exists():
                (self.site / entry.name).symlink_to(entry)


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Environment]:
    """Return a function that creates an environment without libraries."""

    def make(name: str) -> Environment:
        folder = tmp_path_factory.mktemp(name) / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        return Environment(folder)

    return make


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of this checkout."""
    pytest.importorskip("hatchling", reason="hatchling, which builds packages, is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    _pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def complete(fresh: Callable[[str], Environment], wheel: Path) -> Environment:
    """Return an environment with the wheel and every library installed here."""
    environment = fresh("complete")
    own = {entry.parts[0] for entry in distribution("rck").files or ()}
    environment.link(entry for entry in LIBRARIES.iterdir() if entry.name not in own)
    return _with_rck(environment, wheel)


@pytest.fixture(scope="session")
def core(fresh: Callable[[str], Environment], wheel: Path) -> Environment:
    """Return an environment with the wheel and its required libraries, without extras."""
    environment = fresh("core")
    environment.link(_entries(_required("rck")))
    return _with_rck(environment, wheel)


@pytest.fixture(scope="session")
def tested(fresh: Callable[[str], Environment], wheel: Path) -> Environment:
    """Return an environment with the wheel, its required libraries and those of the extra `test`."""
    environment = fresh("tested")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = [Requirement(line).name for line in project["optional-dependencies"]["test"]]
    packages = [*_required("rck"), *map(distribution, extra), *(one for name in extra for one in _required(name))]
    environment.link(_entries(packages))
    return _with_rck(environment, wheel)


def _pip(*words: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _with_rck(environment: Environment, wheel: Path) -> Environment:
    environment.install(wheel)
    # Compiling all kernels takes a minute, so copy them; numba compares the modification times of the sources.
    here, there = ROOT / "rck" / "kernels", environment.site / "rck" / "kernels"
    for source in here.glob("*.py"):
        shutil.copystat(source, there / source.name)
    if (here / "__pycache__").exists():
        shutil.copytree(here / "__pycache__", there / "__pycache__", dirs_exist_ok=True)
    return environment


def _entries(packages: Iterable[Distribution]) -> set[Path]:
    """Return the files and folders of packages in the folder of libraries."""
    found = {(package, file.parts[0]) for package in packages for file in package.files or ()}
    return {Path(str(package.locate_file(name))) for package, name in found if name not in ("..", "__pycache__")}


def _required(package: str) -> list[Distribution]:
    """Return the direct and indirect requirements of a package, without the package itself."""
    installed = {canonicalize_name(found.name): found for found in distributions()}
    seen: set[tuple[str, str]] = set()
    waiting = [(canonicalize_name(package), "")]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for need in map(Requirement, installed[name].requires or ()):
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(need.name), wanted) for wanted in ("", *need.extras)]
    return [installed[name] for name in {name for name, _ in seen} - {package}]
