"""Messages of commands name the broken plugin; plugin output does not mix with command output."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROBOT = Path(__file__).parent.parent / "formats" / "data" / "simple.robot"
HEAD = "from rck.hooks import *\nfrom rck.model import RckError\n\n"


@pytest.fixture
def rck(site, tmp_path):
    """Run `rck` with the packages and settings of this test, and with the shipped plugins."""
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "RCK_CONFIG": str(tmp_path / "config")}

    def run(*words):
        command = [sys.executable, "-m", "rck.cli", *map(str, words)]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    return run


LOUD = (
    HEAD
    + """import sys
print("IMPORTED")

def write(robot, name, values, job):
    print("WRITTEN")
    sys.stdout.write("MORE")
    return Exported({name: b"x"})

@hookimpl
def rck_exporters():
    print("CALLED")
    return [Exporter("loud", "prints", (".loud",), write)]
"""
)


def test_output_of_a_plugin_goes_to_stderr_and_stdout_stays_json(rck, install):
    install("loud", LOUD)
    done = rck("export", ROBOT, "a.loud", "--json")
    assert json.loads(done.stdout)["files"] == ["a.loud"]
    for word in ("IMPORTED", "CALLED", "WRITTEN", "MORE"):
        assert word in done.stderr


def test_broken_plugin_is_reported_and_the_robot_stays_valid(rck, install):
    install("broken", "1 / 0\n")
    install("refusing", HEAD + "def run(robot):\n    raise RckError('no')\n\n\n@hookimpl\ndef rck_checks():\n"
            "    return [Check('refusing', 'x', run)]\n")  # fmt: skip
    done = rck("check", ROBOT)
    assert "plugin broken: could not be loaded: ZeroDivisionError: division by zero (broken.py, line 1)" in done.stderr
    assert (
        "RCK602 warning: plugin refusing: check refusing failed on simple: RckError: no (refusing.py, line 5)"
        in done.stderr
    )
    plain = rck("check", ROBOT, "--json")
    about = [one for one in json.loads(plain.stdout) if not one["where"].startswith("plugin ")]
    assert done.returncode == plain.returncode == int(any(one["severity"] != "note" for one in about))
    assert done.returncode == 0


def test_missing_contribution_names_its_failed_or_disabled_plugin(rck, install, tmp_path):
    install("broken", "1 / 0\n")
    hint = "; plugin broken failed to load: `rck plugins doctor broken`"
    for words in (("export", ROBOT, "x.bad"), ("hello",), ("ik", ROBOT, "--to", "1,2,3", "--solver", "bad")):
        done = rck(*words)
        assert done.returncode == 2
        assert hint in done.stderr
    assert rck("plugins", "disable", "importer-urdf").returncode == 0
    (tmp_path / "x.urdf").write_text('<robot name="x"/>')
    assert "; plugin importer-urdf is disabled: `rck plugins enable importer-urdf`" in rck("check", "x.urdf").stderr


PROBES = {
    "raises": ("raise KeyError('x')", "KeyError: 'x' (shaky.py, line 5)"),
    "exits": ("raise SystemExit(5)", "SystemExit: 5 (shaky.py, line 5)"),
    "recurses": ("return probe(path, head)", "RecursionError: maximum recursion depth exceeded"),
}


@pytest.mark.parametrize("what", PROBES)
def test_message_names_the_importer_with_the_failing_probe(what, rck, install, tmp_path):
    body, reason = PROBES[what]
    source = f"def probe(path, head):\n    {body}\n\n\n@hookimpl\ndef rck_importers():\n"
    install("shaky", HEAD + source + "    return [Importer('shaky', 'x', ('.shaky',), probe, print)]\n")
    (tmp_path / "a.shaky").write_text("shaky")
    done = rck("import", "a.shaky", "-o", "o.rck")
    assert done.returncode == 2
    assert f"plugin shaky: importer shaky failed on a.shaky: {reason}" in done.stderr
    assert "Traceback" not in done.stderr


def test_command_with_a_wrong_result_names_its_plugin_and_changes_nothing(rck, install, tmp_path):
    source = "def run(document, arguments):\n    return object(), ''\n\n\n@hookimpl\ndef rck_commands():\n"
    install("wrong", HEAD + source + "    return [Command('twirl', 'x', run=run)]\n")
    (tmp_path / "f.rcks").write_text("twirl\n")
    done = rck("run", "f.rcks", "new.rck")
    assert done.returncode == 2
    assert "f.rcks:1: plugin wrong: command twirl failed: TypeError: run returned tuple, not a document" in done.stderr
    assert "(wrong.py, line 4)" in done.stderr
    assert done.stderr.count("nothing was changed") == 1


CLASHING = (
    HEAD
    + """import click

@hookimpl
def rck_commands():
    return [Command("move", "s", run=lambda document, arguments: (document, ""))]

@hookimpl
def rck_cli_commands():
    return [CliCommand("check", "s", click.Command("check", callback=lambda: print("mine")))]

@hookimpl
def rck_exporters():
    return [Exporter("my-urdf", "s", (".urdf",), print)]
"""
)


def test_doctor_reports_names_and_suffixes_that_rck_already_has(rck, install):
    install("clashing", CLASHING)
    done = rck("plugins", "doctor", "clashing")
    assert done.returncode == 0
    assert "RCK604 warning: plugin clashing: Command move is ignored: RCK has a command of this name" in done.stdout
    assert "RCK604 warning: plugin clashing: CliCommand check is ignored: RCK has a subcommand" in done.stdout
    assert "note: plugin clashing: .urdf is written by the exporter urdf, not my-urdf" in done.stdout
    wrong = rck("export", ROBOT, "x.urdf", "--set", "colour=red")
    assert "exporter urdf: there is no option 'colour'" in wrong.stderr


def test_command_name_with_spaces_is_refused(install):
    from rck.hooks import Command, discover

    install("wordy", HEAD + "@hookimpl\ndef rck_commands():\n    return [Command('two words', 's', run=print)]\n")
    plugins = discover((), {"RCK_PLUGINS": "wordy"})
    assert plugins.all(Command) == ()
    (finding,) = plugins.findings
    assert finding.code == 603
    assert "must return names of one word, not 'two words'" in finding.message


def test_a_library_whose_folder_is_missing_is_reported(install):
    from rck.hooks import PartLibrary, discover

    install("bare", HEAD + "from pathlib import Path\n\n\n@hookimpl\ndef rck_part_libraries():\n"
            "    return [PartLibrary('bare', 's', Path('/nonexistent/lib'))]\n")  # fmt: skip
    plugins = discover((), {"RCK_PLUGINS": "bare"})
    assert len(plugins.all(PartLibrary)) == 1
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (603, "plugin bare")
    assert finding.message == "the folder of part library bare does not exist: /nonexistent/lib"


def test_part_with_a_warning_is_valid(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from rck.cli.parts import parts
    from rck.model import Finding, Severity
    from rck.parts import part_checks as checking

    def found(severity):
        def check_files(files, job, served):
            return [(file, [Finding(608, severity, "device eye", "no plugin serves it")]) for file in files]

        return check_files

    (tmp_path / "eye.yaml").write_text("id: test/eye\n")
    monkeypatch.setattr(checking, "check_files", found(Severity.WARNING))
    done = CliRunner().invoke(parts, ["check", str(tmp_path / "eye.yaml")])
    assert (done.exit_code, "1 of 1 parts have no problems" in done.output, "RCK608" in done.output) == (0, True, True)
    monkeypatch.setattr(checking, "check_files", found(Severity.ERROR))
    done = CliRunner().invoke(parts, ["check", str(tmp_path / "eye.yaml")])
    assert (done.exit_code, "0 of 1 parts have no problems" in done.output) == (1, True)
