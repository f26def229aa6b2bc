"""Files that ask for far more work than their size: refused quickly, with the option that raises the limit."""

import json
import struct
import zipfile
from pathlib import Path

import pytest
import trimesh

from rck.model import Severity

MODEL = '<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">{}</model>'
TETRAHEDRON = (
    '<vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>'
    '<vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>'
    '<triangle v1="1" v2="2" v3="3"/><triangle v1="0" v2="3" v3="2"/></triangles>'
)


def refusal(read, name: str, path: Path, given=None):
    imported = read(name, path, given or {})
    return next(str(finding) for finding in imported.findings if finding.severity is Severity.ERROR)


def glb(document) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


def threemf(path: Path, model: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", MODEL.format(model))
    return path


def nested(depth: int) -> str:
    inner = '<geom type="sphere" size="0.1"/>'
    for _ in range(depth):
        inner = f'<replicate count="30" offset="1 0 0">{inner}</replicate>'
    return f"<mujoco><worldbody>{inner}</worldbody></mujoco>"


def test_nested_replicas_are_limited(read, written):
    path = written("r.xml", nested(5))
    said = refusal(read, "mjcf", path, {"most-elements": 2000.0})
    assert "r.xml:1: the model expands to more than 2000 elements" in said
    assert "most-elements" in said
    assert read("mjcf", written("s.xml", nested(2)), {"most-elements": 2000.0}).robot is not None


def test_model_that_attaches_itself_is_refused(read, written):
    asset = '<asset><model name="m" file="a.xml"/></asset>'
    path = written(
        "a.xml",
        f'<mujoco>{asset}<worldbody><body><geom size="1"/><attach model="m" prefix="p"/></body></worldbody></mujoco>',
    )
    assert "more than 50 files are included" in refusal(read, "mjcf", path, {"most-includes": 50.0})


def test_includes_that_double_are_limited(read, written):
    for level in range(30):
        both = "".join(f"<include><uri>d{level + 1}.sdf</uri><name>{name}</name></include>" for name in "ab")
        inner = both if level < 29 else ""
        path = written(f"d{level}.sdf", f'<sdf version="1.9"><model name="m"><link name="l"/>{inner}</model></sdf>')
    said = refusal(read, "sdf", path.with_name("d0.sdf"), {"most-includes": 200.0})
    assert "more than 200 files are included" in said
    assert "most-includes" in said


def test_long_xml_file_is_limited(read, written):
    path = written("r.urdf", "<robot name='r'>" + "<link name='a'/>" * 500 + "</robot>")
    assert "more than 400 elements" in refusal(read, "urdf", path, {"most-elements": 400.0})


@pytest.mark.parametrize("count", [300_000_000, 10**400])
def test_tiny_glb_that_asks_for_gigabytes_is_refused(read, tmp_path, count):
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": count, "type": "VEC3"}],
    }
    path = tmp_path / "big.glb"
    path.write_bytes(glb(document))
    said = refusal(read, "mesh", path)
    assert "RCK509" in said
    assert "most-memory" in said


def test_components_of_3mf_that_double_are_refused(read, tmp_path):
    pytest.importorskip("lxml")
    inner = [f'<component objectid="{n - 1}"/>' * 2 for n in range(2, 32)]
    objects = [f'<object id="{n}"><components>{both}</components></object>' for n, both in enumerate(inner, start=2)]
    doubles = "".join(objects)
    resources = f'<resources><object id="1"><mesh>{TETRAHEDRON}</mesh></object>{doubles}</resources>'
    path = threemf(tmp_path / "double.3mf", f'{resources}<build><item objectid="31"/></build>')
    assert "more than 20000 objects (raise the limit with the option most-objects)" in refusal(read, "mesh", path)
    whole = threemf(tmp_path / "few.3mf", f'{resources}<build><item objectid="3"/></build>')
    assert read("mesh", whole, {"convex": "hull"}).robot is not None


def test_3mf_that_unpacks_to_millions_of_elements_is_refused(read, tmp_path):
    pytest.importorskip("lxml")
    vertices = '<vertex x="0" y="0" z="0"/>' * 300_000
    mesh = f'<resources><object id="1"><mesh><vertices>{vertices}</vertices></mesh></object></resources>'
    path = threemf(tmp_path / "many.3mf", mesh)
    assert path.stat().st_size < 100_000
    assert "of memory" in refusal(read, "mesh", path, {"most-memory": 100.0})


def test_nodes_of_collada_that_double_are_refused(read, tmp_path):
    pytest.importorskip("collada")
    text = trimesh.creation.box().export(file_type="dae").decode()
    geometry = text.partition('<geometry id="')[2].partition('"')[0]
    inner = [f'<instance_node url="#n{n + 1}"/>' * 2 for n in range(30)]
    nodes = "".join(f'<node id="n{n}">{both}</node>' for n, both in enumerate(inner))
    library = f'<library_nodes>{nodes}<node id="n30"><instance_geometry url="#{geometry}"/></node></library_nodes>'
    before, _, rest = text.partition("<library_visual_scenes>")
    scene = '<library_visual_scenes><visual_scene id="scene"><node><instance_node url="#n0"/></node></visual_scene>'
    path = tmp_path / "double.dae"
    path.write_text(f"{before}{library}{scene}</library_visual_scenes>{rest.partition('</library_visual_scenes>')[2]}")
    assert "more than 20000 objects" in refusal(read, "mesh", path)


@pytest.mark.parametrize("rows", ["ascii\n0 0 0\n", "binary\n\0\0\0\0"])
def test_point_cloud_that_announces_billions_of_points_is_refused(read, tmp_path, rows):
    pytest.importorskip("open3d")
    path = tmp_path / "cloud.pcd"
    head = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2000000000\nHEIGHT 1\n"
    path.write_text(f"{head}VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2000000000\nDATA {rows}")
    assert "cloud.pcd" in refusal(read, "open3d", path)


def test_xacro_that_never_ends_is_stopped(read, written):
    pytest.importorskip("xacro")
    macros = "".join(
        f'<xacro:macro name="m{n}" params="p"><xacro:m{n + 1} p="${{p}}a"/><xacro:m{n + 1} p="${{p}}b"/></xacro:macro>'
        for n in range(40)
    )
    last = '<xacro:macro name="m40" params="p"/>'
    path = written("r.xacro", f'<robot name="r" xmlns:xacro="http://x">{macros}{last}<xacro:m0 p="x"/></robot>')
    said = refusal(read, "urdf", path, {"most-seconds": 2.0})
    assert "xacro did not finish within 2 s" in said
    assert "most-seconds" in said


def test_yaml_bomb_in_xacro_is_stopped(read, written):
    pytest.importorskip("xacro")
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [
        f"{after}: &{after} [{','.join([f'*{before}'] * 9)}]"
        for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    written("bomb.yaml", "\n".join(lines))
    text = "<xacro:property name='p' value=\"${xacro.load_yaml('bomb.yaml')}\"/><link name='l${len(str(p))}'/>"
    path = written("r.xacro", f'<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{text}</robot>')
    assert "r.xacro" in refusal(read, "urdf", path, {"most-seconds": 3.0})
