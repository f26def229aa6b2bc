"""Shell commands about ports: port types, parts that fit a port, and adaptors."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rck.cli.parts import parts
from rck.model import RckError

ARM = Path(__file__).parents[2] / "examples" / "desk-arm.rck"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(parts, arguments)

    return invoke


def test_port_type_is_printed_and_drawn(run):
    result = run("port-types", "nema17", "-o", "face.svg")
    assert result.exit_code == 0
    assert "male geometry: 4 x M3, 31 x 31 mm apart, boss of 22 mm" in result.output
    assert Path("face.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert "nema17 " in run("port-types").output


def test_drawing_of_a_type_without_geometry_is_refused(run):
    result = run("port-types", "servo-micro", "-o", "face.svg")
    assert isinstance(result.exception, RckError)
    assert "no published geometry" in str(result.exception)
    assert not Path("face.svg").exists()


def test_parts_that_fit_a_port_of_an_assembly_are_listed(run):
    shutil.copy(ARM, "arm.rck")
    result = run("--fits", "arm.rck:shoulder.horn", "category=structure/bracket", "--json")
    found = {one["id"]: one["fits"] for one in json.loads(result.output)}
    assert found
    assert all({turn["holes"] for turn in fits["turns"]} == {8} for fits in found.values())
    assert isinstance(run("--fits", "arm.rck:shoulder.nose").exception, RckError)


def test_adaptor_between_two_ports_is_listed(run):
    result = run("adaptors", "universal-robots/ur5e:flange", "iso9409-1-31.5-4-m5:female")
    assert (result.exit_code, result.output.splitlines()[0]) == (0, "flanges/adaptor-50-to-31.5  robot, tool")
    assert run("adaptors", "nema17:male", "nema34:male").exit_code == 1
