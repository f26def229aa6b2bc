"""The plugins that ship with RCK keep the contracts that it publishes for strangers."""

import itertools

import pytest

from rck.hooks import Exported, Exporter, Gripper, PartLibrary, Physics, Sensor, discover
from rck.hooks.exchange import export
from rck.model import EventList, JointEvent
from rck.testing.exporters import check_exporter
from rck.testing.parts import check_library
from rck.testing.robots import six_axis_arm

pytest_plugins = ["rck.testing.fixtures"]

PLUGINS = discover()
NEEDED = {"force-stick": {"to": "wall"}}
"""Options without which a sensor can do nothing."""
COUNT = itertools.count()
WRITTEN_BY = {
    "event-file": "event-file",
    "mesh": "stl",
    "mjcf": "mjcf",
    "robosim": "robosim",
    "robot-file": "robot-file",
    "sdf": "sdf",
    "seffas": "seffas",
    "urdf": "urdf",
}
"""Importers, and the exporters that write a file for them."""


def names(kind):
    return [contribution.name for contribution in PLUGINS.all(kind)]


@pytest.mark.parametrize("name", names(Exporter))
def test_an_exporter_keeps_the_contract(name, exporter_contract):
    exporter_contract(name)


@pytest.mark.parametrize("name", WRITTEN_BY)
def test_an_importer_keeps_the_contract(name, importer_contract, contribution, tmp_path):
    exporter = contribution(Exporter, WRITTEN_BY[name])
    source = EventList((JointEvent(1, 0, 90, 0, 100),)) if exporter.takes == "events" else six_axis_arm("arm")
    good = tmp_path / f"good{exporter.endings[0]}"
    export(source, good, PLUGINS, name=exporter.name)
    importer_contract(name, good)


@pytest.mark.parametrize("name", names(Sensor))
def test_a_sensor_keeps_the_contract(name, sensor_contract):
    sensor_contract(name, given=NEEDED.get(name))


@pytest.mark.parametrize("name", names(Gripper))
def test_a_gripper_keeps_the_contract(name, gripper_contract):
    gripper_contract(name)


@pytest.mark.parametrize("name", names(Physics))
def test_a_physics_engine_keeps_the_contract(name, physics_contract):
    pytest.importorskip(name, reason=f"{name} is not installed")
    physics_contract(name)


def test_what_is_not_there_is_named_with_what_is(contribution):
    with pytest.raises(AssertionError, match="no Gripper is called hook; there are"):
        contribution(Gripper, "hook")


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda robot, name, values, job: {name: b""}, "not Exported"),
        (lambda robot, name, values, job: Exported({"other": b""}), "was asked for"),
        (lambda robot, name, values, job: Exported({name: b"", "../x": b""}), "leads out"),
        (lambda robot, name, values, job: Exported({name: "text"}), "not bytes"),
        (lambda robot, name, values, job: Exported({name: str(next(COUNT)).encode()}), "other bytes"),
        (lambda robot, name, values, job: [job.progress(1), job.progress(0)] and Exported({name: b""}), "went back"),
    ],
)
def test_an_exporter_that_breaks_the_contract_is_told_how(write, said):
    with pytest.raises(AssertionError, match=said):
        check_exporter(Exporter("bad", "bad", (".bad",), write))


def test_a_library_with_a_fault_breaks_the_contract(tmp_path):
    with pytest.raises(AssertionError, match="no manifests"):
        check_library(PartLibrary("mine", "mine", tmp_path))
    (tmp_path / "bad.yaml").write_text("name: nothing\n")
    with pytest.raises(AssertionError, match=r"bad\.yaml"):
        check_library(PartLibrary("mine", "mine", tmp_path))
