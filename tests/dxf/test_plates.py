"""Flat outlines of any curve type that become plates with holes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.hooks import discover
from rck.language.session import new_session

VERSIONS = ("R12", "R2000", "R2004", "R2007", "R2010", "R2013", "R2018")
OUTLINE = [(0, 0), (182, 0), (182, 64), (0, 64)]


def outline(layout, points=OUTLINE, **look):
    layout.add_lwpolyline(points, close=True, dxfattribs=look)


def mass(robot):
    """In cubic millimetres of aluminium."""
    return sum(item.mass for item in robot.items) / 2700e-9


def test_summary_of_a_plate_lists_holes_size_and_mass(desk):
    document = desk.new()
    outline(document.modelspace())
    for x in (20, 91, 162):
        for y in (16, 48):
            document.modelspace().add_circle((x, y), 4)
    imported = desk.read(document, thickness="4mm")
    assert imported.summary == "1 plate 182 x 64 x 4 mm, 6 holes (6 x 8), 0.123 kg aluminium"
    (item,) = imported.robot.items
    assert item.name == "drawing"
    # The holes have corners, and the area of the circles.
    assert mass(imported.robot) == pytest.approx((182 * 64 - 6 * np.pi * 16) * 4, rel=1e-9)
    assert desk.volume(imported.robot) == pytest.approx(mass(imported.robot), rel=1e-9)
    assert desk.extent(imported.robot) == pytest.approx([0, 0, 0, 182, 64, 4])


@pytest.mark.parametrize("version", VERSIONS)
def test_lines_and_arcs_form_an_outline_in_every_version(desk, version):
    document = desk.new(version)
    layout = document.modelspace()
    # A slot: two lines and two half circles, drawn in any order and direction.
    layout.add_line((0, 0), (40, 0))
    layout.add_arc((40, 10), 10, -90, 90)
    layout.add_line((0, 20), (40, 20))
    layout.add_arc((0, 10), 10, 90, 270)
    robot = desk.robot(document, thickness="3mm", length_unit="mm")
    assert mass(robot) == pytest.approx((40 * 20 + np.pi * 100) * 3, rel=1e-4)
    assert desk.extent(robot) == pytest.approx([-10, 0, 0, 50, 20, 3])


def square(layout):
    outline(layout, [(0, 0), (10, 0), (10, 10), (0, 10)])


def polyline(layout):
    layout.add_polyline2d([(0, 0), (10, 0), (10, 10), (0, 10)], close=True)


def polyline_in_space(layout):
    layout.add_polyline3d([(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 10, 0)], close=True)


def polyline_that_returns(layout):
    layout.add_lwpolyline([(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)])


def circle(layout):
    layout.add_circle((5, 5), 5)


def circle_of_two_bulges(layout):
    layout.add_lwpolyline([(0, 5, 1), (10, 5, 1)], format="xyb", close=True)


def old_circle_of_two_bulges(layout):
    layout.add_polyline2d([(0, 5, 1), (10, 5, 1)], format="xyb", close=True)


def ellipse(layout):
    layout.add_ellipse((5, 5), (5, 0), 0.5)


def two_half_ellipses(layout):
    layout.add_ellipse((5, 5), (5, 0), 0.5, 0, np.pi)
    layout.add_ellipse((5, 5), (5, 0), 0.5, np.pi, 2 * np.pi)


def closed_spline(layout):
    angles = np.arange(24) * 2 * np.pi / 24
    layout.add_spline().set_closed([(5 + 5 * np.cos(a), 5 + 4 * np.sin(a), 0) for a in angles])


def half_and_half(layout):
    layout.add_spline_control_frame([(0, 5, 0), (0, 8, 0), (5, 11, 0), (10, 8, 0), (10, 5, 0)])
    layout.add_line((10, 5), (0, 5))


AREAS = {
    square: 100,
    polyline: 100,
    polyline_in_space: 100,
    polyline_that_returns: 100,
    circle: 25 * np.pi,
    circle_of_two_bulges: 25 * np.pi,
    old_circle_of_two_bulges: 25 * np.pi,
    ellipse: 12.5 * np.pi,
    two_half_ellipses: 12.5 * np.pi,
    closed_spline: None,
    half_and_half: None,
}


ROUND = (circle, circle_of_two_bulges, old_circle_of_two_bulges)


@pytest.mark.parametrize("draw", AREAS, ids=lambda draw: draw.__name__)
def test_every_closed_curve_is_an_outline(desk, draw):
    document = desk.new("R2010")
    draw(document.modelspace())
    robot = desk.robot(document, thickness="2mm")
    if AREAS[draw] is not None:
        assert mass(robot) == pytest.approx(2 * AREAS[draw], rel=2e-3)
    assert len(robot.items) == 1


@pytest.mark.parametrize("draw", AREAS, ids=lambda draw: draw.__name__)
def test_every_closed_curve_is_a_hole_in_another(desk, draw):
    document = desk.new("R2010")
    draw(document.modelspace())
    alone = mass(desk.robot(document, thickness="2mm"))
    outline(document.modelspace(), [(-20, -20), (30, -20), (30, 30), (-20, 30)])
    imported = desk.read(document, thickness="2mm")
    opening = "1 hole (1 x 10)" if draw in ROUND else "1 cut-out"
    assert imported.summary.startswith(f"1 plate 50 x 50 x 2 mm, {opening}, ")
    assert mass(imported.robot) == pytest.approx(2 * 2500 - alone, rel=1e-9)
    assert bool(desk.ports(imported)) == (draw in ROUND)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), gap=st.floats(0, 0.008))
def test_a_chain_in_any_order_with_small_gaps_closes(tmp_path_factory, seed, gap):
    from ezdxf import new

    random = np.random.default_rng(seed)
    document = new("R2010", units=4)
    # One corner in each ninth of the turn, so that no side crosses another.
    angles = (np.arange(9) + random.uniform(0, 0.8, 9)) * (2 * np.pi / 9)
    corners = np.stack([100 * np.cos(angles), 100 * np.sin(angles)], axis=1) * random.uniform(0.7, 1, (9, 1))
    steps = [(corners[k - 1], corners[k]) for k in range(9)]
    random.shuffle(steps)
    for a, b in steps:
        a, b = a + random.uniform(-gap, gap, 2), b + random.uniform(-gap, gap, 2)
        if random.random() < 0.5:
            a, b = b, a
        document.modelspace().add_line(a, b)
    path = tmp_path_factory.mktemp("chain") / "chain.dxf"
    document.saveas(path)
    from file_reading import compiling
    from rck_importers.dxf.reader import read

    from rck.hooks import Job

    imported = compiling(read)(path, {"thickness": 0.001, "gap": 0.00004}, Job())
    x, y = corners.T
    area = 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert mass(imported.robot) == pytest.approx(area, rel=0.01)


def gapped(desk, gap):
    document = desk.new()
    layout = document.modelspace()
    for a, b in (((0, 0), (100, 0)), ((100, 0), (100, 50)), ((100, 50), (0, 50)), ((0, 50), (0, gap))):
        layout.add_line(a, b)
    layout.add_circle((50, 25), 5)
    return document


def test_large_gap_is_refused_with_its_position_and_a_fix(desk):
    document = gapped(desk, 8)
    (error,) = desk.errors(document, thickness="4mm")
    assert "LINE on layer 0: an outline of 4 curves has a gap of 8 mm between (0, 0, 0) and (0, 8, 0) mm" in error
    assert "gap=8.08mm" in error
    # Its hole is no part, even if the outline is skipped.
    assert not desk.read(document, thickness="4mm", skip="refused").parts


@pytest.mark.parametrize("gap", [0.4, 0.95])
def test_small_gap_is_closed_with_a_note(desk, gap):
    imported = desk.read(gapped(desk, gap), thickness="4mm")
    assert imported.summary.startswith("1 plate 100 x 50 x 4 mm, 1 hole (1 x 10), ")
    assert f"closed a gap of {gap:g} mm at (0, 0, 0) mm" in desk.said(imported)
    assert mass(imported.robot) == pytest.approx((5000 - 25 * np.pi) * 4, rel=1e-9)


def test_stray_lines_are_reported_and_ignored(desk):
    document = desk.new()
    outline(document.modelspace())
    document.modelspace().add_line((10, 10), (40, 30))
    imported = desk.read(document, thickness="4mm")
    assert "1 curve that forms no outline was ignored; it is at (10, 10, 0) mm" in desk.said(imported)
    assert imported.robot is not None


def test_lines_attached_to_an_outline_are_ignored(desk):
    document = desk.new()
    layout = document.modelspace()
    for a, b in zip(OUTLINE, OUTLINE[1:] + OUTLINE[:1], strict=True):
        layout.add_line(a, b)
    layout.add_line((182, 64), (200, 80))
    layout.add_line((200, 80), (220, 80))
    assert mass(desk.robot(document, thickness="1mm")) == pytest.approx(182 * 64)


def test_two_plates_that_share_a_cut_are_two_plates(desk):
    document = desk.new()
    layout = document.modelspace()
    for a, b in (
        ((0, 0), (10, 0)),
        ((10, 0), (30, 0)),
        ((30, 0), (30, 10)),
        ((30, 10), (10, 10)),
        ((10, 10), (0, 10)),
        ((0, 10), (0, 0)),
        ((10, 0), (10, 10)),
    ):
        layout.add_line(a, b)
    robot = desk.robot(document, thickness="1mm")
    assert sorted(item.mass / 2700e-9 for item in robot.items) == pytest.approx([100, 200])


def test_lines_drawn_twice_count_once(desk):
    document = desk.new()
    for _ in range(2):
        outline(document.modelspace())
        document.modelspace().add_circle((50, 30), 10)
        document.modelspace().add_line((200, 0), (210, 0))
        document.modelspace().add_line((210, 0), (205, 8))
        document.modelspace().add_line((205, 8), (200, 0))
    imported = desk.read(document, thickness="1mm")
    assert imported.summary.startswith("2 plates within 210 x 64 x 1 mm, 1 hole (1 x 20), ")


def test_nested_rings_alternate_between_plate_and_hole(desk):
    document = desk.new()
    for radius in (50, 40, 30, 20, 10):
        document.modelspace().add_circle((0, 0), radius)
    imported = desk.read(document, thickness="1mm")
    assert imported.summary.startswith("3 plates within 100 x 100 x 1 mm, 2 holes (1 x 40, 1 x 80), ")
    assert mass(imported.robot) == pytest.approx(np.pi * (2500 - 1600 + 900 - 400 + 100), rel=1e-3)


def test_holes_on_another_layer_are_holes(desk):
    document = desk.new()
    outline(document.modelspace(), layer="OUTER", color=3)
    document.modelspace().add_circle((30, 30), 5, dxfattribs={"layer": "INNER"})
    robot = desk.robot(document, thickness="1mm")
    (item,) = robot.items
    assert item.name == "OUTER"
    assert item.subitems[0].colour == (0.0, 1.0, 0.0, 1.0)


def test_layer_with_its_own_thickness_is_a_separate_plate(desk):
    document = desk.new()
    outline(document.modelspace(), layer="BASE")
    outline(document.modelspace(), [(10, 10), (60, 10), (60, 40), (10, 40)], layer="TOP")
    # Without being told, the inner outline is a hole.
    assert len(desk.robot(document, thickness="4mm").items) == 1
    robot = desk.robot(document, thickness="4mm", layer_thickness="top = 6mm")
    masses = {item.name: item.mass / 2700e-9 for item in robot.items}
    assert masses == pytest.approx({"BASE": 182 * 64 * 4, "TOP": 50 * 30 * 6})


@pytest.mark.parametrize("thickness", [5, -5])
def test_an_entity_may_have_its_own_thickness(desk, thickness):
    document = desk.new()
    document.modelspace().add_circle((0, 0), 10, dxfattribs={"thickness": thickness})
    robot = desk.robot(document)
    assert desk.extent(robot) == pytest.approx([-10, -10, min(0, thickness), 10, 10, max(0, thickness)])
    imported = desk.read(document, thickness="3mm")
    assert desk.extent(imported.robot)[5] - desk.extent(imported.robot)[2] == pytest.approx(3)
    assert "it is drawn 5 mm thick; the option's 3 mm was used" in desk.said(imported)


def test_missing_thickness_is_reported(desk):
    document = desk.new()
    outline(document.modelspace())
    (error,) = desk.errors(document)
    assert "it is flat and has no thickness (set its thickness: --thickness 4mm" in error


def test_plates_lie_in_the_plane_that_they_are_drawn_in(desk):
    document = desk.new()
    attributes = {"extrusion": (1, 0, 0), "elevation": 7}
    document.modelspace().add_lwpolyline([(0, 0), (10, 0), (10, 5), (0, 5)], close=True, dxfattribs=attributes)
    document.modelspace().add_circle((4, 2, 7), 1, dxfattribs={"extrusion": (1, 0, 0)})
    imported = desk.read(document, thickness="3mm")
    assert imported.summary.startswith("1 plate 10 x 5 x 3 mm, 1 hole (1 x 2), ")
    assert desk.extent(imported.robot) == pytest.approx([7, 0, 0, 10, 10, 5])


def test_plates_at_different_heights_do_not_cut_each_other(desk):
    document = desk.new()
    outline(document.modelspace())
    document.modelspace().add_circle((30, 30, 20), 10)
    robot = desk.robot(document, thickness="1mm")
    assert len(robot.items) == 2
    assert desk.extent(robot)[5] == pytest.approx(21)


def test_a_curve_that_is_not_flat_is_refused(desk):
    document = desk.new()
    document.modelspace().add_polyline3d([(0, 0, 0), (10, 0, 0), (10, 10, 5), (0, 10, 0)], close=True)
    (error,) = desk.errors(document, thickness="1mm")
    assert "is not planar" in error


@pytest.mark.parametrize(
    "look",
    [{"layer": "CENTERLINES"}, {"layer": "DIM-1"}, {"layer": "Defpoints"}, {"linetype": "HIDDEN2"}, {"layer": "DASHY"}],
    ids=lambda look: next(iter(look.values())),
)
def test_auxiliary_lines_are_ignored_and_reported(desk, look):
    document = desk.new()
    for name in ("HIDDEN2", "DASHED"):
        document.linetypes.add(name, [0.2, 0.1, -0.1])
    document.layers.add("DASHY", linetype="DASHED")
    outline(document.modelspace())
    document.modelspace().add_circle((30, 30), 10, dxfattribs=look)
    imported = desk.read(document, thickness="1mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 1 mm, 0.")
    assert "1 CIRCLE used as annotation" in desk.said(imported)
    if "layer" in look:
        wanted = desk.read(document, thickness="1mm", layers=f"0,{look['layer']}")
        assert wanted.summary.startswith("1 plate 182 x 64 x 1 mm, 1 hole (1 x 20), ")


@pytest.mark.parametrize("state", ["off", "freeze"])
def test_hidden_layers_are_ignored(desk, state):
    document = desk.new()
    layer = document.layers.add("SECRET")
    getattr(layer, state)()
    outline(document.modelspace())
    document.modelspace().add_circle((30, 30), 10, dxfattribs={"layer": "SECRET"})
    document.modelspace().add_circle((90, 30), 10, dxfattribs={"invisible": 1})
    imported = desk.read(document, thickness="1mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 1 mm, 0.")
    assert "1 CIRCLE on layer SECRET, which is" in desk.said(imported)
    assert "1 invisible CIRCLE" in desk.said(imported)


def test_layers_can_be_chosen_and_skipped(desk):
    document = desk.new()
    outline(document.modelspace(), layer="CUT")
    document.modelspace().add_circle((30, 30), 10, dxfattribs={"layer": "HOLES-A"})
    document.modelspace().add_circle((90, 30), 10, dxfattribs={"layer": "LOGO"})
    for options in ({"layers": "cut,holes*"}, {"skip": "LOGO"}):
        imported = desk.read(document, thickness="1mm", **options)
        assert imported.summary.startswith("1 plate 182 x 64 x 1 mm, 1 hole (1 x 20), ")
        assert "1 CIRCLE on layer LOGO, excluded by options" in desk.said(imported)


def test_circle_across_the_edge_is_cut_from_the_plate(desk):
    document = desk.new()
    outline(document.modelspace(), layer="CUT")
    document.modelspace().add_circle((0, 30), 10, dxfattribs={"layer": "HOLE"})
    imported = desk.read(document, thickness="1mm")
    assert imported.summary.startswith("1 plate 182 x 64 x 1 mm, 0.")
    assert mass(imported.robot) == pytest.approx(182 * 64 - np.pi * 50, rel=1e-6)
    assert "read as cut away, not as a part: a smaller outline cuts it from a larger one" in desk.said(imported)


def test_walls_thinner_than_the_deviation_are_kept(desk):
    document = desk.new()
    document.modelspace().add_circle((0, 0), 50)
    document.modelspace().add_circle((0, 0), 49.9)
    robot = desk.robot(document, thickness="1mm", deviation="1mm")
    assert mass(robot) == pytest.approx(np.pi * (2500 - 49.9**2), rel=1e-9)


def test_deviation_sets_the_number_of_curve_segments(desk):
    document = desk.new()
    document.modelspace().add_circle((0, 0), 50)
    corners = [
        len(desk.robot(document, thickness="1mm", deviation=deviation).items[0].subitems[0].shape.vertices) // 2
        for deviation in ("5mm", "0.5mm", "0.05mm")
    ]
    assert corners == [24, 24, 72]


def test_smallest_hole_has_24_sides_and_drawn_polygons_are_unchanged(desk):
    document = desk.new()
    outline(document.modelspace())
    document.modelspace().add_circle((20, 16), 0.2)
    ring = [(91 + 5 * np.cos(2 * np.pi * k / 20), 32 + 5 * np.sin(2 * np.pi * k / 20)) for k in range(20)]
    document.modelspace().add_lwpolyline(ring, close=True)
    (item,) = desk.robot(document, thickness="4mm").items
    flat = np.concatenate([subitem.shape.vertices[:, :2] * 1000 for subitem in item.subitems])
    small = np.hypot(*(flat - (20, 16)).T)
    assert len(np.unique(np.round(flat[small < 1], 9), axis=0)) == 24
    large = np.hypot(*(flat - (91, 32)).T)
    assert large[large < 6] == pytest.approx(np.full((large < 6).sum(), 5.0))


def test_regions_are_outlines(desk):
    from ezdxf.acis.api import body_from_mesh, export_dxf
    from ezdxf.render import MeshBuilder

    document = desk.new("R2010")
    face = MeshBuilder()
    face.add_face([(0, 0, 0), (10, 0, 0), (10, 5, 0), (0, 5, 0)])
    export_dxf(document.modelspace().add_region(), [body_from_mesh(face)])
    assert mass(desk.robot(document, thickness="2mm")) == pytest.approx(100)


def test_curves_in_a_drawing_with_solids_need_a_thickness(desk):
    document = desk.new()
    desk.add_box(document.modelspace(), layer="SOLID")
    outline(document.modelspace(), layer="PLAN")
    imported = desk.read(document)
    assert [item.name for item in imported.robot.items] == ["SOLID"]
    assert "1 closed curve without thickness was ignored: layer PLAN" in desk.said(imported)
    assert len(desk.robot(document, thickness="1mm").items) == 2


def test_saved_plates_keep_their_contours_and_decompose_equally(desk):
    document = desk.new()
    space = document.modelspace()
    space.add_lwpolyline([(0, 0), (80, 0), (80, 40), (60, 40), (50, 20), (0, 40)], close=True)
    space.add_circle((20, 15), 5)
    space.add_lwpolyline([(60, 5), (70, 5), (70, 15)], close=True)
    desk.add_box(space, at=(200, 0, 0), layer="BOX")
    session = new_session(discover(), desk.folder, "plates")
    desk.save(document)
    session.do("import drawing.dxf thickness=4mm")
    shapes = [
        shape
        for piece in session.assembly.local_parts.values()
        for item in piece.items.values()
        for shape in item.shapes
    ]
    assert sum(shape.prism is not None for shape in shapes) == 1
    assert sum(shape.hull is not None for shape in shapes) == 1
    read, made = desk.robot(document, thickness="4mm"), session.compile().unwrap().robot
    pieces = {item.name: len(item.subitems) for item in read.items}
    assert [len(item.subitems) for item in made.items] == list(pieces.values())
    assert desk.volume(made) == pytest.approx(desk.volume(read))
    assert desk.extent(made) == pytest.approx(desk.extent(read), abs=1e-6)
    for one, other in zip(read.items, made.items, strict=True):
        assert one.mass == pytest.approx(other.mass)


@pytest.mark.parametrize("turned", [(0, 0, -1), (1, 0, 0), (1, 2, 3)])
def test_saved_plates_in_other_planes_keep_their_poses(desk, turned):
    document = desk.new()
    outline = [(10, 0), (80, 0), (80, 40), (60, 40), (50, 20), (10, 40)]
    document.modelspace().add_lwpolyline(outline, close=True, dxfattribs={"extrusion": turned, "elevation": 30})
    session = new_session(discover(), desk.folder, "plates")
    desk.save(document)
    session.do("import drawing.dxf thickness=4mm")
    read, made = desk.robot(document, thickness="4mm"), session.compile().unwrap().robot
    assert desk.extent(made) == pytest.approx(desk.extent(read), abs=1e-6)
    assert made.mass_properties.centre == pytest.approx(read.mass_properties.centre)
    corners = [np.concatenate([one.shape.vertices for one in robot.items[0].subitems]) for robot in (read, made)]
    assert corners[1].min(axis=0) == pytest.approx(corners[0].min(axis=0), abs=1e-9)
    assert corners[1].max(axis=0) == pytest.approx(corners[0].max(axis=0), abs=1e-9)
