"""Damaged files: a clear error or a robot with the repairs told, never a crash, a hang or a flood of memory."""

import subprocess
import sys
from functools import cache
from io import BytesIO, StringIO
from pathlib import Path

import ezdxf
import pytest
from ezdxf.acis.api import body_from_mesh, export_dxf
from ezdxf.render import forms
from file_reading import compiling
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_importers.dxf import reader

from rck.hooks import Job
from rck.support.finding import errors_of

# Giant numbers are small enough here that what they ask for is refused at once.
BOUNDED = {"thickness": 0.004, "most-entities": 20_000, "hull": True}


read = compiling(reader.read)


def drawing(version):
    """Something of everything that is read."""
    document = ezdxf.new(version, units=4)
    layout = document.modelspace()
    document.layers.add("PARTS", color=1)
    forms.cube().render_3dfaces(layout, dxfattribs={"layer": "PARTS"})
    forms.cube().translate(5).render_polyface(layout)
    layout.add_polymesh((4, 4), dxfattribs={"layer": "PARTS"}).close(True, True)
    layout.add_polyline2d([(0, 60, 1), (10, 60, 1)], format="xyb", close=True)
    layout.add_circle((10, 30), 3)
    for a, b in (((50, 0), (60, 0)), ((60, 0), (55, 8)), ((55, 8), (50, 0))):
        layout.add_line(a, b)
    layout.add_arc((80, 0), 5, 0, 180)
    layout.add_line((75, 0), (85, 0))
    layout.add_solid([(0, -20), (5, -20), (0, -15), (5, -15)], dxfattribs={"thickness": 2})
    block = document.blocks.new("B", base_point=(1, 1))
    forms.cube().render_3dfaces(block)
    block.add_circle((0, 0), 2)
    layout.add_blockref("B", (100, 0), dxfattribs={"xscale": 2, "rotation": 30, "row_count": 2, "row_spacing": 9})
    layout.add_line((100, 0, 0), (100, 0, 5), dxfattribs={"layer": "JOINT_R_1"})
    layout.add_point((0, 0, 1), dxfattribs={"layer": "PORT_a"})
    if version != "R12":
        forms.cube().translate(10).render_mesh(layout, dxfattribs={"layer": "PARTS"})
        layout.add_lwpolyline([(0, 20), (30, 20, 0.5), (30, 40), (0, 40)], format="xyb", close=True)
        layout.add_ellipse((20, 80), (5, 0), 0.5)
        layout.add_spline().set_closed([(40, 80, 0), (50, 80, 0), (50, 90, 0), (40, 90, 0)])
        export_dxf(layout.add_3dsolid(), [body_from_mesh(forms.cube().translate(20))])
    return document


@cache
def as_text(version):
    stream = StringIO()
    drawing(version).write(stream)
    return stream.getvalue().encode()


@cache
def as_binary(version):
    stream = BytesIO()
    drawing(version).write(stream, fmt="bin")
    return stream.getvalue()


def is_told(path):
    """Read the file, and assert that every failure is reported in findings."""
    imported = read(path, BOUNDED, Job())
    assert (imported.robot is None) == bool(errors_of(imported.findings))
    assert all(finding.message for finding in imported.findings)
    return imported


@pytest.mark.parametrize("version", ["R12", "R2000", "R2010", "R2018"])
def test_undamaged_drawing_is_read(tmp_path, version):
    for name, data in (("text.dxf", as_text(version)), ("binary.dxf", as_binary(version))):
        (tmp_path / name).write_bytes(data)
        imported = read(tmp_path / name, {**BOUNDED, "skip": "refused,joint*"}, Job())
        assert imported.robot is not None


ODD = [
    "nan",
    "inf",
    "-1e308",
    "1e300",
    "0",
    "-1",
    "32767",
    "2147483647",
    "99999999999999999999",
    "",
    "x",
    "3DFACE",
    "B",
]


@settings(max_examples=60)
@given(data=st.data())
def test_replaced_lines_give_a_robot_or_findings(tmp_path_factory, data):
    lines = as_text(data.draw(st.sampled_from(["R12", "R2010"]))).split(b"\n")
    start = next(k for k, line in enumerate(lines) if line == b"BLOCKS")
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(start, len(lines) - 1))
        lines[place] = data.draw(st.sampled_from(ODD)).encode()
    path = tmp_path_factory.mktemp("line") / "damaged.dxf"
    path.write_bytes(b"\n".join(lines))
    is_told(path)


@settings(max_examples=30)
@given(data=st.data())
def test_removed_duplicated_and_moved_lines_give_a_robot_or_findings(tmp_path_factory, data):
    lines = as_text("R2010").split(b"\n")
    place = data.draw(st.integers(0, len(lines) - 1))
    count = data.draw(st.integers(1, 6))
    some = lines[place : place + count]
    del lines[place : place + count]
    if data.draw(st.booleans()):
        other = data.draw(st.integers(0, len(lines)))
        lines[other:other] = some * data.draw(st.integers(1, 2))
    path = tmp_path_factory.mktemp("lines") / "damaged.dxf"
    path.write_bytes(b"\n".join(lines))
    is_told(path)


@settings(max_examples=30)
@given(data=st.data())
def test_changed_bytes_of_a_binary_file_give_a_robot_or_findings(tmp_path_factory, data):
    content = bytearray(as_binary(data.draw(st.sampled_from(["R12", "R2010"]))))
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(22, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("bytes") / "damaged.dxf"
    path.write_bytes(content)
    is_told(path)


@settings(max_examples=30)
@given(share=st.floats(0, 0.999), binary=st.booleans(), version=st.sampled_from(["R12", "R2010"]))
def test_truncated_file_is_reported(tmp_path_factory, share, binary, version):
    content = as_binary(version) if binary else as_text(version)
    path = tmp_path_factory.mktemp("end") / "short.dxf"
    path.write_bytes(content[: int(share * len(content))])
    said = "\n".join(str(finding) for finding in is_told(path).findings)
    assert "RCK502" in said or "RCK505" in said


def test_file_that_is_not_a_drawing_is_refused_by_name(tmp_path):
    for name, content in (("empty.dxf", b""), ("words.dxf", b"hello\nworld\n"), ("null.dxf", bytes(5000))):
        (tmp_path / name).write_bytes(content)
        (finding,) = is_told(tmp_path / name).findings
        assert finding.code == 505
        assert finding.where == name
    (finding,) = is_told(tmp_path / "missing.dxf").findings
    assert finding.message == "cannot be read: No such file or directory"


def test_nonfinite_coordinates_are_refused_with_their_layer(tmp_path):
    document = ezdxf.new("R2010", units=4)
    forms.cube().render_3dfaces(document.modelspace(), dxfattribs={"layer": "BOX"})
    document.modelspace().add_circle((0, 0), float("nan"), dxfattribs={"layer": "ROUND"})
    document.modelspace().add_line((0, 0), (float("inf"), 0), dxfattribs={"layer": "LONG"})
    document.modelspace().add_3dface([(0, 0, 0), (1, 0, 0), (float("nan"), 1, 0)], dxfattribs={"layer": "BOX"})
    path = tmp_path / "numbers.dxf"
    document.saveas(path)
    said = "\n".join(str(finding) for finding in errors_of(is_told(path).findings))
    assert "on layer ROUND" in said
    assert "on layer LONG: a coordinate is not a finite number" in said
    assert "on layer BOX: a coordinate of 1 faces is not a finite number" in said


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("version", ["R12", "R2010"])
def test_truncated_file_gives_the_entities_before_the_end(tmp_path, version, binary):
    document = ezdxf.new(version, units=4)
    for number in range(4):
        forms.cube().translate(3 * number).render_3dfaces(document.modelspace(), dxfattribs={"layer": f"BOX{number}"})
    path = tmp_path / "short.dxf"
    document.saveas(path, fmt="bin" if binary else "asc")
    path.write_bytes(path.read_bytes().partition(b"BOX3")[0])
    imported = read(path, {"skip": "refused"}, Job())
    assert [item.name for item in imported.robot.items] == ["BOX0", "BOX1", "BOX2"]
    assert any("truncated" in finding.message for finding in imported.findings)


def test_entities_are_found_despite_a_damaged_model_space_record(tmp_path):
    path = tmp_path / "record.dxf"
    path.write_bytes(
        as_text("R2010").replace(b"AcDbBlockTableRecord\n  2\n*Model_Space", b"AcDbBlockTableRecord\n  2\n*Modal", 1)
    )
    whole = tmp_path / "whole.dxf"
    whole.write_bytes(as_text("R2010"))
    damaged, sound = (read(one, {**BOUNDED, "skip": "refused,joint*"}, Job()) for one in (path, whole))
    assert [item.name for item in damaged.robot.items] == [item.name for item in sound.robot.items]


def test_findings_of_a_damaged_file_are_printable(tmp_path):
    document = ezdxf.new("R2010", units=4)
    forms.cube().render_3dfaces(document.modelspace(), dxfattribs={"layer": "BOX"})
    document.modelspace().add_3dface([(9, 0, 0), (10, 0, 0), (9, 1, 0)], dxfattribs={"layer": "AWAY"})
    path = tmp_path / "odd.dxf"
    document.saveas(path)
    path.write_bytes(path.read_bytes().replace(b"\nAWAY\n", b"\nA\x1b[31m\xe4\n"))
    (refusal,) = errors_of(is_told(path).findings)
    assert str(refusal).isprintable()
    assert "layer A\N{REPLACEMENT CHARACTER}[31m" in str(refusal)


def test_every_repair_is_reported(tmp_path):
    path = tmp_path / "repaired.dxf"
    path.write_bytes(
        as_text("R2010").replace(b"  0\nENDSEC\n  0\nSECTION\n  2\nOBJECTS", b"  0\nSECTION\n  2\nOBJECTS")
    )
    imported = read(path, {**BOUNDED, "skip": "refused,joint*"}, Job())
    assert imported.robot is not None
    told = [finding.message for finding in imported.findings if finding.code == 502]
    assert any("missing ENDSEC" in message for message in told)


COUNTS = (70, 71, 72, 73, 74, 90, 92, 93, 95)
GIANT = """
import sys
from pathlib import Path
from rck.hooks import Job
from rck_importers.dxf.reader import read
options = {"thickness": 0.004, "most-entities": 20_000, "hull": True}
for name in sys.argv[1:]:
    assert read(Path(name), options, Job()).findings
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory use from Linux procfs")
def test_excessive_counts_allocate_no_memory(tmp_path):
    """All counts of a kind are made two thousand million; a reader that believed one would take gigabytes."""
    lines = as_text("R2010").split(b"\n")
    start = lines.index(b"ENTITIES") + 1
    files = []
    for code in COUNTS:
        changed = list(lines)
        for place in range(start, len(lines) - 1, 2):
            if lines[place].strip() == b"%d" % code:
                changed[place + 1] = b"2147483647"
        files.append(tmp_path / f"code-{code}.dxf")
        files[-1].write_bytes(b"\n".join(changed))
    done = subprocess.run([sys.executable, "-c", GIANT, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 500
