"""Boxes are distinguished from other polyhedra at any pose."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.geometry.box_detection import box_of
from rck.geometry.polyhedron import convex_hull, move_polyhedron, sound_polyhedron
from rck.geometry.primitives import box, cylinder, prism, sphere, truncated_cone, wedge
from rck.geometry.transforms import apply, from_euler, translation

sides = st.tuples(*[st.floats(1e-3, 10.0)] * 3)
angles = st.tuples(*[st.floats(-np.pi, np.pi)] * 3)
offsets = st.tuples(*[st.floats(-10.0, 10.0)] * 3)


def corners(sides):
    return np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)]) * sides


def are_same_points(some, others):
    gaps = np.linalg.norm(some[:, None] - others, axis=2)
    return gaps.min(axis=0).max() < 1e-7 and gaps.min(axis=1).max() < 1e-7


@given(sides, angles, offsets)
def test_box_is_recognised_at_any_pose(sides, angles, offset):
    shape = move_polyhedron(box(*sides), translation(offset) @ from_euler(angles))
    found = box_of(shape)
    assert found is not None
    assert sorted(found.sides) == pytest.approx(sorted(sides), rel=1e-6)
    assert np.linalg.det(found.pose[:3, :3]) == pytest.approx(1.0)
    assert are_same_points(apply(found.pose, corners(found.sides)), shape.vertices)


@given(sides, offsets)
def test_axis_aligned_box_keeps_its_axes(sides, offset):
    found = box_of(move_polyhedron(box(*sides), translation(offset)))
    assert found is not None
    assert (found.pose[:3, :3] == np.eye(3)).all()
    assert found.pose[:3, 3] == pytest.approx(offset, abs=1e-9)
    assert found.sides == pytest.approx(sides, rel=1e-6)


def test_triangulated_box_is_recognised():
    plain = box(1.0, 2.0, 3.0)
    triangles = [(face[0], *pair) for face in plain.faces for pair in (face[1:3], face[2:4])]
    found = box_of(sound_polyhedron(plain.vertices, triangles))
    assert found is not None
    assert found.sides == pytest.approx((1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    "shape",
    [
        cylinder(1.0, 2.0),
        cylinder(1.0, 2.0, segments=3),
        sphere(1.0),
        wedge(1.0, 2.0, 3.0),
        truncated_cone(1.0, 0.9, 2.0, segments=4),
        prism([(0.0, 0.0), (1.0, 0.0), (1.3, 1.0), (0.3, 1.0)], 1.0),
        convex_hull([*permutations((0.0, 1.0, 3.0)), (0.0, 0.0, 0.0), (4.0, 4.0, 4.0)]),
    ],
)
def test_other_shapes_are_no_boxes(shape):
    assert box_of(shape) is None


def test_box_with_a_displaced_corner_is_not_a_box():
    points = box(1.0, 1.0, 1.0).vertices.copy()
    points[0] *= 1.001
    assert box_of(convex_hull(points)) is None
