"""Bounding capsules contain their hulls, and their gap never exceeds that of the hulls."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.collision.hulls import build_hulls
from rck.collision.scene import HullScene
from rck.geometry.primitives import box
from rck.model.robot_arrays import robot_arrays
from rck.testing.hard_pairs import awkward_pairs, awkward_shapes
from rck.testing.separation import separation


def shapes_of(loose, shapes):
    return build_hulls(robot_arrays(loose(shapes, [np.eye(4)] * len(shapes))).solids)


def test_every_corner_is_inside_the_capsule_of_its_hull(loose):
    tables = shapes_of(loose, awkward_shapes(80, seed=7))
    for hull in tables.table:
        corners = tables.corners[hull["first"] : hull["first"] + hull["count"]]
        half = hull["half_core"]
        length = half @ half
        shares = np.clip(corners @ half / length, -1.0, 1.0) if length > 0 else np.zeros(len(corners))
        away = np.linalg.norm(corners - shares[:, None] * half, axis=1)
        assert away.max() <= hull["capsule_radius"] + 1e-12
        assert np.linalg.norm(corners, axis=1).max() <= hull["radius"]


def test_capsule_of_rod_is_barely_thicker_than_rod(loose):
    (rod,) = shapes_of(loose, [box(0.02, 1.0, 0.02)]).table
    np.testing.assert_allclose(rod["capsule_radius"], np.hypot(0.01, 0.01), rtol=1e-9)
    np.testing.assert_allclose(np.abs(rod["half_core"]), (0.0, 0.5, 0.0), atol=1e-9)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_contacts_and_distances_of_degenerate_pairs_are_finite_symmetric_and_right(loose, seed):
    shapes = awkward_shapes(4, seed, most_vertices=60)
    for a, one, b, other in awkward_pairs(shapes, 4, seed):
        pair, swapped = (
            HullScene(loose([shapes[i], shapes[j]], poses))
            for i, j, poses in ((a, b, [one, other]), (b, a, [other, one]))
        )
        (here,), (there,) = pair.clearances([]), swapped.clearances([])
        assert np.isfinite([here.distance, *here.points[0], *here.points[1]]).all()
        assert abs(here.distance - there.distance) < 1e-8 + 1e-12 * abs(here.distance)
        gap = separation(shapes[a], one, shapes[b], other)
        assert here.distance >= gap - 1e-8
        if abs(gap) > 1e-7:
            assert pair.touches([]) == swapped.touches([]) == (gap < 0)
