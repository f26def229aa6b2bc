"""`rck plugins doctor` reports the error of a plugin, its location and the fix."""

import json

import pytest
from click.testing import CliRunner

from rck.cli.plugins import doctor

FAULTS = {
    "import a_library_that_nobody_has": ("ModuleNotFoundError", "line 1", "pip install a_library_that_nobody_has"),
    "x = 1\ndef rck_checks(:": ("SyntaxError", "line 2", "fix it there"),
    "x = 1\n\nx / 0": ("ZeroDivisionError", "line 3", "fix it there"),
    "from rck.hooks import hookimpl\n@hookimpl\ndef rck_checks():\n    return 7": (
        "not int",
        "line 2",
        "fix it there",
    ),
    "x = 1\nfrom rck.hooks import hookimpl\n@hookimpl\ndef rck_teleporters():\n    return []": (
        "unknown hook 'rck_teleporters'",
        "line 3",
        "fix it there",
    ),
    "from rck.hooks import hookimpl\n@hookimpl\ndef rck_checks(robot):\n    return []": (
        "'robot'",
        "line 2",
        "fix it there",
    ),
    "x = 1": ("implements no hook", "line 1", "fix it there"),
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


def test_working_plugins_are_listed_with_their_contribution_counts():
    done = CliRunner().invoke(doctor, [])
    assert done.exit_code == 0
    assert "✓ parts-rck  adds 1" in done.output


def test_doctor_json_has_the_same_content(install):
    install("broken", "1 / 0")
    done = CliRunner().invoke(doctor, ["broken", "--json"])
    (told,) = json.loads(done.output)
    assert (told["name"], told["state"]) == ("broken", "failed")
    assert told["where"].endswith("broken.py, line 1")
