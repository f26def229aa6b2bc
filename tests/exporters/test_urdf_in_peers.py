"""URDF in the programs that read it: links are where RCK has the items, and weigh what they weigh."""

import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest
import rck_plugins.exporters.urdf
from hypothesis import given, settings
from hypothesis import strategies as st
from primitive_checks import facet_gap

from rck.collision.scene import HullScene
from rck.exporting import Merge
from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.geometry.transforms import apply, from_quaternion, invert, translation
from rck.model.joint_positions import joint_positions
from rck.testing.robots import robots

LINKS = {"taken": ("world",)}


@pytest.fixture(scope="session")
def urdf(case, desk):
    return desk.export(rck_plugins.exporters.urdf, case.robot, f"{case.name}.urdf")


def pinocchio_vector(pin, model, tree, positions):
    """The joints at these positions, as pinocchio has them."""
    q = pin.neutral(model)
    for link in tree.links:
        if link.mover is not None:
            joint, here = model.joints[model.getJointId(link.joint_name)], positions[link.mover.name]
            # A joint without end is a point on the unit circle.
            q[joint.idx_q : joint.idx_q + joint.nq] = here if joint.nq == 1 else (np.cos(here), np.sin(here))
    return q


def pinocchio_links(pin, model, tree, positions):
    """World from link, by pinocchio. Shape (vectors, links, 4, 4)."""
    data = model.createData()
    frames = [model.getFrameId(link.name, pin.FrameType.BODY) for link in tree.links]
    found = np.empty((len(positions), len(frames), 4, 4))
    for row, at in enumerate(positions):
        pin.framesForwardKinematics(model, data, pinocchio_vector(pin, model, tree, at))
        for number, frame in enumerate(frames):
            found[row, number] = data.oMf[frame].homogeneous
    return found


def test_pinocchio_places_every_item_like_rck(case, urdf):
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    tree = case.tree(**LINKS)
    model = pin.buildModelFromUrdf(str(urdf))
    case.assert_items_agree(tree, pinocchio_links(pin, model, tree, case.positions))


def test_pinocchio_computes_the_mass_of_rck(case, urdf):
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    model = pin.buildModelFromUrdf(str(urdf))
    data = model.createData()
    standing = joint_positions(case.robot, case.robot.positions)
    pin.forwardKinematics(model, data, pinocchio_vector(pin, model, case.tree(**LINKS), standing))
    whole = combine(
        moved(MassProperties(body.mass, body.lever, body.inertia), data.oMi[number].homogeneous)
        for number, body in enumerate(model.inertias)
    )
    ours = case.robot.mass_properties
    assert whole.mass == pytest.approx(ours.mass, rel=1e-6)
    assert whole.centre == pytest.approx(ours.centre, abs=1e-6)
    assert whole.inertia == pytest.approx(ours.inertia, abs=1e-6 * np.trace(ours.inertia))


def test_pinocchio_reads_the_joint_positions_from_the_srdf(case, urdf):
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    model = pin.buildModelFromUrdf(str(urdf))
    pin.loadReferenceConfigurations(model, str(urdf.with_suffix(".srdf")), False)
    stance = model.referenceConfigurations["reference"]
    for joint in case.robot.free_joints:
        number = model.getJointId(case.tree(**LINKS).joint_names[joint.name])
        if model.joints[number].nq == 1:
            assert stance[model.joints[number].idx_q] == pytest.approx(joint.position, abs=1e-9)


def test_mujoco_places_every_item_like_rck(case, urdf):
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    tree = case.tree(**LINKS)
    spec = mujoco.MjSpec.from_file(str(urdf))
    # It would drop the links that do not move.
    spec.compiler.fusestatic = False
    model = spec.compile()
    data = mujoco.MjData(model)
    places = [(link.joint.name, model.joint(link.joint_name).qposadr[0]) for link in tree.links if link.mover]
    bodies = [model.body(link.name).id for link in tree.links]
    found = np.tile(np.eye(4), (len(case.vectors), len(bodies), 1, 1))
    for row, at in enumerate(case.positions):
        for name, place in places:
            data.qpos[place] = at[name]
        mujoco.mj_kinematics(model, data)
        found[row, :, :3, :3] = data.xmat[bodies].reshape(-1, 3, 3)
        found[row, :, :3, 3] = data.xpos[bodies]
    case.assert_items_agree(tree, found)
    assert model.body_mass.sum() == pytest.approx(case.robot.mass_properties.mass, rel=1e-6)


@pytest.fixture
def bullet():
    """PyBullet, and a world in it."""
    pybullet = pytest.importorskip("pybullet", reason="pybullet is not installed")
    client = pybullet.connect(pybullet.DIRECT)
    yield pybullet, client
    pybullet.disconnect(client)


def pose_of(place, quaternion):
    """PyBullet has the real part of a quaternion last."""
    x, y, z, w = quaternion
    return translation(place) @ from_quaternion((w, x, y, z))


def test_pybullet_places_every_item_like_rck(case, urdf, bullet):
    pybullet, client = bullet
    tree = case.tree(**LINKS)
    robot = pybullet.loadURDF(str(urdf), useFixedBase=True, physicsClientId=client)
    about = [pybullet.getJointInfo(robot, n, client) for n in range(pybullet.getNumJoints(robot, client))]
    number_of_joint = {info[1].decode(): number for number, info in enumerate(about)}
    number_of_link = {info[12].decode(): number for number, info in enumerate(about)}
    # The base is no link to it, and where its centre of mass is.
    base_from_centre = pose_of(*pybullet.getDynamicsInfo(robot, -1, client)[3:5])
    base = pose_of(*pybullet.getBasePositionAndOrientation(robot, client)) @ invert(base_from_centre)
    found = np.tile(base, (len(case.vectors), len(tree.links), 1, 1))
    for row, at in enumerate(case.positions):
        for link in tree.links:
            if link.mover is not None:
                pybullet.resetJointState(robot, number_of_joint[link.joint_name], at[link.joint.name], 0, client)
        for column, link in enumerate(tree.links):
            if link.name in number_of_link:
                state = pybullet.getLinkState(robot, number_of_link[link.name], False, True, client)
                found[row, column] = pose_of(*state[4:6])
    # It counts in single precision.
    case.assert_items_agree(tree, found, metres=1e-6, turn=1e-6)


def test_pybullet_computes_the_mass_of_rck(case, urdf, bullet):
    pybullet, client = bullet
    robot = pybullet.loadURDF(str(urdf), flags=pybullet.URDF_USE_INERTIA_FROM_FILE, physicsClientId=client)
    numbers = range(pybullet.getNumJoints(robot, client))
    number_of_link = {pybullet.getJointInfo(robot, number, client)[12].decode(): number for number in numbers}
    for link in case.tree(**LINKS).links:
        mass, _, moments, place, turn, *_ = pybullet.getDynamicsInfo(robot, number_of_link.get(link.name, -1), client)
        theirs = moved(MassProperties(mass, np.zeros(3), np.diag(moments)), pose_of(place, turn))
        ours = link.mass_properties
        assert theirs.mass == pytest.approx(ours.mass, rel=1e-6)
        assert theirs.centre == pytest.approx(ours.centre, abs=1e-6)
        assert theirs.inertia == pytest.approx(ours.inertia, abs=1e-6 * np.trace(ours.inertia))
    total = sum(pybullet.getDynamicsInfo(robot, number, client)[0] for number in (-1, *numbers))
    assert total == pytest.approx(case.robot.mass_properties.mass, rel=1e-6)


def test_yourdfpy_places_every_item_like_rck(case, urdf):
    yourdfpy = pytest.importorskip("yourdfpy", reason="yourdfpy is not installed")
    tree = case.tree(**LINKS)
    robot = yourdfpy.URDF.load(str(urdf), load_meshes=False, build_scene_graph=True)
    some = 10  # it walks its graph again for every link
    found = np.empty((some, len(tree.links), 4, 4))
    for row, at in enumerate(case.positions[:some]):
        robot.update_cfg({tree.joint_names[joint.name]: at[joint.name] for joint in case.robot.coordinate_joints})
        for column, link in enumerate(tree.links):
            found[row, column] = robot.get_transform(link.name, robot.base_link)
    case.assert_items_agree(tree, found)


def test_yourdfpy_finds_nothing_wrong_and_sees_every_shape_in_its_place(case, urdf):
    yourdfpy = pytest.importorskip("yourdfpy", reason="yourdfpy is not installed")
    robot = yourdfpy.URDF.load(str(urdf), build_collision_scene_graph=True, load_collision_meshes=True)
    robot.validate()
    assert robot.errors == []
    names = case.tree(**LINKS).joint_names
    robot.update_cfg({names[joint.name]: joint.position for joint in case.robot.coordinate_joints})
    corners = [apply(item.pose, piece.shape.vertices) for item in case.robot.items for piece in item.subitems]
    assert len(robot.scene.geometry) == len(corners)
    bounds = np.array([np.concatenate(corners).min(axis=0), np.concatenate(corners).max(axis=0)])
    # yourdfpy has facets of its own for cylinders and spheres.
    bulge = max(map(facet_gap, case.robot.items))
    assert robot.scene.bounds == pytest.approx(bounds, abs=1e-6 + bulge)
    assert robot.collision_scene.bounds == pytest.approx(bounds, abs=1e-6 + bulge)


def test_check_urdf_accepts_it(urdf):
    program = shutil.which("check_urdf")
    if program is None:
        pytest.skip("check_urdf is not installed (Debian: liburdfdom-tools)")
    done = subprocess.run([program, str(urdf)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Successfully Parsed XML" in done.stdout
    assert "rror" not in done.stdout + done.stderr


def test_the_same_items_touch_in_coal_as_in_rck(case, urdf):
    """With the pairs that the SRDF leaves; those nearer to touching than a micrometre are left to either, and so are
    those that touch only because coal's round shapes have no facets.

    Pinocchio tests nothing that hangs fixed on the world against what does so too, loose objects among them.
    """
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    coal = pytest.importorskip("coal", reason="coal is not installed")
    tree = case.tree(**LINKS)
    item_of_link = {link.name: link.items[0].item.name for link in tree.links}
    model = pin.buildModelFromUrdf(str(urdf))
    shapes = pin.buildGeomFromUrdf(model, str(urdf), pin.GeometryType.COLLISION, str(urdf.parent))
    for shape in shapes.geometryObjects:
        if isinstance(shape.geometry, coal.BVHModelBase):
            shape.geometry.buildConvexHull(True, "Qt")
            shape.geometry = shape.geometry.convex
    shapes.addAllCollisionPairs()
    pin.removeCollisionPairs(model, shapes, str(urdf.with_suffix(".srdf")))
    owner = [item_of_link[model.frames[shape.parentFrame].name] for shape in shapes.geometryObjects]
    pairs = [frozenset((owner[pair.first], owner[pair.second])) for pair in shapes.collisionPairs]
    tested, scene = set(pairs), HullScene(case.robot)
    margins = {margin: (model.createData(), pin.GeometryData(shapes)) for margin in (-1e-6, 1e-6)}
    gaps = {item.name: facet_gap(item) for item in case.robot.items}
    for margin, (_, found) in margins.items():
        for pair, request in zip(pairs, found.collisionRequests, strict=True):
            request.security_margin = margin if margin > 0 else margin - sum(map(gaps.get, pair))
    for vector, positions in zip(case.vectors, case.positions, strict=True):
        q = pinocchio_vector(pin, model, tree, positions)
        hit = {}
        for margin, (data, found) in margins.items():
            pin.computeCollisions(model, data, shapes, found, q, False)
            results = zip(pairs, found.collisionResults, strict=True)
            hit[margin] = {pair for pair, result in results if result.isCollision()}
        touching = {frozenset(pair) for pair in scene.touching(vector)} & tested
        assert hit[-1e-6] <= touching
        assert touching <= hit[1e-6]
    # What the SRDF leaves to be tested is what RCK tests, of what moves.
    groups = case.robot.tree.rigid_groups
    still = {item for group in groups if group.joint is None for item in group.items}
    solid = [bool(item.subitems) for item in case.robot.items]
    ours = [pair for pair in scene.pairs.listed.tolist() if all(solid[item] for item in pair)]
    names = [item.name for item in case.robot.items]
    assert {frozenset(names[item] for item in pair) for pair in ours if not still.issuperset(pair)} == tested


@settings(max_examples=25)
@given(robots(most_devices=3), st.integers(0, 1000))
def test_pinocchio_places_the_items_of_random_robots_like_rck(make_case, exported, robot, seed):
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    case = make_case("random", robot, 3, seed)
    for merge_fixed in (False, True):
        text = exported(rck_plugins.exporters.urdf, robot, "r.urdf", merge_fixed=merge_fixed).files["r.urdf"].decode()
        tree = case.tree(**LINKS, merge=Merge.FIXED if merge_fixed else Merge.NONE)
        model = pin.buildModelFromXML(text)
        links = pinocchio_links(pin, model, tree, case.positions)
        if len(tree.roots) == 1 and tree.links[0].floats:
            # A robot that floats begins at the origin, wherever it stood.
            links = tree.links[0].pose @ links
        case.assert_items_agree(tree, links)


def test_devices_are_empty_links_and_grippers_are_end_effectors(exported, sensing):
    done = exported(rck_plugins.exporters.urdf, sensing, "s.urdf")
    links = {link.get("name"): link for link in ElementTree.fromstring(done.files["s.urdf"]).iter("link")}
    assert links["dev_camera"].find("visual") is None
    joint = ElementTree.fromstring(done.files["s.urdf"]).find("joint[@name='dev_camera_fixed']")
    assert joint.find("parent").get("link") == "hand"
    srdf = ElementTree.fromstring(done.files["s.srdf"])
    hand = srdf.find("end_effector[@name='dev_parallel-gripper']")
    assert (hand.get("parent_link"), hand.get("group")) == ("arm", "dev_parallel-gripper")
    group = srdf.find("group[@name='dev_parallel-gripper']")
    assert [(part.tag, part.get("name")) for part in group] == [
        ("link", "hand"),
        ("joint", "grip"),
        ("joint", "follow"),
    ]
    assert any("cameras (dev/camera, dev/depth-camera)" in finding.message for finding in done.findings)
