"""The benchmark of the view, with a small workload."""

import json

import pytest
import rck_bench
from rck_bench import view


@pytest.fixture(autouse=True)
def little_work(monkeypatch):
    for name, value in {"ITEMS": 12, "WIDTH": 16, "HEIGHT": 9, "RAYS": 200}.items():
        monkeypatch.setattr(view, name, value)


def test_mujoco_and_embree_agree_with_rck(capsys):
    pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed")
    pytest.importorskip("embreex", reason="Embree (pip install embreex) is not installed")
    assert rck_bench.run(["view"], as_json=True) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["difference"] for row in rows] == [0.0, None, None, None, 0.0]
    assert all(row["ours"] > 0 for row in rows)
    assert "15 polyhedra of" in rows[0]["what"]


def test_missing_peers_are_reported_in_the_rows(monkeypatch, capsys):
    monkeypatch.setattr(view, "find_spec", lambda name: None)
    assert rck_bench.run(["view"], as_json=False) == 0
    text = capsys.readouterr().out
    assert "MuJoCo is not installed (pip install mujoco)" in text
    assert "Embree is not installed (pip install embreex)" in text
