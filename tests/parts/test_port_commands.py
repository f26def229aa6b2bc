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


def test_new_manifest_builds_and_check_says_what_is_missing_for_each_grade(run):
    assert run("new", "acme/widget-3").exit_code == 0
    checked = run("check", "parts/widget-3.yaml")
    assert checked.exit_code == 0
    assert "quality: below bronze" in checked.output
    assert "bronze needs a source: the document that the figures come from" in checked.output
    path = Path("parts/widget-3.yaml")
    path.write_text(path.read_text().replace('document: ""', "document: data sheet"))
    assert "quality: silver\n  gold needs the revision or date of each source" in run("check", str(path)).output
    assert run("acme").output.startswith("acme/widget-3 ")
    text = path.read_text().replace("category: structure/plate", "category: sensors/imu")
    path.write_text(text)
    output = run("check", str(path)).output
    assert "quality: bronze" in output
    assert "silver needs the supply voltage, under `electrical`" in output


def test_new_manifest_can_start_from_another_part_and_never_overwrites(run):
    assert run("new", "acme/servo", "--like", "robotis/xm430-w350").exit_code == 0
    assert "quality: silver" in run("check", "parts/servo.yaml").output
    assert "the catalogue has a part acme/servo" in str(run("new", "acme/servo").exception)
    assert "servo.yaml exists" in str(run("new", "other/servo").exception)
    assert "is not an id" in str(run("new", "Acme").exception)


def test_parts_that_the_project_uses_come_first(run):
    first = run("stepper", "category=motors").output.splitlines()[0]
    used = run("stepper", "category=motors").output.splitlines()[-2].split()[0]
    assert used not in first
    Path("kit.rck").write_text(f"rck: 1\nname: kit\nparts:\n  one: {{part: {used}}}\n  two: {{part: {used}}}\n")
    (best, *_) = json.loads(run("category=motors", "--json").output)
    assert (best["id"], best["uses"]) == (used, 2)


def test_parts_are_found_by_bus_and_supply_voltage(run):
    found = json.loads(run("bus=can", "voltage=24", "rated-current>=5A", "--json").output)
    assert "xiaomi/cybergear" in {one["id"] for one in found}
    assert all("can" in one["electrical"]["bus"] for one in found)
    # Any voltage of the supply range is a match, also between the ends.
    assert "robotis/xm430-w350" in {one["id"] for one in json.loads(run("bus=ttl", "voltage=13", "--json").output)}
    assert "robotis/xm430-w350" not in run("bus=ttl", "voltage=24").output
