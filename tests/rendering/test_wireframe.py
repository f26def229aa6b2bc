"""Wireframes in braille and in pixels."""

from dataclasses import replace
from math import atan

import numpy as np
import pytest

from rck.geometry.primitives import cylinder
from rck.model import build_item, build_robot, subitem_of
from rck.rendering import (
    DARK,
    Camera,
    ColourDepth,
    Hidden,
    PosedRobot,
    Scene,
    ansi_text,
    floor_for,
    named_camera,
    open_window,
    pose_robot,
    wire_cells,
    wire_picture,
)
from rck.rendering.wireframe import edge_strokes
from rck.testing.random_solids import block, heap


def scene_of(*items, **more):
    return Scene(pose_robot(build_robot("blocks", items).unwrap()), **more)


def dots(cells):
    """Which dots of braille characters are set. Shape (4 rows, 2 columns)."""
    rows, columns = cells.codes.shape
    grid = np.zeros((rows, 4, columns, 2), bool)
    for bit, (row, column) in enumerate([(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]):
        grid[:, row, :, column] = np.where(cells.codes > 0x2800, cells.codes - 0x2800, 0) >> bit & 1
    return grid.reshape(4 * rows, 2 * columns)


CUBE = block("cube", (0, 0, 0), (2, 2, 2))
# Looks along y and sees 2.6 metres from the lower to the upper edge.
FRONT = Camera((0.0, -10.0, 0.0), parallel=True, field_of_view=2 * atan(0.13))


def test_cube_from_the_front_is_a_square():
    text = ansi_text(wire_cells(scene_of(CUBE), FRONT, 10, 5), ColourDepth.NONE)
    assert text.splitlines() == [
        " ⡤⠤⠤⠤⠤⠤⠤⢤ ",
        " ⡇      ⢸ ",
        " ⡇      ⢸ ",
        " ⡇      ⢸ ",
        " ⠓⠒⠒⠒⠒⠒⠒⠚ ",
    ]


def test_hidden_edges_of_a_cube_are_removed_dashed_or_shown():
    camera = replace(named_camera("iso"), eye=(8.0, -8.0, 8.0), parallel=True)
    removed, dashed, shown = (dots(wire_cells(scene_of(CUBE), camera, 40, 20, hidden=hidden)) for hidden in Hidden)
    assert (removed <= dashed).all()
    assert (dashed <= shown).all()
    # Three of twelve edges meet at the hidden corner, which is in the middle, behind the nearest one.
    assert removed.sum() / shown.sum() == pytest.approx(9 / 12, abs=0.05)
    assert removed.sum() < dashed.sum() < shown.sum()


def test_a_wall_hides_the_edges_behind_it():
    wall = block("wall", (0, -3, 0), (3, 0.1, 3))
    both, alone = (wire_cells(scene_of(*items), FRONT, 30, 15) for items in ((CUBE, wall), (wall,)))
    np.testing.assert_array_equal(both.codes, alone.codes)
    assert (wire_cells(scene_of(CUBE, wall), FRONT, 30, 15, hidden=Hidden.SHOWN).codes != alone.codes).any()


def test_facets_of_round_surfaces_are_not_drawn_but_outlines_are():
    bar = build_item("bar", [subitem_of(cylinder(0.5, 2.0, 24)).unwrap()]).unwrap()
    figure = scene_of(bar).figure
    lines, shown = edge_strokes(figure, open_window(Camera((0.0, -10.0, 0.0), parallel=True), 10, 10))
    upright = np.isclose(lines.starts[:, :2], lines.ends[:, :2], atol=1e-9).all(axis=1)
    assert upright.sum() == 2
    assert (~upright).sum() == 48
    assert shown.sum() == 50


def test_every_edge_is_shared_by_two_faces():
    figure = pose_robot(heap(10))
    solids = figure.shapes.arrays.solids
    ends, faces = figure.shapes.edges
    assert len(ends) == len(solids.edges)
    assert {frozenset(pair) for pair in ends.tolist()} == {frozenset(pair) for pair in solids.edges.tolist()}
    for pair, both in zip(ends, faces, strict=True):
        for face in both:
            corners = solids.face_vertices[solids.face_offsets[face] : solids.face_offsets[face + 1]]
            assert set(pair) <= set(corners)
    assert (faces[:, 0] != faces[:, 1]).all()


def test_selection_collision_and_ghosts_have_their_colours():
    items = [block("a", (-4, 0, 0)), block("b", (0, 0, 0)), block("c", (4, 0, 0))]
    ghost = scene_of(block("ghost", (0, 0, 3))).figure
    scene = scene_of(*items, selected=frozenset({"a"}), colliding=frozenset({"c"}), ghosts=(ghost,))
    cells = wire_cells(scene, Camera((0.0, -25.0, 0.0)), 60, 30)
    inked = cells.codes != ord(" ")
    colours = {tuple(colour) for colour in cells.foreground[inked].tolist()}
    assert {DARK.selection, DARK.collision, DARK.ghost} <= colours


def test_empty_scene_is_blank_in_every_size():
    nothing = Scene(pose_robot(build_robot("nothing", []).unwrap()))
    assert (wire_cells(nothing, FRONT, 10, 5).codes == ord(" ")).all()
    scene = Scene(pose_robot(heap(3)), axes=True)
    for columns, rows in ((0, 0), (1, 1), (20, 5), (0, 3), (3, 0)):
        assert wire_cells(scene, named_camera("home"), columns, rows).codes.shape == (rows, columns)
        assert wire_picture(scene, named_camera("home"), columns, rows, samples=2).rgb.shape == (rows, columns, 3)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize(
    "camera", [Camera((0.0, 0.0, 0.0)), Camera((0.0, 0.0, 5.0)), Camera((0.3, 0.3, 0.3)), Camera((0, -5, 0), near=5.0)]
)
def test_wireframe_is_drawn_for_every_camera(camera, parallel):
    figure = pose_robot(heap(8))
    scene = Scene(figure, floor=floor_for(figure), axes=True, ghosts=(PosedRobot(figure.shapes, figure.poses),))
    for hidden in Hidden:
        wire_cells(scene, replace(camera, parallel=parallel), 20, 10, hidden=hidden)
        wire_picture(scene, replace(camera, parallel=parallel), 20, 10, hidden=hidden)


def test_wireframes_in_pixels_pick_like_solids():
    picture = wire_picture(scene_of(CUBE), FRONT, 60, 60, samples=2)
    assert picture.item[30, 30] == 0
    assert picture.item[0, 0] == -1
    # The face is empty, the edge is not.
    assert picture.rgb[30, 30].sum() < 150
    assert picture.rgb[:, 30].sum(axis=1).max() > 400
