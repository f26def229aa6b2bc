"""Mesh files as other programs read them."""

import io

import numpy as np
import pytest
import trimesh

from rck.geometry.mass_properties import moments
from rck.geometry.mesh import make_mesh
from rck.geometry.mesh_bytes import obj_bytes, stl_bytes
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.primitives import box, capsule, cone, cylinder, sphere
from rck.geometry.transforms import from_euler, translation

SHAPES = [
    box(0.1, 0.2, 0.3),
    cylinder(0.05, 0.2),
    cone(0.05, 0.1),
    capsule(0.02, 0.3),
    move_polyhedron(sphere(0.4), translation((1.0, -2.0, 3.0)) @ from_euler((0.3, 0.2, 0.1))),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("write", "kind", "digits"), [(stl_bytes, "stl", 2e-7), (obj_bytes, "obj", 1e-11)])
def test_a_mesh_file_read_by_trimesh_is_the_same_closed_solid(shape, write, kind, digits):
    mesh = trimesh.load(io.BytesIO(write(shape)), file_type=kind)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume == pytest.approx(moments(shape).volume, rel=1e-5)
    assert len(mesh.vertices) == len(shape.vertices)
    gaps = np.linalg.norm(mesh.vertices[:, None] - shape.vertices, axis=2).min(axis=0)
    assert gaps.max() <= digits * abs(shape.vertices).max() * 2


def test_an_stl_file_has_the_length_that_its_count_says_and_unit_normals():
    data = stl_bytes(sphere(0.5))
    count = int.from_bytes(data[80:84], "little")
    assert len(data) == 84 + 50 * count
    rows = np.frombuffer(data[84:], np.dtype([("normal", "<f4", 3), ("rest", "V38")]))
    assert np.linalg.norm(rows["normal"], axis=1) == pytest.approx(1.0, abs=1e-6)


def test_mesh_files_say_their_unit():
    assert b"metres" in stl_bytes(box(1.0, 1.0, 1.0))[:80]
    assert obj_bytes(box(1.0, 1.0, 1.0)).startswith(b"# in metres\n")


def test_triangle_without_area_has_a_zero_normal():
    flat = make_mesh([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)], [(0, 1, 2)])
    assert np.frombuffer(stl_bytes(flat)[84:96], "<f4").tolist() == [0.0, 0.0, 0.0]
