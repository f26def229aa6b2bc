"""Sweeps fill exactly what their surface encloses."""

from itertools import pairwise
from math import pi, sin, tan, tau

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry import circle, convex_hull, make_contour, rectangle
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import is_closed
from rck.geometry.partition import convex_partition
from rck.geometry.stations import sections_along
from rck.geometry.sweep import extrude, revolve, sweep_along

PLATE = make_contour(rectangle(0.2, 0.1), [circle(0.01, 24, (x, y)) for x in (-0.07, 0, 0.07) for y in (-0.03, 0.03)])
TUBE = make_contour(circle(0.02, 24), [circle(0.015, 24)])
BAR = make_contour(rectangle(0.02, 0.01))
ANGLE = make_contour([[0, 0], [0.02, 0], [0.02, 0.005], [0.005, 0.005], [0.005, 0.02], [0, 0.02]])
RISE = np.linspace(0, 1, 11)
UPWARD = np.c_[0 * RISE, 0 * RISE, RISE]
TURN = np.linspace(0, tau, 25)
HELIX = np.c_[0.1 * np.cos(TURN), 0.1 * np.sin(TURN), 0.02 * TURN]


def assert_tiled(solid):
    """The surface is closed; the pieces fill it and keep out of each other."""
    assert is_closed(solid.surface)
    enclosed = moments(solid.surface)
    filled = [moments(piece) for piece in solid.pieces]
    assert sum(one.volume for one in filled) == pytest.approx(enclosed.volume, rel=1e-9)
    assert sum(one.first for one in filled) == pytest.approx(enclosed.first, rel=1e-9, abs=1e-15)
    assert sum(one.second for one in filled) == pytest.approx(enclosed.second, rel=1e-9, abs=1e-15)
    inside = np.array([one.centroid for one in filled])
    for piece in solid.pieces:
        holds = (inside @ piece.planes[:, :3].T < piece.planes[:, 3] - 1e-12).all(axis=1)
        assert holds.sum() == 1


def polygon_area(radius, segments):
    return segments / 2 * radius**2 * sin(tau / segments)


@pytest.mark.parametrize("height", [0.005, -0.005])
def test_a_plate_with_holes_is_exact(height):
    solid = extrude(PLATE, height)
    assert_tiled(solid)
    area = 0.2 * 0.1 - 6 * polygon_area(0.01, 24)
    assert solid.volume == pytest.approx(area * 0.005, rel=1e-12)
    rim = 2 * (0.2 + 0.1) + 6 * 24 * 2 * 0.01 * sin(pi / 24)
    assert solid.area == pytest.approx(2 * area + rim * 0.005, rel=1e-12)
    assert np.sort([solid.surface.vertices[:, 2].min(), solid.surface.vertices[:, 2].max()]) == pytest.approx(
        np.sort([0, height])
    )


def test_a_tube_is_exact():
    solid = extrude(TUBE, 1.0)
    assert_tiled(solid)
    assert len(solid.pieces) == 24
    assert solid.volume == pytest.approx(polygon_area(0.02, 24) - polygon_area(0.015, 24), rel=1e-12)


def test_a_ring_is_exact():
    solid = revolve(make_contour(rectangle(0.02, 0.01, (0.05, 0))))
    assert_tiled(solid)
    assert len(solid.pieces) == 24
    flat = (polygon_area(0.06, 24) - polygon_area(0.04, 24)) * 0.01
    assert moments(solid.surface).volume == pytest.approx(flat, rel=1e-12)
    assert solid.volume == pytest.approx(pi * (0.06**2 - 0.04**2) * 0.01, rel=1e-12)


def test_a_ring_with_a_hollow_inside_is_exact():
    solid = revolve(make_contour(circle(0.02, 12, (0.1, 0)), [circle(0.01, 6, (0.1, 0))]), segments=16)
    assert_tiled(solid)
    section = polygon_area(0.02, 12) - polygon_area(0.01, 6)
    assert moments(solid.surface).volume == pytest.approx(section * 0.1 * 16 * sin(tau / 16), rel=1e-12)
    # Pappus: the section times the way of its centre.
    assert solid.volume == pytest.approx(section * 0.1 * tau, rel=1e-12)


@pytest.mark.parametrize("angle", [0.2, pi / 2, pi, 5.0, tau - 0.01])
def test_part_of_a_turn_has_two_more_faces_and_its_share_of_volume(angle):
    contour = make_contour([[0, 0], [0.1, 0], [0.1, 0.01], [0.02, 0.01], [0.02, 0.08], [0, 0.08]])
    solid = revolve(contour, angle, segments=24)
    assert_tiled(solid)
    steps = len(solid.pieces) // len(convex_partition(contour))
    section = (0.1**2 * 0.01 + 0.02**2 * 0.07) / 2
    assert angle / steps <= tau / 24 + 1e-12
    assert moments(solid.surface).volume == pytest.approx(steps * sin(angle / steps) * section, rel=1e-12)
    assert solid.volume == pytest.approx(angle * section, rel=1e-12)
    corners = solid.surface.vertices
    bearing = np.arctan2(corners[:, 1], corners[:, 0])[np.hypot(corners[:, 0], corners[:, 1]) > 1e-9] % tau
    assert bearing.max() == pytest.approx(angle)


@pytest.mark.parametrize(
    "outline",
    [[[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 1], [1, -1]], [[0, -1], [1, 0], [0, 1], [0.5, 0]]],
    ids=["a cone", "touching the axis in a point", "touching it in two points"],
)
@pytest.mark.parametrize("angle", [tau, 2.0])
def test_a_contour_may_touch_the_axis(outline, angle):
    assert_tiled(revolve(make_contour(outline), angle, segments=10))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: extrude(BAR, 0), "finite and not zero"),
        (lambda: extrude(BAR, float("inf")), "finite and not zero"),
        (lambda: revolve(BAR), "crosses the axis"),
        (lambda: revolve(make_contour(rectangle(1, 1, (2, 0))), 0), "at most one turn"),
        (lambda: revolve(make_contour(rectangle(1, 1, (2, 0))), 7), "at most one turn"),
        (lambda: revolve(make_contour(rectangle(1, 1, (2, 0))), segments=2), "at least 3 segments"),
        (lambda: sweep_along(BAR, [[0, 0, 0]]), "at least two stations"),
        (lambda: sweep_along(BAR, [[0, 0], [1, 1]]), "each position"),
        (lambda: sweep_along(BAR, [[0, 0, 0], [0, 0, 0]]), "step 0 of a sweep has no length"),
        (lambda: sweep_along(BAR, UPWARD, scale=0), "scale must be positive"),
        (lambda: sweep_along(BAR, UPWARD, twist=[1, 2]), "needs one finite twist, or 11 of them"),
        (lambda: sweep_along(BAR, UPWARD, [[0, 0, 1]]), "11 positions need the same number of directions, not 1"),
        (lambda: sweep_along(BAR, [[0, 0, 0], [0, 0, 1], [0, 0, 0]]), "turns back on itself at station 1"),
        (lambda: sweep_along(BAR, UPWARD[:2], [[0, 0, 1], [0, 0, -1]]), "turns back on itself between"),
        (lambda: sweep_along(make_contour(circle(0.2, 12)), HELIX), "stations 1 and 2 intersect"),
        (lambda: sweep_along(BAR, UPWARD[:2], twist=[0, 3]), "rotate too far in one step"),
        (lambda: sweep_along(BAR, UPWARD, -UPWARD - (0, 0, 1)), "stations 0 and 1 intersect"),
    ],
)
def test_impossible_sweeps_are_refused_with_the_reason(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_straight_sweep_is_an_extrusion():
    solid = sweep_along(TUBE, [[0, 0, 0], [0, 0, 0.3]], x_axis=(1, 0, 0))
    assert_tiled(solid)
    assert solid.volume == pytest.approx(extrude(TUBE, 0.3).volume, rel=1e-12)
    assert solid.moments.second == pytest.approx(extrude(TUBE, 0.3).moments.second, rel=1e-9, abs=1e-15)


def test_a_bar_keeps_its_profile_round_a_mitred_corner():
    solid = sweep_along(BAR, [[0, 0, 0], [0, 0, 0.2], [0.2, 0, 0.2], [0.2, 0.3, 0.2]])
    assert_tiled(solid)
    assert len(solid.pieces) == 3
    assert solid.volume == pytest.approx(0.02 * 0.01 * 0.7, rel=1e-12)


def test_a_taper_is_a_truncated_pyramid():
    solid = sweep_along(BAR, [[0, 0, 0], [0, 0, 1]], scale=[1, 0.5])
    assert_tiled(solid)
    assert len(solid.pieces) == 1
    assert solid.volume == pytest.approx(0.0002 * (1 + 0.5 + 0.25) / 3, rel=1e-12)


def test_stations_perpendicular_to_an_arc_make_the_solid_of_revolution():
    angles = np.linspace(0, pi / 2, 7)
    centres = np.c_[0.1 * np.cos(angles), 0.1 * np.sin(angles), 0 * angles]
    ahead = np.c_[-np.sin(angles), np.cos(angles), 0 * angles]
    solid = sweep_along(TUBE, centres, ahead)
    assert_tiled(solid)
    section = polygon_area(0.02, 24) - polygon_area(0.015, 24)
    assert solid.volume == pytest.approx(section * 0.1 * 6 * sin(pi / 12), rel=1e-12)


def test_convex_section_gives_one_piece_per_step_even_if_twisted():
    solid = sweep_along(BAR, UPWARD, twist=2 * RISE)
    assert_tiled(solid)
    assert len(solid.pieces) == 10
    sections = sections_along(BAR.points, UPWARD, twist=2 * RISE)
    hulls = [convex_hull(np.concatenate(pair)).volume for pair in pairwise(sections)]
    assert [piece.volume for piece in solid.pieces] == pytest.approx(hulls, rel=1e-12)


def test_excess_volume_of_a_twisted_bar_shrinks_with_more_stations():
    excess = []
    for steps in (20, 40, 80):
        rise = np.linspace(0, 1, steps + 1)
        excess.append(sweep_along(BAR, np.c_[0 * rise, 0 * rise, rise], twist=2 * rise).volume / 0.0002 - 1)
    assert 0 < excess[2] < 0.02
    assert excess[0] / excess[1] == pytest.approx(2, rel=0.1)
    assert excess[1] / excess[2] == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize(
    ("contour", "options"),
    [
        (TUBE, {"twist": RISE}),
        (ANGLE, {"twist": 0.6 * RISE, "scale": 1 + RISE}),
        (PLATE, {"twist": 0.1 * RISE, "scale": 1 - 0.5 * RISE}),
    ],
    ids=["tube", "angle", "plate"],
)
def test_sections_with_holes_and_dents_are_tiled_when_twisted_and_scaled(contour, options):
    stations = UPWARD[::5]
    solid = sweep_along(contour, stations, **{name: values[::5] for name, values in options.items()})
    assert_tiled(solid)


@pytest.mark.parametrize("contour", [BAR, ANGLE], ids=["bar", "angle"])
def test_a_helix_with_twist_is_tiled(contour):
    assert_tiled(sweep_along(contour, HELIX, twist=TURN / 2, scale=np.linspace(1, 0.6, 25)))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(3, 7))
def test_gentle_curves_are_tiled(seed, count):
    random = np.random.default_rng(seed)
    path = np.cumsum(np.c_[random.uniform(-0.3, 0.3, (count, 2)), np.full(count, 1.0)], axis=0)
    twist = np.cumsum(random.uniform(-0.15, 0.15, count))
    assert_tiled(sweep_along(ANGLE, path, scale=random.uniform(0.7, 1.3, count), twist=twist))


def test_the_profile_does_not_roll_along_a_helix():
    # Carried without twist, the x axis turns about the curve by nothing: each step is the shortest turn.
    sections = sections_along(np.array([[0.0, 0.0], [0.01, 0.0]]), HELIX)
    lines = np.diff(HELIX, axis=0)
    lines /= np.linalg.norm(lines, axis=1)[:, None]
    axes = sections[:, 1] - sections[:, 0]
    for before, after, line in zip(axes, axes[1:], lines, strict=False):
        square = [axis - (axis @ line) * line for axis in (before, after)]
        assert square[0] == pytest.approx(square[1], abs=1e-12)


def test_a_mitre_lies_in_the_plane_that_halves_the_bend():
    outline = np.array([[0.01, 0.0], [0.0, 0.01], [-0.01, -0.01]])
    section = sections_along(outline, [[0, 0, 0], [0, 0, 1], [1, 0, 1]], x_axis=(1, 0, 0))[1] - (0, 0, 1)
    assert section @ (1, 0, 1) == pytest.approx(np.zeros(3), abs=1e-15)
    assert np.linalg.norm(section[0]) == pytest.approx(0.01 / np.cos(pi / 4))
    assert tan(pi / 4) == pytest.approx(abs(section[0][2] / section[0][0]))
