"""Truncated files are refused with the line or byte."""

import re
from pathlib import Path

import ezdxf
import pytest
import trimesh

from rck.hooks import discover
from rck.hooks.file_exchange import read_file
from rck.support.finding import errors_of
from rck.support.typed_yaml import FileError, parse

STEP = Path(__file__).parent / "data" / "plate-in-mm.step"
URDF = b'<robot name="r">\n' + b'<link name="base"/>\n' * 9 + b"</robot>\n"


def drawing(binary):
    document = ezdxf.new(units=4)
    document.modelspace().add_lwpolyline([(0, 0), (100, 0), (100, 50), (0, 50)], close=True)
    path = Path("side.dxf")
    document.saveas(path, fmt="bin" if binary else "asc")
    return path.read_bytes()


def mesh(kind, **options):
    return trimesh.creation.cylinder(20, 50, sections=12).export(file_type=kind, **options)


WHOLE = {
    "text.dxf": lambda: drawing(False),
    "binary.dxf": lambda: drawing(True),
    "plate.step": STEP.read_bytes,
    "arm.urdf": lambda: URDF,
    "binary.stl": lambda: mesh("stl"),
    "text.stl": lambda: mesh("stl_ascii").encode(),
    "binary.ply": lambda: mesh("ply"),
    "text.ply": lambda: mesh("ply", encoding="ascii"),
    "cylinder.off": lambda: mesh("off").encode(),
    "cylinder.glb": lambda: mesh("glb"),
    "cylinder.3mf": lambda: mesh("3mf"),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_truncated_file_is_refused_with_its_position(tmp_path, monkeypatch, name, share):
    monkeypatch.chdir(tmp_path)
    content = WHOLE[name]()
    path = tmp_path / name
    path.write_bytes(content[: int(share * len(content))])
    imported = read_file(path, discover())
    assert imported.robot is None
    (finding,) = errors_of(imported.findings)
    assert "truncated" in finding.message
    assert finding.code == 505
    assert re.search(r":\d+:|byte \d+|line \d+", str(finding))


@pytest.mark.parametrize("name", ["binary.stl", "text.stl", "binary.ply", "text.ply", "cylinder.off", "cylinder.glb"])
def test_complete_file_is_read(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(WHOLE[name]())
    assert read_file(path, discover()).robot is not None


def test_yaml_file_truncated_in_a_value_is_refused_with_the_last_line():
    with pytest.raises(FileError, match=r"^arm.rck:3: the file is truncated: "):
        parse("rck: 1\nparts:\n  base: {part: structure/plate, wi", "arm.rck")
