"""GLB, STL, OBJ and PLY as trimesh reads them: the same solids, in the same places, in the same colours."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
import rck_plugins.exporters.mesh
import trimesh
from hypothesis import given, settings

from rck.exporting import link_tree
from rck.exporting.export import with_losses
from rck.geometry.mass_properties import moments
from rck.geometry.primitives import sphere
from rck.geometry.transforms import apply, from_quaternion, rotation_about, translation
from rck.hooks import Job, discover
from rck.hooks.file_exchange import read_file
from rck.model import (
    DeviceKind,
    Visual,
    at_positions,
    build_device,
    build_item,
    build_joint,
    build_robot,
    build_subitem,
)
from rck.testing.robots import box_between, robots, six_axis_arm

EXPORTERS = {exporter.name: exporter for exporter in rck_plugins.exporters.mesh.rck_exporters()}
Z_UP_FROM_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


def exported(robot, kind, **options):
    values = {name.replace("_", "-"): value for name, value in options.items()}
    done = EXPORTERS[kind].write(robot, f"arm.{kind}", values, Job())
    return with_losses(done, robot, EXPORTERS[kind], f"arm.{kind}", values)


def loaded(robot, kind, **options):
    content = exported(robot, kind, **options).files[f"arm.{kind}"]
    return trimesh.load_scene(io.BytesIO(content), file_type=kind, process=False)


def glb_parts(content):
    """The description and the binary data of a GLB file, after chapter 4.4 of the glTF specification."""
    magic, version, length = content[:4], *(int.from_bytes(content[at : at + 4], "little") for at in (4, 8))
    assert (magic, version, length) == (b"glTF", 2, len(content))
    chunks, at = {}, 12
    while at < len(content):
        size, kind = int.from_bytes(content[at : at + 4], "little"), content[at + 4 : at + 8]
        assert size % 4 == 0
        chunks[kind] = content[at + 8 : at + 8 + size]
        at += 8 + size
    assert at == len(content)
    return json.loads(chunks[b"JSON"]), chunks.get(b"BIN\0", b"")


def corners(robot):
    return np.concatenate([apply(item.pose, one.shape.vertices) for item in robot.items for one in item.subitems])


def bounds(robot):
    return np.array([corners(robot).min(axis=0), corners(robot).max(axis=0)])


def volume(robot):
    """Of the polyhedra, which have flat faces where the robot is round."""
    return sum(moments(one.shape).volume for item in robot.items for one in item.subitems)


def bent(robot, seed=3):
    """The robot with its joints somewhere within their limits."""
    ends = [(one.limits.lower, one.limits.upper) if one.limits else (-3.0, 3.0) for one in robot.free_joints]
    low, high = np.array(ends, dtype=float).reshape(-1, 2).T
    return at_positions(robot, np.random.default_rng(seed).uniform(low, high))


@pytest.mark.parametrize("name", ["desk-arm", "two-arm-cell", "gantry", "ur5e"])
def test_nodes_of_a_glb_file_have_the_poses_of_the_items(robot_of, name):
    assert_nodes_are_in_place(bent(robot_of(name)))


def assert_nodes_are_in_place(robot):
    scene = loaded(robot, "glb")
    world_from_scene = Z_UP_FROM_Y_UP
    for link in link_tree(robot).links:
        found = world_from_scene @ scene.graph.get(link.name)[0]
        for placed in link.items:
            assert found @ placed.pose == pytest.approx(placed.item.pose, abs=1e-9)
        for frame in link.frames:
            expected = robot.item(frame.frame.item).pose @ frame.frame.pose
            assert world_from_scene @ scene.graph.get(frame.name)[0] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(robots())
def test_glb_nodes_of_random_robots_have_the_poses_of_rck(robot):
    assert_nodes_are_in_place(robot)


@pytest.mark.parametrize("kind", EXPORTERS)
@pytest.mark.parametrize("name", ["desk-arm", "scara-cell", "ur5e"])
def test_volumes_and_bounds_are_the_same(robot_of, name, kind):
    robot = bent(robot_of(name))
    scene = loaded(robot, kind, shapes="solid")
    if kind == "glb":
        scene.apply_transform(Z_UP_FROM_Y_UP)
    size = np.ptp(bounds(robot), axis=0).max()
    assert scene.bounds == pytest.approx(bounds(robot), abs=1e-6 * size)
    assert scene.to_mesh().volume == pytest.approx(volume(robot), rel=1e-5)


def test_the_tree_of_a_glb_file_is_that_of_the_robot():
    robot = six_axis_arm()
    description, _ = glb_parts(exported(robot, "glb").files["arm.glb"])
    nodes = description["nodes"]
    parent = {child: number for number, node in enumerate(nodes) for child in node.get("children", ())}
    names = {nodes[child]["name"]: nodes[number]["name"] for child, number in parent.items()}
    assert names["base"] == "six-axis-arm"
    assert all(names[f"link-{n}"] == f"link-{n - 1}" for n in range(2, 7))
    assert names["tool"] == "link-6"
    assert description["scenes"] == [{"nodes": [0]}]
    assert len(parent) == len(nodes) - 1


def test_a_glb_file_keeps_to_the_rules_for_accessors(robot_of):
    description, data = glb_parts(exported(robot_of("desk-arm"), "glb").files["arm.glb"])
    (buffer,) = description["buffers"]
    assert buffer["byteLength"] == len(data)
    width = {5126: ("<f4", 4), 5123: ("<u2", 2), 5125: ("<u4", 4)}
    for accessor in description["accessors"]:
        view = description["bufferViews"][accessor["bufferView"]]
        dtype, size = width[accessor["componentType"]]
        assert view["byteOffset"] % size == 0
        assert view["byteOffset"] + view["byteLength"] <= len(data)
        numbers = np.frombuffer(data, dtype, offset=view["byteOffset"], count=view["byteLength"] // size)
        assert len(numbers) == accessor["count"] * {"VEC3": 3, "SCALAR": 1}[accessor["type"]]
        if accessor["type"] == "VEC3":
            points = numbers.reshape(-1, 3)
            assert points.min(axis=0).tolist() == accessor["min"]
            assert points.max(axis=0).tolist() == accessor["max"]
    for mesh in description["meshes"]:
        for primitive in mesh["primitives"]:
            position = description["accessors"][primitive["attributes"]["POSITION"]]
            view = description["bufferViews"][description["accessors"][primitive["indices"]]["bufferView"]]
            index = np.frombuffer(data, "<u2", offset=view["byteOffset"], count=view["byteLength"] // 2)
            assert index.max() < position["count"]


def test_colours_of_a_glb_file_are_linear():
    cube = box_between((0, 0, 0), (1, 1, 1)).shape
    colour = (0.5, 0.02, 1.0, 0.4)
    item = build_item("cube", [build_subitem(cube.vertices, cube.faces, colour=colour).unwrap()]).unwrap()
    description, _ = glb_parts(exported(build_robot("cube", [item]).unwrap(), "glb").files["arm.glb"])
    (material,) = description["materials"]
    # sRGB 0.5 is 0.214 of full light; below 0.04 the curve is a line.
    assert material["pbrMetallicRoughness"]["baseColorFactor"] == pytest.approx(
        [0.214041, 0.02 / 12.92, 1, 0.4], abs=1e-6
    )
    assert material["alphaMode"] == "BLEND"


def test_joints_and_masses_are_in_extras():
    robot = six_axis_arm()
    description, _ = glb_parts(exported(robot, "glb").files["arm.glb"])
    extras = {node["name"]: node["extras"] for node in description["nodes"] if "extras" in node}
    assert sum(one["mass"] for one in extras.values()) == pytest.approx(robot.mass_properties.mass)
    assert "joint" not in extras["base"]
    joint = extras["link-2"]["joint"]
    assert (joint["name"], joint["kind"], joint["axis"]) == ("joint-2", robot.joints[1].kind.value, [0, 0, 1])


def test_camera_is_a_gltf_camera_with_the_same_direction():
    item = build_item("head", [box_between((0, 0, 0), (0.1, 0.1, 0.1))], pose=translation((1, 2, 3))).unwrap()
    pose = translation((0.1, 0.2, 0.3)) @ rotation_about((1, 1, 0), 0.7)
    figures = {"field-of-view": 1.2, "field-of-view-vertical": 0.8, "min-range": 0.2, "max-range": 9.0}
    devices = [
        build_device("eye", DeviceKind.CAMERA, "head", pose=pose, values=figures).unwrap(),
        build_device("blind", DeviceKind.CAMERA, "head").unwrap(),
        build_device("ear", DeviceKind.ULTRASONIC, "head", values={"max-range": 3.0}).unwrap(),
    ]
    robot = build_robot("r", [item], devices=devices).unwrap()
    description, _ = glb_parts(exported(robot, "glb").files["arm.glb"])
    nodes = {node["name"]: node for node in description["nodes"]}
    (camera,) = description["cameras"]
    assert nodes["eye"]["camera"] == 0
    assert camera["perspective"] == pytest.approx(
        {"yfov": 0.8, "aspectRatio": np.tan(0.6) / np.tan(0.4), "znear": 0.2, "zfar": 9.0}
    )
    assert "camera" not in nodes["blind"]
    assert nodes["ear"]["extras"] == {"device": "ultrasonic", "figures": {"max-range": 3.0}}
    # trimesh keeps cameras to itself.
    x, y, z, w = nodes["eye"]["rotation"]
    there = item.pose @ translation(nodes["eye"]["translation"]) @ from_quaternion((w, x, y, z))
    expected = item.pose @ pose
    assert there[:3, 3] == pytest.approx(expected[:3, 3])
    # A camera of glTF looks along -z with y up, one of RCK along z with y down.
    assert there[:3, :3] == pytest.approx(expected[:3, :3] * (1, -1, -1))


def test_robot_named_like_one_of_its_items_has_two_nodes():
    item = build_item("cube", [box_between((0, 0, 0), (1, 1, 1))]).unwrap()
    description, _ = glb_parts(exported(build_robot("cube", [item]).unwrap(), "glb").files["arm.glb"])
    assert [node["name"] for node in description["nodes"]] == ["cube_2", "cube"]


def seen_and_solid():
    look = Visual(sphere(0.1), (0.2, 0.4, 0.6, 1.0))
    item = build_item("ball", [box_between((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2))], visuals=[look]).unwrap()
    return build_robot("ball", [item]).unwrap()


@pytest.mark.parametrize("kind", EXPORTERS)
def test_visual_shapes_are_exported_by_default(kind):
    robot = seen_and_solid()
    assert loaded(robot, kind).extents.max() == pytest.approx(0.2, abs=0.01)
    assert loaded(robot, kind, shapes="solid").extents.max() == pytest.approx(0.4)


@pytest.mark.parametrize("kind", ["stl", "obj", "ply"])
def test_file_names_the_requested_unit(kind):
    robot = six_axis_arm()
    content = exported(robot, kind, length_unit="mm").files[f"arm.{kind}"]
    assert b"in mm, z up" in content[:200]
    scene = trimesh.load_scene(io.BytesIO(content), file_type=kind)
    assert scene.bounds == pytest.approx(1000.0 * bounds(robot), rel=1e-5, abs=1e-3)


def test_obj_file_has_an_object_per_item_and_an_mtl_file(tmp_path, robot_of):
    robot = robot_of("desk-arm")
    for path, content in exported(robot, "obj").files.items():
        (tmp_path / path).write_bytes(content)
    text = (tmp_path / "arm.obj").read_text()
    assert [line[2:] for line in text.splitlines() if line.startswith("o ")] == [
        item.name.replace("/", "_") for item in robot.items if item.subitems
    ]
    scene = trimesh.load_scene(tmp_path / "arm.obj")
    found = {tuple(mesh.visual.material.diffuse[:3].tolist()) for mesh in scene.geometry.values()}
    ours = {tuple(round(255 * part) for part in one.colour[:3]) for item in robot.items for one in item.subitems}
    assert np.array(sorted(found)) == pytest.approx(np.array(sorted(ours)), abs=1)


def test_an_obj_file_whose_name_has_a_space_finds_its_colours(tmp_path):
    for path, content in EXPORTERS["obj"].write(six_axis_arm(), "my arm.obj", {}, Job()).files.items():
        (tmp_path / path).write_bytes(content)
    assert {path.name for path in tmp_path.iterdir()} == {"my arm.obj", "my_arm.mtl"}
    colours = [mesh.visual.material.diffuse for mesh in trimesh.load_scene(tmp_path / "my arm.obj").geometry.values()]
    assert all(colour.tolist() == pytest.approx([178, 178, 184, 255], abs=1) for colour in colours)


def test_a_ply_file_has_a_colour_at_every_vertex():
    cube = box_between((0, 0, 0), (1, 1, 1)).shape
    colours = [(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.2)]
    subitems = [build_subitem(cube.vertices, cube.faces, colour=colour).unwrap() for colour in colours]
    (mesh,) = loaded(build_robot("r", [build_item("i", subitems).unwrap()]).unwrap(), "ply").geometry.values()
    assert mesh.visual.vertex_colors.tolist() == [[255, 0, 0, 255]] * 8 + [[0, 0, 255, 51]] * 8


def test_stl_file_is_read_by_the_importer(tmp_path):
    robot = build_robot("r", [build_item("i", [box_between((0, 0, 0), (0.1, 0.2, 0.3))]).unwrap()]).unwrap()
    path = tmp_path / "arm.stl"
    path.write_bytes(exported(robot, "stl").files["arm.stl"])
    back = read_file(path, discover(), {"length-unit": "m"}).robot
    assert volume(back) == pytest.approx(0.006, rel=1e-5)
    assert bounds(back) == pytest.approx(bounds(robot), abs=1e-6)


def joined_by(kind, position):
    cube = replace(box_between((0, 0, 0), (0.1, 0.1, 0.1)), density=500.0)
    items = [build_item(name, [cube]).unwrap() for name in ("base", "arm")]
    joint = build_joint(
        "axis", kind, "base", "arm", start=(0.3, 0, 0), end=(0.3, 1, 0), limits=(-2, 2), position=position
    )
    return build_robot("r", items, [joint.unwrap()]).unwrap()


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_link_with_an_offset_axis_is_at_its_current_pose(kind):
    robot = joined_by(kind, 0.7)
    scene = loaded(robot, "glb")
    scene.apply_transform(Z_UP_FROM_Y_UP)
    assert scene.bounds == pytest.approx(bounds(robot), abs=1e-7)
    assert volume(robot) == pytest.approx(scene.to_mesh().volume, rel=1e-5)


@pytest.mark.parametrize("kind", EXPORTERS)
def test_losses_of_a_mesh_are_reported(kind):
    messages = [str(finding) for finding in exported(joined_by("revolute", 0.0), kind).findings]
    assert all("RCK503" in message for message in messages)
    assert any("joints" in message for message in messages)
    assert any("masses" in message for message in messages)


@pytest.mark.parametrize("kind", EXPORTERS)
def test_the_same_robot_gives_the_same_bytes(robot_of, kind):
    robot = robot_of("desk-arm")
    assert exported(robot, kind).files == exported(robot, kind).files


def test_equal_meshes_are_written_once():
    cube = box_between((0, 0, 0), (0.1, 0.1, 0.1))
    items = [build_item(f"i{n}", [cube], pose=translation((n, 0, 0))).unwrap() for n in range(50)]
    description, data = glb_parts(exported(build_robot("many", items).unwrap(), "glb").files["arm.glb"])
    assert len(description["meshes"]) == 1
    assert len(data) == 8 * 12 + 36 * 2
    assert sum("mesh" in node for node in description["nodes"]) == 50


@pytest.mark.parametrize("kind", EXPORTERS)
def test_empty_robot_is_exported(kind):
    done = exported(build_robot("nothing", []).unwrap(), kind)
    assert list(done.files) == [f"arm.{kind}"]
    assert done.findings == ()
