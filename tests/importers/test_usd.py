"""USD: bodies, joints, masses, shapes, looks, collision filters, and the schemas of simulators."""

import struct
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest
from rck_importers.usd import reader

from rck.geometry.transforms import rotation_about, translation
from rck.hooks import Job
from rck.model import (
    Actuation,
    ActuatorKind,
    DeviceKind,
    JointKind,
    LoopKind,
    PrimitiveKind,
    Severity,
    with_positions,
)
from rck.support.worker import _decode, _encode

Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")

HEAD = '#usda 1.0\n(\n    defaultPrim = "r"\n    metersPerUnit = {metres}\n    kilogramsPerUnit = {kilograms}\n'
BODY = "PhysicsRigidBodyAPI"


def usda(*prims, metres=1.0, kilograms=1.0, up="Z"):
    head = HEAD.format(metres=metres, kilograms=kilograms) + f'    upAxis = "{up}"\n)\n'
    return head + 'def Xform "r"\n{\n' + "\n".join(prims) + "\n}\n"


def prim(kind, name, *lines, apis=()):
    schemas = ", ".join(f'"{api}"' for api in apis)
    about = f"(\nprepend apiSchemas = [{schemas}]\n)" if apis else ""
    return f'def {kind} "{name}" {about}\n{{\n' + "\n".join(lines) + "\n}\n"


def at(x, y, z):
    return f'double3 xformOp:translate = ({x}, {y}, {z})\nuniform token[] xformOpOrder = ["xformOp:translate"]'


def body(name, place, *lines, apis=(), mass=1.0):
    given = [f"float physics:mass = {mass}", "float3 physics:diagonalInertia = (0.1, 0.1, 0.1)"] if mass else []
    return prim("Xform", name, at(*place), *given, *lines, apis=(BODY, "PhysicsMassAPI", *apis))


def joint(kind, name, base, moves, *lines, first=(0, 0, 0), second=(0, 0, 0), apis=()):
    return prim(
        f"Physics{kind}Joint" if kind else "PhysicsJoint",
        name,
        *([f"rel physics:body0 = </r/{base}>"] if base else []),
        f"rel physics:body1 = </r/{moves}>",
        f"point3f physics:localPos0 = {first}",
        f"point3f physics:localPos1 = {second}",
        *lines,
        apis=apis,
    )


def collider(kind, name, *lines, apis=()):
    return prim(kind, name, *lines, apis=("PhysicsCollisionAPI", *apis))


ARM = (
    body("base", (0, 0, 0), collider("Cube", "foot", "double size = 0.2")),
    body("arm", (0, 0, 1), collider("Cylinder", "rod", 'uniform token axis = "X"', "double radius = 0.1")),
    joint("Fixed", "anchor", "", "base"),
)
TURN = ('uniform token physics:axis = "Y"', "float physics:lowerLimit = -90", "float physics:upperLimit = 45")


def turning(*lines, apis=()):
    return usda(*ARM, joint("Revolute", "turn", "base", "arm", *TURN, *lines, first=(0, 0, 1), apis=apis))


@pytest.fixture
def here(monkeypatch):
    """Read without a child process: starting one takes longer than all the rest of a test."""

    def run(function, *arguments, **_):
        return _decode(_encode(function(Job(), *arguments)))

    monkeypatch.setattr(reader, "run_in_child", run)


@pytest.fixture
def load(read, written, here):
    def run(text, **options):
        return read("usd", written("robot.usda", text), {name.replace("_", "-"): str(v) for name, v in options.items()})

    return run


def messages(contents, code):
    return [finding.message for finding in contents.findings if finding.code == code]


def errors(contents):
    return [finding for finding in contents.findings if finding.severity is Severity.ERROR]


# Recognition


def test_text_binary_and_packed_files_are_recognised_by_their_content(importer, tmp_path):
    probe = importer("usd").probe
    assert probe(tmp_path / "x.txt", b"#usda 1.0\n(")
    assert probe(tmp_path / "x.txt", b"PXR-USDC\x00")
    packed = tmp_path / "packed.bin"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("robot.usda", "#usda 1.0\n")
    assert probe(packed, packed.read_bytes())
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("3D/model.model", "<model/>")
    assert not probe(packed, packed.read_bytes())
    assert not probe(tmp_path / "x.usd", b"solid x")


def test_missing_library_is_named(tmp_path):
    code = """
import sys
sys.modules["pxr"] = None
from pathlib import Path
from rck.hooks import Job
from rck_importers.usd.reader import read
print(*read(Path(sys.argv[1]), {}, Job()).findings)
"""
    (tmp_path / "a.usda").write_text(usda())
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a.usda"], capture_output=True, text=True, check=False
    )
    assert "RCK510 error" in done.stdout, done.stderr
    assert "pip install 'rck[usd]'" in done.stdout


# Joints


def test_revolute_joint_has_axis_limits_and_place(load):
    robot = load(turning()).robot
    turn = robot.joint("turn")
    assert turn.kind is JointKind.REVOLUTE
    assert turn.direction == pytest.approx((0, 1, 0))
    assert turn.start == pytest.approx((0, 0, 1))
    assert (turn.limits.lower, turn.limits.upper) == pytest.approx((-np.pi / 2, np.pi / 4))
    assert turn.actuation is Actuation.PASSIVE
    assert [item.name for item in robot.items] == ["base", "arm"]
    assert not robot.item("base").mobile


def test_units_and_up_axis_are_converted(load):
    prims = (
        body("base", (0, 0, 0), mass=0),
        body("arm", (10, 200, 30), "point3f physics:centerOfMass = (0, 100, 0)"),
        joint("Fixed", "anchor", "", "base"),
        joint(
            "Prismatic",
            "slide",
            "base",
            "arm",
            'uniform token physics:axis = "Y"',
            "float physics:lowerLimit = -50",
            "float drive:linear:physics:stiffness = 3",
            "float drive:linear:physics:maxForce = 500",
            first=(10, 200, 30),
            apis=("PhysicsDriveAPI:linear",),
        ),
    )
    robot = load(usda(*prims, metres=0.01, kilograms=2, up="Y")).robot
    arm = robot.item("arm")
    assert arm.pose[:3, 3] == pytest.approx((0.1, -0.3, 2.0))
    assert arm.mass == pytest.approx(2.0)
    assert arm.given_mass.inertia == pytest.approx(np.eye(3) * 0.1 * 2 * 1e-4)
    assert (arm.pose @ [*arm.given_mass.centre, 1])[:3] == pytest.approx((0.1, -0.3, 3.0))
    slide = robot.joint("slide")
    assert slide.direction == pytest.approx((0, 0, 1))
    assert slide.limits.lower == pytest.approx(-0.5)
    assert slide.effort == pytest.approx(500 * 2 * 0.01)
    (drive,) = robot.actuators
    # Newtons per centimetre, with the mass unit of two kilograms: kg / s2.
    assert drive.gain == pytest.approx(3 * 2)


def test_drive_gains_are_per_degree(load):
    lines = (
        "float drive:angular:physics:stiffness = 2",
        "float drive:angular:physics:damping = 0.5",
        "float drive:angular:physics:maxForce = 7",
        "float drive:angular:physics:targetPosition = 30",
    )
    robot = load(turning(*lines, apis=("PhysicsDriveAPI:angular",))).robot
    (drive,) = robot.actuators
    assert (drive.kind, drive.joint) == (ActuatorKind.POSITION, "turn")
    assert drive.gain == pytest.approx(2 * 180 / np.pi)
    assert drive.bias == pytest.approx((0, -2 * 180 / np.pi, -0.5 * 180 / np.pi))
    assert (drive.force.lower, drive.force.upper) == (-7, 7)
    assert robot.joint("turn").actuation is Actuation.ACTUATED
    assert robot.joint("turn").effort == 7
    assert robot.poses[0].positions == pytest.approx({"turn": np.pi / 6})


def test_drive_without_gains_says_that_there_is_a_motor(load):
    robot = load(turning("float drive:angular:physics:maxForce = 7", apis=("PhysicsDriveAPI:angular",))).robot
    assert robot.actuators == ()
    assert (robot.joint("turn").actuation, robot.joint("turn").effort) == (Actuation.ACTUATED, 7)


@pytest.mark.parametrize(
    ("lines", "armature", "friction", "damping", "speed"),
    [
        (("newton:armature = 0.2", "newton:friction = 0.3", "newton:damping = 0.1", "newton:velocityLimit = 90"),
         0.2, 0.3, 0.1 * 180 / np.pi, np.pi / 2),
        (("mjc:armature = 0.2", "mjc:frictionloss = 0.3", "mjc:damping = 0.1"), 0.2, 0.3, 0.1, None),
        (("physxJoint:armature = 0.2", "physxJointAxis:angular:dynamicFrictionEffort = 0.3",
          "physxJoint:maxJointVelocity = 180"), 0.2, 0.3, 0.0, np.pi),
    ],
)  # fmt: skip
def test_schemas_of_simulators_give_armature_friction_damping_and_speed(
    load, lines, armature, friction, damping, speed
):
    turn = load(turning(*(f"float {line}" for line in lines))).robot.joint("turn")
    assert (turn.armature, turn.friction, turn.damping) == pytest.approx((armature, friction, damping))
    assert turn.speed == (speed if speed is None else pytest.approx(speed))


def test_spring_and_force_range_of_mujoco(load):
    lines = ("double mjc:stiffness = 4", "double mjc:springref = 30", "double mjc:actuatorfrcrange:min = -3",
             "double mjc:actuatorfrcrange:max = 5", "double[] mjc:solreflimit = [0.03, 1]")  # fmt: skip
    turn = load(turning(*lines, apis=("MjcJointAPI",))).robot.joint("turn")
    assert (turn.stiffness, turn.spring_position, turn.effort) == pytest.approx((4, np.pi / 6, 5))
    assert turn.extensions["mjcf"]["solreflimit"] == "0.03 1.0"


FOLLOWER = body("hand", (0, 0, 2))


@pytest.mark.parametrize(
    ("apis", "lines"),
    [
        (("NewtonMimicAPI",), ("rel newton:mimicJoint = </r/turn>", "float newton:mimicCoef0 = 18",
                               "float newton:mimicCoef1 = -2")),
        (("PhysxMimicJointAPI:rotX",), ("rel physxMimicJoint:rotX:referenceJoint = </r/turn>",
                                        "float physxMimicJoint:rotX:gearing = 2",
                                        "float physxMimicJoint:rotX:offset = -18")),
    ],
)  # fmt: skip
def test_mimic_joint_follows_with_ratio_and_offset(load, apis, lines):
    text = usda(
        *ARM,
        FOLLOWER,
        joint("Revolute", "turn", "base", "arm", *TURN, first=(0, 0, 1)),
        joint("Revolute", "follow", "arm", "hand", *lines, first=(0, 0, 1), apis=apis),
    )
    mimic = load(text).robot.joint("follow").mimic
    assert (mimic.joint, mimic.ratio, mimic.offset) == ("turn", -2.0, pytest.approx(np.pi / 10))


def test_nonlinear_coupling_is_reported_as_lost(load):
    lines = ("rel newton:mimicJoint = </r/turn>", "double mjc:coef2 = 1")
    found = load(
        usda(
            *ARM,
            FOLLOWER,
            joint("Revolute", "turn", "base", "arm", *TURN, first=(0, 0, 1)),
            joint("Revolute", "follow", "arm", "hand", *lines, first=(0, 0, 1), apis=("MjcEqualityJointAPI",)),
        )
    )
    assert found.robot.joint("follow").mimic is None
    assert any("coupling" in message for message in messages(found, 503))


def test_fixed_joint_between_bodies_keeps_both(load):
    robot = load(usda(*ARM, joint("Fixed", "weld", "base", "arm", first=(0, 0, 1)))).robot
    assert robot.joint("weld").kind is JointKind.FIXED
    assert robot.free_joints == ()


def test_body_without_a_joint_floats(load):
    robot = load(usda(*ARM)).robot
    assert robot.item("arm").mobile
    assert not robot.item("base").mobile


def test_kinematic_body_and_static_shape_stand_still(load):
    found = load(
        usda(
            body("rail", (0, 0, 0), "bool physics:kinematicEnabled = 1"),
            collider("Cube", "table", "double size = 1", at(2, 0, 0)),
            joint("Prismatic", "slide", "", "cart"),
            body("cart", (0, 0, 0)),
        )
    )
    assert not found.robot.item("rail").mobile
    assert found.robot.item("world").subitems[0].shape.vertices[:, 0].mean() == pytest.approx(2)
    assert found.robot.joint("slide").base == "world"


def test_joint_that_points_to_the_root_is_turned_round(load):
    prims = (*ARM, joint("Revolute", "turn", "arm", "base", *TURN, second=(0, 0, 1)))
    robot = load(usda(*prims)).robot
    turn = robot.joint("turn")
    assert (turn.base, turn.moves) == ("base", ("arm",))
    assert turn.direction == pytest.approx((0, -1, 0))
    assert (turn.limits.lower, turn.limits.upper) == pytest.approx((-np.pi / 2, np.pi / 4))
    # The base turns by 0.4 about the axis seen from the arm: the arm turns by -0.4.
    turned = with_positions(robot, {"turn": 0.4}).item("arm").pose
    assert turned == pytest.approx(rotation_about((0, 1, 0), -0.4, (0, 0, 1)) @ translation((0, 0, 1)), abs=1e-9)


def test_position_follows_from_the_poses_in_the_file(load):
    angle = np.radians(20)
    turned = f"quatf xformOp:orient = ({np.cos(angle / 2)}, 0, {np.sin(angle / 2)}, 0)"
    arm = prim(
        "Xform", "arm", "double3 xformOp:translate = (0, 0, 1)", turned,
        'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]', "float physics:mass = 1",
        "float3 physics:diagonalInertia = (1, 1, 1)", apis=(BODY, "PhysicsMassAPI"),
    )  # fmt: skip
    robot = load(usda(ARM[0], ARM[2], arm, joint("Revolute", "turn", "base", "arm", *TURN, first=(0, 0, 1)))).robot
    assert robot.joint("turn").position == pytest.approx(angle, abs=1e-6)
    straight = with_positions(robot, {"turn": 0.0}).item("arm").pose
    assert straight == pytest.approx(translation((0, 0, 1)), abs=1e-6)


def test_body_away_from_its_joint_moves_there_with_what_it_carries(load):
    hand = body("hand", (0.5, 0, 2), collider("Sphere", "ball", "double radius = 0.1"))
    found = load(
        usda(
            *ARM,
            hand,
            joint("Revolute", "turn", "base", "arm", *TURN, first=(0, 0, 1.25)),
            joint("Fixed", "wrist", "arm", "hand", first=(0.5, 0, 1)),
        )
    )
    assert found.robot.item("arm").pose[:3, 3] == pytest.approx((0, 0, 1.25))
    assert found.robot.item("hand").pose[:3, 3] == pytest.approx((0.5, 0, 2.25))
    assert any("250 mm" in message for message in messages(found, 502))


def test_spherical_joint_becomes_three_hinges(load):
    robot = load(usda(*ARM, joint("Spherical", "ball", "base", "arm", first=(0, 0, 1)))).robot
    assert [one.name for one in robot.free_joints] == ["ball-x", "ball-y", "ball-z"]
    axes = np.array([one.direction for one in robot.free_joints])
    assert axes == pytest.approx(np.eye(3))
    assert robot.mass_properties.mass == pytest.approx(2)


def test_generic_joint_has_the_axes_that_are_not_locked(load):
    locked = [f"float limit:{axis}:physics:{end} = {value}" for axis in ("transY", "transZ", "rotX", "rotY")
              for end, value in (("low", 1), ("high", -1))]  # fmt: skip
    free = ("float limit:transX:physics:low = 0", "float limit:transX:physics:high = 0.5")
    names = ("transX", "transY", "transZ", "rotX", "rotY")
    text = usda(
        *ARM,
        joint("", "d6", "base", "arm", *locked, *free, first=(0, 0, 1), apis=[f"PhysicsLimitAPI:{n}" for n in names]),
    )
    robot = load(text).robot
    slide, turn = robot.free_joints
    assert (slide.name, slide.kind, slide.limits.upper) == ("d6-transX", JointKind.PRISMATIC, 0.5)
    assert (turn.name, turn.kind) == ("d6-rotZ", JointKind.CONTINUOUS)
    assert turn.direction == pytest.approx((0, 0, 1))


def test_distance_joint_is_refused_with_a_clear_finding(load):
    found = load(usda(*ARM, joint("Distance", "rope", "base", "arm")))
    (finding,) = [one for one in found.findings if "distance joint" in one.message]
    assert finding.severity is Severity.WARNING
    assert "/r/rope" in finding.where


@pytest.mark.parametrize(
    ("kind", "loop"),
    [("Fixed", LoopKind.WELD), ("Spherical", LoopKind.CONNECT), ("Revolute", LoopKind.REVOLUTE),
     ("Prismatic", LoopKind.PRISMATIC)],
)  # fmt: skip
def test_joint_outside_the_articulation_closes_a_loop(load, kind, loop):
    outside = "uniform bool physics:excludeFromArticulation = 1"
    text = usda(
        *ARM,
        body("rod", (1, 0, 1)),
        joint("Revolute", "turn", "base", "arm", *TURN, first=(0, 0, 1)),
        joint("Revolute", "swing", "base", "rod", first=(1, 0, 1)),
        joint(kind, "close", "arm", "rod", outside, first=(0.5, 0, 0), second=(-0.5, 0, 0)),
    )
    robot = load(text).robot
    (found,) = robot.loops
    assert (found.name, found.kind, found.items) == ("close", loop, ("arm", "rod"))
    ends = [robot.item(item).pose @ pose for item, pose in zip(found.items, found.poses, strict=True)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)
    if loop in (LoopKind.REVOLUTE, LoopKind.PRISMATIC):
        # The axis of a joint is x by default, that of a loop z.
        assert ends[0][:3, 2] == pytest.approx((1, 0, 0))


def test_second_joint_of_a_body_closes_a_loop_too(load):
    found = load(
        usda(
            *ARM,
            joint("Revolute", "turn", "base", "arm", *TURN, first=(0, 0, 1)),
            joint("Revolute", "again", "base", "arm", "float physics:lowerLimit = 0", first=(0, 0, 1)),
        )
    )
    assert [loop.name for loop in found.robot.loops] == ["again"]
    assert any("limit or drive" in message for message in messages(found, 503))


# Masses


MASSES = {
    "density": ((), ()),
    "body density": (("float physics:density = 500",), ()),
    "mass": (("float physics:mass = 3",), ()),
    "mass and centre": (("float physics:mass = 3", "point3f physics:centerOfMass = (0, 0.1, 0)"), ()),
    "centre": (("point3f physics:centerOfMass = (0, 0.1, 0)",), ()),
    "mass and inertia": (("float physics:mass = 3", "float3 physics:diagonalInertia = (1, 2, 2.5)"), ()),
    "turned inertia": (("float physics:mass = 3", "float3 physics:diagonalInertia = (1, 2, 2.5)",
                        "quatf physics:principalAxes = (0.8, 0.6, 0, 0)"), ()),
    "shape mass": ((), ("float physics:mass = 5",)),
    "shape density": (("float physics:density = 500",), ("float physics:density = 700",)),
    "both masses": (("float physics:mass = 3",), ("float physics:mass = 5",)),
}  # fmt: skip


def massive(lines, shape_lines):
    box = collider("Cube", "box", "double size = 0.2", at(0.5, 0, 0), *shape_lines, apis=("PhysicsMassAPI",))
    return prim("Xform", "b", *lines, box, apis=(BODY, "PhysicsMassAPI"))


def test_masses_are_those_that_openusd_computes(load):
    from pxr import Gf, UsdGeom, UsdPhysics

    text = usda(*(massive(*given).replace('"b"', f'"b{number}"') for number, given in enumerate(MASSES.values())))
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)

    def information(shape):
        side = UsdGeom.Cube(shape).GetSizeAttr().Get()
        found = UsdPhysics.RigidBodyAPI.MassInformation()
        found.volume, found.centerOfMass, found.localRot = side**3, Gf.Vec3f(0), Gf.Quatf(1)
        found.inertia = Gf.Matrix3f(found.volume * side * side / 6)
        found.localPos = Gf.Vec3f(UsdGeom.Xformable(shape).GetLocalTransformation().ExtractTranslation())
        return found

    robot = load(text).robot
    for number, name in enumerate(MASSES):
        api = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath(f"/r/b{number}"))
        mass, moments, centre, _ = api.ComputeMassProperties(information)
        ours = robot.item(f"b{number}").mass_properties
        assert ours.mass == pytest.approx(mass, rel=1e-6), name
        assert ours.centre == pytest.approx(centre, abs=1e-6), name
        assert np.linalg.eigvalsh(ours.inertia) == pytest.approx(sorted(moments), rel=1e-5), name
        if name == "turned inertia":
            turn = rotation_about((1, 0, 0), 2 * np.arctan2(0.6, 0.8))[:3, :3]
            assert ours.inertia == pytest.approx(turn @ np.diag((1, 2, 2.5)) @ turn.T, rel=1e-6)


def test_body_with_a_mass_but_no_shape_gets_the_inertia_of_openusd(load):
    found = load(usda(prim("Xform", "b", "float physics:mass = 3", apis=(BODY, "PhysicsMassAPI"))))
    assert found.robot.item("b").mass_properties.inertia == pytest.approx(np.eye(3) * 0.012)
    assert any("ball of 0.1 m" in message for message in messages(found, 408))


def test_full_inertia_of_newton_counts_first(load):
    lines = ("float physics:mass = 3", "float3 physics:diagonalInertia = (1, 2, 2.5)",
             "double[] newton:inertia = [1, 2, 2.5, 0.1, 0.2, 0.3]")  # fmt: skip
    inertia = load(usda(prim("Xform", "b", *lines, apis=(BODY, "PhysicsMassAPI")))).robot.item("b").given_mass.inertia
    assert inertia == pytest.approx(np.array([[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]))


# Shapes


def scaled(*factors):
    return f'float3 xformOp:scale = {factors}\nuniform token[] xformOpOrder = ["xformOp:scale"]'


PRIMITIVES = {
    "Cube": (("double size = 2", scaled(0.1, 0.2, 0.3)), PrimitiveKind.BOX, (0.2, 0.4, 0.6)),
    "Sphere": (("double radius = 2", scaled(0.1, 0.1, 0.1)), PrimitiveKind.SPHERE, (0.2,)),
    "Cylinder": (("double radius = 1", "double height = 3", 'uniform token axis = "Y"', scaled(0.1, 0.5, 0.1)),
                 PrimitiveKind.CYLINDER, (0.1, 1.5)),
    "Capsule": (("double radius = 0.1", "double height = 0.3"), PrimitiveKind.CAPSULE, (0.1, 0.3)),
}  # fmt: skip


def test_primitives_stay_primitives_with_scale_and_axis(load):
    shapes = [collider(kind, kind.lower(), *lines) for kind, (lines, _, _) in PRIMITIVES.items()]
    shapes.append(collider("Sphere", "egg", "double radius = 1", scaled(0.1, -0.2, 0.3)))
    shapes.append(collider("Cone", "cone", "double radius = 0.1", "double height = 0.3", 'uniform token axis = "X"'))
    found = load(usda(body("b", (0, 0, 0), *shapes)))
    pieces = {piece.name: piece for piece in found.robot.item("b").subitems}
    for kind, (_, expected, sizes) in PRIMITIVES.items():
        primitive = pieces[kind.lower()].primitive
        assert primitive.kind is expected
        assert primitive.sizes == pytest.approx(sizes)
    assert pieces["cylinder"].primitive.pose[:3, 2] == pytest.approx((0, 1, 0))
    assert pieces["egg"].primitive.kind is PrimitiveKind.ELLIPSOID
    assert pieces["egg"].primitive.sizes == pytest.approx((0.1, 0.2, 0.3))
    assert pieces["cone"].shape.vertices[:, 0].max() == pytest.approx(0.15)


TETRAHEDRON = (
    "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]",
    "int[] faceVertexCounts = [3, 3, 3, 3]",
    "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]",
)


def material(name, *inputs):
    shader = prim("Shader", "surface", 'uniform token info:id = "UsdPreviewSurface"', *inputs,
                  "token outputs:surface")  # fmt: skip
    return prim("Material", name, f"token outputs:surface.connect = </r/{name}/surface.outputs:surface>", shader)


def bound(name, purpose=""):
    return f"rel material:binding{purpose} = </r/{name}>"


def test_visual_and_collision_shapes_are_kept_apart(load):
    shapes = (
        prim("Mesh", "look", *TETRAHEDRON, 'uniform token purpose = "render"'),
        prim("Sphere", "stand_in", "double radius = 1", 'uniform token purpose = "proxy"'),
        prim("Cube", "helper", 'uniform token purpose = "guide"'),
        collider("Cube", "hull", "double size = 1", 'uniform token purpose = "guide"'),
        collider(
            "Cube", "ghost", "double size = 1", "bool physics:collisionEnabled = 0", 'token visibility = "invisible"'
        ),
    )
    item = load(usda(body("b", (0, 0, 0), *shapes))).robot.item("b")
    assert [piece.name for piece in item.subitems] == ["hull"]
    assert [visual.name for visual in item.visuals] == ["look"]


def test_materials_of_parts_of_a_mesh(load):
    red = material("red", "color3f inputs:diffuseColor = (1, 0, 0)", "float inputs:roughness = 0.25",
                   "float inputs:metallic = 0.75", "float inputs:opacity = 0.5")  # fmt: skip
    blue = material("blue", "color3f inputs:diffuseColor = (0, 0, 0.2140411)")
    subset = prim(
        "GeomSubset", "part", 'uniform token elementType = "face"', 'uniform token familyName = "materialBind"',
        "int[] indices = [0, 1]", bound("red"), apis=("MaterialBindingAPI",),
    )  # fmt: skip
    mesh = prim("Mesh", "look", *TETRAHEDRON, bound("blue"), subset, apis=("MaterialBindingAPI",))
    first, second = load(usda(red, blue, body("b", (0, 0, 0), mesh))).robot.item("b").visuals
    assert first.colour == pytest.approx((1, 0, 0, 0.5))
    assert (first.material, first.roughness, first.metallic) == ("red", 0.25, 0.75)
    # Colours of USD are in linear light.
    assert second.colour == pytest.approx((0, 0, 0.5, 1), abs=1e-6)
    assert [len(one.surface.face_offsets) - 1 for one in (first, second)] == [2, 2]


def png(red, green, blue):
    """The bytes of an image of one pixel."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes((0, red, green, blue)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def painted(file):
    image = prim("Shader", "image", 'uniform token info:id = "UsdUVTexture"', f"asset inputs:file = @{file}@",
                 "float2 inputs:st.connect = </r/paint/reader.outputs:result>", "float3 outputs:rgb")  # fmt: skip
    reader = prim("Shader", "reader", 'uniform token info:id = "UsdPrimvarReader_float2"',
                  'string inputs:varname = "map"', "float2 outputs:result")  # fmt: skip
    paint = material("paint", "color3f inputs:diffuseColor.connect = </r/paint/image.outputs:rgb>")
    mesh = prim(
        "Mesh", "look", *TETRAHEDRON, bound("paint"),
        "texCoord2f[] primvars:map = [(0, 0), (1, 0), (0, 1), (1, 1)] (\ninterpolation = \"vertex\"\n)",
        apis=("MaterialBindingAPI",),
    )  # fmt: skip
    return usda(paint.rstrip().removesuffix("}") + image + reader + "}\n", body("b", (0, 0, 0), mesh))


def test_texture_is_mapped_by_the_named_coordinates(load, tmp_path):
    (tmp_path / "skin.png").write_bytes(png(255, 0, 0))
    (visual,) = load(painted("./skin.png")).robot.item("b").visuals
    assert (visual.texture.name, visual.texture.content) == ("skin.png", png(255, 0, 0))
    corners = visual.surface.vertices[visual.surface.face_vertices]
    expected = [((float(y > 0.5 or z > 0.5) and float(z > 0.5)) or float(x > 0.5), float(y > 0.5 or z > 0.5))
                for x, y, z in corners]  # fmt: skip
    assert visual.texture_points == pytest.approx(np.array(expected))
    assert visual.colour == (1, 1, 1, 1)


def test_texture_outside_the_folder_is_ignored_with_a_warning(read, written, tmp_path, here):
    (tmp_path / "skin.png").write_bytes(png(255, 0, 0))
    path = written("robot/robot.usda", painted("../skin.png"))
    found = read("usd", path)
    assert found.robot.item("b").visuals[0].texture is None
    assert any("outside" in message for message in messages(found, 508))
    assert read("usd", path, {"allow-outside": "yes"}).robot.item("b").visuals[0].texture is not None


def test_package_with_a_texture(read, written, tmp_path, here):
    from pxr import UsdUtils

    (tmp_path / "skin.png").write_bytes(png(0, 255, 0))
    written("robot.usda", painted("./skin.png"))
    packed = tmp_path / "other" / "robot.usdz"
    packed.parent.mkdir()
    assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "robot.usda"), str(packed))
    (visual,) = read("usd", packed).robot.item("b").visuals
    assert visual.texture.content == png(0, 255, 0)


def test_mesh_of_polygons_with_holes_and_left_handed_faces(load):
    cube = (
        "point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0), (0,0,1), (1,0,1), (1,1,1), (0,1,1)]",
        "int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]",
        "int[] faceVertexIndices = [0,1,2,3, 4,7,6,5, 0,4,5,1, 1,5,6,2, 2,6,7,3, 3,7,4,0]",
        'uniform token orientation = "leftHanded"',
        "int[] holeIndices = [1]",
    )
    look = prim("Mesh", "look", *cube)
    hidden = collider("Cube", "c", 'uniform token purpose = "guide"')
    (visual,) = load(usda(body("b", (0, 0, 0), look, hidden))).robot.item("b").visuals
    corners = visual.surface.vertices[visual.surface.face_vertices].reshape(-1, 3, 3)
    assert len(corners) == 10
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = np.einsum("ij,ij->i", normals, corners.mean(axis=1) - 0.5)
    assert (outward > 0).all()


@pytest.mark.parametrize("indices", ["[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 9]", "[0, 2, 1]"])
def test_damaged_mesh_is_ignored_with_a_warning(load, indices):
    lines = (*TETRAHEDRON[:2], f"int[] faceVertexIndices = {indices}")
    found = load(usda(body("b", (0, 0, 0), prim("Mesh", "look", *lines), collider("Cube", "c"))))
    assert not any(visual.name == "look" for visual in found.robot.item("b").visuals)
    assert len(messages(found, 503)) == 1


L_POINTS = "(0,0,0), (2,0,0), (2,1,0), (1,1,0), (1,2,0), (0,2,0), (0,0,1), (2,0,1), (2,1,1), (1,1,1), (1,2,1), (0,2,1)"
L_FACES = "5,4,3,0, 3,2,1,0, 6,9,10,11, 6,7,8,9, 0,1,7,6, 1,2,8,7, 2,3,9,8, 3,4,10,9, 4,5,11,10, 5,0,6,11"
L_SHAPE = (
    f"point3f[] points = [{L_POINTS}]",
    "int[] faceVertexCounts = [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]",
    f"int[] faceVertexIndices = [{L_FACES}]",
)


@pytest.mark.parametrize(
    ("approximation", "volume", "pieces"),
    [("convexHull", 3.5, 1), ("boundingCube", 4.0, 1), ("convexDecomposition", 3.0, 2)],
)
def test_mesh_becomes_convex_as_its_approximation_says(load, approximation, volume, pieces):
    pytest.importorskip("coacd")
    shape = collider(
        "Mesh", "mesh", *L_SHAPE, f'uniform token physics:approximation = "{approximation}"',
        apis=("PhysicsMeshCollisionAPI",),
    )  # fmt: skip
    item = load(usda(body("b", (0, 0, 0), shape))).robot.item("b")
    assert sum(piece.shape.volume for piece in item.subitems) == pytest.approx(volume)
    assert len(item.subitems) == pieces
    assert load(usda(body("b", (0, 0, 0), shape)), convex="boxes").robot.item("b").subitems[0].shape.volume > 3.9


def test_friction_of_the_physics_material(load):
    rubber = prim("Material", "rubber", "float physics:dynamicFriction = 0.9", apis=("PhysicsMaterialAPI",))
    shape = collider("Cube", "c", bound("rubber", ":physics"), apis=("MaterialBindingAPI",))
    assert load(usda(rubber, body("b", (0, 0, 0), shape))).robot.item("b").subitems[0].friction == pytest.approx(0.9)


# Collision rules


def three(*others, joint_lines=()):
    bodies = [body(name, (0, 0, z), collider("Cube", "c", "double size = 0.2"), apis=apis) for z, (name, apis) in
              enumerate((("base", ("PhysicsArticulationRootAPI",)), ("arm", ()), ("hand", ())))]  # fmt: skip
    return usda(
        *bodies,
        joint("Revolute", "turn", "base", "arm", *joint_lines, first=(0, 0, 1)),
        joint("Revolute", "wrist", "arm", "hand", first=(0, 0, 1)),
        *others,
    )


def rules(contents):
    return {(frozenset(rule.items), rule.tested) for rule in contents.robot.rules}


def test_filtered_pair_is_not_tested(load):
    text = three().replace("double3 xformOp:translate = (0, 0, 2)", "rel physics:filteredPairs = </r/base>\n"
                           "double3 xformOp:translate = (0, 0, 2)", 1)  # fmt: skip
    text = text.replace(f'def Xform "hand" (\nprepend apiSchemas = ["{BODY}"',
                        f'def Xform "hand" (\nprepend apiSchemas = ["PhysicsFilteredPairsAPI", "{BODY}"')  # fmt: skip
    assert rules(load(text)) == {(frozenset(("base", "hand")), False)}


def test_bodies_of_a_joint_are_tested_only_on_request(load):
    assert rules(load(three())) == set()
    found = load(three(joint_lines=("bool physics:collisionEnabled = 1",)))
    assert rules(found) == {(frozenset(("base", "arm")), True)}


def test_articulation_without_self_collision(load):
    text = three().replace("double3 xformOp:translate = (0, 0, 0)",
                           "bool physxArticulation:enabledSelfCollisions = 0\n"
                           "double3 xformOp:translate = (0, 0, 0)", 1)  # fmt: skip
    assert rules(load(text)) == {(frozenset(("base", "hand")), False)}


def test_collision_groups_that_filter_each_other(load):
    def group(name, path, *lines):
        return prim(
            "PhysicsCollisionGroup", name, f"rel collection:colliders:includes = <{path}>", *lines,
            apis=("CollectionAPI:colliders",),
        )  # fmt: skip

    groups = (group("a", "/r/base", "rel physics:filteredGroups = </r/b>"), group("b", "/r/hand"))
    assert rules(load(three(*groups))) == {(frozenset(("base", "hand")), False)}


# Frames, devices, files


def test_sites_empty_transforms_and_cameras(load):
    things = (
        prim("Sphere", "grip", at(0, 0, 0.5), "double radius = 0.01", apis=("MjcSiteAPI",)),
        prim("Xform", "tool", at(0, 0, 0.7)),
        prim("Xform", "visuals"),
        prim("Camera", "eye", at(0, 0, 0.1), "float focalLength = 50", "float horizontalAperture = 100",
             "float2 clippingRange = (0.1, 20)"),
    )  # fmt: skip
    robot = load(usda(body("b", (0, 0, 0), *things))).robot
    assert {frame.name: frame.pose[2, 3] for frame in robot.frames} == pytest.approx({"grip": 0.5, "tool": 0.7})
    (eye,) = robot.devices
    assert eye.kind is DeviceKind.CAMERA
    assert eye.pose[:3, 2] == pytest.approx((0, 0, -1))
    assert eye.values == pytest.approx({"field-of-view": np.pi / 2, "min-range": 0.1, "max-range": 20})


def test_names_of_the_file_are_kept(load):
    odd = body("b_1", (0, 0, 0)).replace("(\nprepend", '(\ndisplayName = "upper.arm"\nprepend', 1)
    robot = load(usda(odd, body("plain", (1, 0, 0)))).robot
    assert [(item.name, item.source_name) for item in robot.items] == [("upper-arm", "upper.arm"), ("plain", "plain")]


def test_equal_names_get_the_names_above_them(load):
    sides = [prim("Xform", side, body("hand", (0, 0, 0))) for side in ("left", "right")]
    assert [item.name for item in load(usda(*sides)).robot.items] == ["left/hand", "right/hand"]


def test_references_instances_and_missing_files(read, written, here):
    written("parts/hand.usda", '#usda 1.0\n(\ndefaultPrim = "hand"\n)\n' + prim("Xform", "hand", collider("Cube", "c")))
    inner = [
        f'def "{name}" (\ninstanceable = true\nprepend references = @./parts/{file}@\n)\n{{\n{at(n, 0, 0)}\n}}'
        for n, (name, file) in enumerate((("one", "hand.usda"), ("two", "hand.usda"), ("three", "gone.usda")))
    ]
    found = read("usd", written("robot.usda", usda(body("b", (0, 0, 0), *inner))))
    assert [piece.shape.vertices[:, 0].mean() for piece in found.robot.item("b").subitems] == pytest.approx([0, 1])
    assert any("gone.usda" in message for message in messages(found, 508))


@pytest.mark.parametrize("way", ["references", "payload", "subLayers"])
def test_file_outside_the_folder_is_refused_unless_allowed(read, written, way, here):
    written("secret.usda", '#usda 1.0\n(\ndefaultPrim = "r"\n)\n' + prim("Xform", "r", collider("Cube", "c")))
    if way == "subLayers":
        text = "#usda 1.0\n(\nsubLayers = [@../secret.usda@]\n)\n"
    else:
        text = f'#usda 1.0\ndef "r" (\nprepend {way} = @../secret.usda@\n)\n{{\n}}\n'
    path = written("robot/robot.usda", text)
    (finding,) = errors(read("usd", path))
    assert finding.code == 508
    assert "outside" in finding.message
    assert "allow-outside" in finding.fix
    assert len(read("usd", path, {"allow-outside": "yes"}).robot.items[0].subitems) == 1


def test_one_prim_and_a_variant_can_be_chosen(load):
    choice = (
        'def Xform "b" (\nvariants = {\nstring size = "small"\n}\nprepend variantSets = "size"\nprepend apiSchemas = '
        f'["{BODY}"]\n)\n{{\nvariantSet "size" = {{\n"small" {{\n{collider("Cube", "c", "double size = 1")}\n}}\n'
        f'"large" {{\n{collider("Cube", "c", "double size = 2")}\n}}\n}}\n}}\n'
    )
    text = usda(choice, body("other", (5, 0, 0)))
    chosen = load(text, prim="/r/b", variants="size=large").robot
    assert [item.name for item in chosen.items] == ["b"]
    assert chosen.item("b").mass == pytest.approx(8000)
    assert load(text, prim="/r/b").robot.item("b").mass == pytest.approx(1000)
    (unknown,) = errors(load(text, variants="size=huge"))
    assert "size: large, small" in unknown.fix
    assert "there is no prim '/x'" in errors(load(text, prim="/x"))[0].message


@pytest.mark.parametrize(
    ("option", "value"), [("most-elements", 3), ("most-triangles", 3), ("most-megabytes", 0.0005), ("most-includes", 1)]
)
def test_limits_name_the_option_that_raises_them(read, written, option, value):
    for name in ("one", "two"):
        written(f"{name}.usda", "#usda 1.0\n" + prim("Xform", name))
    layers = "subLayers = [@./one.usda@, @./two.usda@]\n"
    text = usda(body("b", (0, 0, 0), prim("Mesh", "m", *TETRAHEDRON))).replace("(\n", f"(\n{layers}", 1)
    (finding,) = errors(read("usd", written("robot.usda", text), {option: str(value)}))
    assert finding.code == 509
    assert option in finding.fix


@pytest.mark.parametrize("damage", ["cut", "noise", "binary", "number", "nothing"])
def test_damaged_file_gives_one_error_with_its_place(load, read, tmp_path, damage):
    text = turning()
    if damage == "number":
        text = text.replace("float physics:lowerLimit = -90", 'string physics:lowerLimit = "x"')
    contents = {
        "cut": text[: len(text) // 2].encode(),
        "noise": b"#usda 1.0\n" + bytes(range(256)),
        "binary": b"PXR-USDC" + bytes(200),
        "number": text.encode(),
        "nothing": b"",
    }[damage]
    (tmp_path / "robot.usda").write_bytes(contents)
    found = read("usd", tmp_path / "robot.usda")
    (finding,) = errors(found)
    assert finding.where.startswith("robot.usda")
    assert damage != "cut" or finding.where.split(":")[1].isdigit()


def test_prims_that_are_ignored_have_one_finding_per_type(load):
    others = [prim("DistantLight", f"light{n}") for n in range(3)]
    others.append(prim("Plane", "ground", apis=("PhysicsCollisionAPI",)))
    found = load(usda(body("b", (0, 0, 0), collider("Cube", "c")), *others))
    said = {finding.message: finding.severity for finding in found.findings if finding.code == 503}
    assert said == {
        "DistantLight prim is not supported and was ignored (and 2 more like it)": Severity.NOTE,
        "Plane prim is not supported and was ignored: the robot behaves differently": Severity.WARNING,
    }


def test_attributes_that_rck_does_not_interpret_are_kept(load):
    text = turning("float physxJoint:jointFriction = 0.25", 'custom string maker:serial = "a\\"b"')
    data = load(text).robot.joint("turn").extensions["usd"]
    assert data["physxJoint:jointFriction"] == "float = 0.25"
    assert data["maker:serial"] == 'custom string = "a\\"b"'
