"""Single files in a project's folder are plugins once the user has allowed the folder, and not before."""

import subprocess
import sys
from pathlib import Path

import pytest

from rck.hooks import Check, discover
from rck.hooks.project import FOLDER

SHOUT = """
import sys
print("I was imported")
from rck.hooks import Check, hookimpl

@hookimpl
def rck_checks():
    return [Check("shout", "finds nothing", lambda robot: [])]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / FOLDER
    folder.mkdir(parents=True)
    (folder / "my_shout.py").write_text(SHOUT)
    (folder / "_private.py").write_text("raise SystemExit")
    return folder.parent


@pytest.fixture
def rck(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "rck.cli", "plugins", *words]
        return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)

    return run


def test_a_folder_that_was_not_allowed_is_named_and_not_loaded(project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    plugins = discover(project=project)
    assert "my-shout" not in [info.name for info in plugins.infos()]
    (finding,) = plugins.findings
    assert finding.code == 607
    assert "rck plugins allow" in finding.fix


def test_an_allowed_folder_is_loaded_until_it_is_forbidden(rck, project, tmp_path):
    assert "not loaded" in rck("list").stderr
    allowed = rck("allow")
    assert allowed.returncode == 0
    assert "my_shout.py" in allowed.stdout
    listed = next(line for line in rck("list").stdout.splitlines() if line.startswith("my-shout"))
    assert listed.split() == ["my-shout", "ready", "this", "project"]
    assert "Check  shout: finds nothing" in rck("info", "my-shout").stdout
    assert rck("forbid").returncode == 0
    assert "my-shout" not in rck("list").stdout


def test_a_file_of_the_project_can_be_switched_off_and_its_faults_are_survived(rck, project):
    rck("allow")
    (project / FOLDER / "broken.py").write_text("1 / 0")
    assert rck("disable", "my-shout").returncode == 0
    assert "off" in next(line for line in rck("list").stdout.splitlines() if line.startswith("my-shout"))
    broken = rck("info", "broken")
    assert broken.returncode == 1
    assert "ZeroDivisionError" in broken.stderr


def test_a_file_named_like_a_module_does_not_hide_it(project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (project / FOLDER / "json.py").write_text(SHOUT)
    from rck.hooks.folders import config_folder
    from rck.hooks.switches import allow

    allow(config_folder(), project / FOLDER, True)
    plugins = discover(project=project)
    assert [one.name for one in plugins.all(Check) if one.name == "shout"] == ["shout"]
    import json

    assert json.loads("1") == 1
    assert sys.modules[f"{FOLDER}.json"].__file__ == str(project / FOLDER / "json.py")


def test_there_must_be_something_to_allow(rck, project):
    (project / FOLDER / "my_shout.py").unlink()
    (project / FOLDER / "_private.py").unlink()
    (project / FOLDER).rmdir()
    refused = rck("allow")
    assert refused.returncode == 2
    assert "has no folder rck_plugins" in refused.stderr
