"""Several robots and loose objects: a world where the format has worlds, and a finding where it has none."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
import rck_plugins.exporters.mjcf
import rck_plugins.exporters.sdf
import rck_plugins.exporters.urdf
import rck_plugins.exporters.usd

from rck.geometry.transforms import translation
from rck.model import Robot, build_item, build_joint, build_robot, build_world, flatten
from rck.testing.robots import box_between, planar_arm

CUBE = box_between((-0.05, -0.05, -0.05), (0.05, 0.05, 0.05))


@pytest.fixture(scope="module")
def world() -> Robot:
    """Two arms, a shelf that stands and a parcel that may be pushed."""
    shelf = build_item("shelf", [CUBE], pose=translation((1, 0, 0))).unwrap()
    parcel = build_item("parcel", [CUBE], pose=translation((1, 0, 0.1)), mobile=True).unwrap()
    left, right = (Robot(name, *_parts(planar_arm(2))) for name in ("left", "right"))
    return flatten(build_world("cell", [left, right], [shelf, parcel]).unwrap())


def _parts(robot):
    return robot.items, robot.joints, robot.frames


def parsed(exported, plugin, robot, name, **options):
    return ElementTree.fromstring(exported(plugin, robot, name, **options).files[name])


def test_sdf_has_a_world_with_a_model_each(exported, world):
    (cell,) = parsed(exported, rck_plugins.exporters.sdf, world, "cell.sdf")
    assert (cell.tag, cell.get("name")) == ("world", "cell")
    models = {model.get("name"): model for model in cell.findall("model")}
    assert list(models) == ["left_base", "right_base", "shelf", "parcel"]
    assert models["shelf"].findtext("static") == "true"
    assert models["parcel"].find("static") is None
    assert models["parcel"].findtext("pose") == "1 0 0.1 0 0 0"
    fastened = [joint.findtext("child") for joint in cell.iter("joint") if joint.findtext("parent") == "world"]
    assert fastened == ["left_base", "right_base"]


def test_model_of_sdf_takes_the_common_start_of_the_names_of_its_links(exported):
    # Names with a slash are written only if the file had them that the robot comes from.
    names = ("crate/lid", "crate/box", "table/link")
    items = [replace(build_item(name, [CUBE]).unwrap(), source_name=name) for name in names]
    hinge = build_joint("crate/hinge", "revolute", "crate/box", "crate/lid", limits=(0.0, 1.0)).unwrap()
    robot = build_robot("scene", items, [replace(hinge, source_name="crate/hinge")]).unwrap()
    (scene,) = parsed(exported, rck_plugins.exporters.sdf, robot, "scene.sdf")
    models = {model.get("name"): [link.get("name") for link in model.findall("link")] for model in scene}
    assert models == {"crate": ["box", "lid"], "table": ["link"]}
    (hinge,) = [one for one in scene.iter("joint") if one.get("name") == "hinge"]
    assert (hinge.findtext("parent"), hinge.findtext("child")) == ("box", "lid")


def test_mobile_items_get_a_free_joint_in_mjcf(exported, world):
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    model = mujoco.MjModel.from_xml_string(
        exported(rck_plugins.exporters.mjcf, world, "cell.xml").files["cell.xml"].decode()
    )
    free = [n for n in range(model.njnt) if model.jnt_type[n] == mujoco.mjtJoint.mjJNT_FREE]
    assert [model.body(model.jnt_bodyid[n]).name for n in free] == ["parcel"]
    assert model.nq == 4 + 7
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, 200)
    # It lies on the shelf; nothing carries it there but contact.
    assert data.body("parcel").xpos == pytest.approx((1.0, 0.0, 0.1), abs=2e-3)


def test_usd_has_dynamic_bodies_and_static_colliders(exported, world):
    Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    from pxr import UsdPhysics

    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(
        exported(rck_plugins.exporters.usd, world, "cell.usda").files["cell.usda"].decode()
    )
    assert stage.GetDefaultPrim().GetName() == "cell"
    roots = [prim.GetName() for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.ArticulationRootAPI)]
    assert roots == ["left_base", "right_base"]
    parcel, shelf = (stage.GetPrimAtPath(f"/cell/{name}/{name}") for name in ("parcel", "shelf"))
    assert parcel.HasAPI(UsdPhysics.RigidBodyAPI)
    assert not shelf.HasAPI(UsdPhysics.RigidBodyAPI)
    assert all(child.HasAPI(UsdPhysics.CollisionAPI) for child in shelf.GetChildren())


def test_urdf_joins_everything_to_one_link_and_reports_it(exported, world):
    done = exported(rck_plugins.exporters.urdf, world, "cell.urdf")
    robot = ElementTree.fromstring(done.files["cell.urdf"])
    children = [
        joint.find("child").get("link")
        for joint in robot.findall("joint")
        if joint.find("parent").get("link") == "world"
    ]
    assert children == ["left_base", "right_base", "shelf", "parcel"]
    messages = [finding.message for finding in done.findings]
    assert any("joined to one link, world" in message for message in messages)
    assert any("fixed to the world: parcel" in message for message in messages)


def test_floating_robot_is_fixed_to_the_world_by_no_format(exported):
    items = [
        build_item(name, [CUBE], mobile=name == "hull", pose=translation((0, 0, 1))).unwrap()
        for name in ("hull", "arm")
    ]
    boat = build_robot("boat", items, [build_joint("mast", "continuous", "hull", "arm").unwrap()]).unwrap()
    assert b"world" not in exported(rck_plugins.exporters.urdf, boat, "boat.urdf").files["boat.urdf"]
    assert b"freejoint" in exported(rck_plugins.exporters.mjcf, boat, "boat.xml").files["boat.xml"]
    assert b"world" not in exported(rck_plugins.exporters.sdf, boat, "boat.sdf").files["boat.sdf"]
    assert b"PhysicsFixedJoint" not in exported(rck_plugins.exporters.usd, boat, "boat.usda").files["boat.usda"]
    (placed,) = [
        f for f in exported(rck_plugins.exporters.urdf, boat, "boat.urdf").findings if "pose in the world" in f.message
    ]
    assert placed.code == 503


def test_robot_away_from_the_origin_is_fixed_there(exported):
    item = build_item("post", [CUBE], pose=translation((0, 0, 1))).unwrap()
    robot = parsed(exported, rck_plugins.exporters.urdf, build_robot("r", [item]).unwrap(), "r.urdf")
    assert [link.get("name") for link in robot.findall("link")] == ["world", "post"]
    assert robot.find("joint/origin").get("xyz") == "0 0 1"
