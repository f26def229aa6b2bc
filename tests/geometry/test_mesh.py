"""Meshes: edges, triangles, what is closed, and what surrounds a point."""

import numpy as np
import pytest

from rck.geometry import primitives as shapes
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import (
    edges,
    face_area_vectors,
    is_closed,
    joined_meshes,
    make_mesh,
    select_faces,
    surrounds,
    transformed,
    triangles,
)
from rck.geometry.solid import solid_of
from rck.geometry.transforms import mirror, translation

BOX = solid_of(shapes.box(1, 2, 3)).surface


def test_a_box_has_twelve_edges_and_twelve_triangles():
    assert len(edges(BOX)) == 12
    assert len(triangles(BOX)) == 12
    assert is_closed(BOX)


def test_triangles_fan_from_the_first_vertex_of_each_face():
    mixed = make_mesh(np.zeros((6, 3)), [[3, 1, 2], [0, 1, 2, 3, 4], [5, 4, 3, 2]])
    fans = [[3, 1, 2], [0, 1, 2], [0, 2, 3], [0, 3, 4], [5, 4, 3], [5, 3, 2]]
    assert triangles(mixed).tolist() == fans


def test_area_vectors_of_a_closed_surface_cancel():
    vectors = face_area_vectors(shapes.sphere(1, 9, 5))
    assert vectors.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("damage", ["missing", "turned", "twice"])
def test_a_damaged_surface_is_not_closed(damage):
    faces = list(BOX.faces)
    faces = {"missing": faces[1:], "turned": [faces[0][::-1], *faces[1:]], "twice": [*faces, faces[0]]}[damage]
    assert not is_closed(make_mesh(BOX.vertices, faces))


def test_mirrored_mesh_keeps_outward_faces():
    assert moments(transformed(BOX, mirror((1, 0, 0), (2, 0, 0)))).volume == pytest.approx(6)


def test_selected_faces_bring_only_their_own_vertices():
    part = select_faces(BOX, np.array([4, 0]), np.array([True, False]))
    assert len(part.vertices) == 6
    corners = [[tuple(part.vertices[v]) for v in face] for face in part.faces]
    assert corners[0] == [tuple(BOX.vertices[v]) for v in BOX.faces[4][::-1]]
    assert corners[1] == [tuple(BOX.vertices[v]) for v in BOX.faces[0]]


def test_joined_meshes_keep_all_faces():
    both = joined_meshes([BOX, transformed(BOX, translation((5, 0, 0)))])
    assert len(both.faces) == 12
    assert is_closed(both)
    assert moments(both).volume == pytest.approx(12)


def test_closed_surface_surrounds_inner_points():
    ring = shapes.torus(1.0, 0.3).surface
    assert surrounds(ring, np.array([1.0, 0.0, 0.1]))
    assert not surrounds(ring, np.array([0.0, 0.0, 0.0]))
    assert not surrounds(ring, np.array([1.4, 0.0, 0.0]))
