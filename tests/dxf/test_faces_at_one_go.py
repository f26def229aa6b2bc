"""Plain 3DFACEs are read apart from the rest of a file; the result must be the same as through ezdxf alone."""

from functools import cache
from io import StringIO

import ezdxf
import numpy as np
import pytest
from rck_dxf import document as opening
from rck_dxf.bulk_binary import split_binary
from rck_dxf.bulk_text import split_text
from rck_dxf.reader import read

from rck.hooks import Job


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
def test_the_same_comes_in_either_way(desk, monkeypatch, version, binary):
    path = desk.save(busy_drawing(desk, version), binary=binary)
    assert split(path) is not None
    fast, slow = both_ways(path, monkeypatch)
    assert fast.robot is not None
    assert facts(fast) == facts(slow)


def test_windows_lines_are_lines(desk, monkeypatch):
    path = desk.save(busy_drawing(desk, "R2010"))
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert split(path) is not None
    fast, slow = both_ways(path, monkeypatch)
    assert facts(fast) == facts(slow)


def test_faces_with_more_to_say_stay_with_ezdxf(desk, monkeypatch):
    document = desk.new()
    desk.add_box(document.modelspace(), layer="PLAIN")
    faces = desk.box(at=(100, 0, 0))
    document.appids.add("RCK")
    for number, points in enumerate(faces):
        face = document.modelspace().add_3dface(points, dxfattribs={"layer": "PLAIN"})
        if number % 2:
            face.set_xdata("RCK", [(1000, "with more")])
    path = desk.save(document)
    rest, bulk = split(path)
    assert rest.count(b"3DFACE") == 3
    assert len(bulk[""].corners) == 9
    fast, slow = both_ways(path, monkeypatch)
    assert facts(fast) == facts(slow)
    assert len(fast.robot.items[0].subitems) == 2


@pytest.mark.parametrize("layer", ["Grün", "日本", "with %% in it", "x^y"])
@pytest.mark.parametrize("version", ["R2000", "R2010"])
def test_layers_of_any_name_come_in_the_same(desk, monkeypatch, version, layer):
    document = desk.new(version)
    desk.add_box(document.modelspace(), layer=layer)
    fast, slow = both_ways(desk.save(document), monkeypatch)
    assert facts(fast) == facts(slow)
    assert fast.robot is not None


@cache
def whole_file():
    """A box of faces, as bytes; the same for all examples."""
    document = ezdxf.new("R12")
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) * 10.0
    for face in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)):
        document.modelspace().add_3dface([corners[k] for k in face], dxfattribs={"layer": "BOX"})
    stream = StringIO()
    document.write(stream)
    return stream.getvalue().encode()


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_a_file_that_breaks_off_is_left_to_ezdxf(desk, binary):
    path = desk.save(busy_drawing(desk, "R2010"), binary=binary)
    path.write_bytes(path.read_bytes()[:-200])
    assert split(path) is None


def test_coordinates_that_are_no_numbers_are_left_to_ezdxf(desk):
    path = desk.save(busy_drawing(desk, "R2010"))
    data = path.read_bytes()
    place = data.index(b"AcDbFace")
    path.write_bytes(data[:place] + data[place:].replace(b"0.0\n", b"zero\n", 1))
    assert split(path) is None
