"""Environments of their own: RCK as its wheel installs it, with every library or with those alone that it must have."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
WALK = Path(__file__).with_name("walk.py")
LIBRARIES = Path(sysconfig.get_path("purelib"))


@dataclass(frozen=True)
class Environment:
    """A Python that knows nothing of the checkout."""

    folder: Path

    @property
    def site(self) -> Path:
        """Where its libraries are."""
        return next((self.folder / "lib").iterdir()) / "site-packages"

    def run(self, program: str, *words: str | Path, cwd: Path, text: str = "") -> str:
        """What a program of this environment prints, somewhere outside the checkout."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        command = [str(self.folder / "bin" / program), *map(str, words)]
        done = subprocess.run(command, cwd=cwd, env=own, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def walk(self, lines: Sequence[str], cwd: Path) -> dict[str, dict[str, Any]]:
        """What each line of words comes to as a command of `rck`, all in one process; none may break."""
        text = "\n".join(json.dumps(line.split()) for line in lines)
        answers = json.loads(self.run("python", WALK, cwd=cwd, text=text).splitlines()[-1])
        broken = [f"{line}\n{answer['broke']}" for line, answer in zip(lines, answers, strict=True) if answer["broke"]]
        assert not broken, "\n".join(broken)
        return dict(zip(lines, answers, strict=True))

    def install(self, *wheels: Path) -> None:
        """Install packages, as pip does."""
        python = self.folder / "bin" / "python"
        _pip("--python", python, "install", "--no-deps", "--no-index", "--no-compile", *wheels)

    def link(self, entries: Iterable[Path]) -> None:
        """Have these libraries, without the minutes that installing them takes."""
        for entry in entries:
            if not (self.site / entry.name).exists():
                (self.site / entry.name).symlink_to(entry)


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Environment]:
    """Makes an environment that has no library at all."""

    def make(name: str) -> Environment:
        folder = tmp_path_factory.mktemp(name) / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        return Environment(folder)

    return make


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    pytest.importorskip("hatchling", reason="hatchling, which builds packages, is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    _pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def complete(fresh: Callable[[str], Environment], wheel: Path) -> Environment:
    """The wheel with all that is installed here."""
    environment = fresh("complete")
    own = {entry.parts[0] for entry in distribution("rck").files or ()}
    environment.link(entry for entry in LIBRARIES.iterdir() if entry.name not in own)
    return _with_rck(environment, wheel)


@pytest.fixture(scope="session")
def core(fresh: Callable[[str], Environment], wheel: Path) -> Environment:
    """The wheel with the libraries that it requires, and no extra."""
    environment = fresh("core")
    needed = {file.parts[0] for package in _required("rck") for file in package.files or ()} - {"..", "__pycache__"}
    environment.link(LIBRARIES / name for name in needed)
    return _with_rck(environment, wheel)


def _pip(*words: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _with_rck(environment: Environment, wheel: Path) -> Environment:
    environment.install(wheel)
    # Compiling all kernels takes a minute. They are taken along; numba asks whether the sources are as old.
    here, there = ROOT / "rck" / "kernels", environment.site / "rck" / "kernels"
    for source in here.glob("*.py"):
        shutil.copystat(source, there / source.name)
    if (here / "__pycache__").exists():
        shutil.copytree(here / "__pycache__", there / "__pycache__", dirs_exist_ok=True)
    return environment


def _required(package: str) -> list[Distribution]:
    """What a package requires, and what that requires; without the package itself."""
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
