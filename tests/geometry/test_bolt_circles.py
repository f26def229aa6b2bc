"""Bolt circles among equal holes."""

import numpy as np
import pytest

from rck.geometry.bolt_circles import find_bolt_circles


def ring(diameter: float, count: int, start: float = 0.0, centre: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    angles = start + 2 * np.pi * np.arange(count) / count
    return centre + diameter / 2 * np.c_[np.cos(angles), np.sin(angles)]


def test_all_holes_on_one_circle_are_found():
    (circle,) = find_bolt_circles(ring(50, 6, 0.2, (10.0, 5.0)))
    assert circle.centre == pytest.approx([10, 5])
    assert 2 * circle.radius == pytest.approx(50)
    assert len(circle.holes) == 6


def test_two_circles_of_equal_holes_are_separated():
    found = find_bolt_circles(np.concatenate([ring(50, 6, centre=(0.0, 0.0)), ring(22, 4, 0.3, centre=(80.0, 3.0))]))
    assert [(len(one.holes), round(2 * one.radius, 6)) for one in found] == [(6, 50), (4, 22)]


def test_corners_of_a_rectangle_and_stray_holes_are_no_circle():
    corners = np.array([[0.0, 0.0], [80, 0], [80, 40], [0, 40]])
    assert find_bolt_circles(corners) == []
    assert find_bolt_circles(np.array([[0.0, 0.0], [80, 0]])) == []
    assert find_bolt_circles(np.zeros((0, 2))) == []


def test_three_of_several_holes_need_a_bore_in_their_middle():
    holes = np.concatenate([ring(30, 3), [[100.0, 0.0]]])
    assert find_bolt_circles(holes) == []
    (circle,) = find_bolt_circles(holes, [np.zeros(2)])
    assert circle.holes == (0, 1, 2)


def test_perforated_plate_has_no_circles():
    grid = np.array([[x, y] for x in range(10) for y in range(10)], dtype=float)
    assert find_bolt_circles(grid) == []
