"""Drawings as programs and people leave them: paper space, hatches, thread symbols, sheets, mixed heights."""

import numpy as np
import pytest

CORNERS = ((10, 10), (90, 10), (10, 50), (90, 50))
PLATE = "1 plate 100 x 60 x 4 mm, 4 holes (4 x 6), "


def rectangle(layout, low, high, **look):
    (a, b), (c, d) = low, high
    layout.add_lwpolyline([(a, b), (c, b), (c, d), (a, d)], close=True, dxfattribs=look)


def plate(layout, at=(0, 0)):
    x, y = at
    rectangle(layout, at, (x + 100, y + 60))
    for across, up in CORNERS:
        layout.add_circle((x + across, y + up), 3)


def test_the_paper_space_is_imported_if_the_model_space_is_empty(desk):
    document = desk.new()
    plate(document.layout("Layout1"))
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith(PLATE)
    assert "the model space is empty" in desk.said(imported)


def test_boundaries_of_hatches_are_outlines_if_there_is_nothing_else(desk):
    document = desk.new()
    hatch = document.modelspace().add_hatch()
    hatch.paths.add_polyline_path([(0, 0), (100, 0), (100, 60), (0, 60)], is_closed=True)
    for place in CORNERS[:3]:
        hatch.paths.add_edge_path().add_arc(place, 3, 0, 360)
    hatch.paths.add_edge_path().add_ellipse(CORNERS[3], (3, 0), 1.0)
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith(PLATE)
    plate(document.modelspace(), (200, 0))
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith(PLATE)
    assert "ignored: 1 HATCH" in desk.said(imported)


def test_thread_symbols_are_not_outlines(desk):
    document = desk.new()
    layout = document.modelspace()
    plate(layout)
    for place in CORNERS:
        layout.add_arc(place, 3.5, 0, 270)
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith(PLATE)
    assert "4 ARC used as thread symbol" in desk.said(imported)


@pytest.mark.parametrize(("height", "count"), [(4.0, 1), (30.0, 5)])
def test_circles_between_the_faces_of_a_plate_are_its_holes(desk, height, count):
    document = desk.new()
    layout = document.modelspace()
    rectangle(layout, (0, 0), (100, 60))
    for x, y in CORNERS:
        layout.add_circle((x, y, height), 3)
    assert len(desk.robot(document, thickness="4mm").items) == count


def test_sheets_with_two_borders_and_a_title_block_hold_one_plate_each(desk):
    document = desk.new()
    layout = document.modelspace()
    for x in (0, 500):
        rectangle(layout, (x, 0), (x + 420, 297))
        rectangle(layout, (x + 10, 10), (x + 410, 287))
        plate(layout, (x + 100, 120))
        rectangle(layout, (x + 290, 10), (x + 410, 50))
        layout.add_line((x + 290, 30), (x + 410, 30))
        for y in (15, 35):
            layout.add_text("TITLE", height=3).set_placement((x + 300, y))
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith("2 plates ")
    assert "8 holes (8 x 6)" in imported.summary


def test_a_plain_rectangle_filled_by_drilled_plates_is_stock(desk):
    document = desk.new()
    layout = document.modelspace()
    rectangle(layout, (-10, -10), (250, 100))
    plate(layout)
    plate(layout, (120, 0))
    assert desk.read(document, thickness="4mm").summary.startswith("2 plates ")


def test_circles_of_bezier_curves_have_the_diameter_that_was_drawn(desk):
    document = desk.new()
    layout = document.modelspace()
    rectangle(layout, (0, 0), (100, 60))
    k = 3 * 4 / 3 * 0.41421356237309503
    quarters = (
        [(3, 0), (3, k), (k, 3), (0, 3)],
        [(0, 3), (-k, 3), (-3, k), (-3, 0)],
        [(-3, 0), (-3, -k), (-k, -3), (0, -3)],
        [(0, -3), (k, -3), (3, -k), (3, 0)],
    )
    for x, y in CORNERS:
        for quarter in quarters:
            layout.add_open_spline([(x + a, y + b, 0) for a, b in quarter], degree=3)
    assert desk.read(document, thickness="4mm").summary.startswith(PLATE)


def test_the_corner_where_outlines_share_edges_stays(desk):
    document = desk.new()
    layout = document.modelspace()
    rectangle(layout, (0, 0), (100, 60))
    rectangle(layout, (70, 0), (100, 20))
    rectangle(layout, (0, 40), (20, 60))
    robot = desk.robot(document, thickness="4mm", recognise="no")
    assert desk.volume(robot) == pytest.approx(4 * (6000 - 600 - 400))
    assert desk.volume(robot) == pytest.approx(sum(item.mass for item in robot.items) / 2700e-9)


@pytest.mark.parametrize("size", [0.0, 3.0])
def test_exploded_dimension_does_not_become_a_plate(desk, size):
    """Its lines touch the corners, and may end at the tip or at the foot of an arrowhead."""
    document = desk.new()
    layout = document.modelspace()
    plate(layout)
    for x in (0, 100):
        layout.add_line((x, 60), (x, 76))
    layout.add_line((size, 75), (100 - size, 75))
    for tip, foot in ((0, 3), (100, 97)):
        layout.add_solid([(tip, 75), (foot, 75.5), (foot, 74.5), (foot, 74.5)])
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith(PLATE)
    assert "1 LINE used as dimension line" in desk.said(imported)


def test_outline_without_a_side_is_refused_with_its_hole(desk):
    document = desk.new()
    layout = document.modelspace()
    plate(layout, (200, 0))
    layout.add_lwpolyline([(0, 0), (50, 0), (50, 50), (0, 50)])
    layout.add_circle((25, 25), 5)
    (error,) = desk.errors(document, thickness="4mm")
    assert "gap of 50 mm" in error
    imported = desk.read(document, thickness="4mm", skip="LWPOLYLINE")
    assert not imported.summary.startswith("2 plates")


def test_border_without_its_last_side_does_not_swallow_the_parts(desk):
    document = desk.new()
    layout = document.modelspace()
    plate(layout)
    layout.add_lwpolyline([(-10, -10), (200, -10), (200, 100), (-10, 100)])
    assert desk.read(document, thickness="4mm").summary.startswith(PLATE)


def test_centre_marks_are_not_reported_as_gaps(desk):
    document = desk.new()
    layout = document.modelspace()
    plate(layout)
    for x, y in CORNERS:
        layout.add_line((x - 5, y), (x + 5, y))
        layout.add_line((x, y - 5), (x, y + 5))
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith(PLATE)
    assert "check the outlines for gaps" not in desk.said(imported)


def test_construction_layers_have_german_names_too(desk):
    document = desk.new()
    layout = document.modelspace()
    plate(layout)
    for layer in ("HILFSLINIEN", "Konstruktion"):
        layout.add_circle((50, 30), 8, dxfattribs={"layer": layer})
    assert desk.read(document, thickness="4mm").summary.startswith(PLATE)


def test_isometric_view_is_not_a_part(desk):
    document = desk.new()
    layout = document.modelspace()
    plate(layout)
    layout.add_linear_dim(base=(0, 70), p1=(0, 60), p2=(100, 60)).render()
    right, left, down = np.array([[0.866, 0.5], [-0.866, 0.5], [0, -1]]) * ((80,), (60,), (6,))
    start = np.array([260.0, 0.0])
    layout.add_lwpolyline([start, start + right, start + right + left, start + left], close=True)
    layout.add_lwpolyline([start, start + down, start + right + down, start + right])
    layout.add_lwpolyline([start + down, start + left + down, start + left])
    layout.add_ellipse(start + (right + left) / 2, (9.8, 0, 0), 0.577)
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith(PLATE)
    assert "isometric view" in desk.said(imported)
