"""STEP files: bodies, names, colours and units.

The two files in `data` are the same part in millimetres and in inches, written by OpenCASCADE 8: a plate of
60 x 40 x 10 mm with a hole of 16 mm, a pin of 10 mm on it, and a block.
"""

import subprocess
from functools import lru_cache
from math import pi
from pathlib import Path

import numpy as np
import pytest
from file_reading import compiling
from rck_importers.step.reader import read

from rck.hooks import Cancelled, Job
from rck.model import Severity

DATA = Path(__file__).parent / "data"
BOTH = pytest.mark.parametrize("file", ["plate-in-mm.step", "plate-in-inches.step"])
VOLUMES = {"base-plate": 60 * 40 * 10 - pi * 8**2 * 10, "pin": pi * 5**2 * 30, "block": 10 * 10 * 20}


@lru_cache
def robot_in(file):
    """The robot that a file gives with no options; OpenCASCADE takes a while."""
    return compiling(read)(DATA / file, {}, Job()).robot


@BOTH
def test_bodies_have_names_colours_and_sizes_in_metres(file):
    robot = robot_in(file)
    items = {item.name: item for item in robot.items}
    assert set(items) == set(VOLUMES)
    for name, volume in VOLUMES.items():
        assert items[name].mass == pytest.approx(1000 * volume * 1e-9, rel=0.02)
    assert items["pin"].subitems[0].colour == pytest.approx((0.9547, 0.3492, 0.3492, 1), abs=0.01)
    corners = np.concatenate([subitem.shape.vertices for subitem in items["base-plate"].subitems])
    np.testing.assert_allclose(np.ptp(corners, axis=0), (0.06, 0.04, 0.01), atol=1e-6)


def test_plate_with_a_hole_is_decomposed_without_error():
    plate = robot_in("plate-in-mm.step").item("base-plate")
    assert len(plate.subitems) > 4
    assert sum(subitem.shape.volume for subitem in plate.subitems) == pytest.approx(
        VOLUMES["base-plate"] * 1e-9, rel=2e-3
    )


def test_smaller_deviation_approximates_the_round_pin_better(read):
    def miss(deviation):
        options = {"deviation": deviation, "convex": "hull", "most-corners": "0"}
        pin = read("step", DATA / "plate-in-mm.step", options).robot.item("pin")
        return 1 - pin.subitems[0].shape.volume / (VOLUMES["pin"] * 1e-9)

    coarse, fine = miss("0.5 mm"), miss("0.005 mm")
    assert 0 < fine < 0.005 < coarse


def test_all_bodies_can_become_one_item(read):
    robot = read("step", DATA / "plate-in-mm.step", {"items": "one", "mass": "2", "convex": "hull"}).robot
    assert len(robot.items) == 1
    assert robot.items[0].mass == pytest.approx(2)


@pytest.mark.parametrize(
    "content", ["ISO-10303-21;\nHEADER;\nrubbish", "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;"]
)
def test_a_damaged_file_is_an_error_and_nothing_is_written_to_the_terminal(read, written, capfd, content):
    imported = read("step", written("bad.step", content))
    assert imported.robot is None
    assert imported.findings[0].severity is Severity.ERROR
    assert capfd.readouterr() == ("", "")


def test_reading_can_be_cancelled_inside_the_library(read, monkeypatch):
    started = []
    popen = subprocess.Popen

    def remembered(*args, **kwargs):
        started.append(popen(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", remembered)
    job = Job(lambda share, what: job.cancel() if started else None)
    with pytest.raises(Cancelled):
        read("step", DATA / "plate-in-mm.step", job=job)
    assert started[0].poll() is not None
