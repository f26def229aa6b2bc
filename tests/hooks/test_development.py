"""Plugins in development are loaded from their folder, and again when their files change."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rck.cli.new_plugin import KINDS, write_plugin, write_single_file
from rck.cli.plugins import plugins as command
from rck.hooks import Check, discover
from rck.hooks.signatures import wrong_signatures
from rck.model import RckError
from rck.testing.robots import planar_arm

CHECK = """
from rck.hooks import Check, hookimpl
from rck.model import Finding, Severity

@hookimpl
def rck_checks():
    return [Check("loud", "says a word", run)]

def run(robot):
    return [Finding(610, Severity.NOTE, robot.name, "WORD")]
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules), list(sys.path)
    yield tmp_path
    for name in set(sys.modules) - before[0]:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    sys.path[:] = before[1]


def run(*words: str):
    return CliRunner().invoke(command, words)


def change(path: Path, text: str) -> None:
    path.write_text(text)
    # The time of modification differs even on file systems with coarse stamps.
    os.utime(path, ns=(path.stat().st_mtime_ns + 10**7,) * 2)


def messages(plugins) -> list[str]:
    return [f.message for check in plugins.all(Check) if check.name == "loud" for f in check.run(planar_arm(2))]


def test_package_is_loaded_from_its_folder_until_it_is_stopped(config):
    write_plugin("acme-loud", "check", config / "acme-loud")
    assert "in development: acme-loud" in run("dev", "acme-loud").output
    (info,) = [one for one in discover().infos() if one.name == "acme-loud"]
    assert info.package == "in development"
    assert "acme-loud" in [check.name for check in discover().all(Check)]
    assert run("dev").output.strip() == str(config / "acme-loud")
    run("dev", "--stop", "acme-loud")
    assert "acme-loud" not in [one.name for one in discover().infos()]


def test_changed_file_is_loaded_again_without_another_permission(config):
    file = config / "loud.py"
    file.write_text(CHECK.replace("WORD", "one"))
    run("dev", "loud.py")
    plugins = discover()
    assert messages(plugins) == ["one"]
    assert plugins.changed_plugins() == ()
    change(file, CHECK.replace("WORD", "two"))
    assert plugins.changed_plugins() == ("loud",)
    plugins.reload(plugins.changed_plugins())
    assert messages(plugins) == ["two"]


def test_package_of_several_modules_is_loaded_again(config):
    write_plugin("acme-loud", "check", config / "acme-loud")
    package = config / "acme-loud" / "acme_loud"
    (package / "word.py").write_text("WORD = 'one'\n")
    text = CHECK.replace('"WORD"', "WORD").replace("import Check", "import Check").strip()
    (package / "__init__.py").write_text(f"from acme_loud.word import WORD\n{text}\n")
    run("dev", "acme-loud")
    plugins = discover()
    assert messages(plugins) == ["one"]
    change(package / "word.py", "WORD = 'three'\n")
    plugins.reload(plugins.changed_plugins())
    assert messages(plugins) == ["three"]


def test_error_is_repaired_while_the_plugins_are_in_use(config):
    file = config / "loud.py"
    file.write_text("1 / 0")
    run("dev", "loud.py")
    plugins = discover()
    assert messages(plugins) == []
    assert "ZeroDivisionError" in plugins.traceback("loud")
    change(file, CHECK.replace("WORD", "fine"))
    plugins.reload(plugins.changed_plugins())
    assert messages(plugins) == ["fine"]
    assert plugins.findings == ()
    assert plugins.traceback("loud") == ""


def test_project_folder_in_development_needs_no_permission(config):
    folder = config / "cell" / "rck_plugins"
    folder.mkdir(parents=True)
    (folder / "loud.py").write_text(CHECK)
    assert [finding.code for finding in discover(project=config / "cell").findings] == [607]
    run("dev", "cell")
    assert discover(project=config / "cell").findings == ()
    assert messages(discover(project=config / "cell")) == ["WORD"]


def test_plugin_in_development_replaces_the_installed_one(config, install):
    install("loud", CHECK.replace("WORD", "installed"))
    (config / "loud.py").write_text(CHECK.replace("WORD", "developed"))
    assert messages(discover()) == ["installed"]
    run("dev", "loud.py")
    assert messages(discover()) == ["developed"]
    assert discover().findings == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [("", "declares no plugin"), ("[project", "pyproject.toml:"), (None, "neither a pyproject.toml nor Python files")],
)
def test_folder_without_a_plugin_is_refused(content, reason, config):
    (config / "empty").mkdir()
    if content is not None:
        (config / "empty" / "pyproject.toml").write_text(content)
    refused = run("dev", "empty")
    assert isinstance(refused.exception, RckError)
    assert reason in str(refused.exception)


def test_folder_that_was_removed_is_reported(config):
    (config / "loud.py").write_text(CHECK)
    run("dev", "loud.py")
    (config / "loud.py").unlink()
    (finding,) = discover().findings
    assert "does not exist" in finding.message
    assert "rck plugins dev --stop" in finding.fix


def rck(*words: str, cwd: Path):
    return subprocess.run(
        [sys.executable, "-m", "rck.cli", *words], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_authors_see_tracebacks_and_durations(config, install):
    (config / "loud.py").write_text(CHECK.replace("return [F", "1 / 0; return [F"))
    run("dev", "loud.py")
    rck("new", "arm.rck", cwd=config)
    said = rck("--profile", "check", "arm.rck", cwd=config).stderr
    assert "Traceback (most recent call last)" in said
    assert f'{config / "loud.py"}", line 10, in run' in said
    assert "loud: load" in said
    assert "loud: Check loud" in said
    refused = rck("--traceback", "check", "none.rck", cwd=config)
    assert refused.returncode == 2
    refused = rck("--traceback", "export", "arm.rck", "arm.nonsense", cwd=config).stderr
    assert "Traceback" in refused


@pytest.mark.parametrize(
    ("run_source", "reason"),
    [
        ("def run(): return []", "takes (), but RCK calls it with (Robot)"),
        ("def run(robot, more): return []", "missing a required argument: 'more'"),
        ("def run(robot: int): return []", "declares robot: int, but RCK passes Robot"),
        ("def run(robot, more=1): return []", ""),
    ],
)
def test_doctor_compares_signatures_with_the_kind(run_source, reason, config):
    (config / "loud.py").write_text(CHECK.partition("def run")[0] + run_source)
    run("dev", "loud.py")
    done = run("doctor", "--only", "loud")
    assert done.exit_code == int(bool(reason))
    assert reason in done.output
    assert " ms" in done.output
    assert "exporter-urdf" not in done.output


def test_doctor_compares_the_function_that_makes_a_solver(config):
    source = CHECK.partition("def run")[0].replace("rck_checks", "rck_solvers").replace("Check", "Solver")
    (config / "loud.py").write_text(source + "def run(robot, base): return None")
    run("dev", "loud.py")
    assert "make takes (robot, base), but RCK calls it with (Robot, str, str)" in run("doctor", "--only", "loud").output


def test_doctor_suggests_the_hook_that_a_typo_means(config):
    (config / "loud.py").write_text(CHECK.replace("def rck_checks", "def rck_check"))
    run("dev", "loud.py")
    done = run("doctor", "--only", "loud")
    assert "unknown hook 'rck_check' (did you mean rck_checks?)" in done.output
    (config / "loud.py").write_text(CHECK + "\ndef rck_exporter():\n    return []\n")
    assert "rck_exporter is no hook (did you mean rck_exporters?)" in run("doctor", "--only", "loud").output


def test_signatures_of_own_plugins_are_those_of_their_kinds():
    from rck.hooks import HOOK_OF_KIND

    plugins = discover()
    wrong = [one.message for kind in HOOK_OF_KIND for found in plugins.all(kind) for one in wrong_signatures(found)]
    assert wrong == []


@pytest.mark.parametrize(("wanted", "suits"), [(">=0.1", True), (">=99", False), ("0..1", False)])
def test_plugin_declares_the_version_of_rck_that_it_requires(wanted, suits, config):
    (config / "loud.py").write_text(f"# requires-rck: {wanted}\n{CHECK}")
    run("dev", "loud.py")
    done = run("doctor", "--only", "loud")
    assert done.exit_code == int(not suits)
    assert suits or "requires rck>=99" in done.output or "cannot be read" in done.output


def test_info_lists_options_channels_and_hooks():
    told = run("info", "sensor-range").output
    assert "option max-range: largest measured distance; length, default 10 m" in told
    assert "channel ranges: shape (360,)" in told
    assert "hooks  rck_sensors" in told


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"parts"}))
def test_plugin_of_every_kind_works_as_a_single_file(kind, config):
    path = write_single_file("acme-thing", kind, config / "cell")
    run("dev", str(path))
    done = run("doctor", "--only", "acme-thing")
    assert done.exit_code == 0, done.output
    adds = {"finding-code": "adds 2", "settings": "adds 2", "lifecycle": "adds 0, 2 lifecycle hooks"}
    assert adds.get(kind, "adds 1") in done.output


def test_doctor_reports_a_key_that_the_editor_uses(config):
    path = config / "clash.py"
    path.write_text(
        "from rck.hooks import EditorAction, hookimpl\n\n\n@hookimpl\ndef rck_editor_actions():\n"
        "    return [EditorAction('again', 'x', print, key='ctrl+y')]\n"
    )
    run("dev", str(path))
    told = run("doctor", "--only", "clash").output
    assert "its key ctrl+y is used for Redo; keys.yaml can set `action-again`" in told


def test_part_library_needs_a_package(config):
    with pytest.raises(RckError, match="more than one file"):
        write_single_file("acme-thing", "parts", config)


INDEX = Path(__file__).parents[2] / "examples" / "plugins" / "index.yaml"


def test_plugins_are_found_in_an_index_file_and_among_packages(config, install):
    found = run("search", "openscad", "--index", str(INDEX))
    assert found.output.startswith("openscad-exporter  Exporter of OpenSCAD files")
    assert "pip install" in found.output
    install("loud", CHECK)
    assert run("search", "loud").output.startswith("loud")
    assert run("search", "no-such-word", "--index", str(INDEX)).exit_code == 1


@pytest.mark.parametrize("content", ["plugins: 7", "others: []", "plugins: [{name: x}]", None])
def test_damaged_index_is_refused(content, config):
    if content is not None:
        (config / "index.yaml").write_text(content)
    refused = run("search", "x", "--index", str(config / "index.yaml"))
    assert isinstance(refused.exception, RckError)
    assert "index.yaml" in str(refused.exception)
