"""Flat drawings in braille: curves, line patterns, areas, and the view of a plane."""

import numpy as np
import pytest

from rck.kernels.planar_drawing import fill_rings
from rck.rendering import ColourDepth, ansi_text
from rck.rendering.planar_picture import (
    PlanarColours,
    PlanarView,
    fit_plane,
    pan_plane,
    planar_cells,
    planar_paths,
    rasterise,
    scale_bar,
    zoom_plane,
)

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
NOTHING = planar_paths([])


def closed(ring):
    return np.concatenate([ring, ring[:1]])


def circle(x, y, radius, steps=400):
    angle = np.arange(steps) * (2 * np.pi / steps)
    return np.c_[x + radius * np.cos(angle), y + radius * np.sin(angle)]


def lines_of(cells):
    return ansi_text(cells, ColourDepth.NONE).splitlines()


def test_square_is_drawn_with_straight_sides():
    paths = planar_paths([closed(SQUARE)])
    view = fit_plane(*np.array([[0.0, 0.0], [1.0, 1.0]]), 10, 5, 0.1)
    assert lines_of(planar_cells(rasterise(paths, NOTHING, view, 10, 5), NOTHING, view, [], None)) == [
        " ⡤⠤⠤⠤⠤⠤⠤⠤⡄",
        " ⡇       ⡇",
        " ⡇       ⡇",
        " ⡇       ⡇",
        " ⠧⠤⠤⠤⠤⠤⠤⠤⠃",
    ]


@pytest.mark.parametrize(
    ("pattern", "share"), [("solid", 1.0), ("dashed", 6 / 9), ("dotted", 1 / 3), ("centre", 12 / 18)]
)
def test_patterns_are_drawn_along_a_curve(pattern, share):
    view = PlanarView((0.5, 0.0), 1 / 400)
    line = np.c_[np.linspace(0, 1, 701), np.zeros(701)]
    raster = rasterise(planar_paths([line], [pattern]), NOTHING, view, 200, 2)
    assert (raster.ink >= 0).sum() == pytest.approx(400 * share, abs=6)


def test_later_curves_are_drawn_over_earlier_ones():
    line = np.array([[0.0, 0.5], [1.0, 0.5]])
    raster = rasterise(planar_paths([line, line]), NOTHING, PlanarView((0.5, 0.5), 0.02), 20, 5)
    assert set(raster.ink[raster.ink >= 0].tolist()) == {1}


def test_areas_are_those_of_the_rings():
    areas = planar_paths([SQUARE, circle(0.5, 0.5, 0.2)])
    view = PlanarView((0.5, 0.5), 0.004)
    raster = rasterise(NOTHING, areas, view, 200, 100)
    assert (raster.area == 1).sum() * view.scale**2 == pytest.approx(np.pi * 0.04, rel=0.01)
    assert (raster.area >= 0).sum() * view.scale**2 == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize("centre", [(-0.4, 0.5), (1.4, 0.5), (0.5, -0.4), (0.5, 1.4), (9.0, 9.0), (0.5, 0.5)])
def test_areas_that_leave_the_picture_are_cut_at_its_edge(centre):
    view = PlanarView(centre, 0.004)
    dots = np.indices((200, 200)).reshape(2, -1).T + 0.5
    raster = rasterise(NOTHING, planar_paths([circle(0.5, 0.5, 0.5)]), view, 100, 50)
    points = np.c_[(dots[:, 1] - 100) * view.scale + centre[0], (100 - dots[:, 0]) * view.scale + centre[1]]
    inside = np.hypot(*(points - 0.5).T)
    area = raster.area.ravel() >= 0
    assert area[inside < 0.499].all()
    assert not area[inside > 0.501].any()


def test_rings_with_repeated_points_and_no_area_fill_nothing():
    region = np.full((8, 8), -1, np.int32)
    points = np.array([[1, 1], [6, 1], [6, 1], [1, 1], [2, 2], [2, 2], [3.0, 3.0]])
    fill_rings(points, np.array([0, 4, 4, 6, 7]), region)
    assert (region == -1).all()


def test_coordinates_far_outside_the_picture_are_no_problem():
    far = np.array([[-1e9, 0.5], [1e9, 0.5], [1e9, 1e9], [-1e9, 1e9]])
    paths = planar_paths([closed(far)])
    raster = rasterise(paths, paths, PlanarView((0.0, 0.5), 0.01), 20, 10)
    assert (raster.ink[20] == 0).all() or (raster.ink[19] == 0).all()
    assert (raster.area[:19] == 0).all()
    assert (raster.area[21:] == -1).all()


def test_chosen_area_is_outlined_over_everything_and_filled():
    paths, areas = planar_paths([closed(SQUARE)]), planar_paths([SQUARE])
    view = fit_plane(*np.array([[0.0, 0.0], [1.0, 1.0]]), 20, 10)
    raster = rasterise(paths, areas, view, 20, 10)
    colours = PlanarColours(np.array([[9, 9, 9]], np.uint8), np.array([[50, 60, 70]], np.uint8), (0, 0, 0), (255, 0, 0))
    plain, chosen = (planar_cells(raster, areas, view, which, colours) for which in ([], [0]))
    np.testing.assert_array_equal(plain.codes, chosen.codes)
    drawn = plain.codes > 0x2800
    assert (plain.foreground[drawn] == (9, 9, 9)).all()
    assert (chosen.foreground[drawn] == (255, 0, 0)).all()
    assert plain.background[5, 10].tolist() == [50, 60, 70]
    assert plain.background[0, 0].tolist() == [0, 0, 0]


def test_chosen_area_is_dotted_without_colours():
    areas = planar_paths([SQUARE])
    view = fit_plane(*np.array([[0.0, 0.0], [1.0, 1.0]]), 20, 10)
    raster = rasterise(NOTHING, areas, view, 20, 10)
    assert (planar_cells(raster, areas, view, [], None).codes == ord(" ")).all()
    assert (planar_cells(raster, areas, view, [0], None).codes[1:9, 3:17] > 0x2800).all()


def test_zooming_keeps_the_point_under_the_pointer():
    view = PlanarView((0.3, -0.2), 0.01)
    point = view.point_at(7.5, 3.5, 40, 20)
    assert zoom_plane(view, 0.25, point).point_at(7.5, 3.5, 40, 20) == pytest.approx(point)


def test_panning_moves_the_picture_by_cells():
    view = PlanarView((0.3, -0.2), 0.01)
    point = view.point_at(10, 5, 40, 20)
    assert pan_plane(view, 3, -2).point_at(13, 3, 40, 20) == pytest.approx(point)


@pytest.mark.parametrize("scale", [1e-6, 3.3e-4, 0.02, 7.0])
def test_scale_bar_is_a_round_length_that_fits(scale):
    length, width = scale_bar(PlanarView((0, 0), scale), 16)
    first_digit = length / 10 ** np.floor(np.log10(length) + 1e-9)
    assert round(first_digit) in (1, 2, 5)
    assert first_digit == pytest.approx(round(first_digit))
    assert 6 <= width <= 16
    assert width == pytest.approx(length / (2 * scale), abs=0.5)
