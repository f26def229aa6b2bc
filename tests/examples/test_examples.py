"""Each example script reproduces its assembly file, which compiles without findings."""

from pathlib import Path

import pytest

from rck.assembly.native_file import format_assembly
from rck.hooks import discover
from rck.language.session import new_session, open_session

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.rcks"))


def test_there_are_examples_of_different_kinds():
    assert {script.stem for script in SCRIPTS} == {
        "delta-robot",
        "desk-arm",
        "desk-cell",
        "four-bar",
        "gantry",
        "handover-cell",
        "master-slave",
        "mobile-manipulator",
        "puma-cell",
        "scara-cell",
        "small-arm",
        "two-arm-cell",
    }


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_script_reproduces_its_assembly_file(script):
    session = new_session(discover(), EXAMPLES, script.stem)
    session.run_script(script.read_text(encoding="utf-8"), script.name)
    assert format_assembly(session.assembly) == script.with_suffix(".rck").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_file_compiles_without_findings(script):
    built = open_session(discover(), script.with_suffix(".rck")).compile()
    assert built.findings == ()
    assert built.value is not None
    assert built.value.robot.mass_properties.mass > 0
    assert built.value.robot.free_joints
    assert built.value.robot.frames, "every example has a tool"
