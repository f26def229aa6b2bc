"""The forward-kinematics benchmark, on a small workload."""

import json
from importlib import import_module

import pytest
import rck_bench
from rck_bench import fk
from rck_bench.report import Report, Row, as_table
from rck_bench.timing import rates


@pytest.fixture
def little_work(monkeypatch):
    for name in ("CALLS", "BATCH", "COMPARED"):
        monkeypatch.setattr(fk, name, 20)


def test_every_area_has_a_module_that_runs_it():
    for area, summary in rck_bench.AREAS.items():
        assert callable(import_module(f"rck_bench.{area}").run)
        assert summary


def test_contenders_alternate():
    turns = []
    rates({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, work=1, repetitions=3)
    assert turns == ["a", "b"] * 4


def test_row_reports_agreement_and_targets():
    row = Row("work", ours=300.0, peer="peer", theirs=100.0, difference=1e-12, least_ratio=3.0, least_rate=200.0)
    assert (row.ratio, row.agrees, row.met) == (3.0, True, True)
    assert Row("work", 299.0, "peer", 100.0, 1e-3, least_ratio=3.0).met is False
    assert not Row("work", 299.0, "peer", 100.0, 1e-3).agrees
    assert Row("work", 300.0, "not installed", least_ratio=3.0).met is None


def test_rck_and_pinocchio_agree_on_timed_arm(little_work, capsys):
    pytest.importorskip("pinocchio", reason="pinocchio (pip install pin) is not installed")
    assert rck_bench.run(["fk"], as_json=True) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["machine"]["cores"]
    assert len(report["rows"]) == 7
    for row in report["rows"]:
        assert row["agrees"]
        assert 0 < row["difference"] < 1e-9
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])


def test_area_that_cannot_run_is_skipped(little_work, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("RCK_CORPUS", str(tmp_path))
    assert rck_bench.run(["roundtrip", "fk"], as_json=True) == 0
    told = capsys.readouterr()
    assert len(json.loads(told.out)["rows"]) == 7
    assert told.err.startswith("skipped: roundtrip: no robots in ")


def test_rows_report_missing_pinocchio(little_work, monkeypatch, capsys):
    monkeypatch.setattr(fk, "find_spec", lambda name: None)
    assert rck_bench.run(["fk"], as_json=False) == 0
    assert capsys.readouterr().out.count("pinocchio is not installed (pip install pin)") == 7


def test_disagreement_is_marked_and_fails_the_run(little_work, monkeypatch, capsys):
    pytest.importorskip("pinocchio", reason="pinocchio (pip install pin) is not installed")
    forward = fk.forward
    monkeypatch.setattr(fk, "forward", lambda arm, row: forward(arm, row) + 1e-6)
    assert rck_bench.run(["fk"], as_json=False) == 1
    assert "1.0e-06 DIFFERS" in capsys.readouterr().out


def test_table_names_machine_and_method():
    text = as_table(Report([Row("work", 12345.6)]))
    assert "12,346/s" in text
    assert "best of" in text
    assert "python 3" in text
