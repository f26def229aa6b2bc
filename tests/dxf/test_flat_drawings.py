"""Flat drawings as people draw them: overlapping lines, gaps, borders, views, counterbores, wireframes."""

from itertools import pairwise

import ezdxf
import numpy as np
import pytest

from rck.hooks import Recipe

OUTLINE = [(0, 0), (182, 0), (182, 64), (0, 64)]


def outline(layout, points=OUTLINE, **look):
    layout.add_lwpolyline(points, close=True, dxfattribs=look)


def rectangle(layout, low, high, **look):
    (a, b), (c, d) = low, high
    outline(layout, [(a, b), (c, b), (c, d), (a, d)], **look)


def lines(layout, points, **look):
    for a, b in pairwise(points):
        layout.add_line(a, b, dxfattribs=look)


def volumes(imported):
    """Volume of each item in mm3, in order of size."""
    return sorted(item.mass / 2700e-9 for item in imported.robot.items)


def without_markers(path):
    """Remove the subclass markers of all entities and objects from a text file."""
    rows = path.read_text().splitlines()
    kept, section = [], ""
    for code, value in zip(rows[::2], rows[1::2], strict=True):
        if code.strip() == "2" and kept and kept[-1][1] == "SECTION":
            section = value
        if code.strip() != "100" or section in ("HEADER", "TABLES"):
            kept.append((code, value))
    path.write_text("".join(f"{code}\n{value}\n" for code, value in kept))


def test_lengths_without_header_are_millimetres(desk):
    path = desk.folder / "bare.dxf"
    rows = ["0", "SECTION", "2", "BLOCKS", "0", "ENDSEC", "0", "SECTION", "2", "ENTITIES"]
    for (ax, ay), (bx, by) in zip(OUTLINE, OUTLINE[1:] + OUTLINE[:1], strict=True):
        rows += ["0", "LINE", "8", "0", "10", str(ax), "20", str(ay), "11", str(bx), "21", str(by)]
    path.write_text("\n".join([*rows, "0", "ENDSEC", "0", "EOF", ""]))
    imported = desk.read(path, thickness="4mm")
    assert imported.summary == "1 plate 182 x 64 x 4 mm, 0.126 kg aluminium"
    assert "length unit assumed to be mm" in desk.said(imported)


def test_inches_are_not_assumed_for_a_drawing_of_metres(desk):
    document = desk.new(units=0)
    document.header["$MEASUREMENT"] = 0
    outline(document.modelspace())
    assert desk.read(document, thickness="4mm").summary.startswith("1 plate 182 x 64 x 4 mm")
    small = desk.new(units=0)
    small.header["$MEASUREMENT"] = 0
    rectangle(small.modelspace(), (0, 0), (2, 1))
    assert desk.read(small, thickness="4mm").summary.startswith("1 plate 50.8 x 25.4 x 4 mm")


def test_large_and_heavy_parts_are_warned_about(desk):
    document = desk.new(units=6)
    outline(document.modelspace())
    assert "its unit may be wrong" in desk.said(desk.read(document, thickness="4mm"))


def test_mirrored_normals_leave_plates_on_one_side_with_their_holes(desk):
    document = desk.new()
    outline(document.modelspace())
    # The object coordinate system of this normal mirrors x.
    document.modelspace().add_circle((-50, 30), 5, dxfattribs={"extrusion": (0, 0, -1)})
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 4 mm, 1 hole (1 x 10), ")
    assert desk.extent(imported.robot) == pytest.approx([0, 0, 0, 182, 64, 4])


def test_overlapping_lines_and_t_joints_form_outlines(desk):
    document = desk.new()
    layout = document.modelspace()
    lines(layout, [(0, 0), (70, 0)])
    lines(layout, [(40, 0), (100, 0), (100, 50)])
    # Both lines run past the corners.
    lines(layout, [(110, 50), (-10, 50)])
    lines(layout, [(0, 60), (0, -20)])
    layout.add_circle((20, 20), 5)
    # A partition from one line to the middle of another.
    lines(layout, [(60, 0), (60, 50)])
    imported = desk.read(document, thickness="1mm")
    assert volumes(imported) == pytest.approx([2000, 3000 - 25 * np.pi])


def test_arcs_drawn_twice_in_part_count_once(desk):
    document = desk.new()
    layout = document.modelspace()
    layout.add_arc((0, 0), 20, 0, 200)
    layout.add_arc((0, 0), 20, 150, 330)
    layout.add_arc((0, 0), 20, 300, 20)
    assert volumes(desk.read(document, thickness="1mm")) == pytest.approx([400 * np.pi], rel=1e-4)


@pytest.mark.parametrize("distance", [15, 20, 19.9])
def test_overlapping_and_touching_holes_are_united(desk, distance):
    document = desk.new()
    outline(document.modelspace())
    document.modelspace().add_circle((50, 30), 10)
    document.modelspace().add_circle((50 + distance, 30), 10)
    imported = desk.read(document, thickness="1mm")
    half = np.arccos(distance / 20)
    lens = 100 * (2 * half - np.sin(2 * half))
    assert imported.summary.startswith("1 plate 182 x 64 x 1 mm, 1 cut-out, ")
    assert volumes(imported) == pytest.approx([182 * 64 - 200 * np.pi + lens], rel=1e-5)
    assert desk.volume(imported.robot) == pytest.approx(volumes(imported)[0], rel=2e-3)


def test_hole_touching_the_edge_opens_the_outline(desk):
    document = desk.new()
    outline(document.modelspace())
    document.modelspace().add_circle((50, 10), 10)
    imported = desk.read(document, thickness="1mm")
    assert volumes(imported) == pytest.approx([182 * 64 - 100 * np.pi], rel=1e-5)


def test_sheet_border_is_not_a_part(desk):
    document = desk.new()
    layout = document.modelspace()
    rectangle(layout, (-10, -10), (400, 150))
    for x in (0, 190):
        outline(layout, [(x + a, b) for a, b in OUTLINE])
        layout.add_circle((x + 30, 30), 5)
    imported = desk.read(document, thickness="1mm")
    assert imported.summary.startswith("2 plates within 372 x 64 x 1 mm, 2 holes (2 x 10), ")
    assert "read as sheet border, not as a part: 2 outlines with holes lie in it" in desk.said(imported)
    plain = desk.read(document, thickness="1mm", recognise="no")
    assert plain.summary.startswith("3 plates within 410 x 160 x 1 mm, 2 cut-outs, ")


def drawing_of_views(desk):
    document = desk.new(units=4)
    document.linetypes.add("HIDDEN", [0.2, 0.1, -0.1])
    layout = document.modelspace()
    outline(layout)
    layout.add_circle((30, 30), 5)
    rectangle(layout, (0, 90), (182, 94))
    rectangle(layout, (220, 0), (224, 64))
    layout.add_line((0, 92), (182, 92), dxfattribs={"linetype": "HIDDEN"})
    for row in range(4):
        for column in range(3):
            x, y = 200 + 20 * column, 100 + 8 * row
            rectangle(layout, (x, y), (x + 20, y + 8))
            layout.add_text("text", dxfattribs={"insert": (x + 2, y + 2)})
    return document


def test_further_views_and_title_block_are_not_parts(desk):
    imported = desk.read(drawing_of_views(desk), thickness="4mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 4 mm, 1 hole (1 x 10), ")
    said = desk.said(imported)
    assert "2 regions (region3, region4) read as view, not as a part: it is aligned with the largest outline" in said
    assert "read as title block, not as a part: it is a table of 12 cells with 12 texts" in said


def test_recipe_changes_the_role_of_regions(desk):
    recipe = Recipe(regions={"region2": "ignored", "region3": "plate"})
    imported = desk.read(drawing_of_views(desk), recipe=recipe, thickness="4mm")
    assert volumes(imported) == pytest.approx([182 * 4 * 4, 182 * 64 * 4])


def test_centre_lines_and_hatches_do_not_divide_a_plate(desk):
    document = desk.new()
    layout = document.modelspace()
    lines(layout, [*OUTLINE, OUTLINE[0]])
    lines(layout, [(-10, 32), (192, 32)])
    lines(layout, [(91, 0), (91, 64)], color=1)
    for x in range(100, 160, 8):
        lines(layout, [(x, 0), (x + 64, 64)] if x <= 110 else [(x, 0), (182, 182 - x)])
    imported = desk.read(document, thickness="1mm")
    assert volumes(imported) == pytest.approx([182 * 64])
    said = desk.said(imported)
    for reason in (
        "both ends overshoot the outline",
        "its layer, colour or line type differs",
        "it belongs to a hatch",
    ):
        assert reason in said


def test_degenerate_curves_are_dropped_with_a_note(desk):
    document = desk.new()
    outline(document.modelspace())
    document.modelspace().add_line((5, 5), (5, 5))
    document.modelspace().add_circle((9, 9), 0)
    document.modelspace().add_arc((9, 9), 0, 0, 90)
    imported = desk.read(document, thickness="1mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 1 mm, 0.")
    assert "1 LINE without length" in desk.said(imported)


def test_counterbores_are_kept_and_loose_discs_are_not_made(desk):
    document = desk.new()
    outline(document.modelspace())
    for x in (20, 160):
        for radius in (2.5, 5):
            document.modelspace().add_circle((x, 32), radius)
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 4 mm, 2 holes (2 x 5 counterbored 10), ")
    notes = {port.note for port in desk.ports(imported)}
    assert notes == {"centre of a bore of 5 mm, counterbored 10 mm"}


def test_slots_are_counted(desk):
    document = desk.new()
    outline(document.modelspace())
    points = [(20, 20, 0), (60, 20, 1), (60, 28, 0), (20, 28, 1)]
    document.modelspace().add_lwpolyline(points, format="xyb", close=True)
    assert desk.read(document, thickness="4mm").summary.startswith("1 plate 182 x 64 x 4 mm, 1 slot, ")


@pytest.mark.parametrize("version", ["R12", "R2000", "R2018"])
def test_entities_without_subclass_markers_are_read(desk, version):
    document = desk.new(version)
    layout = document.modelspace()
    lines(layout, [*OUTLINE, OUTLINE[0]])
    layout.add_circle((30, 30), 5)
    layout.add_arc((90, 30), 5, 0, 180)
    layout.add_line((85, 30), (95, 30))
    path = desk.save(document)
    without_markers(path)
    imported = desk.read(path, thickness="1mm", length_unit="mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 1 mm, 1 hole (1 x 10), 1 cut-out, ")


def test_attributes_of_blocks_do_not_disturb_their_outlines(desk):
    document = desk.new()
    block = document.blocks.new("PLATE")
    outline(block)
    block.add_attdef("NAME", (5, 5), dxfattribs={"height": 2})
    insert = document.modelspace().add_blockref("PLATE", (10, 10))
    insert.add_auto_attribs({"NAME": "left"})
    assert desk.read(document, thickness="1mm").summary.startswith("1 plate 182 x 64 x 1 mm, ")


def tilted(points, height=0.0):
    matrix = ezdxf.math.Matrix44.axis_rotate((1, 2, 3), 0.7)
    return [tuple(point) for point in matrix.transform_vertices([(x, y, height) for x, y in points])]


def test_lines_in_a_tilted_plane_outline_a_plate(desk):
    document = desk.new()
    lines(document.modelspace(), tilted([*OUTLINE, OUTLINE[0]]))
    lines(document.modelspace(), tilted([(10, 10), (30, 10), (20, 30), (10, 10)]))
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 4 mm, 1 cut-out, ")


def test_wireframe_of_a_plate_is_a_plate(desk):
    document = desk.new()
    layout = document.modelspace()
    for ring in ([*OUTLINE, OUTLINE[0]], [(10, 10), (30, 10), (20, 30), (10, 10)]):
        for height in (0, 5):
            lines(layout, tilted(ring, height))
        for low, high in zip(tilted(ring), tilted(ring, 5), strict=True):
            layout.add_line(low, high)
    imported = desk.read(document)
    assert imported.summary.startswith("1 plate 182 x 64 x 5 mm, 1 cut-out, ")
    assert "a wireframe was read as an outline 5 mm thick" in desk.said(imported)


def test_other_wireframes_are_refused_as_such(desk):
    document = desk.new()
    base = [(0, 0, 0), (40, 0, 0), (40, 40, 0), (0, 40, 0)]
    lines(document.modelspace(), [*base, base[0]])
    for corner in base:
        document.modelspace().add_line(corner, (20, 20, 30))
    (error,) = desk.errors(document, thickness="4mm")
    assert "8 curves form a 3D wireframe, not the outline of a plate" in error


def test_stray_curve_costs_only_itself(desk):
    document = desk.new()
    outline(document.modelspace())
    document.modelspace().add_circle((30, 30), 5)
    document.modelspace().add_arc((90, 30), 20, 0, 250)
    imported = desk.read(document, thickness="1mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 1 mm, 1 hole (1 x 10), ")
    assert "1 curve that forms no outline was ignored" in desk.said(imported)
