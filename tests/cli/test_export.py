"""`rck export --all` writes every format; `rck check --for` lists the losses of a format."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rck.cli.check import check
from rck.cli.export import export_file
from rck.exporting.export import robot_exporters
from rck.hooks import discover
from rck.model import RckError

ROBOT = Path(__file__).parent.parent / "formats" / "data" / "simple.robot"


def run(command, *words):
    return CliRunner().invoke(command, list(map(str, words)), catch_exceptions=False)


def test_every_format_is_written_to_its_own_folder_and_listed_in_the_index(tmp_path):
    done = run(export_file, ROBOT, tmp_path / "out", "--all")
    assert done.exit_code == 0
    index = (tmp_path / "out" / "index.md").read_text()
    for exporter in robot_exporters(discover()):
        main = f"{exporter.name}/simple{exporter.endings[0]}"
        if f"- {exporter.name}: " in index:
            assert not (tmp_path / "out" / exporter.name).exists()
        else:
            assert list((tmp_path / "out" / exporter.name).iterdir()), exporter.name
            assert f"| [{main}]({main}) |" in index
    assert (tmp_path / "out" / "urdf" / "simple.urdf").stat().st_size > 100
    assert "## Losses" in index


def test_json_of_export_all_names_every_written_file(tmp_path):
    done = run(export_file, ROBOT, tmp_path / "out", "--all", "--json")
    formats = {one["format"]: one for one in json.loads(done.stdout)}
    assert formats.keys() == {exporter.name for exporter in robot_exporters(discover())}
    files = [Path(path) for one in formats.values() for path in one["files"]]
    assert all(path.is_file() for path in files)
    assert {path for path in (tmp_path / "out").rglob("*") if path.is_file()} == {*files, tmp_path / "out" / "index.md"}


def test_file_name_without_suffix_gets_the_suffix_of_its_format(tmp_path):
    done = run(export_file, ROBOT, tmp_path / "arm", "--format", "urdf")
    assert done.stdout.startswith(f"wrote {tmp_path / 'arm.urdf'}")
    assert (tmp_path / "arm.urdf").exists()


def test_all_and_a_format_cannot_be_combined(tmp_path):
    done = run(export_file, ROBOT, tmp_path / "out", "--all", "--format", "urdf")
    assert done.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_check_for_lists_the_losses_of_a_format_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("usd", "usda", ".usda"):
        done = run(check, ROBOT, "--for", name, "--json")
        found = json.loads(done.stdout)
        assert {finding["where"] for finding in found if finding["code"] == 503} <= {"simple.usda"}
    everything = json.loads(run(check, ROBOT, "--for", "all", "--json").stdout)
    assert {"simple.stl", "simple.urdf"} <= {finding["where"] for finding in everything}
    assert not list(tmp_path.iterdir())


def test_check_for_refuses_a_format_without_exporter():
    with pytest.raises(RckError, match=r"no exporter of robots 'urd' \(did you mean urdf\?\)"):
        run(check, ROBOT, "--for", "urd")


def test_import_set_passes_an_option_to_the_importer_and_is_refused_for_an_assembly(tmp_path):
    source = tmp_path / "odd.urdf"
    inertial = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="5"/></inertial>'
    source.write_text(f'<robot name="odd"><link name="a">{inertial}</link></robot>')
    for given, stated in (((), 'izz="5"'), (("--import-set", "repair-inertia=yes"), 'izz="4"')):
        assert run(export_file, source, tmp_path / "out.urdf", *given).exit_code == 0
        assert stated in (tmp_path / "out.urdf").read_text()
    (tmp_path / "own.rck").write_text("rck: 2\n")
    done = run(export_file, tmp_path / "own.rck", tmp_path / "own.urdf", "--import-set", "repair-inertia=yes")
    assert done.exit_code == 2
    assert "not imported" in done.stderr
