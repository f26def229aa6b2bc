"""Contours cut into triangles and convex polygons, exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry.contour import circle, contours_from_rings, make_contour, rectangle, ring_area
from rck.geometry.partition import convex_partition, convex_polygons, triangulate
from rck.support.finding import Cancelled
from rck.support.job import Job


def assert_tiles(contour, polygons):
    points = contour.points
    size = float(np.ptp(points, axis=0).max())
    edges = [edge for polygon in polygons for edge in zip(polygon, polygon[1:] + polygon[:1], strict=True)]
    outline = set(enumerate(contour.following.tolist()))
    assert len(edges) == len(set(edges))
    assert all((edge in outline) or (edge[::-1] in set(edges)) for edge in edges)
    assert outline <= set(edges)
    rings = [points[list(polygon)] for polygon in polygons]
    assert sum(map(ring_area, rings)) == pytest.approx(contour.area, rel=1e-12)
    for ring in rings:
        along = np.roll(ring, -1, axis=0) - ring
        after = np.roll(along, -1, axis=0)
        turns = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
        assert (turns >= -1e-12 * size * np.hypot(*along.T)).all()
        # Once round, not twice.
        turned = np.arctan2(turns, (along * after).sum(axis=1)).sum()
        assert turned == pytest.approx(2 * np.pi)


def test_a_convex_contour_is_one_polygon():
    assert convex_partition(make_contour(circle(1, 30))) == (tuple(range(30)),)


def test_l_shaped_contour_is_two_polygons():
    contour = make_contour([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
    polygons = convex_partition(contour)
    assert len(polygons) == 2
    assert_tiles(contour, polygons)


def test_a_tube_has_no_more_pieces_than_sides():
    contour = make_contour(circle(2, 24), [circle(1, 24)])
    polygons = convex_partition(contour)
    assert len(polygons) <= 24
    assert_tiles(contour, polygons)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(4, 60))
def test_stars_are_tiled(seed, count):
    random = np.random.default_rng(seed)
    angles = (np.arange(count) + random.uniform(0, 0.9, count)) * (2 * np.pi / count)
    star = random.uniform(0.2, 1, count)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    contour = make_contour(star)
    assert_tiles(contour, convex_partition(contour))
    assert_tiles(contour, triangulate(contour))


@settings(max_examples=30, deadline=None)
@given(
    columns=st.integers(1, 4),
    rows=st.integers(1, 4),
    sides=st.integers(3, 9),
    angle=st.floats(0, 3),
    seed=st.integers(0, 10**6),
)
def test_plates_with_holes_in_rows_are_tiled(columns, rows, sides, angle, seed):
    # Holes in rows put many corners on one line, rounded to either side of it.
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    kept = np.random.default_rng(seed).random((columns, rows)) < 0.8
    holes = [circle(0.3, sides, (i + 0.5, j + 0.5)) @ turn for i, j in np.argwhere(kept)]
    contour = make_contour(rectangle(columns, rows, (columns / 2, rows / 2)) @ turn, holes)
    assert_tiles(contour, convex_partition(contour))


@settings(max_examples=30, deadline=None)
@given(cells=st.lists(st.booleans(), min_size=25, max_size=25))
def test_outlines_on_a_grid_are_tiled(cells):
    # The outline of the filled squares: all angles right, most corners in line with others.
    filled = np.zeros((7, 7), dtype=bool)
    filled[1:6, 1:6] = np.array(cells).reshape(5, 5)
    edges = {}
    for i, j in np.argwhere(filled).tolist():
        corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
        beyond = [(i, j - 1), (i + 1, j), (i, j + 1), (i - 1, j)]
        for start, end, other in zip(corners, corners[1:] + corners[:1], beyond, strict=True):
            if not filled[other]:
                edges.setdefault(start, []).append(end)
    rings = []
    while edges:
        ring = [next(iter(edges))]
        while ring[-1] in edges:
            following = edges[ring[-1]].pop()
            if not edges[ring[-1]]:
                del edges[ring[-1]]
            ring.append(following)
        rings.append(np.array(ring[:-1], dtype=float))
    try:
        contours = contours_from_rings(rings)
    except ValueError:
        return  # squares that meet corner to corner
    assert sum(contour.area for contour in contours) == pytest.approx(filled.sum())
    for contour in contours:
        assert_tiles(contour, convex_partition(contour))


def test_thousands_of_corners_are_tiled():
    angles = np.arange(3000) * (2 * np.pi / 3000)
    radii = 1 + 0.1 * np.sign(np.sin(50 * angles + 0.01))
    gear = make_contour(radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1), [circle(0.3, 60)])
    assert_tiles(gear, convex_partition(gear))


def test_triangles_are_delaunays():
    contour = make_contour(circle(3, 12), [circle(1, 12, (0.5, 0))])
    triangles = triangulate(contour)
    outline = set(enumerate(contour.following.tolist()))
    tips = {
        (a, b): c for i, j, k in triangles for a, b, c in ((i, j, k), (j, k, i), (k, i, j)) if (a, b) not in outline
    }

    def angle_at(tip, a, b):
        u, v = contour.points[a] - contour.points[tip], contour.points[b] - contour.points[tip]
        return np.arccos(u @ v / np.linalg.norm(u) / np.linalg.norm(v))

    for (a, b), tip in tips.items():
        assert angle_at(tip, a, b) + angle_at(tips[b, a], a, b) < np.pi + 1e-6


def test_polygons_are_given_as_corners_too():
    contour = make_contour(rectangle(2, 1), [rectangle(1, 0.5)])
    assert sum(map(ring_area, convex_polygons(contour))) == pytest.approx(1.5)


def perforated(count):
    holes = [circle(0.3, 8, (i + 0.5, j + 0.5)) for i in range(count) for j in range(count)]
    return make_contour(rectangle(count, count, (count / 2, count / 2)), holes)


def test_hundreds_of_holes_are_tiled_with_progress():
    contour, shares = perforated(16), []
    assert_tiles(contour, convex_partition(contour, Job(lambda share, _: shares.append(share))))
    assert shares == sorted(shares)
    assert len(shares) > 4
    assert 0 <= shares[0] < 0.1 < 0.9 < shares[-1] <= 1


@pytest.mark.parametrize("until", [0.0, 0.3, 0.7])
def test_partition_stops_when_its_job_is_cancelled(until):
    def cancel(share, _):
        if share >= until:
            job.cancel()

    job = Job(cancel)
    with pytest.raises(Cancelled):
        convex_partition(perforated(16), job)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=6, max_size=30, unique=True), st.integers(0, 9)
)
def test_combs_and_spirals_through_points_of_a_grid_are_tiled(points, seed):
    # Visited in the order of angle about an outside point and back along the hull: many corners share x, y or a line.
    order = sorted(points, key=lambda point: (np.arctan2(point[1] + 1, point[0] + 2 + seed), point))
    try:
        contour = make_contour([*order, (7 + seed, 9), (-1, 9)])
    except ValueError:
        return  # it crosses or touches itself
    assert_tiles(contour, triangulate(contour))
    assert_tiles(contour, convex_partition(contour))
