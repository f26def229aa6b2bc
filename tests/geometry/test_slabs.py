"""Extrusions, and stacks of them, cut without error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry import circle, extrude, make_contour, move_solid, rectangle
from rck.geometry import primitives as shapes
from rck.geometry.slabs import cut_into_slabs
from rck.geometry.solid import solid_of
from rck.geometry.transforms import from_euler, translation
from rck.geometry.weld import solids_from_polygons

PLATE = extrude(make_contour(rectangle(2, 1), [circle(0.2, 12, (x, 0)) for x in (-0.5, 0.5)]), 0.1)
BRACKET = extrude(make_contour([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]), 1)


@settings(max_examples=20, deadline=None)
@given(angles=st.tuples(*[st.floats(-3, 3)] * 3), at=st.tuples(*[st.floats(-5, 5)] * 3))
def test_extrusion_is_split_like_its_contour_at_any_pose(angles, at):
    for solid in (PLATE, BRACKET):
        moved = move_solid(solid, translation(at) @ from_euler(angles))
        cut = cut_into_slabs(moved.surface)
        assert len(cut.pieces) <= len(solid.pieces) + 2
        assert sum(piece.volume for piece in cut.pieces) == pytest.approx(solid.volume, rel=1e-9)


def test_a_stack_of_extrusions_is_cut_level_by_level():
    base, step = rectangle(4, 4), rectangle(2, 2)
    floor = [np.c_[base, np.zeros(4)][::-1], np.c_[step, np.full(4, 2.0)]]
    walls = [
        [[*p, z0], [*q, z0], [*q, z1], [*p, z1]]
        for ring, z0, z1 in ((base, 0, 1), (step, 1, 2))
        for p, q in zip(ring, np.roll(ring, -1, axis=0), strict=True)
    ]
    terrace = [[[*base[k], 1], [*base[(k + 1) % 4], 1], [*step[(k + 1) % 4], 1], [*step[k], 1]] for k in range(4)]
    (body,) = solids_from_polygons([*floor, *walls, *terrace]).bodies
    cut = cut_into_slabs(body)
    assert sorted(piece.volume for piece in cut.pieces) == pytest.approx([4, 16])


def test_round_solids_are_no_stacks():
    assert cut_into_slabs(shapes.torus(1, 0.3).surface) is None
    assert cut_into_slabs(solid_of(shapes.sphere(1)).surface) is None


def test_a_solid_round_a_cavity_is_cut_too():
    outer, inner = solid_of(shapes.box(2, 2, 2)), solid_of(shapes.box(1, 1, 1))
    faces = [outer.surface.vertices[list(face)] for face in outer.surface.faces]
    faces += [inner.surface.vertices[list(face)][::-1] for face in inner.surface.faces]
    (body,) = solids_from_polygons(faces).bodies
    cut = cut_into_slabs(body)
    assert sum(piece.volume for piece in cut.pieces) == pytest.approx(7)
