"""The benchmark of round trips compares each format with the same original."""

from pathlib import Path

import pytest
from rck_bench.format_trips import format_trips
from rck_bench.roundtrip import CLOSE, CLOSE_ACCELERATION

from rck.hooks import discover
from rck.hooks.file_exchange import read_file

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

ARM = Path(__file__).parents[2] / "examples" / "small-arm.xml"


def test_usd_keeps_all_of_an_arm_also_after_formats_without_armature(tmp_path: Path) -> None:
    plugins = discover()
    robot = read_file(ARM, plugins).robot
    assert robot is not None
    original = mujoco.MjModel.from_xml_path(str(ARM))
    trips = {trip.format_name: trip.comparison for trip in format_trips(robot, original, tmp_path, plugins)}
    assert list(trips) == ["urdf", "sdf", "usd"]
    assert original.dof_armature.any()
    assert all(found.difference <= CLOSE for found in trips.values())
    assert trips["usd"].accelerations <= CLOSE_ACCELERATION
    assert trips["usd"].other_contacts == 0
    assert not trips["usd"].kept
