"""Solids move and join with their pieces."""

import numpy as np
import pytest

from rck.geometry import join_solids, move_solid, solid_of
from rck.geometry import primitives as shapes
from rck.geometry.mesh import is_closed
from rck.geometry.transforms import apply, from_euler, mirror, scaling, translation

RING = shapes.torus(0.1, 0.02, 12, 6)


@pytest.mark.parametrize(
    "matrix",
    [translation((1, 2, 3)) @ from_euler((0.1, 0.2, 0.3)), mirror((1, 1, 0)), scaling((1, 2, 3))],
    ids=["moved", "mirrored", "stretched"],
)
def test_pieces_and_surface_move_together(matrix):
    moved = move_solid(RING, matrix)
    assert is_closed(moved.surface)
    assert moved.volume == pytest.approx(RING.volume * abs(np.linalg.det(matrix[:3, :3])), rel=1e-12)
    assert sum(piece.volume for piece in moved.pieces) == pytest.approx(moved.volume, rel=1e-12)
    assert moved.centroid == pytest.approx(apply(matrix, RING.centroid), abs=1e-12)


def test_a_polyhedron_is_a_solid_of_one_piece():
    box = shapes.box(1, 2, 3)
    solid = solid_of(box)
    assert solid.pieces == (box,)
    assert solid.volume == pytest.approx(6)
    assert solid.area == pytest.approx(22)


def test_joined_solids_have_the_sum_of_the_volumes():
    both = join_solids([RING, move_solid(RING, translation((1, 0, 0)))])
    assert len(both.pieces) == 24
    assert both.volume == pytest.approx(2 * RING.volume, rel=1e-12)
    assert is_closed(both.surface)
