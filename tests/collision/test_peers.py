"""Agreement with other libraries, on a small workload."""

import numpy as np
import pytest
import rck_bench
from rck_bench import agreement, collision
from rck_bench.agreement import compare, installed
from rck_bench.report import Report

from rck.kernels.parallel import available_cores


def test_installed_peers_agree_on_random_pairs():
    peers = installed()
    if not peers:
        pytest.skip("neither coal nor python-fcl nor MuJoCo is installed")
    for name, tally in compare(400, peers, seed=3).items():
        assert tally.pairs == 400
        assert tally.mistakes == 0, f"{name}: {tally.disputes}"
        assert tally.worst < 1e-5


def test_wrong_result_is_reported(monkeypatch):
    right = agreement.ours

    def wrong(shapes, pairs):
        verdicts, measured = right(shapes, pairs)
        measured[0, 0] += 1e-3
        measured[1, 0] *= -1
        verdicts[1] = not verdicts[1]
        return verdicts, measured

    monkeypatch.setattr(agreement, "ours", wrong)
    pytest.importorskip("coal")
    assert compare(20, ["coal"], seed=3)["coal"].mistakes >= 1


def test_benchmark_agrees_with_every_peer(monkeypatch):
    for name, value in {
        "CALLS": 10,
        "BATCH": 100,
        "PARTS": 2,
        "STEPS": 3,
        "PATHS": 3,
        "PATH_STEPS": 10,
        "PAIR_CORNERS": (8, 20),
        "GROWING_STEPS": 3,
        "HULLS": (20, 40, 80),
    }.items():
        monkeypatch.setattr(collision, name, value)
    monkeypatch.setattr(collision, "ARMS", ("franka/panda", "universal-robots/ur5e"))
    report = Report()
    collision.run(report)
    assert len(report.rows) == 3 * (4 + len({1, available_cores()})) + 2 * 2 + 2 * 4 + 4
    assert all(row.agrees for row in report.rows)
    assert all(np.isfinite(row.ours) for row in report.rows)
    assert {"agreement", "collision"} <= set(rck_bench.AREAS)
