"""What every importer of robots keeps to: content over endings, no entities, no escapes, limits, progress, a stop."""

from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry.primitives import box
from rck.hooks import Cancelled, Imported, Job, discover
from rck.hooks.file_exchange import compile_imported, importer_for
from rck.model import RckError, Severity

URDF = """<robot name="r"><link name="a"><collision><geometry><mesh filename="{mesh}"/></geometry></collision></link>
<link name="b"><inertial><mass value="1"/></inertial></link><joint name="j" type="revolute"><parent link="a"/>
<child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
MJCF = """<mujoco><asset><mesh name="m" file="{mesh}"/></asset><worldbody><body name="a"><joint name="j"/>
<geom type="mesh" mesh="m"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><link name="a"><collision name="c"><geometry><mesh><uri>{mesh}</uri></mesh>
</geometry></collision></link></model></sdf>"""
ROBOTS = {"urdf": (URDF, "r.urdf"), "mjcf": (MJCF, "m.xml"), "sdf": (SDF, "s.sdf")}
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{}]>'.format(
    "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(8))
)

formats = pytest.mark.parametrize("name", ROBOTS)


def stl(scale=1.0):
    shape = box(scale, scale, scale)
    lines = ["solid box"]
    for face in shape.faces:
        for corners in ((face[0], face[1], face[2]), (face[0], face[2], face[3])):
            lines.append("facet normal 0 0 0\nouter loop")
            lines += ["vertex {} {} {}".format(*shape.vertices[corner]) for corner in corners]
            lines.append("endloop\nendfacet")
    return "\n".join([*lines, "endsolid box\n"])


def errors(imported):
    return [finding for finding in imported.findings if finding.severity is Severity.ERROR]


def pieces(imported):
    return sum(len(item.subitems) for item in imported.robot.items)


@pytest.mark.parametrize(
    ("content", "chosen"),
    [
        (URDF, "urdf"),
        (MJCF, "mjcf"),
        (SDF, "sdf"),
        ("<!-- <sdf> --><robot name='r' xmlns:xacro='x'><xacro:macro name='m'/></robot>", "urdf"),
        ("<robot name='r'><group name='g'><link name='a'/></group></robot>", "srdf"),
        ("ISO-10303-21;\nHEADER;", "step"),
        (stl(), "mesh"),
        ("OFF\n4 4 6\n", "mesh"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "mesh"),
        ("ply\nformat ascii 1.0\nelement vertex 3\nelement face 1\nend_header\n", "mesh"),
        ("ply\nformat ascii 1.0\nelement vertex 3\nend_header\n", "open3d"),
        ("# .PCD v.7 - Point Cloud Data file format\nVERSION .7\n", "open3d"),
    ],
)
@pytest.mark.parametrize("ending", [".txt", ".xml", ".stl"])
def test_format_is_recognised_by_content_not_by_suffix(written, content, chosen, ending):
    assert importer_for(written(f"file{ending}", content), discover()).name == chosen


def test_other_xml_is_not_recognised_as_a_robot(written):
    with pytest.raises(RckError, match=r"but not the content|no importer"):
        importer_for(written("page.xml", "<html><robot/></html>"), discover())


@formats
def test_a_document_type_is_refused_before_any_entity_expands(read, written, name):
    text, file = ROBOTS[name]
    bomb = BOMB + text.format(mesh="m.stl").replace(">", ">&i;", 1)
    imported = read(name, written(file, bomb))
    assert imported.robot is None
    assert "document type" in imported.findings[0].message


@formats
def test_mesh_next_to_the_file_is_found(read, written, name):
    text, file = ROBOTS[name]
    written("meshes/m.stl", stl())
    assert pieces(read(name, written(file, text.format(mesh="meshes/m.stl")))) == 1


@formats
@pytest.mark.parametrize("way", ["up", "absolute", "link"])
def test_path_outside_the_folder_is_refused_unless_allowed(read, written, tmp_path, name, way):
    text, file = ROBOTS[name]
    secret = written("secret.stl", stl())
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot" / "link.stl").symlink_to(secret)
    mesh = {"up": "../secret.stl", "absolute": str(secret), "link": "link.stl"}[way]
    path = written(f"robot/{file}", text.format(mesh=mesh))
    imported = read(name, path)
    assert pieces(imported) == 0
    assert any(f.code == 508 and "outside" in f.message and "allow-outside" in f.fix for f in imported.findings)
    assert pieces(read(name, path, {"allow-outside": "yes"})) == 1


@formats
@pytest.mark.parametrize("mesh", ["gone.stl", "http://example.org/m.stl", "a" * 5000, "\\\\server\\m.stl", "m\x09.stl"])
def test_unavailable_mesh_is_ignored_with_a_warning(read, written, name, mesh):
    text, file = ROBOTS[name]
    imported = read(name, written(file, text.format(mesh=mesh)))
    assert pieces(imported) == 0
    assert any(f.code == 508 and f.severity is Severity.WARNING for f in imported.findings)


@formats
@pytest.mark.parametrize("damage", ["cut", "noise", "html"])
def test_damaged_mesh_is_ignored_with_a_warning(read, written, tmp_path, name, damage):
    text, file = ROBOTS[name]
    content = {"cut": stl()[:300], "noise": "\x00\x01" * 300, "html": "<html>404</html>"}[damage]
    (tmp_path / "m.stl").write_text(content)
    imported = read(name, written(file, text.format(mesh="m.stl")))
    assert pieces(imported) == 0
    assert any(finding.severity is Severity.WARNING for finding in imported.findings)


@formats
def test_file_above_the_size_limit_is_refused_and_the_limit_can_be_raised(read, written, name):
    text, file = ROBOTS[name]
    path = written(file, text.format(mesh="m.stl") + "<!-- " + "x" * 5000 + " -->")
    imported = read(name, path, {"most-megabytes": "0.004"})
    assert imported.findings[0].code == 509
    assert "most-megabytes" in imported.findings[0].fix
    assert read(name, path, {"most-megabytes": "0.04"}).robot is not None


@formats
def test_mesh_above_the_triangle_limit_is_ignored_and_reported(read, written, name):
    text, file = ROBOTS[name]
    written("m.stl", stl())
    imported = read(name, written(file, text.format(mesh="m.stl")), {"most-triangles": "11"})
    assert pieces(imported) == 0
    assert any(f.code == 509 and "most-triangles" in f.fix for f in imported.findings)


@formats
def test_progress_never_decreases(read, written, name):
    text, file = ROBOTS[name]
    shares = []
    read(name, written(file, text.format(mesh="m.stl")), job=Job(lambda share, _: shares.append(share)))
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1


@formats
@pytest.mark.parametrize("steps", [0, 1])
def test_a_cancelled_import_stops(read, written, name, steps):
    text, file = ROBOTS[name]
    seen = []

    def show(share, what):
        seen.append(what)
        if len(seen) > steps:
            job.cancel()

    job = Job(show)
    if not steps:
        job.cancel()
    with pytest.raises(Cancelled):
        read(name, written(file, text.format(mesh="m.stl")), job=job)


READERS = {"urdf": "rck_importers.urdf", "mjcf": "rck_importers.mjcf", "sdf": "rck_importers.sdf"}


@formats
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_damaged_file_gives_a_robot_or_an_error(data, tmp_path_factory, name):
    text, file = ROBOTS[name]
    content = bytearray(text.format(mesh="m.stl").encode())
    kind = data.draw(st.sampled_from(["cut", "byte", "word", "twice"]))
    at = data.draw(st.integers(0, len(content) - 1))
    if kind == "cut":
        content = content[:at]
    elif kind == "byte":
        content[at] = data.draw(st.integers(0, 255))
    elif kind == "word":
        words = [b"nan", b"-1", b"1e400", b"", b"0 0 0", b"<", b"a", b"world"]
        content[at : at + 3] = data.draw(st.sampled_from(words))
    else:
        content[at:at] = content[at : at + data.draw(st.integers(1, 200))]
    path = tmp_path_factory.mktemp("damaged") / file
    path.write_bytes(bytes(content))
    imported = import_module(f"{READERS[name]}.reader").read(path, {}, Job())
    assert isinstance(imported, Imported)
    contents = compile_imported(imported, path)
    assert (contents.robot is None) == bool(errors(contents))
