"""`rck plugins new` writes plugins that install, pass their tests, and are used."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from rck.cli.new_plugin import KINDS, write_plugin
from rck.model import RckError

NAMES = {kind: f"acme-{kind}" for kind in KINDS}


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with a new plugin of every kind, which sees the libraries of this one."""
    pytest.importorskip("hatchling", reason="hatchling, which builds packages, is not installed")
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    # site.addsitedir, not a bare path: packages that are installed for editing are in .pth files of their own.
    (site / "libraries.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    sources = []
    for kind, name in NAMES.items():
        write_plugin(name, kind, folder / name)
        sources.append(folder / name)
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-build-isolation", "--no-deps"]
    run(*pip, *sources, cwd=folder)
    return python


@pytest.mark.slow
def test_new_plugins_of_every_kind_are_installed_and_pass_their_tests(python, tmp_path):
    folder = python.parent.parent.parent
    listed = run(python, "-m", "rck.cli", "plugins", "list", cwd=tmp_path)
    for name in NAMES.values():
        assert f"{name} " in listed
    tests = [folder / name / "tests" for name in NAMES.values()]
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", *tests, cwd=tmp_path)


@pytest.mark.slow
def test_new_plugins_are_used_from_the_command_line(python, tmp_path):
    rck = [python, "-m", "rck.cli"]
    script = "create acme-parts/angle corner edge=60\nacme-command #cc3333\n"
    (tmp_path / "build.rcks").write_text(script)
    run(*rck, "run", "build.rcks", "corner.rck", cwd=tmp_path)
    assert "#cc3333" in (tmp_path / "corner.rck").read_text()
    run(*rck, "export", "corner.rck", "corner.masses", cwd=tmp_path)
    assert (tmp_path / "corner.masses").read_text().splitlines()[1].startswith("corner/angle\t")
    (tmp_path / "shelf.boxes").write_text("boxes\nlow 100 200 10\n")
    run(*rck, "import", "shelf.boxes", "-o", "shelf.rck", cwd=tmp_path)
    assert "low" in run(*rck, "show", "shelf.rck", cwd=tmp_path)


def test_a_plugin_is_not_written_over_something(tmp_path):
    write_plugin("mine", "exporter", tmp_path / "mine")
    with pytest.raises(RckError, match="not empty"):
        write_plugin("mine", "exporter", tmp_path / "mine")


@pytest.mark.parametrize("name", ["Mine", "1st", "a b", "../x", "a--b", "json", "rck", ""])
def test_what_is_no_name_of_a_package_is_refused(name, tmp_path):
    with pytest.raises(RckError, match="name"):
        write_plugin(name, "exporter", tmp_path / "new")
    assert not (tmp_path / "new").exists()
