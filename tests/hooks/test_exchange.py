"""Import and export through valid and faulty plugins."""

from pathlib import Path

import pytest

from rck.exporting.export import export, exporter_for, write_exported
from rck.hooks import Exported, discover
from rck.hooks.file_exchange import FileContents, importer_for, read_file, require_robot
from rck.model import EventList, Finding, RckError, Severity, build_item, build_robot
from rck.support.names import entry_named

HERE = Path(__file__).resolve().parent

SHAKY = """
from rck.hooks import Exporter, Importer, hookimpl

def probe(path, head):
    if head.startswith(b"explode"):
        raise ValueError("bang")
    return head.startswith(b"shaky")

@hookimpl
def rck_importers():
    return [Importer("shaky", "returns nothing", (".toy",), probe, lambda path, values, job: None)]

@hookimpl
def rck_exporters():
    return [Exporter("shaky", "returns nothing", (".shaky",), lambda robot, name, values, job: None)]
"""


@pytest.fixture
def plugins(install):
    install("toy", (HERE / "toy_plugin.py").read_text(encoding="utf-8"))
    install("a-shaky", SHAKY)
    return discover((), {"RCK_PLUGINS": "toy,a-shaky"})


@pytest.fixture
def robot():
    return build_robot("bear", [build_item("bear", []).unwrap()]).unwrap()


def put(path, content):
    path.write_bytes(content)
    return path


def test_importer_is_chosen_by_content_not_by_suffix(plugins, tmp_path):
    assert importer_for(put(tmp_path / "a.toy", b"toy bear"), plugins).name == "toy"
    assert importer_for(put(tmp_path / "b.txt", b"toy bear"), plugins).name == "toy"
    assert importer_for(put(tmp_path / "c.TOY", b"shaky"), plugins).name == "shaky"


def test_named_importer_overrides_the_content(plugins, tmp_path):
    assert importer_for(put(tmp_path / "a.toy", b"toy bear"), plugins, "shaky").name == "shaky"


def test_unknown_file_is_refused_with_the_known_formats(plugins, tmp_path):
    with pytest.raises(RckError, match=r"no importer recognises this file; known endings: \.toy"):
        importer_for(put(tmp_path / "a.zip", b"PK"), plugins)
    with pytest.raises(RckError, match="the ending says shaky, but not the content"):
        importer_for(put(tmp_path / "a.toy", b"PK"), plugins)
    with pytest.raises(RckError, match="is a folder"):
        importer_for(tmp_path, plugins)


def test_importer_whose_probe_fails_is_skipped_and_reported(plugins, tmp_path):
    with pytest.raises(RckError, match="the ending says toy"):
        importer_for(put(tmp_path / "a.toy", b"explode"), plugins)
    assert [(finding.code, finding.where) for finding in plugins.findings] == [(602, "plugin a-shaky")]
    assert importer_for(put(tmp_path / "a.toy", b"toy bear"), plugins).name == "toy"


def test_reading_returns_the_robot(plugins, tmp_path):
    path = put(tmp_path / "a.toy", b"toy bear")
    assert require_robot(read_file(path, plugins), path).name == "bear"
    assert require_robot(read_file(path, plugins, {"size": "2in"}), path).name == "bear"
    with pytest.raises(RckError, match="there is no option 'sice'"):
        read_file(path, plugins, {"sice": "2in"})


def test_file_without_robot_is_refused_with_the_first_error():
    broken = Finding(505, Severity.ERROR, "a.toy:3", "breaks off")
    with pytest.raises(RckError, match=r"RCK505 error: a.toy:3: breaks off"):
        require_robot(FileContents(findings=(broken,)), Path("a.toy"))
    with pytest.raises(RckError, match=r"a.toy contains no robot"):
        require_robot(FileContents(events=EventList(())), Path("a.toy"))


def test_importer_or_exporter_that_returns_nothing_is_reported(plugins, tmp_path, robot):
    with pytest.raises(RckError, match=r"plugin a-shaky: importer shaky failed on .*a.toy: TypeError: read returned"):
        read_file(put(tmp_path / "a.toy", b"shaky"), plugins)
    assert [finding.code for finding in plugins.findings] == [602]
    fresh = discover((), {"RCK_PLUGINS": "a-shaky"})
    with pytest.raises(RckError, match=r"exporter shaky failed on .*: TypeError: write returned NoneType"):
        export(robot, tmp_path / "bear.shaky", fresh)
    assert list(tmp_path.glob("bear*")) == []


def test_export_writes_the_files_and_lists_them(plugins, tmp_path, robot):
    written, exported = export(robot, tmp_path / "bear.toy", plugins)
    assert written == [tmp_path / "bear.toy"]
    assert written[0].read_bytes() == exported.files["bear.toy"] == b"toy bear"


def test_missing_folder_is_refused_and_not_created(plugins, tmp_path, robot):
    with pytest.raises(RckError, match="there is no folder"):
        export(robot, tmp_path / "wrong" / "bear.toy", plugins)
    assert not (tmp_path / "wrong").exists()


def test_exporter_is_chosen_by_suffix_and_source(plugins, robot):
    assert exporter_for(Path("a.toy"), robot, plugins).name == "toy"
    assert exporter_for(Path("a.evt"), EventList(()), plugins).name == "toy-events"
    assert exporter_for(Path("a.anything"), robot, plugins, "toy").name == "toy"
    with pytest.raises(RckError, match=r"no exporter of robot writes \.evt; known extensions: \.shaky \.toy"):
        exporter_for(Path("a.evt"), robot, plugins)
    with pytest.raises(RckError, match="no exporter of events writes a file without extension"):
        exporter_for(Path("a"), EventList(()), plugins)
    with pytest.raises(
        RckError, match=r"there is no exporter of robot 'toi' \(did you mean toy\?\); known: shaky, toy"
    ):
        exporter_for(Path("a"), robot, plugins, "toi")


def test_choice_without_candidates_is_refused():
    with pytest.raises(RckError, match="there is no importer 'x'; known: none"):
        entry_named("x", {}, "importer")


@pytest.mark.parametrize(
    "name",
    ["../up.txt", "/etc/passwd", "a/../../up.txt", "..\\up.txt", "C:\\up.txt", "C:up.txt", "\\\\host\\up.txt", "", "."],
)
def test_export_outside_the_folder_is_refused_and_writes_nothing(tmp_path, name):
    folder = tmp_path / "out"
    with pytest.raises(RckError, match="nothing was written"):
        write_exported(Exported({"fine.txt": b"1", name: b"2"}), folder)
    assert list(tmp_path.iterdir()) == []


def test_files_may_be_written_to_subfolders(tmp_path):
    written = write_exported(Exported({"a.urdf": b"1", "meshes/left/arm.stl": b"2"}), tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in written] == ["a.urdf", "meshes/left/arm.stl"]
    assert (tmp_path / "meshes" / "left" / "arm.stl").read_bytes() == b"2"


def test_files_are_written_all_or_none(tmp_path):
    (tmp_path / "meshes" / "arm.stl").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        write_exported(Exported({"a.urdf": b"1", "new/b.stl": b"2", "meshes/arm.stl": b"3"}), tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["arm.stl", "meshes"]
