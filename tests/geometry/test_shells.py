"""Closed surfaces found in heaps of faces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry import extrude, make_contour, make_mesh, move_polyhedron, polyhedron_from_mesh
from rck.geometry import primitives as shapes
from rck.geometry.bulk_polyhedra import convex_polyhedra, shell_surface
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import is_closed, joined_meshes, transformed
from rck.geometry.shells import closed_shells
from rck.geometry.transforms import from_euler, translation
from rck.geometry.vertex_merge import merge_corners
from rck.geometry.weld import solids_from_polygons


def box(x, y, z, at=(0, 0, 0)):
    return move_polyhedron(shapes.box(x, y, z), translation(at))


def heap(*solids, tolerance=1e-9):
    """All faces in one mesh, corners that coincide made one."""
    loose = joined_meshes([make_mesh(solid.vertices, solid.faces) for solid in solids])
    return merge_corners(loose, tolerance)[0]


def polygons(mesh):
    return [mesh.vertices[list(face)] for face in mesh.faces]


SMALL_ON_LARGE = {
    "inside the wall": ((1, 1, 1), (0, 0, 1)),
    "in a corner": ((1, 1, 1), (-0.5, -0.5, 1)),
    "along a whole edge": ((1, 2, 1), (-0.5, 0, 1)),
    "along two edges": ((2, 1, 1), (0, 0, 1)),
    "sticking out": ((2, 2, 1), (1, 0, 1)),
}


@pytest.mark.parametrize(("size", "at"), SMALL_ON_LARGE.values(), ids=SMALL_ON_LARGE)
def test_boxes_that_share_part_of_a_wall_are_two_solids(size, at):
    mesh = heap(box(2, 2, 1), box(*size, at))
    shells = closed_shells(mesh)
    assert shells.volumes == pytest.approx([4, np.prod(size)])
    welded = solids_from_polygons(polygons(mesh))
    assert len(welded.bodies) == 2
    assert welded.open_bodies == ()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 12))
def test_shells_are_found_for_any_orientation_of_faces(seed, count):
    random = np.random.default_rng(seed)
    solids = [box(*random.uniform(0.2, 0.9, 3), (k, 0, 0)) for k in range(count)]
    mesh = heap(*solids)
    faces = [face[::-1] if random.random() < 0.5 else face for face in mesh.faces]
    order = random.permutation(len(faces))
    shuffled = make_mesh(mesh.vertices, [faces[k] for k in order])
    shells = closed_shells(shuffled)
    assert sorted(shells.volumes) == pytest.approx(sorted(moments(solid).volume for solid in solids))
    assert all(is_closed(shell_surface(shuffled, shells, number)) for number in range(count))
    found = convex_polyhedra(shuffled, shells)
    assert [shape.volume for shape in found] == pytest.approx(shells.volumes)


def test_open_faces_are_in_no_shell():
    tray = make_mesh(box(1, 1, 1).vertices, box(1, 1, 1).faces[:-1])
    assert (closed_shells(tray).of_face == -1).all()
    twice = make_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [2, 1, 0]])
    assert closed_shells(twice).count == 0
    assert closed_shells(make_mesh(np.empty((0, 3)), [])).count == 0


def test_a_surface_with_one_side_is_not_a_shell():
    # Klein's bottle as a grid: one direction closes, the other closes with a twist.
    n = 6
    i, j = np.divmod(np.arange(n * n), n)
    corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
    quads = np.stack([(a % n) * n + np.where(a < n, b % n, -b % n) for a, b in corners], axis=1).tolist()
    points = np.random.default_rng(1).random((n * n, 3))
    assert closed_shells(make_mesh(points, quads)).count == 0


def test_many_shells_at_once_are_the_polyhedra_that_they_are_one_by_one():
    solids = [
        box(1, 1, 1),
        move_polyhedron(shapes.sphere(0.4), translation((3, 0, 0))),
        move_polyhedron(shapes.wedge(1, 1, 1), translation((6, 0, 0)) @ from_euler((0.3, 0.2, 0.1))),
    ]
    mesh = heap(*solids)
    for shape, solid in zip(convex_polyhedra(mesh, closed_shells(mesh)), solids, strict=True):
        again, flaws = polyhedron_from_mesh(make_mesh(shape.vertices, shape.faces))
        assert again is not None
        assert flaws == ()
        assert shape.volume == pytest.approx(moments(solid).volume)
        assert shape.planes == pytest.approx(again.planes)
        assert not shape.vertices.flags.writeable


def test_non_convex_shell_gives_none():
    bracket = extrude(make_contour([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]), 1).surface
    ring = transformed(shapes.torus(1.0, 0.3).surface, translation((9, 0, 0)))
    mesh = heap(bracket, ring, box(1, 1, 1, (5, 0, 0)))
    first, second, third = convex_polyhedra(mesh, closed_shells(mesh))
    assert (first, second) == (None, None)
    assert third is not None


def test_triangles_of_one_plane_become_one_face():
    cube = box(1, 1, 1)
    halves = [half for a, b, c, d in cube.faces for half in ((a, b, c), (a, c, d))]
    mesh = make_mesh(cube.vertices, halves)
    (shape,) = convex_polyhedra(mesh, closed_shells(mesh))
    assert len(shape.faces) == 6


def test_large_shells_are_checked_one_by_one():
    ball = shapes.sphere(1.0, 48)
    (shape,) = convex_polyhedra(heap(ball), closed_shells(heap(ball)))
    assert len(shape.faces) * len(shape.vertices) > 1_000_000
    assert shape.volume == pytest.approx(moments(ball).volume)
