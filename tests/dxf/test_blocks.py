"""Blocks of drawings: where their inserts stand, what colours they have, and which are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_importers.dxf.blocks import content_of
from rck_importers.dxf.content import FaceHeap

from rck.hooks import Job


def with_block(desk, version="R2010", name="ARM", **look):
    document = desk.new(version)
    desk.add_box(document.blocks.new(name, base_point=(1, 1, 0)), (10, 20, 30), **look)
    return document


@pytest.mark.parametrize("version", ["R12", "R2000", "R2018"])
def test_insert_is_moved_scaled_and_rotated_about_its_base_point(desk, version):
    document = with_block(desk, version)
    attributes = {"xscale": 2, "yscale": 3, "zscale": 4, "rotation": 90}
    document.modelspace().add_blockref("ARM", (100, 0, 0), dxfattribs=attributes)
    robot = desk.robot(document, length_unit="mm")
    # x goes to y; the base point (1, 1) comes to the insertion point.
    assert desk.extent(robot) == pytest.approx([100 - 3 * 19, -2, 0, 100 + 3, 18, 120])
    assert desk.volume(robot) == pytest.approx(6000 * 24)


def test_mirrored_inserts_stay_solid(desk):
    document = with_block(desk)
    document.modelspace().add_blockref("ARM", (0, 0), dxfattribs={"xscale": -1})
    document.modelspace().add_blockref("ARM", (50, 0), dxfattribs={"yscale": -1, "zscale": -2})
    assert desk.volume(desk.robot(document)) == pytest.approx(3 * 6000)


def test_nested_blocks_and_block_arrays_are_expanded(desk):
    document = with_block(desk)
    pair = document.blocks.new("PAIR")
    pair.add_blockref("ARM", (0, 0))
    pair.add_blockref("ARM", (100, 0), dxfattribs={"rotation": 30})
    attributes = {"row_count": 2, "column_count": 3, "row_spacing": 300, "column_spacing": 400, "rotation": 15}
    document.modelspace().add_blockref("PAIR", (0, 0), dxfattribs=attributes)
    robot = desk.robot(document, group="body")
    assert len(robot.items) == 12
    assert desk.volume(robot) == pytest.approx(12 * 6000)


numbers = st.floats(-3, 3).filter(lambda x: abs(x) > 0.2)


@settings(max_examples=25)
@given(
    scales=st.tuples(numbers, numbers, numbers),
    rotation=st.floats(0, 360),
    extrusion=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: sum(x * x for x in v) > 0.1),
    at=st.tuples(*[st.floats(-50, 50)] * 3),
    rows=st.integers(1, 3),
    columns=st.integers(1, 3),
)
def test_insert_poses_match_ezdxf(scales, rotation, extrusion, at, rows, columns):
    import ezdxf

    document = ezdxf.new("R2010", units=6)
    block = document.blocks.new("B", base_point=(1, 2, 3))
    block.add_3dface([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 1)])
    insert = document.modelspace().add_blockref(
        "B",
        at,
        dxfattribs={
            "xscale": scales[0],
            "yscale": scales[1],
            "zscale": scales[2],
            "rotation": rotation,
            "extrusion": extrusion,
            "row_count": rows,
            "column_count": columns,
            "row_spacing": 7,
            "column_spacing": 5,
        },
    )
    placed = content_of(document, {}, 1.0, 1000, "x", Job()).placed
    ours = [one.shape.mesh.vertices for one in placed if isinstance(one.shape, FaceHeap)]
    theirs = [
        np.array([face.dxf.get(f"vtx{k}").xyz for k in range(4)])
        for single in (insert.multi_insert() if insert.mcount > 1 else [insert])
        for face in single.virtual_entities()
    ]
    # A mirror image runs the other way round, with the outside kept outside.
    ours_sorted = sorted(np.round(np.sort(points, axis=0), 6).tolist() for points in ours)
    theirs_sorted = sorted(np.round(np.sort(points, axis=0), 6).tolist() for points in theirs)
    assert np.allclose(ours_sorted, theirs_sorted, atol=1e-5)


def test_z_scale_of_zero_is_read_as_one(desk):
    document = desk.new()
    document.blocks.new("FLAT").add_circle((0, 0), 10)
    document.modelspace().add_blockref("FLAT", (5, 5), dxfattribs={"zscale": 0})
    assert desk.extent(desk.robot(document, thickness="1mm")) == pytest.approx([-5, -5, 0, 15, 15, 1])


def test_circles_in_a_nonuniformly_scaled_block_become_ellipses(desk):
    document = desk.new()
    document.blocks.new("ROUND").add_circle((0, 0), 10)
    document.modelspace().add_blockref("ROUND", (0, 0), dxfattribs={"xscale": 3})
    robot = desk.robot(document, thickness="1mm")
    assert robot.items[0].mass / 2700e-9 == pytest.approx(np.pi * 300, rel=1e-3)


RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("look", "insert", "colour", "item"),
    [
        ({"color": 1}, {}, RED, "ARM"),
        ({"layer": "GREEN"}, {}, GREEN, "GREEN"),
        ({"layer": "GREEN", "color": 256}, {"color": 1}, GREEN, "GREEN"),
        ({"color": 0}, {"color": 5}, BLUE, "ARM"),
        ({"color": 0}, {"layer": "GREEN"}, GREEN, "GREEN"),
        ({}, {"layer": "GREEN"}, GREEN, "GREEN"),
        ({"true_color": 0x0000FF}, {"color": 1}, BLUE, "ARM"),
        ({"layer": "TRUE"}, {}, BLUE, "TRUE"),
    ],
    ids=["own", "layer", "layer not block", "block", "block by layer", "layer 0 is the insert's", "true", "true layer"],
)
def test_colours_come_from_the_entity_its_layer_or_its_block(desk, look, insert, colour, item):
    document = with_block(desk, **look)
    document.layers.add("GREEN", color=3)
    document.layers.add("TRUE", true_color=0x0000FF)
    document.modelspace().add_blockref("ARM", (0, 0), dxfattribs=insert)
    robot = desk.robot(document, group="auto")
    assert robot.items[0].subitems[0].colour == colour
    if "layer" in look or "layer" in insert:
        assert robot.items[0].name == item


def test_transparency_is_imported(desk):
    from ezdxf.colors import float2transparency

    document = desk.new()
    desk.add_box(document.modelspace(), transparency=float2transparency(0.5))
    assert desk.robot(document).items[0].subitems[0].colour[3] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("layer", ["BASE", "ARMS"]),
        ("block", ["BASE", "ARM", "ARM-2"]),
        ("colour", ["colour-ffffff", "colour-ff0000", "colour-0000ff"]),
        ("body", ["BASE", "ARM", "ARM-2"]),
    ],
)
def test_solids_are_grouped_into_items(desk, group, names):
    document = with_block(desk, color=0)
    desk.add_box(document.modelspace(), (100, 100, 5), layer="BASE")
    document.modelspace().add_blockref("ARM", (0, 0, 50), dxfattribs={"layer": "ARMS", "color": 1})
    document.modelspace().add_blockref("ARM", (50, 0, 50), dxfattribs={"layer": "ARMS", "color": 5})
    assert sorted(item.name for item in desk.robot(document, group=group).items) == sorted(names)


def test_a_block_that_contains_itself_is_refused(desk):
    document = with_block(desk)
    document.blocks.get("ARM").add_blockref("ARM", (5, 5))
    document.modelspace().add_blockref("ARM", (0, 0))
    (error,) = desk.errors(document)
    assert "the block contains itself: ARM → ARM" in error


def test_exponentially_nested_blocks_are_refused_quickly(desk):
    document = with_block(desk)
    name = "ARM"
    for level in range(30):
        block = document.blocks.new(f"L{level}")
        for x in (0, 1):
            block.add_blockref(name, (x, 0))
        name = f"L{level}"
    document.modelspace().add_blockref(name, (0, 0))
    (error,) = desk.errors(document, most_entities=10_000)
    assert "RCK509" in error
    assert "more than 10,000 entities and faces" in error


def test_giant_arrays_are_refused(desk):
    document = with_block(desk)
    attributes = {"row_count": 32767, "column_count": 32767, "row_spacing": 1, "column_spacing": 1}
    document.modelspace().add_blockref("ARM", (0, 0), dxfattribs=attributes)
    (error,) = desk.errors(document)
    assert "an array of 32,767 x 32,767" in error
    assert "most-entities" in error


def test_references_to_other_drawings_are_refused_and_not_followed(desk):
    document = desk.new()
    desk.add_box(document.modelspace())
    other = desk.new()
    desk.add_box(other.modelspace())
    desk.save(other, "other.dxf")
    document.add_xref_def("other.dxf", "OTHER")
    document.modelspace().add_blockref("OTHER", (0, 0))
    (error,) = desk.errors(document)
    assert "it is in another drawing, other.dxf (bind the reference" in error


def test_missing_blocks_are_refused(desk):
    document = desk.new()
    desk.add_box(document.modelspace())
    document.modelspace().add_blockref("NOWHERE", (0, 0))
    (error,) = desk.errors(document)
    assert "it inserts the block NOWHERE, which does not exist" in error
