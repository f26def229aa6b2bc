"""USD in usd-core: it validates, and its joints have every item where RCK has it."""

from math import degrees

import numpy as np
import pytest
import rck_plugins.exporters.usd
from hypothesis import given, settings
from hypothesis import strategies as st
from primitive_checks import surface_offsets
from rck_plugins.exporters.usd.writer import RESERVED

from rck.exporting import Merge
from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.geometry.transforms import AXES, apply, from_quaternion, invert, translation
from rck.model import Primitive, PrimitiveKind, build_robot
from rck.model.robot import PairRule
from rck.testing.robots import robots

Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
from pxr import Sdf, UsdGeom, UsdPhysics, UsdValidation  # noqa: E402

LINKS = {"taken": RESERVED, "identifiers": True, "merge": Merge.MOVING_WEIGHTLESS}


@pytest.fixture(scope="session")
def stage(case, desk):
    return Usd.Stage.Open(str(desk.export(rck_plugins.exporters.usd, case.robot, f"{case.name}.usda")))


def prims_of(stage, kind):
    return [prim for prim in stage.Traverse() if prim.IsA(kind)]


def placed(where, turn):
    return translation(where) @ from_quaternion((turn.GetReal(), *turn.GetImaginary()))


def world_pose(prim):
    """USD multiplies row vectors."""
    return np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(Usd.TimeCode.Default())).T


def bodies_by_name(stage, tree):
    """The prim of each link; a model may have the name of its first link, but has links below it."""
    names = {link.name for link in tree.links}
    prims = [prim for prim in prims_of(stage, UsdGeom.Xform) if prim.GetName() in names]
    return {prim.GetName(): prim for prim in prims if not any(child.GetName() in names for child in prim.GetChildren())}


def usd_links(stage, tree, case):
    """World from link, by the frames of the joints. Shape (vectors, links, 4, 4)."""
    prims = bodies_by_name(stage, tree)
    every = [UsdPhysics.Joint(prim) for prim in prims_of(stage, UsdPhysics.Joint)]
    joints = [joint for joint in every if not joint.GetExcludeFromArticulationAttr().Get()]
    joint_of = {joint.GetBody1Rel().GetTargets()[0]: joint for joint in joints}
    found = np.empty((len(case.vectors), len(tree.links), 4, 4))
    for number, link in enumerate(tree.links):
        prim = prims[link.name]
        joint = joint_of.get(prim.GetPath())
        if joint is None:
            assert link.parent is None
            found[:, number] = world_pose(prim)
            continue
        (base,) = joint.GetBody0Rel().GetTargets()
        if link.parent is None:
            carrier = world_pose(stage.GetPrimAtPath(base))
        else:
            assert base == prims[tree.links[link.parent].name].GetPath()
            carrier = found[:, link.parent]
        before = placed(joint.GetLocalPos0Attr().Get(), joint.GetLocalRot0Attr().Get())
        after = placed(joint.GetLocalPos1Attr().Get(), joint.GetLocalRot1Attr().Get())
        found[:, number] = carrier @ before @ motions_of(joint.GetPrim(), link, case) @ invert(after)
    return found


def motions_of(prim, link, case):
    for kind, slides in ((UsdPhysics.RevoluteJoint, False), (UsdPhysics.PrismaticJoint, True)):
        if prim.IsA(kind):
            return case.motions(link.joint.name, AXES[kind(prim).GetAxisAttr().Get().lower()], slides=slides)
    assert prim.IsA(UsdPhysics.FixedJoint)
    return np.eye(4)


def is_valid(stage):
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 20
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    return [error.GetErrorAsString() for error in errors] == []


def test_usd_validators_report_no_error(stage):
    assert is_valid(stage)


def test_units_and_axes_are_stated(stage):
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdPhysics.GetStageKilogramsPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert stage.HasAuthoredMetadata("metersPerUnit")
    assert stage.GetDefaultPrim()


def test_the_joints_place_every_item_like_rck(case, stage):
    tree = case.tree(**LINKS)
    case.assert_items_agree(tree, usd_links(stage, tree, case))


def test_scene_shows_the_robot_at_its_positions(case, stage):
    tree = case.tree(**LINKS)
    for name, prim in bodies_by_name(stage, tree).items():
        link = next(link for link in tree.links if link.name == name)
        for on_link in link.items:
            assert world_pose(prim) @ on_link.pose == pytest.approx(on_link.item.pose, abs=1e-9)


def test_it_computes_the_mass_of_rck(case, stage):
    bodies = []
    for prim in bodies_by_name(stage, case.tree(**LINKS)).values():
        mass = UsdPhysics.MassAPI(prim)
        if not mass.GetMassAttr().Get():  # The world of a file has none.
            continue
        axes = placed((0, 0, 0), mass.GetPrincipalAxesAttr().Get())[:3, :3]
        inertia = axes @ np.diag(mass.GetDiagonalInertiaAttr().Get()) @ axes.T
        body = MassProperties(mass.GetMassAttr().Get(), np.array(mass.GetCenterOfMassAttr().Get()), inertia)
        bodies.append(moved(body, world_pose(prim)))
    whole, ours = combine(bodies), case.robot.mass_properties
    assert whole.mass == pytest.approx(ours.mass, rel=1e-6)
    assert whole.centre == pytest.approx(ours.centre, abs=1e-6)
    assert whole.inertia == pytest.approx(ours.inertia, abs=1e-6 * np.trace(ours.inertia))


def test_corners_of_all_shapes_match_rck(case, stage):
    bodies = bodies_by_name(stage, case.tree(**LINKS))
    for link in case.tree(**LINKS).links:
        prims = [prim for prim in bodies[link.name].GetChildren() if prim.IsA(UsdGeom.Gprim)]
        pieces = [(on_link.item, piece) for on_link in link.items for piece in on_link.item.subitems]
        for prim, (item, piece) in zip(prims, pieces, strict=True):
            assert prim.HasAPI(UsdPhysics.CollisionAPI)
            ours = apply(item.pose, piece.shape.vertices)
            if (primitive := as_primitive(prim)) is not None:
                assert surface_offsets(primitive, apply(np.linalg.inv(world_pose(prim)), ours)).max() < 1e-6
                continue
            local = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(), dtype=float)
            gaps = np.linalg.norm(apply(world_pose(prim), local)[:, None] - ours, axis=2)
            assert max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) < 1e-6


def as_primitive(prim):
    """Return the primitive that a prim is, in its own frame; None for a mesh."""
    if prim.IsA(UsdGeom.Cube):
        return Primitive(PrimitiveKind.BOX, (UsdGeom.Cube(prim).GetSizeAttr().Get(),) * 3, np.eye(4))
    if prim.IsA(UsdGeom.Sphere):
        return Primitive(PrimitiveKind.SPHERE, (UsdGeom.Sphere(prim).GetRadiusAttr().Get(),), np.eye(4))
    for schema, kind in ((UsdGeom.Cylinder, PrimitiveKind.CYLINDER), (UsdGeom.Capsule, PrimitiveKind.CAPSULE)):
        if prim.IsA(schema):
            assert schema(prim).GetAxisAttr().Get() == "Z"
            sizes = (schema(prim).GetRadiusAttr().Get(), schema(prim).GetHeightAttr().Get())
            return Primitive(kind, sizes, np.eye(4))
    return None


def test_limits_are_in_degrees_and_metres_and_efforts_arrive(case, stage):
    names = case.tree(**LINKS).joint_names
    prims = {prim.GetName(): prim for prim in prims_of(stage, UsdPhysics.Joint)}
    for joint in (joint for joint in case.robot.joints if joint.kind.moves):
        prim = prims[names[joint.name]]
        kind = UsdPhysics.RevoluteJoint if joint.kind.turns else UsdPhysics.PrismaticJoint
        ends = [kind(prim).GetLowerLimitAttr().Get(), kind(prim).GetUpperLimitAttr().Get()]
        if joint.limits is None:
            assert ends == [-np.inf, np.inf]
        else:
            ours = [joint.limits.lower, joint.limits.upper]
            assert ends == pytest.approx([degrees(end) for end in ours] if joint.kind.turns else ours, rel=1e-6)
        if joint.effort is not None and joint.mimic is None:  # a follower has no drive
            drive = UsdPhysics.DriveAPI(prim, "angular" if joint.kind.turns else "linear")
            assert drive.GetMaxForceAttr().Get() == pytest.approx(joint.effort)


@settings(max_examples=20)
@given(robots(most_devices=3), st.integers(0, 1000), st.booleans())
def test_the_joints_place_the_items_of_random_robots_like_rck(make_case, exported, robot, seed, merge_fixed):
    case = make_case("random", robot, 3, seed)
    stage = Usd.Stage.CreateInMemory()
    text = exported(rck_plugins.exporters.usd, robot, "r.usda", merge_fixed=merge_fixed).files["r.usda"].decode()
    assert stage.GetRootLayer().ImportFromString(text)
    tree = case.tree(**LINKS | ({"merge": Merge.FIXED} if merge_fixed else {}))
    case.assert_items_agree(tree, usd_links(stage, tree, case), metres=5e-6, turn=1e-6)
    errors = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators()).Validate(
        stage
    )
    assert [error.GetErrorAsString() for error in errors] == []


def test_the_binary_files_are_the_same_scene(desk, robot_of):
    robot = robot_of("two-arm-cell")
    paths = [desk.export(rck_plugins.exporters.usd, robot, f"both{ending}") for ending in (".usda", ".usdc", ".usd")]
    text, *binary = (Sdf.Layer.OpenAsAnonymous(str(path)).ExportToString() for path in paths)
    assert binary == [text, text]
    assert [path.read_bytes()[:8] for path in paths[1:]] == [b"PXR-USDC"] * 2


def test_cameras_have_the_poses_of_rck(desk, sensing):
    stage = Usd.Stage.Open(str(desk.export(rck_plugins.exporters.usd, sensing, "sensing.usda")))
    assert is_valid(stage)
    cameras = {prim.GetName(): UsdGeom.Camera(prim).GetCamera() for prim in prims_of(stage, UsdGeom.Camera)}
    assert cameras.keys() == {"dev_camera", "dev_depth_camera"}
    for camera in cameras.values():
        assert camera.frustum.ComputeViewDirection() == pytest.approx((1, 0, 0), abs=1e-9)
        assert camera.frustum.ComputeUpVector() == pytest.approx((0, 0, 1), abs=1e-9)
        assert camera.frustum.position == pytest.approx((0.06, 0, 2), abs=1e-9)
    deep = cameras["dev_depth_camera"]
    assert deep.GetFieldOfView(deep.FOVHorizontal) == pytest.approx(degrees(1.5), rel=1e-6)
    assert deep.GetFieldOfView(deep.FOVVertical) == pytest.approx(degrees(1.0), rel=1e-6)
    assert (deep.clippingRange.min, deep.clippingRange.max) == pytest.approx((0.2, 8.0))


def test_pairs_that_may_touch_are_filtered_across_robots_and_loose_objects(exported, sensing):
    rules = [PairRule((one, "wall"), tested=False) for one in ("hand", "left")]
    robot = build_robot("ruled", sensing.items, sensing.joints, rules=rules).unwrap()
    stage = Usd.Stage.CreateInMemory()
    assert stage.GetRootLayer().ImportFromString(
        exported(rck_plugins.exporters.usd, robot, "r.usda").files["r.usda"].decode()
    )
    (wall,) = [prim for prim in stage.Traverse() if str(prim.GetPath()) == "/ruled/wall/wall"]
    targets = [str(target) for target in UsdPhysics.FilteredPairsAPI(wall).GetFilteredPairsRel().GetTargets()]
    assert targets == ["/ruled/base/hand", "/ruled/base/left"]
    assert all(stage.GetPrimAtPath(target) for target in targets)
    assert is_valid(stage)
