"""Solids cut into convex pieces by CoACD, and what is said without it."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from rck.geometry import extrude, make_contour, make_mesh, solid_of
from rck.geometry import primitives as shapes
from rck.geometry.decomposition import DecomposerMissingError, decompose
from rck.geometry.mass_properties import moments

with_coacd = pytest.mark.skipif(find_spec("coacd") is None, reason="coacd is not installed")
ANGLE = extrude(make_contour([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]), 1).surface


@pytest.mark.parametrize("shape", [shapes.box(1, 2, 3), shapes.sphere(1, 12)], ids=["box", "ball"])
def test_convex_solid_stays_one_exact_piece(shape):
    found = decompose(solid_of(shape).surface)
    assert len(found.pieces) == 1
    assert found.pieces[0].volume == pytest.approx(moments(shape).volume, rel=1e-12)
    assert found.volume_error == pytest.approx(0, abs=1e-12)


@with_coacd
def test_an_angle_is_cut_in_two():
    found = decompose(ANGLE)
    assert len(found.pieces) == 2
    assert abs(found.volume_error) < 0.01
    assert sum(piece.volume for piece in found.pieces) == pytest.approx(3 * (1 + found.volume_error))


@with_coacd
def test_a_ring_keeps_its_hole():
    ring = shapes.torus(1.0, 0.3, 12, 6)
    found = decompose(ring.surface, tolerance=0.2)
    assert len(found.pieces) > 2
    assert not any((piece.planes[:, 3] > 0).all() for piece in found.pieces)
    assert -0.01 < found.volume_error < 0.3


@with_coacd
def test_the_same_seed_cuts_the_same_way(capfd):
    one, other = (decompose(ANGLE, seed=7) for _ in range(2))
    for a, b in zip(one.pieces, other.pieces, strict=True):
        assert np.array_equal(a.vertices, b.vertices)
    assert capfd.readouterr() == ("", "")


def test_missing_coacd_error_gives_the_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(DecomposerMissingError, match=r"pip install 'rck\[decompose\]'"):
        decompose(ANGLE)
    assert len(decompose(solid_of(shapes.box(1, 1, 1)).surface).pieces) == 1


@pytest.mark.parametrize("damage", ["open", "inside out"])
def test_open_surface_is_refused(damage):
    box = shapes.box(1, 1, 1)
    faces = box.faces[1:] if damage == "open" else [face[::-1] for face in box.faces]
    with pytest.raises(ValueError, match="closed surface"):
        decompose(make_mesh(box.vertices, faces))


def test_an_impossible_tolerance_is_refused():
    with pytest.raises(ValueError, match=r"0\.01 to 1, not 0"):
        decompose(ANGLE, tolerance=0)
