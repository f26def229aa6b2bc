"""MJCF in MuJoCo: bodies, shapes and masses are where RCK has them, and the same things touch."""

import numpy as np
import pytest
import rck_plugins.exporters.mjcf
from hypothesis import given, settings
from hypothesis import strategies as st
from primitive_checks import facet_gap, surface_offsets
from rck_plugins.exporters.mjcf.added_servos import with_servos
from rck_plugins.exporters.mjcf.bodies import bodies_of
from rck_plugins.exporters.mjcf.model import model_of

from rck.collision.scene import HullScene
from rck.exporting import Merge, shapes_of
from rck.exporting.export import export
from rck.geometry.mass_properties import MassProperties, combine
from rck.geometry.transforms import to_quaternion
from rck.hooks import discover
from rck.hooks.file_exchange import read_file
from rck.model import Primitive, PrimitiveKind, Severity, at_positions
from rck.model.motor import motors_of
from rck.testing.robots import robots

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

LINKS = {"taken": ("world",)}


@pytest.fixture(scope="session")
def warnings():
    """What MuJoCo warns of, as it does."""
    heard = []
    mujoco.set_mju_user_warning(heard.append)
    yield heard
    mujoco.set_mju_user_warning(None)


@pytest.fixture(scope="session")
def model(case, desk, warnings):
    path = desk.export(rck_plugins.exporters.mjcf, case.robot, f"{case.name}.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert warnings == []
    return model


def body_names(tree):
    """The name of the body of each link: the world of a file is that of MuJoCo."""
    bodies, body_of_link = bodies_of(tree)
    return [bodies[number].name for number in body_of_link]


def geoms_of_items(model, tree, shapes):
    """Yield the number of the item, the exported shape and the geom of MuJoCo of each geom; many have no name."""
    mjcf = model_of(tree, shapes)
    for body in mjcf.bodies:
        geoms = iter(range(model.body(body.name).geomadr[0], model.ngeom))
        for placed in (placed for link in body.links for placed in link.items):
            yield from ((placed.number, geom.shape, next(geoms)) for geom in mjcf.geoms[placed.number])


def put(model, data, tree, positions):
    """Move the joints; loose things stay where they began."""
    for link in tree.links:
        if link.mover is not None:
            data.qpos[model.joint(link.joint_name).qposadr[0]] = positions[link.joint.name]


def mujoco_links(model, tree, case):
    """World from link, by MuJoCo. Shape (vectors, links, 4, 4)."""
    data = mujoco.MjData(model)
    bodies = [model.body(name).id for name in body_names(tree)]
    found = np.tile(np.eye(4), (len(case.vectors), len(bodies), 1, 1))
    for row, positions in enumerate(case.positions):
        put(model, data, tree, positions)
        mujoco.mj_kinematics(model, data)
        found[row, :, :3, :3] = data.xmat[bodies].reshape(-1, 3, 3)
        found[row, :, :3, 3] = data.xpos[bodies]
    return found


def test_mujoco_places_every_item_like_rck(case, model):
    tree = case.tree(**LINKS)
    case.assert_items_agree(tree, mujoco_links(model, tree, case), metres=1e-9, turn=1e-9)


def test_keyframe_has_the_joint_positions_in_mujoco(case, model):
    tree = case.tree(**LINKS)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    for link, name in zip(tree.links, body_names(tree), strict=True):
        body = data.body(name)
        ours = link.items[0].item.pose @ np.linalg.inv(link.items[0].pose)
        assert body.xpos == pytest.approx(ours[:3, 3], abs=1e-9)
        assert abs(body.xquat @ to_quaternion(ours)) == pytest.approx(1.0, abs=1e-9)


def test_mujoco_computes_the_mass_of_rck(case, model):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    turns = data.ximat.reshape(-1, 3, 3)
    whole = combine(
        MassProperties(mass, centre, turn @ np.diag(moments) @ turn.T)
        for mass, centre, turn, moments in zip(model.body_mass, data.xipos, turns, model.body_inertia, strict=True)
    )
    ours = case.robot.mass_properties
    assert whole.mass == pytest.approx(ours.mass, rel=1e-6)
    assert whole.centre == pytest.approx(ours.centre, abs=1e-6)
    assert whole.inertia == pytest.approx(ours.inertia, abs=1e-6 * np.trace(ours.inertia))


def test_mujoco_places_every_corner_of_every_shape_like_rck(case, model):
    data = mujoco.MjData(model)
    tree = case.tree(**LINKS)
    put(model, data, tree, case.positions[0])
    mujoco.mj_kinematics(model, data)
    items = at_positions(case.robot, case.vectors[0]).items
    for item, shape, number in geoms_of_items(model, tree, shapes_of(case.robot, primitives=PrimitiveKind)):
        geom, theirs, pose = model.geom(number), data.geom(number), items[item].pose
        ours = shape.surface.vertices @ pose[:3, :3].T + pose[:3, 3]
        if shape.primitive is None:
            mesh = model.mesh(geom.dataid[0])
            local = model.mesh_vert[mesh.vertadr[0] : mesh.vertadr[0] + mesh.vertnum[0]]
            gaps = np.linalg.norm((local @ theirs.xmat.reshape(3, 3).T + theirs.xpos)[:, None] - ours, axis=2)
            assert max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) < 1e-6, shape.name
        else:
            local = (ours - theirs.xpos) @ theirs.xmat.reshape(3, 3)
            assert surface_offsets(as_primitive(geom), local).max() < 1e-6, shape.name
        assert geom.rgba == pytest.approx(shape.colour, abs=1e-4)


def as_primitive(geom):
    """Return the primitive that a geom of MuJoCo is."""
    kind = mujoco.mjtGeom(geom.type[0]).name.removeprefix("mjGEOM_").lower()
    a, b, c = geom.size
    sizes = {
        "box": (2 * a, 2 * b, 2 * c),
        "sphere": (a,),
        "cylinder": (a, 2 * b),
        "capsule": (a, 2 * b),
        "ellipsoid": (a, b, c),
    }
    return Primitive(PrimitiveKind(kind), sizes[kind], np.eye(4))


def is_still(tree, link):
    """Whether a link stands fast in the world."""
    while link.parent is not None and link.mover is None:
        link = tree.links[link.parent]
    return link.parent is None and not link.floats


def test_the_same_items_touch_in_mujoco_as_in_rck(case, model):
    """Those that touch, or nearly, by less than a micrometre are left to either; so are those that touch only because
    MuJoCo's round shapes have no facets.

    MuJoCo tests nothing that stands fast against what stands fast.
    """
    tree = case.tree(**LINKS)
    still = {on.item.name for link in tree.links if is_still(tree, link) for on in link.items}
    links = zip(tree.links, body_names(tree), strict=True)
    item_of_body = {model.body(name).id: link.items[0].item.name for link, name in links}
    scene = HullScene(case.robot)
    gaps = {item.name: facet_gap(item) for item in case.robot.items}
    data = mujoco.MjData(model)
    margin = 1e-6
    model.geom_margin[:] = margin
    for vector, positions in zip(case.vectors, case.positions, strict=True):
        put(model, data, tree, positions)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        deepest = {}
        for contact in data.contact:
            pair = frozenset(item_of_body[model.geom_bodyid[geom]] for geom in contact.geom)
            deepest[pair] = min(deepest.get(pair, margin), contact.dist)
        touching = {frozenset(pair) for pair in scene.touching(vector) if not still.issuperset(pair)}
        assert {pair for pair, depth in deepest.items() if depth < -margin - sum(map(gaps.get, pair))} <= touching
        assert touching <= set(deepest)


def test_limits_efforts_damping_and_friction_arrive(case, model):
    names, motors = case.tree(**LINKS).joint_names, motors_of(case.robot)
    _, added = with_servos(case.robot)
    on_joints = np.flatnonzero(model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT)
    for joint in (joint for joint in case.robot.joints if joint.kind.moves):
        theirs = model.joint(names[joint.name])
        assert theirs.limited[0] == (joint.limits is not None)
        if joint.limits is not None:
            assert theirs.range == pytest.approx((joint.limits.lower, joint.limits.upper), abs=1e-9)
        if joint.effort:
            driving = [number for number in on_joints if model.actuator_trnid[number, 0] == theirs.id]
            limits = [model.actuator_forcerange[number] for number in driving if model.actuator_forcelimited[number]]
            limits = limits or [model.jnt_actfrcrange[theirs.id]]
            assert limits[0] == pytest.approx((-joint.effort, joint.effort))
        line = motors[joint.name].damping if joint.name in case.robot.driven_joints else added.get(joint.name, 0.0)
        assert theirs.damping[0] == pytest.approx(joint.damping + line)
        assert theirs.frictionloss[0] == pytest.approx(joint.friction)
    driven = {model.joint(model.actuator_trnid[number, 0]).name for number in on_joints}
    assert {names[joint.name] for joint in case.robot.free_joints} <= driven


def test_tool_frames_are_sites(case, model):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    for link in case.tree(**LINKS).links:
        for frame in link.frames:
            ours = case.robot.item(frame.frame.item).pose @ frame.frame.pose
            assert data.site(frame.name).xpos == pytest.approx(ours[:3, 3], abs=1e-9)


@settings(max_examples=25)
@given(robots(most_devices=3), st.integers(0, 1000), st.booleans())
def test_mujoco_places_the_items_of_random_robots_like_rck(make_case, exported, warnings, robot, seed, merge_fixed):
    case = make_case("random", robot, 3, seed)
    text = exported(rck_plugins.exporters.mjcf, robot, "r.xml", merge_fixed=merge_fixed).files["r.xml"].decode()
    model = mujoco.MjModel.from_xml_string(text)
    assert warnings == []
    tree = case.tree(**LINKS, merge=Merge.FIXED if merge_fixed else Merge.NONE)
    case.assert_items_agree(tree, mujoco_links(model, tree, case), metres=1e-9, turn=1e-9)


def test_mimic_joint_follows_its_leader(robot_of, desk):
    robot = robot_of("desk-arm")
    model = mujoco.MjModel.from_xml_path(str(desk.export(rck_plugins.exporters.mjcf, robot, "followers.xml")))
    follower = next(joint for joint in robot.joints if joint.mimic is not None)
    (row,) = range(model.neq)
    assert model.eq_type[row] == mujoco.mjtEq.mjEQ_JOINT
    assert model.joint(model.eq_obj1id[row]).name == follower.name.replace("/", "_")
    assert model.joint(model.eq_obj2id[row]).name == follower.mimic.joint.replace("/", "_")
    assert model.eq_data[row, :5].tolist() == [follower.mimic.offset, follower.mimic.ratio, 0, 0, 0]


@pytest.fixture(scope="module")
def sensing_model(sensing, desk, warnings):
    model = mujoco.MjModel.from_xml_path(str(desk.export(rck_plugins.exporters.mjcf, sensing, "sensing.xml")))
    assert warnings == []
    return model


@pytest.fixture(scope="module")
def sensed(sensing_model):
    """What the sensors tell while the robot stands still."""
    data = mujoco.MjData(sensing_model)
    mujoco.mj_forward(sensing_model, data)
    return data


def test_cameras_have_the_poses_of_rck(sensing_model, sensed):
    for name in ("dev_camera", "dev_depth-camera"):
        right, up, back = sensed.cam(name).xmat.reshape(3, 3).T
        assert sensed.cam(name).xpos == pytest.approx((0.06, 0, 2), abs=1e-9)
        assert (*right, *up, *back) == pytest.approx((0, -1, 0, 0, 0, 1, -1, 0, 0), abs=1e-9)
    # The height of the picture follows from its width and the pixels, or is known.
    assert sensing_model.cam("dev_camera").fovy[0] == pytest.approx(np.degrees(2 * np.arctan(np.tan(0.6) * 0.75)))
    assert sensing_model.cam("dev_depth-camera").fovy[0] == pytest.approx(np.degrees(1.0))


def test_distances_are_measured_along_the_axis_and_by_every_beam_of_a_scanner(sensing_model, sensed):
    for kind in ("laser-range", "infrared", "ultrasonic"):
        assert sensed.sensor(f"dev_{kind}").data[0] == pytest.approx(2.94)
    beams = [sensed.sensor(f"dev_lidar-2d/{number}").data[0] for number in range(11)]
    # It turns about x, and its middle looks along -y, past the wall.
    assert beams == [-1.0] * 11
    middle = sensed.site("dev_lidar-2d/5").xmat.reshape(3, 3)[:, 2]
    assert middle == pytest.approx((0, -1, 0), abs=1e-9)
    first, last = (sensed.site(f"dev_lidar-2d/{end}").xmat.reshape(3, 3)[:, 2] for end in (0, 10))
    assert np.arccos(first @ last) == pytest.approx(1.0)


def test_imu_measures_gravity_and_encoder_the_joint_position(sensing_model, sensed):
    data = mujoco.MjData(sensing_model)
    data.qpos[sensing_model.joint("turn").qposadr[0]] = 0.5
    mujoco.mj_forward(sensing_model, data)
    assert data.sensor("dev_encoder").data[0] == 0.5
    assert sensed.sensor("dev_imu_accelerometer").data == pytest.approx((0, -9.81, 0), abs=1e-6)
    assert sensing_model.sensor("dev_imu_magnetometer").type[0] == mujoco.mjtSensor.mjSENS_MAGNETOMETER
    assert sensing_model.sensor("dev_force-torque_force").cutoff[0] == 300.0
    assert sensing_model.sensor("dev_contact").type[0] == mujoco.mjtSensor.mjSENS_TOUCH


def test_vacuum_and_magnet_grippers_are_adhesion_actuators(sensing_model):
    suction = sensing_model.actuator("dev_vacuum-gripper")
    assert suction.trntype[0] == mujoco.mjtTrn.mjTRN_BODY
    assert sensing_model.body(suction.trnid[0]).name == "hand"
    assert suction.gainprm[0] == pytest.approx(2.0 * 9.80665)


def test_device_data_that_mujoco_cannot_store_is_reported(exported, sensing):
    said = [finding.message for finding in exported(rck_plugins.exporters.mjcf, sensing, "s.xml").findings]
    assert any("3D lidars (dev/lidar-3d)" in message for message in said)
    assert "vacuum and magnet grippers without a force get 1 N: dev/magnet-gripper" in said
    assert "not supported by MJCF: values of sensors and grippers (channels, min-range, opening, rate)" in said


def test_massless_and_impossible_bodies_become_ones_that_mujoco_accepts(tmp_path):
    massless = '<link name="thin"/><joint name="j" type="continuous"><parent link="a"/><child link="thin"/></joint>'
    heavy = '<link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="5"/></inertial></link>'
    hinge = '<link name="base"/><joint name="i" type="continuous"><parent link="base"/><child link="a"/></joint>'
    path = tmp_path / "odd.urdf"
    path.write_text(f'<robot name="odd">{hinge}{heavy}{massless}</robot>')
    plugins = discover()
    robot = read_file(path, plugins).robot
    written, exported = export(robot, tmp_path / "odd.xml", plugins)
    model = mujoco.MjModel.from_xml_path(str(written[0]))
    assert sorted(model.body("a").inertia) == pytest.approx([2, 2, 4])
    assert 0 < model.body("thin").mass[0] <= 1e-9
    warned = [finding.message for finding in exported.findings if finding.severity is Severity.WARNING]
    assert any("become the nearest possible" in message and "a" in message for message in warned)
    assert any("without a mass" in message and "thin" in message for message in warned)
