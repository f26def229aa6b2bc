"""The page about formats: its examples read, and it names every option and ending."""

import re
from pathlib import Path

import pytest
import rck_importers.event_file
import rck_importers.robosim
import rck_importers.robot_file
import rck_importers.seffas

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "formats.md"


def examples() -> list[str]:
    return re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_robot_description_example_is_readable(desk):
    (text,) = [text for text in examples() if text.startswith("1 0\n")]
    read = desk.read(rck_importers.robot_file, "example.robot", text.encode())
    assert [finding.code for finding in read.findings] == [408]
    assert read.robot.items[0].mass == pytest.approx(1.0)


def test_event_example_is_readable(desk):
    (text,) = [text for text in examples() if text.startswith("2\n")]
    assert [event.action for event in desk.read(rck_importers.event_file, "e.events", text.encode()).events.events] == [
        45,
        -20.5,
    ]


def test_every_option_and_ending_is_in_the_documentation():
    text = PAGE.read_text() + (DOCS / "export.md").read_text()
    for plugin in (rck_importers.robot_file, rck_importers.event_file, rck_importers.seffas, rck_importers.robosim):
        for contribution in (*plugin.rck_importers(), *plugin.rck_exporters()):
            assert f"`{contribution.name}`" in text
            assert all(f"`{option.name}`" in text for option in contribution.options)
            assert all(f"`{ending}`" in text for ending in contribution.endings[:3])
