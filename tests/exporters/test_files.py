"""The files of an export: which there are, that they are the same on every run, and what else is written."""

import hashlib
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import PurePosixPath
from xml.etree import ElementTree

import pytest
import rck_plugins.exporters.mjcf
import rck_plugins.exporters.sdf
import rck_plugins.exporters.urdf
import rck_plugins.exporters.usd
from click.testing import CliRunner

from rck.cli.main import cli
from rck.geometry.primitives import sphere
from rck.geometry.transforms import translation
from rck.model import RckError, Visual, build_item, build_joint, build_robot, subitem_of
from rck.testing.robots import box_between, six_axis_arm

ENDINGS = {
    ".urdf": rck_plugins.exporters.urdf,
    ".xml": rck_plugins.exporters.mjcf,
    ".sdf": rck_plugins.exporters.sdf,
    ".usda": rck_plugins.exporters.usd,
}


@pytest.mark.parametrize("ending", [".urdf", ".xml", ".mjcf", ".sdf", ".world", ".usda"])
def test_file_name_extension_selects_the_exporter(tmp_path, ending):
    source = tmp_path / "arm.robot"
    done = CliRunner().invoke(cli, ["export", str(_robot_file(source)), str(tmp_path / f"out{ending}")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / f"out{ending}").exists()


def _robot_file(path):
    import rck_importers.robot_file

    from rck.hooks import Job

    (exporter,) = rck_importers.robot_file.rck_exporters()
    path.write_bytes(exporter.write(six_axis_arm(), path.name, {}, Job()).files[path.name])
    return path


SCRIPT = """
import hashlib, sys
from rck.hooks import Job
from rck.hooks.manager import discover
from rck.hooks import Exporter
from rck.testing.robots import six_axis_arm
for exporter in sorted(discover().all(Exporter), key=lambda one: one.name):
    if exporter.takes == "robot":
        values = {option.name: option.default for option in exporter.options}
        files = exporter.write(six_axis_arm(), "arm" + exporter.endings[0], values, Job()).files
        print({path: hashlib.sha256(content).hexdigest() for path, content in files.items()})
"""


def test_another_run_writes_the_same_bytes():
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert runs[0].count(b"arm") >= 12


def test_binary_usd_is_the_same_on_every_run(exported, robot_of):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    robot = robot_of("desk-arm")
    first, second = (
        hashlib.sha256(exported(rck_plugins.exporters.usd, robot, "a.usdc").files["a.usdc"]).hexdigest()
        for _ in range(2)
    )
    assert first == second


def test_formats_share_their_meshes(exported, robot_of):
    robot = robot_of("gp7")
    meshes = [
        {path: content for path, content in exported(plugin, robot, f"arm{ending}").files.items() if "/" in path}
        for ending, plugin in ENDINGS.items()
        if plugin is not rck_plugins.exporters.usd
    ]
    assert meshes[0] == meshes[1] == meshes[2]
    assert {PurePosixPath(path).parent.name for path in meshes[0]} == {"arm_meshes"}


@pytest.mark.parametrize("meshes", ["stl", "obj"])
def test_mujoco_reads_either_kind_of_mesh(desk, robot_of, meshes):
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    path = desk.export(rck_plugins.exporters.mjcf, robot_of("gp7"), f"in_{meshes}.xml", meshes=meshes)
    assert mujoco.MjModel.from_xml_path(str(path)).nmesh == len(list((desk.folder / f"in_{meshes}_meshes").iterdir()))


def test_ros_package_is_complete(exported, robot_of):
    files = exported(rck_plugins.exporters.urdf, robot_of("gp7"), "arm.urdf", ros_package="my_arm").files
    assert all(path.startswith("my_arm/") for path in files)
    manifest = ElementTree.fromstring(files["my_arm/package.xml"])
    assert manifest.findtext("name") == "my_arm"
    assert b"install(DIRECTORY config launch meshes urdf " in files["my_arm/CMakeLists.txt"]
    launch = files["my_arm/launch/display.launch.py"].decode()
    compile(launch, "display.launch.py", "exec")
    assert '"urdf/arm.urdf"' in launch
    robot = ElementTree.fromstring(files["my_arm/urdf/arm.urdf"])
    for mesh in robot.iter("mesh"):
        assert mesh.get("filename").replace("package://", "") in files


def test_pinocchio_and_mujoco_find_the_meshes_of_a_ros_package(desk, robot_of):
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    robot = robot_of("gp7")
    desk.export(rck_plugins.exporters.urdf, robot, "arm.urdf", ros_package="my_arm")
    path = str(desk.folder / "my_arm/urdf/arm.urdf")
    shapes = pin.buildGeomFromUrdf(pin.buildModelFromUrdf(path), path, pin.GeometryType.COLLISION, str(desk.folder))
    assert len(shapes.geometryObjects) == sum(len(item.subitems) for item in robot.items)
    assert mujoco.MjModel.from_xml_path(path).nmesh > 0


def test_illegal_ros_package_name_is_refused(exported):
    with pytest.raises(RckError, match="is not a ROS package name"):
        exported(rck_plugins.exporters.urdf, six_axis_arm(), "arm.urdf", ros_package="My-Arm")


def test_srdf_groups_end_at_the_tool_frames(exported):
    srdf = ElementTree.fromstring(exported(rck_plugins.exporters.urdf, six_axis_arm(), "arm.urdf").files["arm.srdf"])
    groups = {group.get("name"): group for group in srdf.findall("group")}
    assert list(groups) == ["all", "tool"]
    assert groups["tool"].find("chain").attrib == {"base_link": "base", "tip_link": "tool"}
    assert [joint.get("name") for joint in groups["all"]] == [f"joint-{n}" for n in range(1, 7)]
    pairs = {(pair.get("link1"), pair.get("link2")) for pair in srdf.findall("disable_collisions")}
    assert pairs == {("base", "link-1"), *((f"link-{n}", f"link-{n + 1}") for n in range(1, 6))}


def test_visual_and_collision_shapes_are_separate(exported, desk):
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    look = Visual(sphere(0.1), (0.2, 0.4, 0.6, 0.5))
    item = build_item("ball", [box_between((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1))], visuals=[look], mobile=True).unwrap()
    robot = build_robot("ball", [item]).unwrap()
    link = ElementTree.fromstring(exported(rck_plugins.exporters.urdf, robot, "b.urdf").files["b.urdf"]).find("link")
    assert [shape.tag for shape in link.iter() if shape.tag in ("visual", "collision", "mesh", "box")] == [
        "visual",
        "mesh",
        "collision",
        "box",
    ]
    model = mujoco.MjModel.from_xml_path(str(desk.export(rck_plugins.exporters.mjcf, robot, "ball.xml")))
    assert sorted(zip(model.geom_group.tolist(), model.geom_contype.tolist(), strict=True)) == [(2, 0), (3, 1)]
    sdf = ElementTree.fromstring(exported(rck_plugins.exporters.sdf, robot, "b.sdf").files["b.sdf"])
    assert float(next(sdf.iter("transparency")).text) == pytest.approx(0.5)
    usd = exported(rck_plugins.exporters.usd, robot, "b.usda").files["b.usda"].decode()
    assert usd.count('purpose = "guide"') == usd.count("PhysicsCollisionAPI") == 1
    assert "displayOpacity = [0.5]" in usd


@lru_cache
def many_items(count: int, branch: int):
    """Branches of links, each turned by a joint, all on one base."""
    shape = sphere(0.05, segments=8)
    items = [build_item("base", [subitem_of(shape).unwrap()]).unwrap()]
    joints = []
    for number in range(1, count):
        where = translation((0.12 * (number % branch), 0.2 * (number // branch), 0.0))
        items.append(build_item(f"i{number}", [subitem_of(shape).unwrap()], pose=where).unwrap())
        base = "base" if number % branch == 1 else f"i{number - 1}"
        start = tuple(where[:3, 3].tolist())
        end = (start[0], start[1], 1.0)
        joints.append(build_joint(f"j{number}", "continuous", base, f"i{number}", start=start, end=end).unwrap())
    return build_robot("many", items, joints).unwrap()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_thousand_items_are_written(exported, ending):
    files = exported(ENDINGS[ending], many_items(1000, 50), f"many{ending}").files
    assert files[f"many{ending}"].count(b"i999") >= 2
    # They all look the same.
    assert sum(path.endswith(".stl") for path in files) == (0 if ending == ".usda" else 1)


def awkward():
    """A robot whose names are reserved, foreign, alike, or begin with a digit."""
    names = ["world", "手/指", "2nd", "joints", "a/b", "a_b", "PhysicsScene"]
    shape = box_between((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1))
    items = [build_item(name, [shape]).unwrap() for name in names]
    joints = [build_joint(name, "continuous", names[0], name).unwrap() for name in names[1:]]
    return build_robot("PhysicsScene", items, joints).unwrap()


def test_awkward_names_are_read_everywhere(exported):
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    texts = {ending: exported(p, awkward(), f"r{ending}").files[f"r{ending}"].decode() for ending, p in ENDINGS.items()}
    assert pin.buildModelFromXML(texts[".urdf"]).nv == 6
    assert mujoco.MjModel.from_xml_string(texts[".xml"]).nv == 6
    stage = Usd.Stage.CreateInMemory()
    assert stage.GetRootLayer().ImportFromString(texts[".usda"])
    assert len([prim for prim in stage.Traverse() if prim.GetTypeName() == "PhysicsRevoluteJoint"]) == 6
    model = ElementTree.fromstring(texts[".sdf"]).find("model")
    names = [child.get("name") for child in model if child.get("name")]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("ending", ENDINGS)
def test_empty_robot_is_exported(exported, ending):
    files = exported(ENDINGS[ending], build_robot("nothing", []).unwrap(), f"r{ending}").files
    assert f"r{ending}" in files
    assert not any("/" in path for path in files)
