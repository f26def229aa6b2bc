"""Contours: what is one, what is refused and why."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rck.geometry.contour import circle, contours_from_rings, make_contour, points_inside, rectangle, ring_area

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
SMALL = [[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]]


def shifted(ring, x, y):
    return np.array(ring) + np.array([x, y])


@pytest.mark.parametrize("backward", [False, True])
def test_rings_may_have_either_orientation(backward):
    step = -1 if backward else 1
    contour = make_contour(SQUARE[::step], [SMALL[::step]])
    assert ring_area(contour.main) == pytest.approx(1)
    assert ring_area(contour.holes[0]) == pytest.approx(-0.04)
    assert contour.area == pytest.approx(0.96)


def test_closing_repeated_and_collinear_points_are_removed():
    contour = make_contour([[0, 0], [0.5, 0], [0.7, 0], [1, 0], [1, 0], [1, 1], [0, 1], [0, 0.5], [0, 0]])
    assert {tuple(point) for point in contour.main.tolist()} == {tuple(map(float, corner)) for corner in SQUARE}


def test_next_corner_follows_each_ring():
    contour = make_contour(SQUARE, [SMALL])
    assert contour.following.tolist() == [1, 2, 3, 0, 5, 6, 7, 4]
    assert contour.points.shape == (8, 2)


@pytest.mark.parametrize(
    "ring",
    [
        [[0, 0], [1, 1], [1, 0], [0, 1]],
        [[0, 0], [2, 0], [2, 1], [1, 0], [0, 1]],
        [[0, 0], [3, 0], [3, 1], [2, 0.5], [2, 0], [1, 0], [1, 1], [0, 1]],
        [[0, 0], [1, 0], [1, 1], [1, 0.2], [0.5, 0.5]],
        [[0, 0], [1, 0], [0.5, 0.5], [1, 1], [0, 1], [0.5, 0.5]],
    ],
    ids=["crossing", "a corner on a side", "a side on a side", "a spike", "a corner twice"],
)
def test_self_intersecting_ring_is_refused(ring):
    with pytest.raises(ValueError, match="the main contour crosses or touches itself near"):
        make_contour(ring)


@pytest.mark.parametrize(
    ("holes", "message"),
    [
        ([shifted(SMALL, 2, 0)], "hole 1 lies outside the main contour"),
        ([shifted(SMALL, 0.5, 0)], "the main contour and hole 1 cross or touch each other"),
        ([shifted(SMALL, 0.4, 0)], "the main contour and hole 1 cross or touch each other"),
        ([SMALL, shifted(SMALL, 0.1, 0.1)], "hole 1 and hole 2 cross or touch each other"),
        ([SMALL, shifted(SMALL, 0.2, 0.0)], "hole 1 and hole 2 cross or touch each other"),
        ([circle(0.3, 8, (0.5, 0.5)), SMALL], "hole 2 lies inside hole 1"),
        ([circle(2.0, 8)], "hole 1 lies outside the main contour"),
    ],
    ids=["outside", "crossing", "touching", "crossing holes", "touching holes", "nested", "round the contour"],
)
def test_a_misplaced_hole_is_refused(holes, message):
    with pytest.raises(ValueError, match=message):
        make_contour(SQUARE, holes)


@pytest.mark.parametrize("ring", [[], [[0, 0]], [[0, 0], [1, 0]], [[0, 0], [1, 0], [2, 0]], [[1, 1]] * 4])
def test_a_ring_without_area_is_refused(ring):
    with pytest.raises(ValueError, match=r"has no area|list of points|touches itself"):
        make_contour(ring)


@pytest.mark.parametrize("ring", [[[0, 0, 0]] * 3, [[0, 0], [1, 0], [np.nan, 1]], [1, 2, 3]])
def test_wrong_point_array_is_refused(ring):
    with pytest.raises(ValueError, match="hole 1 is not a list of points"):
        make_contour(SQUARE, [ring])


def meets_itself(ring):
    """Whether a ring on whole numbers crosses, touches or folds back on itself, without any rounding."""

    def side(a, b, c):
        turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        return (turn > 0) - (turn < 0)

    def on(a, b, c):
        return side(a, b, c) == 0 and all(min(p, q) <= r <= max(p, q) for p, q, r in zip(a, b, c, strict=True))

    edges = list(zip(ring, ring[1:] + ring[:1], strict=True))
    for (i, (a, b)), (j, (c, d)) in combinations(enumerate(edges), 2):
        if j == i + 1 or (i == 0 and j == len(edges) - 1):
            far, near, tip = (d, b, a) if j == i + 1 else (c, a, b)
            if on(near, tip, far) or on(near, far, tip):
                return True
        elif any(on(*trio) for trio in ((a, b, c), (a, b, d), (c, d, a), (c, d, b))) or (
            side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)
        ):
            return True
    return False


@settings(max_examples=150, deadline=None)
@given(ring=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=7))
def test_self_intersecting_rings_are_detected(ring):
    assume(all(a != b for a, b in zip(ring, ring[1:] + ring[:1], strict=True)))
    try:
        make_contour(ring)
    except ValueError:
        assert meets_itself(ring)
    else:
        assert not meets_itself(ring)


def test_every_pair_of_many_edges_is_compared():
    # A comb whose last tooth crosses the first, all edges long and side by side.
    teeth = 900
    comb = [(float(x), 10.0 if x % 4 in (1, 2) else 1.0) for x in range(4 * teeth)]
    ring = [(0.0, 0.0), *comb, (4.0 * teeth, 0.0)]
    assert make_contour(ring).area > 0
    with pytest.raises(ValueError, match="touches itself"):
        make_contour([(0.0, 0.0), *comb, (0.5, 5.0), (4.0 * teeth, 0.0)])


def test_points_inside_and_outside_are_distinguished():
    ring = np.array([[0, 0], [4, 0], [4, 3], [2, 1], [0, 3]], dtype=float)
    probes = np.array([[1, 1], [2, 2], [3.5, 2], [-1, 1], [5, 1], [2, 0.5], [2, 0.999]])
    assert points_inside(probes, ring).tolist() == [True, False, True, False, False, True, True]


def test_rings_are_sorted_into_contours():
    target = [circle(radius, 16) for radius in (4, 3, 2, 1)]
    beside = rectangle(2, 2, (10, 0))
    contours = contours_from_rings([target[2], beside, target[0], target[3], target[1]])
    areas = sorted(contour.area for contour in contours)
    ring = 8 * np.sin(np.pi / 8)
    assert areas == pytest.approx([4.0, ring * (4 - 1), ring * (16 - 9)])
    assert sorted(len(contour.holes) for contour in contours) == [0, 1, 1]
    assert contours_from_rings([]) == ()


def test_a_circle_has_its_corners_on_the_circle():
    ring = circle(2.0, 7, (1.0, -1.0))
    assert np.linalg.norm(ring - (1, -1), axis=1) == pytest.approx(np.full(7, 2.0))
    assert ring[0] == pytest.approx([3, -1])
    assert ring_area(ring) == pytest.approx(7 / 2 * 4 * np.sin(2 * np.pi / 7))


@pytest.mark.parametrize("make", [lambda: circle(0), lambda: circle(1, 2), lambda: rectangle(1, -1)])
def test_rings_without_size_are_refused(make):
    with pytest.raises(ValueError, match="needs"):
        make()
