"""Welding of separate polygons into solids, with repairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry import circle, extrude, make_contour, move_polyhedron, rectangle, revolve
from rck.geometry import primitives as shapes
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import is_closed, triangles
from rck.geometry.transforms import from_euler, translation
from rck.geometry.weld import solids_from_polygons


def polygons_of(shape):
    return [shape.vertices[list(face)] for face in shape.faces]


def box(size=1.0, at=(0.0, 0.0, 0.0)):
    return polygons_of(move_polyhedron(shapes.box(size, size, size), translation(at)))


def volumes(result):
    assert all(is_closed(body) for body in result.bodies)
    return [moments(body).volume for body in result.bodies]


PLATE = extrude(make_contour(rectangle(2, 1), [circle(0.2, 8, (x, 0)) for x in (-0.5, 0.5)]), 0.1).surface
RING = shapes.torus(1.0, 0.3, 16, 10).surface


@pytest.mark.parametrize("surface", [PLATE, RING], ids=["plate with holes", "ring"])
def test_valid_surface_needs_no_repairs(surface):
    result = solids_from_polygons(polygons_of(surface))
    assert volumes(result) == pytest.approx([moments(surface).volume], rel=1e-12)
    assert moments(result.bodies[0]).area == pytest.approx(moments(surface).area, rel=1e-12)
    assert (result.open_bodies, result.why_open, result.repairs) == ((), (), ())


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), surface=st.sampled_from([PLATE, RING]))
def test_polygons_may_have_any_order_and_orientation(seed, surface):
    random = np.random.default_rng(seed)
    heap = [p[::-1] if turned else p for p, turned in zip(polygons_of(surface), random.random(999) < 0.5, strict=False)]
    random.shuffle(heap)
    result = solids_from_polygons(heap)
    assert volumes(result) == pytest.approx([moments(surface).volume], rel=1e-12)
    assert result.open_bodies == ()


def test_reversed_faces_are_counted():
    faces = box()
    faces[1], faces[4] = faces[1][::-1], faces[4][::-1]
    assert solids_from_polygons(faces).repairs == ("reversed 2 faces to face outward",)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_nearby_corners_are_merged(seed):
    random = np.random.default_rng(seed)
    torn = [polygon + random.uniform(-3e-7, 3e-7, polygon.shape) for polygon in polygons_of(RING)]
    assert solids_from_polygons(torn, tolerance=0.0).bodies == ()
    result = solids_from_polygons(torn, tolerance=2e-6)
    assert volumes(result) == pytest.approx([moments(RING).volume], rel=1e-4)
    assert "corners with a neighbour" in result.repairs[0]


def test_duplicate_faces_count_once():
    result = solids_from_polygons(box() + [polygon[::-1] for polygon in box()])
    assert volumes(result) == pytest.approx([1])
    assert result.repairs == ("removed 6 faces that repeated another",)


def test_degenerate_faces_are_dropped_by_reason():
    junk = [[[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 0, 0], [1, 1, 1]], [[0, 0, np.nan], [1, 0, 0], [1, 1, 0]]]
    sliver = [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [0.0, -0.5, -0.5 + 1e-9]]
    result = solids_from_polygons([*box(), *junk, sliver])
    assert volumes(result) == pytest.approx([1])
    assert result.open_bodies == ()
    assert result.repairs == (
        "removed 1 face with a coordinate that is not a finite number",
        "removed 1 face with fewer than three corners",
        "removed 1 face that had shrunk to a line or a point",
        "removed 1 face too narrow to have a direction",
    )


def test_separate_bodies_stay_separate_in_order():
    result = solids_from_polygons(box(1, (5, 0, 0)) + box(2) + box(0.5, (0, 5, 0)))
    assert volumes(result) == pytest.approx([1, 8, 0.125])


def test_two_boxes_that_share_a_face_are_two_solids():
    result = solids_from_polygons(box() + box(1, (1, 0, 0)))
    assert volumes(result) == pytest.approx([1, 1])
    # The wall may be given once, twice, or once whole and once as triangles.
    first, second = box(), box(1, (1, 0, 0))
    wall = next(polygon for polygon in first if (polygon[:, 0] == 0.5).all())
    rest = [polygon for polygon in second if not (polygon[:, 0] == 0.5).all()]
    assert volumes(solids_from_polygons(first + rest)) == pytest.approx([1, 1])
    halves = [wall[[0, 1, 2]], wall[[0, 2, 3]]]
    assert volumes(solids_from_polygons(first + rest + halves)) == pytest.approx([1, 1])


def test_stack_of_boxes_gives_one_solid_per_box():
    heap = [polygon for i in range(3) for j in range(3) for k in range(3) for polygon in box(1, (i, j, k))]
    result = solids_from_polygons(heap)
    assert volumes(result) == pytest.approx([1] * 27)
    assert result.repairs == ("removed 54 faces that repeated another",)


@pytest.mark.parametrize("at", [(1, 1, 0), (1, 1, 1)], ids=["along an edge", "in a corner"])
def test_boxes_that_barely_touch_are_two_solids(at):
    assert volumes(solids_from_polygons(box() + box(1, at))) == pytest.approx([1, 1])


def test_corner_on_a_neighbouring_edge_is_joined_to_it():
    lid = next(polygon for polygon in box() if (polygon[:, 2] == 0.5).all())
    middle = [(lid[0] + lid[1]) / 2, (lid[2] + lid[3]) / 2]
    halves = [[lid[0], middle[0], middle[1], lid[3]], [middle[0], lid[1], lid[2], middle[1]]]
    rest = [polygon for polygon in box() if not (polygon[:, 2] == 0.5).all()]
    result = solids_from_polygons(rest + halves)
    assert volumes(result) == pytest.approx([1])
    assert result.repairs == ("inserted 2 corners into adjacent edges",)


def test_a_small_hole_is_closed():
    result = solids_from_polygons(polygons_of(shapes.sphere(1, 40))[5:])
    assert volumes(result) == pytest.approx([moments(shapes.sphere(1, 40)).volume], rel=1e-2)
    assert result.repairs[0] == "closed 1 hole"


def test_missing_lid_is_closed_only_on_request():
    tray = [polygon for polygon in box() if not (polygon[:, 2] == 0.5).all()]
    result = solids_from_polygons(tray)
    assert result.bodies == ()
    assert len(result.open_bodies[0].faces) == 5
    assert result.why_open == ("a hole with 4 edges, 1.414 m across, near (0, 0, 0.5) m is too large to close",)
    assert volumes(solids_from_polygons(tray, largest_hole=1.5)) == pytest.approx([1])


def test_a_hole_with_dents_is_closed_flat():
    outline = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]
    solid = extrude(make_contour(outline), 1).surface
    open_top = [polygon for polygon in polygons_of(solid) if not (polygon[:, 2] == 1).all()]
    result = solids_from_polygons(open_top, largest_hole=3)
    assert volumes(result) == pytest.approx([3])
    assert moments(result.bodies[0]).area == pytest.approx(moments(solid).area)


def test_box_with_a_fin_is_solid():
    fin = [[0.5, 0.5, -0.5], [0.5, 0.5, 0.5], [1.5, 1.5, 0.5], [1.5, 1.5, -0.5]]
    result = solids_from_polygons([*box(), fin])
    assert volumes(result) == pytest.approx([1])
    assert len(result.open_bodies) == 1
    assert "do not form a single ring" in result.why_open[0]


def test_a_sheet_encloses_nothing_even_when_its_rim_is_closed():
    sheet = [[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]]
    result = solids_from_polygons(sheet, largest_hole=9)
    assert result.bodies == ()
    assert result.why_open == ("it encloses no volume",)


def test_a_re_entrant_face_is_cut_into_convex_ones():
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    low, high = (np.c_[outline, np.full(6, z)] for z in (0.0, 1.0))
    sides = [np.array([low[i], low[(i + 1) % 6], high[(i + 1) % 6], high[i]]) for i in range(6)]
    result = solids_from_polygons([low[::-1], high, *sides])
    assert volumes(result) == pytest.approx([3])
    assert len(result.bodies[0].faces) == 10
    assert "split 2 faces, non-planar or non-convex" in result.repairs


def test_a_bent_face_is_cut_into_triangles():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    corners[7, 2] = 1.3
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    result = solids_from_polygons([corners[face] for face in faces])
    assert volumes(result)[0] == pytest.approx(1 + 0.3 / 6 * 2, rel=0.1)
    assert sorted(len(face) for face in result.bodies[0].faces) == [3, 3, 4, 4, 4, 4, 4]


def test_inward_shell_is_a_cavity_and_a_shell_inside_it_is_a_solid():
    hollow = box(4) + [polygon[::-1] for polygon in box(2)] + box(1)
    result = solids_from_polygons(hollow)
    assert volumes(result) == pytest.approx([64 - 8, 1])
    assert result.repairs == ("treated 1 surface facing inward as a cavity",)


def test_outward_shell_inside_another_is_a_separate_solid():
    assert volumes(solids_from_polygons(box(4) + box(2))) == pytest.approx([64, 8])


def test_inward_shell_outside_every_solid_is_not_a_cavity():
    beside = [polygon[::-1] for polygon in box(1, (9, 0, 0))]
    result = solids_from_polygons(box(4) + beside)
    assert volumes(result) == pytest.approx([64, 1])
    assert result.repairs == ("reversed 6 faces to face outward",)


def test_welding_no_polygons_gives_no_solids():
    result = solids_from_polygons([])
    assert (result.bodies, result.open_bodies, result.why_open, result.repairs) == ((), (), (), ())


def test_a_negative_tolerance_is_refused():
    with pytest.raises(ValueError, match="at least zero"):
        solids_from_polygons(box(), tolerance=-1)


def test_flat_points_are_no_polygon_in_space():
    with pytest.raises(ValueError, match=r"corners \(x, y, z\), not an array of shape \(3, 2\)"):
        solids_from_polygons([*box(), [[0, 0], [1, 0], [0, 1]]])


def test_a_hundred_thousand_triangles_are_welded():
    fine = shapes.torus(1.0, 0.3, 250, 200).surface
    heap = [fine.vertices[triangle] for triangle in triangles(fine)]
    assert len(heap) == 100_000
    assert volumes(solids_from_polygons(heap)) == pytest.approx([moments(fine).volume], rel=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 5))
def test_adjacent_solids_are_separated(seed, count):
    random = np.random.default_rng(seed)
    makers = [
        lambda: shapes.box(*random.uniform(0.2, 1, 3)),
        lambda: shapes.cylinder(0.4, 0.8, 9),
        lambda: shapes.sphere(0.5, 8),
        lambda: shapes.wedge(*random.uniform(0.2, 1, 3)),
    ]
    solids = [
        move_polyhedron(
            makers[random.integers(4)](), translation((3 * number, 0, 0)) @ from_euler(random.uniform(-3, 3, 3))
        )
        for number in range(count)
    ]
    heap = [(number, polygon) for number, solid in enumerate(solids) for polygon in polygons_of(solid)]
    random.shuffle(heap)
    result = solids_from_polygons([polygon for _, polygon in heap])
    order = list(dict.fromkeys(number for number, _ in heap))
    assert volumes(result) == pytest.approx([moments(solids[number]).volume for number in order], rel=1e-9)


def test_a_sector_with_its_axis_edge_is_welded():
    sector = revolve(make_contour(rectangle(1, 1, (0.5, 0))), 1.0, segments=20).surface
    assert volumes(solids_from_polygons(polygons_of(sector))) == pytest.approx([moments(sector).volume])
