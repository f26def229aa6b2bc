"""Suppressed findings and commands that fix findings."""

import json

import pytest
from click.testing import CliRunner

from rck.assembly.native_file import format_assembly, parse_assembly
from rck.assembly.suppressions import split_findings
from rck.cli.main import cli
from rck.language.finding_fixes import all_findings, fix_findings
from rck.model import Finding, RckError, Severity

OVERLAP = "make box one size=10,10,10\nmake box two size=10,10,10\n"
GONE = """
rck: 2
name: gone
units: {length: mm, angle: deg}
parts:
  base: {part: base}
joints:
  elbow: {position: 10}
poses:
  up: {elbow: 5}
contacts:
- {between: [base, hand], test: false}
local_parts:
  base:
    items:
      body: {material: steel, shapes: [{box: [10, 10, 10]}]}
"""


def test_suppression_hides_the_finding_at_its_place_only_and_is_undone(session):
    session.run_script(OVERLAP, "two.rcks")
    wide = Finding(406, Severity.WARNING, "joint lift/slide", "has no limits")
    other = Finding(406, Severity.WARNING, "joint lifter/slide", "has no limits")
    session.do('suppress 406 lift --reason "the stop is in the housing"')
    split = split_findings([wide, other], session.assembly)
    assert (split.shown, split.suppressed) == ((other,), (wide,))
    session.do("undo")
    assert split_findings([wide], session.assembly).suppressed == ()


def test_errors_are_never_suppressed(session):
    session.do("make box one size=10,10,10")
    session.do("suppress RCK405 --reason why-not")
    error = Finding(405, Severity.ERROR, "joint a", "outside")
    assert split_findings([error], session.assembly).shown == (error,)


def test_suppression_survives_saving_and_needs_a_reason_and_a_known_code(session):
    session.do("make box one size=10,10,10")
    session.do('suppress XYZ101 item one --reason "as designed"')
    text = format_assembly(session.assembly)
    assert "- {code: XYZ101, reason: as designed, where: item one}" in text
    assert parse_assembly(text).suppressions == session.assembly.suppressions
    assert session.do("show suppressions").message == "XYZ101 at item one: as designed"
    with pytest.raises(RckError, match="--reason"):
        session.do("suppress RCK311")
    with pytest.raises(RckError, match=r"RCK999.*not a finding code"):
        session.do("suppress RCK999 --reason x")
    session.do("unsuppress XYZ101 item one")
    assert session.assembly.suppressions == []
    with pytest.raises(RckError, match="not suppressed"):
        session.do("unsuppress XYZ101 item one")


def test_check_counts_suppressed_findings_and_exits_with_success(session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session.run_script(OVERLAP, "two.rcks")
    session.save(tmp_path / "two.rck")
    plain = CliRunner().invoke(cli, ["check", "two.rck"])
    assert plain.exit_code == 1
    assert "1 warning" in plain.stdout
    session.do('suppress RCK311 one --reason "glued"')
    assert "1 suppressed" in session.do("check").message
    session.save(tmp_path / "two.rck")
    quiet = CliRunner().invoke(cli, ["check", "two.rck"])
    assert quiet.exit_code == 0
    assert quiet.stdout == "two.rck: 0 errors, 0 warnings, 0 notes, 1 suppressed\n"
    (finding,) = json.loads(CliRunner().invoke(cli, ["check", "two.rck", "--json"]).stdout)
    assert (finding["code"], finding["suppressed"]) == (311, "glued")


def test_fix_removes_references_to_what_is_gone_and_saves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone.rck").write_text(GONE.lstrip(), encoding="utf-8")
    before = CliRunner().invoke(cli, ["check", "gone.rck", "--json"])
    assert {one["code"] for one in json.loads(before.stdout)} >= {807, 811}
    done = CliRunner().invoke(cli, ["check", "gone.rck", "--fix"])
    fixed = [line for line in done.stdout.splitlines() if line.startswith("fixed: ")]
    assert fixed == ["fixed: remove joint elbow", "fixed: forget base hand", "fixed: remove pose up"]
    assert done.exit_code == 0
    text = (tmp_path / "gone.rck").read_text(encoding="utf-8")
    assert "elbow" not in text
    assert "hand" not in text
    assert CliRunner().invoke(cli, ["check", "gone.rck", "--fix"]).stdout == "gone.rck: 0 errors, 0 warnings, 0 notes\n"


def test_refused_fix_is_reported_and_does_not_repeat(session, monkeypatch):
    session.do("make box one size=10,10,10")
    wrong = Finding(610, Severity.WARNING, "item one", "is wrong", commands=("remove one", "remove two"))
    monkeypatch.setattr("rck.language.finding_fixes.all_findings", lambda session: [*all_findings(session), wrong])
    report = fix_findings(session)
    assert report.done == ()
    assert [command for command, _ in report.refused] == ["remove one", "remove two"]
    assert "one" in session.assembly.parts


def test_fix_of_another_format_is_refused_with_advice(tmp_path):
    (tmp_path / "a.urdf").write_text("<robot name='a'><link name='b'/></robot>")
    done = CliRunner().invoke(cli, ["check", str(tmp_path / "a.urdf"), "--fix"], standalone_mode=False)
    assert "rck import" in str(done.exception)
