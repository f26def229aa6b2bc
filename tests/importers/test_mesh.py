"""Mesh files: every format, units, axes, welding, convex pieces, masses."""

import json
import zipfile

import numpy as np
import pytest
import trimesh

from rck.geometry.mass_properties import moments
from rck.hooks import Cancelled, Job
from rck.model import Severity

RED = [255, 0, 0, 255]
FORMATS = ("stl", "stl_ascii", "obj", "ply", "off", "glb", "3mf", "dae")
PLY_OF_BILLIONS = (
    "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n"
    "property float z\nelement face 4000000000\nproperty list uchar int vertex_indices\nend_header\n"
)
NEEDS = {"dae": "collada", "3mf": "lxml"}


def wedge():
    """A convex solid without any symmetry, 30 x 20 x 10 units."""
    corners = [(0, 0, 0), (30, 0, 0), (0, 20, 0), (0, 0, 10), (30, 20, 0), (10, 5, 10)]
    return trimesh.convex.convex_hull(np.array(corners, dtype=float))


def angle_iron():
    """An L of 0.019 m3 in a hull of 0.0595 m3."""
    outline = [(0, 0), (1, 0), (1, 0.1), (0.1, 0.1), (0.1, 1), (0, 1)]
    return trimesh.creation.extrude_polygon(polygon(outline), 0.1)


def polygon(outline):
    shapely = pytest.importorskip("shapely.geometry")
    return shapely.Polygon(outline)


@pytest.fixture
def saved(tmp_path):
    """Write a mesh to a file of a kind."""

    def save(mesh, kind, name="part"):
        if kind in NEEDS:
            pytest.importorskip(NEEDS[kind])
        path = tmp_path / f"{name}.{kind.split('_')[0]}"
        content = trimesh.Scene(mesh).export(file_type=kind) if kind in ("glb", "3mf") else mesh.export(file_type=kind)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return save


def only(imported):
    assert imported.robot is not None, [str(finding) for finding in imported.findings]
    (item,) = imported.robot.items
    return item


def said(imported, code):
    return [finding.message for finding in imported.findings if finding.code == code]


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_solid(read, saved, kind):
    imported = read("mesh", saved(wedge(), kind), {"length-unit": "mm", "up": "z"})
    item = only(imported)
    (subitem,) = item.subitems
    assert subitem.shape.volume == pytest.approx(wedge().volume * 1e-9, rel=1e-5)
    np.testing.assert_allclose(np.ptp(subitem.shape.vertices, axis=0), (0.03, 0.02, 0.01), rtol=1e-5)
    assert item.visuals == ()


def test_format_without_unit_is_read_in_millimetres_with_a_note(read, saved):
    imported = read("mesh", saved(wedge(), "stl"))
    assert np.ptp(only(imported).subitems[0].shape.vertices[:, 0]) == pytest.approx(0.03)
    assert any("mm was assumed" in message for message in said(imported, 504))


def test_gltf_is_in_metres_with_y_up(read, saved):
    item = only(read("mesh", saved(wedge(), "glb")))
    np.testing.assert_allclose(np.ptp(item.subitems[0].shape.vertices, axis=0), (30, 10, 20), rtol=1e-5)


def test_unit_of_a_3mf_file_is_used(read, saved, tmp_path):
    path = saved(wedge(), "3mf")
    assert np.ptp(only(read("mesh", path)).subitems[0].shape.vertices[:, 0]) == pytest.approx(0.03)
    inches = tmp_path / "inches.3mf"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(inches, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(".model"):
                content = content.replace(b'unit="millimeter"', b'unit="inch"')
            new.writestr(name, content)
    assert b'unit="inch"' in zipfile.ZipFile(inches).read("3D/3dmodel.model")
    assert np.ptp(only(read("mesh", inches)).subitems[0].shape.vertices[:, 0]) == pytest.approx(30 * 0.0254)


def test_unit_and_up_axis_of_a_collada_file_are_used(read, saved):
    path = saved(wedge(), "dae")
    text = path.read_text()
    assert "<up_axis>" in text
    start, _, rest = text.partition("<up_axis>")
    path.write_text(f'{start}<unit name="inch" meter="0.0254"/><up_axis>Z_UP{rest[rest.index("</up_axis>") :]}')
    item = only(read("mesh", path))
    np.testing.assert_allclose(np.ptp(item.subitems[0].shape.vertices, axis=0), np.array([30, 20, 10]) * 0.0254)


def test_colours_are_imported(read, saved):
    mesh = wedge()
    mesh.visual.face_colors = RED
    assert only(read("mesh", saved(mesh, "ply"))).subitems[0].colour == pytest.approx((1, 0, 0, 1))


def test_extrusion_is_decomposed_exactly(read, saved):
    imported = read("mesh", saved(angle_iron(), "stl"), {"length-unit": "m"})
    item = only(imported)
    assert len(item.subitems) == 2
    assert item.mass == pytest.approx(19, rel=1e-6)
    assert item.visuals == ()


@pytest.mark.parametrize(("how", "volume"), [("hull", 0.1 * (0.19 + 0.405)), ("boxes", None)])
def test_hull_or_box_is_used_on_request_and_the_surface_is_kept_as_visual(read, saved, how, volume):
    imported = read("mesh", saved(angle_iron(), "stl"), {"length-unit": "m", "convex": how})
    item = only(imported)
    (subitem,) = item.subitems
    assert volume is None or subitem.shape.volume == pytest.approx(volume, rel=1e-6)
    assert subitem.shape.volume > 0.0595 - 1e-6
    assert moments(item.visuals[0].surface).volume == pytest.approx(0.019, rel=1e-6)
    # What it weighs is what the surface encloses, not what stands in for it.
    assert item.mass == pytest.approx(19, rel=1e-6)
    assert any("volume +" in message for message in said(imported, 310))


def test_as_is_accepts_only_convex_solids(read, saved):
    assert len(only(read("mesh", saved(wedge(), "stl"), {"convex": "as-is"})).subitems) == 1
    refused = read("mesh", saved(angle_iron(), "stl"), {"convex": "as-is"})
    assert refused.robot is None
    assert refused.findings[0].severity is Severity.ERROR
    assert "is not convex" in refused.findings[0].message


def test_curved_solid_is_decomposed_by_coacd_within_the_tolerance(read, saved):
    pytest.importorskip("coacd")
    bowl = trimesh.creation.annulus(0.3, 0.5, 0.2, sections=16)
    turned = bowl.copy()
    turned.apply_transform(trimesh.transformations.rotation_matrix(0.3, (1, 2, 3)))
    turned.vertices[:, 2] += 0.05 * turned.vertices[:, 0] ** 2  # so that no direction makes it an extrusion
    imported = read("mesh", saved(turned, "obj"), {"length-unit": "m", "tolerance": "0.2"})
    item = only(imported)
    assert len(item.subitems) > 1
    total = sum(one.shape.volume for one in item.subitems)
    assert total == pytest.approx(turned.volume, rel=0.25)
    assert item.mass == pytest.approx(1000 * turned.volume, rel=1e-6)


def test_bodies_can_become_items_of_one_rigid_part(read, saved):
    two = trimesh.util.concatenate([wedge(), wedge().apply_translation((100, 0, 0))])
    robot = read("mesh", saved(two, "stl"), {"items": "bodies"}).robot
    assert len(robot.items) == 2
    assert [(joint.kind.value, joint.moves) for joint in robot.joints] == [("fixed", (robot.items[1].name,))]
    assert len(read("mesh", saved(two, "stl")).robot.items) == 1


def test_objects_of_a_scene_can_become_named_items(read, tmp_path):
    scene = trimesh.Scene()
    scene.add_geometry(wedge(), node_name="base plate", geom_name="base plate")
    scene.add_geometry(wedge(), node_name="pin", geom_name="pin", transform=np.diag([2.0, 2, 2, 1]))
    path = tmp_path / "scene.glb"
    path.write_bytes(scene.export(file_type="glb"))
    robot = read("mesh", path, {"items": "objects", "length-unit": "mm"}).robot
    masses = {item.name: item.mass for item in robot.items}
    assert set(masses) == {"base-plate", "pin"}
    assert masses["pin"] == pytest.approx(8 * masses["base-plate"], rel=1e-5)


def test_mass_material_and_density_options_set_the_mass(read, saved):
    path = saved(wedge(), "stl")
    assert only(read("mesh", path, {"mass": "3"})).mass == pytest.approx(3)
    volume = only(read("mesh", path)).subitems[0].shape.volume
    assert only(read("mesh", path, {"material": "steel"})).mass == pytest.approx(7850 * volume)
    assert only(read("mesh", path, {"density": "2"})).mass == pytest.approx(2 * volume)


def test_nearly_coincident_vertices_are_welded(read, saved):
    mesh = wedge()
    soup = mesh.triangles + np.random.default_rng(0).uniform(-1e-4, 1e-4, mesh.triangles.shape)
    loose = trimesh.Trimesh(**trimesh.triangles.to_kwargs(soup), process=False)
    path = saved(loose, "stl")
    imported = read("mesh", path, {"weld": "0.001 mm"})
    assert only(imported).subitems[0].shape.volume == pytest.approx(mesh.volume * 1e-9, rel=1e-3)
    assert any("merged" in message for message in said(imported, 502))


def test_open_shell_is_refused_with_a_fix(read, saved):
    mesh = trimesh.creation.box((30, 20, 10))
    mesh.update_faces(np.arange(len(mesh.faces)) > 3)
    imported = read("mesh", saved(mesh, "stl"))
    assert imported.robot is None
    assert "is open" in imported.findings[0].message
    assert "hull" in imported.findings[0].fix
    assert only(read("mesh", saved(mesh, "stl"), {"convex": "hull"})).subitems


def test_hull_has_at_most_the_given_number_of_corners(read, saved):
    path = saved(trimesh.creation.icosphere(subdivisions=4, radius=10), "stl")
    imported = read("mesh", path, {"convex": "hull", "most-corners": "100"})
    shape = only(imported).subitems[0].shape
    assert len(shape.vertices) <= 100
    assert shape.volume == pytest.approx(4 / 3 * np.pi * 1e-6, rel=0.1)
    assert only(imported).visuals


@pytest.mark.parametrize("kind", ["dae", "3mf"])
def test_xml_with_a_document_type_is_refused_before_parsing(read, saved, tmp_path, kind):
    path = saved(wedge(), kind)
    doctype = b'<!DOCTYPE x [<!ENTITY a "b">]>'
    if kind == "dae":
        start, mark, rest = path.read_bytes().partition(b"<COLLADA")
        path.write_bytes(start + doctype + mark + rest)
    else:
        evil = tmp_path / "evil.3mf"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(evil, "w") as new:
            for name in old.namelist():
                new.writestr(name, old.read(name).replace(b"<model", doctype + b"<model"))
        path = evil
    imported = read("mesh", path)
    assert imported.robot is None
    assert "document type" in imported.findings[0].message


def test_archive_above_the_unpacked_size_limit_is_refused(read, tmp_path):
    pytest.importorskip("lxml")
    path = tmp_path / "bomb.3mf"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", b"<model>" + b" " * 5_000_000 + b"</model>")
    imported = read("mesh", path, {"most-megabytes": "1"})
    assert imported.findings[0].code == 509
    assert "unpacks" in imported.findings[0].message


def test_a_gltf_buffer_outside_the_folder_is_not_read(read, saved, tmp_path):
    scene = trimesh.Scene(wedge())
    files = trimesh.exchange.gltf.export_gltf(scene)
    (tmp_path / "inner").mkdir()
    for name, content in files.items():
        (tmp_path / ("" if name.endswith(".bin") else "inner") / name).write_bytes(content)
    path = tmp_path / "inner" / "model.gltf"
    tree = json.loads(path.read_text())
    for buffer in tree["buffers"]:
        buffer["uri"] = f"../{buffer['uri']}"
    path.write_text(json.dumps(tree))
    assert read("mesh", path).robot is None
    assert read("mesh", path, {"allow-outside": "yes"}).robot is not None


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_truncated_mesh_file_gives_an_error_or_a_robot(read, saved, kind, share):
    path = saved(wedge(), kind)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    imported = read("mesh", path)
    assert (imported.robot is None) == any(finding.severity is Severity.ERROR for finding in imported.findings)


@pytest.mark.parametrize(
    "text",
    [
        PLY_OF_BILLIONS,
        "OFF\n4000000000 4000000000 0\n",
        "v 1e400 0 0\nv nan 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 999999999\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    ],
    ids=["ply counts", "off counts", "not finite", "no such vertex", "flat"],
)
def test_wrong_counts_and_invalid_numbers_are_refused(read, written, text):
    ending = {"p": "ply", "O": "off", "v": "obj"}[text[0]]
    imported = read("mesh", written(f"bad.{ending}", text))
    assert imported.robot is None
    assert imported.findings[0].severity is Severity.ERROR


def test_reading_can_be_cancelled(read, saved):
    job = Job(lambda share, what: job.cancel())
    with pytest.raises(Cancelled):
        read("mesh", saved(wedge(), "stl"), job=job)
