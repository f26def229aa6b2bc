"""The plugins that ship with RCK keep the contracts that it publishes for strangers."""

import itertools

import pytest

from rck.hooks import Exported, Exporter, Gripper, Importer, PartLibrary, Physics, Sensor, discover
from rck.hooks.exchange import export
from rck.model import EventList, JointEvent
from rck.testing.devices import check_gripper, check_physics, check_sensor
from rck.testing.exporters import check_exporter
from rck.testing.importers import check_importer
from rck.testing.parts import check_library
from rck.testing.robots import six_axis_arm

PLUGINS = discover()
EXPORTERS = {exporter.name: exporter for exporter in PLUGINS.all(Exporter)}
IMPORTERS = {importer.name: importer for importer in PLUGINS.all(Importer)}
SENSORS = {sensor.name: sensor for sensor in PLUGINS.all(Sensor)}
GRIPPERS = {gripper.name: gripper for gripper in PLUGINS.all(Gripper)}
PHYSICS = {physics.name: physics for physics in PLUGINS.all(Physics)}
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


@pytest.mark.parametrize("name", EXPORTERS)
def test_an_exporter_keeps_the_contract(name):
    check_exporter(EXPORTERS[name])


@pytest.mark.parametrize("name", WRITTEN_BY)
def test_an_importer_keeps_the_contract(name, tmp_path):
    exporter = EXPORTERS[WRITTEN_BY[name]]
    source = EventList((JointEvent(1, 0, 90, 0, 100),)) if exporter.takes == "events" else six_axis_arm("arm")
    good = tmp_path / f"good{exporter.endings[0]}"
    export(source, good, PLUGINS, name=exporter.name)
    (tmp_path / "others").mkdir()
    check_importer(IMPORTERS[name], good, tmp_path / "others")


@pytest.mark.parametrize("name", SENSORS)
def test_a_sensor_keeps_the_contract(name):
    check_sensor(SENSORS[name], given=NEEDED.get(name))


@pytest.mark.parametrize("name", GRIPPERS)
def test_a_gripper_keeps_the_contract(name):
    check_gripper(GRIPPERS[name])


@pytest.mark.parametrize("name", PHYSICS)
def test_a_physics_engine_keeps_the_contract(name):
    pytest.importorskip(name, reason=f"{name} is not installed")
    check_physics(PHYSICS[name])


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
