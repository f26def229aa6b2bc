"""Single files in a project's folder are plugins once the user has allowed the folder, and not before."""

import importlib.util
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from rck.hooks import Check, discover
from rck.hooks.folders import config_folder
from rck.hooks.project import FOLDER, fingerprints
from rck.hooks.switches import FILE, allow

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

    def run(*words: str, cwd: Path = project) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "rck.cli", "plugins", *words]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)

    return run


def allow_all(project: Path) -> None:
    allow(config_folder(), project / FOLDER, fingerprints(project / FOLDER))


def names(plugins) -> list[str]:
    return [info.name for info in plugins.infos()]


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
    assert "(my_shout.py)" in allowed.stdout
    assert "not loaded: _private.py (its name begins with _)" in allowed.stdout
    listed = next(line for line in rck("list").stdout.splitlines() if line.startswith("my-shout"))
    assert listed.split() == ["my-shout", "ready", "this", "project"]
    assert "Check  shout: finds nothing" in rck("info", "my-shout").stdout
    assert rck("forbid").returncode == 0
    assert "my-shout" not in rck("list").stdout


def test_a_file_of_the_project_can_be_switched_off_and_its_faults_are_survived(rck, project):
    (project / FOLDER / "broken.py").write_text("1 / 0")
    rck("allow")
    assert rck("disable", "my-shout").returncode == 0
    assert "off" in next(line for line in rck("list").stdout.splitlines() if line.startswith("my-shout"))
    broken = rck("info", "broken")
    assert broken.returncode == 1
    assert "ZeroDivisionError" in broken.stderr


def test_a_file_named_like_a_module_does_not_hide_it(project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (project / FOLDER / "json.py").write_text(SHOUT)
    allow_all(project)
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


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda folder: (folder / "my_shout.py").write_text(SHOUT + "# more"), "my_shout.py changed"),
        (lambda folder: (folder / "new.py").write_text(SHOUT), "new.py was added"),
        (lambda folder: (folder / "_private.py").write_text("pass"), "_private.py changed"),
        (lambda folder: (folder / "_private.py").unlink(), "_private.py is gone"),
    ],
)
def test_what_has_changed_since_it_was_allowed_is_not_loaded_until_it_is_allowed_again(
    change, told, project, monkeypatch, tmp_path
):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    allow_all(project)
    assert "my-shout" in names(discover(project=project))
    change(project / FOLDER)
    plugins = discover(project=project)
    assert "my-shout" not in names(plugins)
    (finding,) = plugins.findings
    assert finding.code == 607
    assert finding.message == f"is not loaded: since you allowed it, {told}"
    assert f"`rck plugins allow {project}` allows it again" in finding.fix
    allow_all(project)
    assert "my-shout" in names(discover(project=project))


def test_a_folder_that_was_allowed_before_fingerprints_were_kept_is_to_be_allowed_again(project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / FILE).write_text(f"allowed:\n- {project / FOLDER}\n")
    (finding,) = discover(project=project).findings
    assert "since you allowed it, _private.py, my_shout.py was added" in finding.message


def test_bytecode_beside_a_file_is_not_what_is_loaded(project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    file = project / FOLDER / "my_shout.py"
    other = tmp_path / "other.py"
    other.write_text(SHOUT.replace('"shout"', '"whisper"'))
    cached = importlib.util.cache_from_source(str(file))
    py_compile.compile(str(other), cached, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    allow_all(project)
    assert [one.name for one in discover(project=project).all(Check) if one.name in ("shout", "whisper")] == ["shout"]


def test_a_package_in_the_folder_is_named_as_not_loaded(rck, project):
    package = project / FOLDER / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text(SHOUT)
    allowed = rck("allow")
    assert "pkg/ (only single files are loaded)" in allowed.stdout
    (project / FOLDER / "my_shout.py").unlink()
    told = rck("list").stderr
    assert "has no plugin: not loaded are _private.py (its name begins with _), pkg/" in told


def test_advice_about_a_name_with_a_space_can_be_typed(rck, project):
    (project / FOLDER / "my tool.py").write_text("1 / 0")
    rck("allow")
    told = rck("doctor", "my tool")
    assert "`rck plugins disable 'my tool'`" in told.stdout
    assert "`rck plugins enable 'my tool'`" in rck("disable", "my tool").stdout
    listed = next(line for line in rck("list").stdout.splitlines() if line.startswith("my tool"))
    assert "rck plugins enable 'my tool'" in listed


def test_a_file_with_the_name_of_another_plugin_is_to_be_renamed(rck, project):
    (project / FOLDER / "urdf.py").write_text(SHOUT)
    rck("allow")
    assert "give the file another name" in rck("list").stderr
    told = rck("doctor", "urdf").stdout
    assert "give the file another name" in told
    assert "disable urdf" not in told


def test_plugins_beside_the_file_that_is_worked_on_count_wherever_one_stands(rck, project, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    file = project / "arm.rck"
    file.write_text("rck: 1\nname: arm\n")
    (finding,) = discover(file=file).findings
    assert f"`rck plugins allow {project}`" in finding.fix
    assert rck("allow", str(project), cwd=tmp_path).returncode == 0
    assert "shout" in [check.name for check in discover(file=file).all(Check)]
    assert "shout" not in [check.name for check in discover().all(Check)]
    (project / FOLDER / "my_shout.py").write_text(SHOUT.replace("lambda robot: []", "lambda robot: 1 / 0"))
    rck("allow", str(project), cwd=tmp_path)
    command = [sys.executable, "-m", "rck.cli", "check", "project/arm.rck"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "plugin my-shout" in done.stderr
