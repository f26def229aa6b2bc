"""Solids of drawings: faces, meshes and ACIS bodies close to polyhedra."""

import numpy as np
import pytest
from ezdxf.acis.api import body_from_mesh, export_dxf
from ezdxf.render import MeshBuilder, forms

from rck.geometry import circle, make_contour, moments, revolve

VERSIONS = ("R12", "R2000", "R2004", "R2007", "R2010", "R2013", "R2018")
WHOLE_BOX = pytest.approx([1, 2, 3, 11, 22, 33])
SIZE, AT = (10.0, 20.0, 30.0), (1.0, 2.0, 3.0)


def mesh_of(polygons):
    mesh = MeshBuilder()
    for polygon in polygons:
        mesh.add_face([tuple(corner) for corner in polygon])
    return mesh


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("version", VERSIONS)
def test_3dfaces_of_every_version_form_a_box(desk, version, binary):
    document = desk.new(version)
    desk.add_box(document.modelspace(), SIZE, AT, layer="BASE", color=1)
    if version == "R12":
        # Release 12 has no $INSUNITS.
        document.header["$INSUNITS"] = 4
    robot = desk.robot(document, binary=binary, length_unit="mm")
    (item,) = robot.items
    assert item.name == "BASE"
    (subitem,) = item.subitems
    assert desk.volume(robot) == pytest.approx(6000)
    assert desk.extent(robot) == WHOLE_BOX
    assert subitem.colour == (1.0, 0.0, 0.0, 1.0)
    assert len(subitem.shape.faces) == 6


@pytest.mark.parametrize("version", VERSIONS)
def test_polyface_meshes_form_a_box(desk, version):
    document = desk.new(version)
    mesh_of(desk.box(SIZE, AT)).render_polyface(document.modelspace(), dxfattribs={"color": 3})
    robot = desk.robot(document, length_unit="mm")
    assert desk.extent(robot) == WHOLE_BOX
    assert desk.volume(robot) == pytest.approx(6000)
    assert robot.items[0].subitems[0].colour == (0.0, 1.0, 0.0, 1.0)


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_meshes_form_a_box(desk, version):
    document = desk.new(version)
    mesh_of(desk.box(SIZE, AT)).render_mesh(document.modelspace())
    assert desk.extent(desk.robot(document)) == WHOLE_BOX


@pytest.mark.parametrize("version", VERSIONS[1:])
@pytest.mark.parametrize("kind", ["3DSOLID", "BODY"])
def test_planar_acis_solids_are_imported(desk, version, kind):
    document = desk.new(version)
    layout = document.modelspace()
    solid = layout.add_3dsolid() if kind == "3DSOLID" else layout.add_body()
    export_dxf(solid, [body_from_mesh(mesh_of(desk.box(SIZE, AT)))])
    robot = desk.robot(document)
    assert desk.volume(robot) == pytest.approx(6000)
    assert desk.extent(robot) == WHOLE_BOX


@pytest.mark.parametrize("version", VERSIONS)
def test_polygon_mesh_closed_in_both_directions_is_a_ring(desk, version):
    document = desk.new(version)
    m, n = 6, 4
    mesh = document.modelspace().add_polymesh((m, n))
    for i in range(m):
        for j in range(n):
            a, b = 2 * np.pi * i / m, 2 * np.pi * j / n
            radius = 20 + 5 * np.cos(b)
            mesh.set_mesh_vertex((i, j), (radius * np.cos(a), radius * np.sin(a), 5 * np.sin(b)))
    mesh.close(m_close=True, n_close=True)
    imported = desk.read(document, length_unit="mm", tolerance=0.2)
    ring = revolve(make_contour(circle(5, n, (20, 0))), segments=m)
    assert imported.robot.items[0].mass == pytest.approx(2700e-9 * moments(ring.surface).volume)
    assert "volume" in desk.said(imported)


@pytest.mark.parametrize("kind", ["solid", "trace"])
@pytest.mark.parametrize("thickness", [4.0, -4.0])
def test_solids_and_traces_with_thickness_are_prisms(desk, kind, thickness):
    document = desk.new("R12")
    add = getattr(document.modelspace(), f"add_{kind}")
    add([(0, 0), (10, 0), (0, 5), (10, 5)], dxfattribs={"thickness": thickness, "color": 5})
    robot = desk.robot(document, length_unit="mm")
    assert desk.volume(robot) == pytest.approx(200)
    assert desk.extent(robot) == pytest.approx([0, 0, min(0, thickness), 10, 5, max(0, thickness)])
    assert robot.items[0].subitems[0].colour == (0.0, 0.0, 1.0, 1.0)


def test_a_solid_of_three_corners_is_a_wedge(desk):
    document = desk.new()
    document.modelspace().add_solid([(0, 0), (10, 0), (0, 6)], dxfattribs={"thickness": 2})
    assert desk.volume(desk.robot(document)) == pytest.approx(60)


def test_solid_without_thickness_is_ignored_and_reported(desk):
    document = desk.new()
    desk.add_box(document.modelspace())
    document.modelspace().add_solid([(0, 0), (10, 0), (0, 5), (10, 5)])
    imported = desk.read(document)
    assert "1 SOLID without thickness" in desk.said(imported)


def test_solids_lie_in_the_plane_of_their_extrusion(desk):
    document = desk.new()
    attributes = {"thickness": 3, "extrusion": (1, 0, 0)}
    document.modelspace().add_solid([(0, 0), (10, 0), (0, 5), (10, 5)], dxfattribs=attributes)
    # Looking along x, the drawing's x is the world's y and its y the world's z.
    assert desk.extent(desk.robot(document)) == pytest.approx([0, 0, 0, 3, 10, 5])


def smooth_cube(desk, levels):
    document = desk.new("R2018")
    with document.modelspace().add_mesh({"subdivision_levels": levels}).edit_data() as data:
        cube = forms.cube()
        data.vertices, data.faces = list(cube.vertices), list(cube.faces)
    return desk.robot(document, length_unit="m")


def test_smooth_mesh_is_subdivided_by_catmull_clark(desk):
    assert desk.extent(smooth_cube(desk, 0)) == pytest.approx([-500] * 3 + [500] * 3)
    (subitem,) = smooth_cube(desk, 1).items[0].subitems
    # Of a cube of side 1: middles of faces stay, those of edges come in to 3/8, corners to 5/18.
    places = np.sort(np.abs(subitem.shape.vertices), axis=1)
    rules = np.array([[0, 0, 1 / 2], [0, 3 / 8, 3 / 8], [5 / 18, 5 / 18, 5 / 18]])
    counts = [int(np.isclose(places, rule).all(axis=1).sum()) for rule in rules]
    assert counts == [6, 12, 8]


def test_every_smoothing_level_adds_a_subdivision(desk):
    masses = [smooth_cube(desk, levels).items[0].mass for levels in range(4)]
    assert masses == sorted(masses, reverse=True)
    shrinking = -np.diff(masses)
    assert shrinking[0] > 3 * shrinking[1] > 9 * shrinking[2]


def test_creases_keep_a_smooth_mesh_sharp(desk):
    document = desk.new("R2018")
    with document.modelspace().add_mesh({"subdivision_levels": 2}).edit_data() as data:
        cube = forms.cube()
        data.vertices, data.faces = list(cube.vertices), list(cube.faces)
        edges = {tuple(sorted(edge)) for face in data.faces for edge in zip(face, face[1:] + face[:1], strict=True)}
        data.edges = sorted(edges)
        data.edge_crease_values = [-1.0] * len(edges)
    assert desk.robot(document, length_unit="m").items[0].mass == pytest.approx(2700)


def test_faces_of_either_orientation_are_accepted(desk):
    document = desk.new()
    for number, face in enumerate(desk.box(SIZE, AT)):
        document.modelspace().add_3dface(face[::-1] if number % 2 else face)
    assert desk.volume(desk.robot(document)) == pytest.approx(6000)


def test_body_with_faces_of_several_colours_gets_the_most_common_one(desk):
    document = desk.new()
    for number, face in enumerate(desk.box()):
        document.modelspace().add_3dface(face, dxfattribs={"color": 1 if number < 4 else 3})
    robot = desk.robot(document)
    assert [subitem.colour for item in robot.items for subitem in item.subitems] == [(1.0, 0.0, 0.0, 1.0)]


def test_body_may_consist_of_several_entities_and_layers(desk):
    document = desk.new()
    faces = desk.box(SIZE, AT)
    for number, part in enumerate((faces[:2], faces[2:4])):
        mesh_of(part).render_polyface(document.modelspace(), dxfattribs={"layer": f"PART{number}"})
    for face in faces[4:]:
        document.modelspace().add_3dface(face, dxfattribs={"layer": "LID"})
    robot = desk.robot(document)
    assert len(robot.items) == 1
    assert desk.volume(robot) == pytest.approx(6000)


@pytest.mark.parametrize(
    ("size", "at"),
    [((5, 5, 5), (1, 1, 30)), ((5, 20, 5), (0, 0, 30)), ((10, 20, 5), (0, 0, 30)), ((30, 5, 5), (3, 3, 30))],
    ids=["on the wall", "along an edge", "wall on wall", "sticking out"],
)
def test_stacked_boxes_are_two_solids(desk, size, at):
    document = desk.new()
    desk.add_box(document.modelspace())
    desk.add_box(document.modelspace(), size, at)
    robot = desk.robot(document)
    volumes = sorted(subitem.shape.volume * 1e9 for subitem in robot.items[0].subitems)
    assert volumes == pytest.approx(sorted([6000, np.prod(size)]))


def test_shared_wall_drawn_once_belongs_to_both_boxes(desk):
    document = desk.new()
    desk.add_box(document.modelspace())
    for face in desk.box(at=(0, 0, 30)):
        if not (face[:, 2] == 30).all():
            document.modelspace().add_3dface(face)
    assert len(desk.robot(document).items[0].subitems) == 2


def test_nonconvex_extrusions_are_decomposed_exactly(desk):
    document = desk.new()
    outline = [(0, 0), (30, 0), (30, 10), (10, 10), (10, 30), (0, 30)]
    forms.extrude(outline, [(0, 0, 0), (0, 0, 5)], close=True, caps=True).render_mesh(document.modelspace())
    imported = desk.read(document)
    assert desk.volume(imported.robot) == pytest.approx(500 * 5)
    assert len(imported.robot.items[0].subitems) == 2
    assert "was cut into 2 convex pieces, exactly" in desk.said(imported)


def test_other_solids_are_decomposed_within_a_tolerance_and_the_error_is_reported(desk):
    document = desk.new()
    forms.torus(16, 8, 5.0, 3.0).render_mesh(document.modelspace())
    imported = desk.read(document, tolerance=0.3)
    assert "convex pieces within 0.3; volume" in desk.said(imported)
    hull = desk.read(document, hull="yes")
    assert len(hull.robot.items[0].subitems) == 1
    assert "replaced by its hull; volume +" in desk.said(hull)
    # The mass is that of the true solid either way.
    assert hull.robot.items[0].mass == pytest.approx(imported.robot.items[0].mass)


def test_a_cavity_is_hollow(desk):
    document = desk.new("R2010")
    inner = [polygon[::-1] for polygon in desk.box((4, 4, 4), (3, 3, 3))]
    mesh_of([*desk.box((10, 10, 10)), *inner]).render_mesh(document.modelspace())
    assert desk.volume(desk.robot(document)) == pytest.approx(1000 - 64)


def test_small_holes_are_closed_and_reported(desk):
    document = desk.new()
    sphere = forms.sphere(32, 16, 10)
    sphere.faces = list(sphere.faces)[3:]
    sphere.render_mesh(document.modelspace())
    imported = desk.read(document)
    assert imported.robot is not None
    assert "repaired: closed 1 hole" in desk.said(imported)
