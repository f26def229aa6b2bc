"""`rck plugins doctor` says what is wrong with a plugin, where, and what to do."""

import json

import pytest
from click.testing import CliRunner

from rck.cli.plugins import doctor

FAULTS = {
    "import a_library_that_nobody_has": ("ModuleNotFoundError", "line 1", "pip install a_library_that_nobody_has"),
    "x = 1\ndef rck_checks(:": ("SyntaxError", "line 2", "mend it there"),
    "x = 1\n\nx / 0": ("ZeroDivisionError", "line 3", "mend it there"),
    "from rck.hooks import hookimpl\n@hookimpl\ndef rck_checks():\n    return 7": (
        "not int",
        "line 2",
        "mend it there",
    ),
    "x = 1\nfrom rck.hooks import hookimpl\n@hookimpl\ndef rck_teleporters():\n    return []": (
        "unknown hook 'rck_teleporters'",
        "line 3",
        "mend it there",
    ),
    "from rck.hooks import hookimpl\n@hookimpl\ndef rck_checks(robot):\n    return []": (
        "'robot'",
        "line 2",
        "mend it there",
    ),
    "x = 1": ("implements no hook", "line 1", "mend it there"),
}


@pytest.mark.parametrize("source", FAULTS)
def test_a_failure_is_explained(source, install):
    what, where, remedy = FAULTS[source]
    install("broken", source)
    done = CliRunner().invoke(doctor, ["broken"])
    assert done.exit_code == 1
    assert "✗ broken  broken 1.0" in done.output
    assert what in done.output
    assert remedy in done.output
    assert "rck plugins disable broken" in done.output
    assert f"broken.py, {where}" in done.output


def test_a_plugin_that_hangs_is_told_with_the_line_where_it_waits(install, hurry):
    hurry("waits_at_a_line", 1)
    install("waits_at_a_line", "import threading\n\nx = 1\nthreading.Event().wait()\n")
    done = CliRunner().invoke(doctor, ["waits_at_a_line"])
    assert "did not come back within 1 s" in done.output
    assert "waits_at_a_line.py, line 4" in done.output
    assert "it must not wait for anything" in done.output


def test_plugins_that_work_tell_how_much_they_add():
    done = CliRunner().invoke(doctor, [])
    assert done.exit_code == 0
    assert "✓ parts  adds 1" in done.output


def test_the_same_as_data(install):
    install("broken", "1 / 0")
    done = CliRunner().invoke(doctor, ["broken", "--json"])
    (told,) = json.loads(done.output)
    assert (told["name"], told["state"]) == ("broken", "failed")
    assert told["where"].endswith("broken.py, line 1")
