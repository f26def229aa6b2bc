"""Plain 3DFACEs are read apart from the rest of a file; the result must be the same as through ezdxf alone."""

from functools import cache
from io import BytesIO, StringIO

import ezdxf
import numpy as np
import pytest
from file_reading import compiling
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_importers.dxf import document as opening
from rck_importers.dxf import reader
from rck_importers.dxf.bulk_binary import split_binary
from rck_importers.dxf.bulk_text import split_text

from rck.hooks import Job

read = compiling(reader.read)


def split(path):
    data = path.read_bytes()
    return split_binary(data) if data.startswith(b"AutoCAD Binary DXF") else split_text(data)


def both_ways(path, monkeypatch, **values):
    """What is read with the faces taken out, and without."""
    monkeypatch.setattr(opening, "WORTHWHILE", 1)
    fast = read(path, values, Job())
    monkeypatch.setattr(opening, "WORTHWHILE", 10**9)
    return fast, read(path, values, Job())


def facts(imported):
    if imported.robot is None:
        return [str(finding) for finding in imported.findings]
    items = {}
    for item in imported.robot.items:
        pieces = [
            (subitem.colour, np.sort(subitem.shape.vertices, axis=0).tolist(), len(subitem.shape.faces))
            for subitem in item.subitems
        ]
        items[item.name] = sorted(pieces)
    return items, sorted(str(finding) for finding in imported.findings), imported.summary


def busy_drawing(desk, version, seed=0, count=20):
    """Boxes in the drawing and in blocks, in many looks, among other entities."""
    random = np.random.default_rng(seed)
    document = desk.new(version)
    layout = document.modelspace()
    for name in ("RED", "Green", "B-1"):
        document.layers.add(name, color=int(random.integers(1, 255)))
    document.layers.add("AWAY").off()
    block = document.blocks.new("PART", base_point=(1, 2, 3))
    desk.add_box(block, (1, 2, 3), color=0)
    looks = [{}, {"layer": "RED"}, {"layer": "Green", "color": 3}, {"layer": "B-1", "color": 0}, {"layer": "AWAY"}]
    if version != "R12":
        looks += [{"layer": "RED", "true_color": 0x102030}, {"layer": "RED", "invisible": 1}]
    for number in range(count):
        look = looks[number % len(looks)]
        size, at = random.uniform(1, 5, 3), (10 * number, 0, 0)
        desk.add_box(layout, size, at, **look)
        if number % 5 == 0:
            layout.add_blockref("PART", (10 * number, 50, 0), dxfattribs={"rotation": 30 * number, "layer": "Green"})
            layout.add_text("among them")
    layout.add_3dface([(0, 100, 0), (5, 100, 0), (0, 105, 0)])
    layout.add_3dface([(0, 100, 0), (5, 100, 0), (0, 100, 5)])
    layout.add_3dface([(0, 100, 0), (0, 105, 0), (0, 100, 5)])
    layout.add_3dface([(5, 100, 0), (0, 105, 0), (0, 100, 5)])
    return document


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("version", ["R12", "R2000", "R2007", "R2018"])
def test_bulk_reading_gives_the_same_result_as_ezdxf(desk, monkeypatch, version, binary):
    path = desk.save(busy_drawing(desk, version), binary=binary)
    assert split(path) is not None
    fast, slow = both_ways(path, monkeypatch)
    assert fast.robot is not None
    assert facts(fast) == facts(slow)


def test_windows_line_endings_are_read(desk, monkeypatch):
    path = desk.save(busy_drawing(desk, "R2010"))
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert split(path) is not None
    fast, slow = both_ways(path, monkeypatch)
    assert facts(fast) == facts(slow)


def test_faces_with_extended_data_are_read_by_ezdxf(desk, monkeypatch):
    document = desk.new()
    desk.add_box(document.modelspace(), layer="PLAIN")
    faces = desk.box(at=(100, 0, 0))
    document.appids.add("RCK")
    for number, points in enumerate(faces):
        face = document.modelspace().add_3dface(points, dxfattribs={"layer": "PLAIN"})
        if number % 2:
            face.set_xdata("RCK", [(1000, "with more")])
    path = desk.save(document)
    apart = split(path)
    assert apart.rest.count(b"3DFACE") == 3
    assert len(apart.faces[""].corners) == 9
    fast, slow = both_ways(path, monkeypatch)
    assert facts(fast) == facts(slow)
    assert len(fast.robot.items[0].subitems) == 2


@pytest.mark.parametrize("layer", ["Grün", "日本", "with %% in it", "x^y"])
@pytest.mark.parametrize("version", ["R2000", "R2010"])
def test_layers_of_any_name_give_the_same_result(desk, monkeypatch, version, layer):
    document = desk.new(version)
    desk.add_box(document.modelspace(), layer=layer)
    fast, slow = both_ways(desk.save(document), monkeypatch)
    assert facts(fast) == facts(slow)
    assert fast.robot is not None


def small_drawing(version):
    """Faces of all looks in the model space and in a block, between entities that others belong to."""
    document = ezdxf.new(version, units=4)
    layout = document.modelspace()
    document.layers.add("RED", color=1)
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) * 10.0

    def add_box(where, at, **look):
        for face in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)):
            where.add_3dface(corners[list(face)] + at, dxfattribs=look)

    block = document.blocks.new("PART", base_point=(1, 2, 3))
    add_box(block, 0.0, color=0)
    add_box(layout, 0.0, layer="RED")
    layout.add_polyline3d([(0, 0, 0), (1, 1, 1), (2, 2, 2)])
    new = {} if version == "R12" else {"true_color": 0x102030, "lineweight": 25, "ltscale": 2.0}
    add_box(layout, 30.0, layer="RED", color=3, linetype="CONTINUOUS", invisible_edges=3, **new)
    layout.add_blockref("PART", (100, 0, 0)).add_attrib("KIND", "any", (0, 0))
    add_box(layout, 60.0)
    return document


@cache
def small_file(version, binary):
    stream = BytesIO() if binary else StringIO()
    small_drawing(version).write(stream, fmt="bin" if binary else "asc")
    return stream.getvalue() if binary else stream.getvalue().encode()


def seen_the_same(path):
    with pytest.MonkeyPatch.context() as patch:
        fast, slow = both_ways(path, patch, skip="refused")
    return facts(fast) == facts(slow)


ODD_LINES = [
    "", "0", "-1", "x", "nan", "2.5", "1 0", "999", "  2", " 62", " 67", " 70", "1e400", "EOF", "BLOCK", "ENDBLK",
    "SECTION", "ENDSEC", "ENTITIES", "POLYLINE", "3DFACE", "\\U+00e4",
]  # fmt: skip


@settings(max_examples=40)
@given(data=st.data())
def test_damaged_file_gives_the_same_result_both_ways(tmp_path_factory, data):
    """Both readers give the same result when lines are changed, lost or doubled."""
    lines = small_file(data.draw(st.sampled_from(["R12", "R2010"])), binary=False).split(b"\n")
    start = lines.index(b"TABLES")
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(start, len(lines) - 1))
        count = data.draw(st.integers(0, 5))
        other = data.draw(st.integers(0, 3))
        word = data.draw(st.sampled_from(ODD_LINES)).encode()
        lines[place : place + count] = [word] if count == 1 else lines[place : place + count] * other
    path = tmp_path_factory.mktemp("damage") / "damaged.dxf"
    path.write_bytes(b"\n".join(lines))
    assert seen_the_same(path)


@settings(max_examples=30)
@given(data=st.data())
def test_damaged_binary_file_gives_the_same_result_both_ways(tmp_path_factory, data):
    content = bytearray(small_file(data.draw(st.sampled_from(["R12", "R2010"])), binary=True))
    start = content.index(b"TABLES")
    for _ in range(data.draw(st.integers(1, 2))):
        content[data.draw(st.integers(start, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damage") / "damaged.dxf"
    path.write_bytes(content)
    assert seen_the_same(path)


FIRST_FACE = b"ENTITIES\n  0\n3DFACE\n"
ODDITIES = {
    "a handle that a layer has": lambda s: s.replace(FIRST_FACE + b"  5\n" + handle(s), FIRST_FACE + b"  5\n1"),
    "a face among vertices": lambda s: s.replace(b"  0\nVERTEX\n", b"  0\n" + FACE + b"  0\nVERTEX\n", 1),
    "a block without end": lambda s: s.replace(b"  0\nENDBLK\n", b"  0\nBLOCK\n", 1),
    "two sections of entities": lambda s: s.replace(b"  0\nEOF", TWO + b"  0\nEOF"),
    "flags that are no number": lambda s: s.replace(b" 70\n3\n", b" 70\nfew\n", 1),
    "a colour that is empty": lambda s: s.replace(FIRST_FACE, FIRST_FACE + b"420\n\n"),
    "blanks after the end of a section": lambda s: s.replace(b"\nENDSEC\n", b"\nENDSEC  \n"),
    "a handle of zero": lambda s: s.replace(FIRST_FACE + b"  5\n" + handle(s), FIRST_FACE + b"  5\n0"),
    "more after the end": lambda s: s + b"  0\nSECTION\n  2\nENTITIES\n  0\nENDSEC\n  0\nEOF\n",
}  # fmt: skip
FACE = b"3DFACE\n  8\n0\n" + b"".join(
    b" %d\n%d.5\n" % (code, code % 7) for code in (10, 20, 30, 11, 21, 31, 12, 22, 32, 13, 23, 33)
)
TWO = b"  0\nSECTION\n  2\nENTITIES\n  0\n" + FACE + b"  0\nENDSEC\n"


def handle(source):
    return source.partition(FIRST_FACE + b"  5\n")[2].partition(b"\n")[0]


@pytest.mark.parametrize("oddity", ODDITIES)
def test_unusual_files_give_the_same_result_both_ways(tmp_path, oddity):
    source = small_file("R12", binary=False)
    odd = ODDITIES[oddity](source)
    assert odd != source
    path = tmp_path / "odd.dxf"
    path.write_bytes(odd)
    assert seen_the_same(path)


def test_faces_marked_as_paper_space_are_ignored(desk, monkeypatch):
    document = small_drawing("R2010")
    model, paper = (document.block_records.get(f"*{name}_Space").dxf.handle for name in ("Model", "Paper"))
    path = desk.save(document)
    lines = f"330\n{model}\n100\nAcDbEntity\n  8\nRED\n".encode()
    path.write_bytes(path.read_bytes().replace(lines, lines.replace(model.encode(), paper.encode())))
    fast, slow = both_ways(path, monkeypatch)
    assert facts(fast) == facts(slow)
    assert desk.volume(fast.robot) == pytest.approx(2000)
    assert desk.volume(desk.robot(document)) == pytest.approx(4000)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_truncated_file_is_read_by_ezdxf(desk, binary):
    path = desk.save(busy_drawing(desk, "R2010"), binary=binary)
    path.write_bytes(path.read_bytes()[:-200])
    assert split(path) is None


def test_invalid_coordinates_are_read_by_ezdxf(desk):
    path = desk.save(busy_drawing(desk, "R2010"))
    data = path.read_bytes()
    place = data.index(b"AcDbFace")
    path.write_bytes(data[:place] + data[place:].replace(b"0.0\n", b"zero\n", 1))
    assert split(path) is None
