"""Files in a project's plugin folder are loaded only after the user allows the folder."""

import importlib.util
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from rck.hooks import Check, discover
from rck.hooks.plugin_settings import FILE, allow
from rck.hooks.project_plugins import FOLDER, PACKAGE, fingerprints
from rck.support.user_folders import config_folder

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


def test_folder_that_is_not_allowed_is_reported_and_not_loaded(project, monkeypatch, tmp_path):
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


def test_project_plugin_can_be_disabled_and_its_failure_is_reported(rck, project):
    (project / FOLDER / "broken.py").write_text("1 / 0")
    rck("allow")
    assert rck("disable", "my-shout").returncode == 0
    assert "off" in next(line for line in rck("list").stdout.splitlines() if line.startswith("my-shout"))
    broken = rck("info", "broken")
    assert broken.returncode == 1
    assert "ZeroDivisionError" in broken.stderr


def test_project_plugin_named_like_a_module_does_not_hide_the_module(project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (project / FOLDER / "json.py").write_text(SHOUT)
    allow_all(project)
    plugins = discover(project=project)
    assert [one.name for one in plugins.all(Check) if one.name == "shout"] == ["shout"]
    import json

    assert json.loads("1") == 1
    assert sys.modules[f"{PACKAGE}.json"].__file__ == str(project / FOLDER / "json.py")


def test_allow_without_plugins_folder_is_refused(rck, project):
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
        (lambda folder: (folder / "new.py").write_text(SHOUT), "new.py added"),
        (lambda folder: (folder / "_private.py").write_text("pass"), "_private.py changed"),
        (lambda folder: (folder / "_private.py").unlink(), "_private.py removed"),
    ],
)
def test_changed_plugins_are_not_loaded_until_allowed_again(change, told, project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    allow_all(project)
    assert "my-shout" in names(discover(project=project))
    change(project / FOLDER)
    plugins = discover(project=project)
    assert "my-shout" not in names(plugins)
    (finding,) = plugins.findings
    assert finding.code == 607
    assert finding.message == f"is not loaded: changes since you allowed it: {told}"
    assert f"run `rck plugins allow {project}`" in finding.fix
    allow_all(project)
    assert "my-shout" in names(discover(project=project))


def test_folder_allowed_without_fingerprints_must_be_allowed_again(project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / FILE).write_text(f"allowed:\n- {project / FOLDER}\n")
    (finding,) = discover(project=project).findings
    assert "changes since you allowed it: _private.py, my_shout.py added" in finding.message


def test_cached_bytecode_of_a_project_plugin_is_not_loaded(project, monkeypatch, tmp_path):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    file = project / FOLDER / "my_shout.py"
    other = tmp_path / "other.py"
    other.write_text(SHOUT.replace('"shout"', '"whisper"'))
    cached = importlib.util.cache_from_source(str(file))
    py_compile.compile(str(other), cached, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    allow_all(project)
    assert [one.name for one in discover(project=project).all(Check) if one.name in ("shout", "whisper")] == ["shout"]


def test_package_in_the_plugins_folder_is_reported_as_not_loaded(rck, project):
    package = project / FOLDER / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text(SHOUT)
    allowed = rck("allow")
    assert "pkg/ (only single files are loaded)" in allowed.stdout
    (project / FOLDER / "my_shout.py").unlink()
    told = rck("list").stderr
    assert "has no plugin; not loaded: _private.py (its name begins with _), pkg/" in told


def test_suggested_command_quotes_a_name_with_a_space(rck, project):
    (project / FOLDER / "my tool.py").write_text("1 / 0")
    rck("allow")
    told = rck("doctor", "my tool")
    assert "`rck plugins disable 'my tool'`" in told.stdout
    assert "`rck plugins enable 'my tool'`" in rck("disable", "my tool").stdout
    listed = next(line for line in rck("list").stdout.splitlines() if line.startswith("my tool"))
    assert "rck plugins enable 'my tool'" in listed


def test_project_plugin_with_a_used_name_must_be_renamed(rck, project):
    (project / FOLDER / "importer_urdf.py").write_text(SHOUT)
    rck("allow")
    assert "rename the file" in rck("list").stderr
    told = rck("doctor", "importer-urdf").stdout
    assert "rename the file" in told
    assert "disable importer-urdf" not in told


def test_project_folder_is_that_of_the_file_not_the_working_directory(rck, project, monkeypatch, tmp_path):
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


@pytest.mark.parametrize("module", ["__init__.py", "exporters.py"])
def test_project_folder_does_not_hide_the_plugins_of_rck(rck, project, module):
    (project / FOLDER / module).write_text("")
    (project / FOLDER / "exporter_urdf.py").write_text("1 / 0")
    rck("allow")
    done = rck("info", "exporter-urdf")
    assert done.returncode == 0, done.stderr
    assert "Exporter  urdf" in done.stdout
