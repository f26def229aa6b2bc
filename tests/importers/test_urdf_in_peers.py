"""Links of imported URDF robots stand where pinocchio and yourdfpy put them."""

import logging
from pathlib import Path

import numpy as np
import pytest
from file_reading import compiling
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_importers.urdf.reader import read

from rck.hooks import Job
from rck.model import at_positions

pinocchio = pytest.importorskip("pinocchio")

VECTORS = 5
CLOSE = 1e-9


def vectors(robot, count=VECTORS):
    """Joint vectors within the limits."""
    dice = np.random.default_rng(0)
    low = np.array([-2.0 if joint.limits is None else joint.limits.lower for joint in robot.free_joints])
    high = np.array([2.0 if joint.limits is None else joint.limits.upper for joint in robot.free_joints])
    return dice.uniform(low, high, (count, len(low)))


def poses_in_pinocchio(path, positions):
    """World from each link, for joint positions by name."""
    model = pinocchio.buildModelFromUrdf(str(path))
    data = model.createData()
    vector = pinocchio.neutral(model)
    for name, position in positions.items():
        joint = model.joints[model.getJointId(name)]
        vector[joint.idx_q] = position if joint.nq == 1 else np.cos(position)
        if joint.nq == 2:
            vector[joint.idx_q + 1] = np.sin(position)
    pinocchio.framesForwardKinematics(model, data, vector)
    bodies = [number for number, frame in enumerate(model.frames) if frame.type == pinocchio.FrameType.BODY]
    return {model.frames[number].name: data.oMf[number].homogeneous for number in bodies}


def compare(path, robot, count=VECTORS):
    assert robot is not None
    for vector in vectors(robot, count):
        moved = at_positions(robot, vector)
        there = poses_in_pinocchio(path, {joint.name: joint.position for joint in moved.joints if joint.kind.moves})
        assert set(there) == {item.name for item in moved.items}
        for item in moved.items:
            np.testing.assert_allclose(item.pose, there[item.name], atol=CLOSE)


@st.composite
def descriptions(draw):
    """A random URDF tree."""
    numbers = st.floats(-1, 1).map(lambda x: round(x, 3))
    triples = st.tuples(numbers, numbers, numbers).map(lambda three: " ".join(map(str, three)))
    links = draw(st.integers(2, 6))
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    text = "".join(f'<link name="l{n}"><inertial><mass value="1"/>{inertia}</inertial></link>' for n in range(links))
    leader = ""
    for n in range(1, links):
        kind = draw(st.sampled_from(["revolute", "continuous", "prismatic", "fixed"]))
        axis = draw(triples.filter(lambda three: np.linalg.norm([float(x) for x in three.split()]) > 0.1))
        mimic = ""
        if kind != "fixed" and leader and draw(st.booleans()):
            mimic = f'<mimic joint="{leader}" multiplier="{draw(numbers)}" offset="{draw(numbers)}"/>'
        elif kind != "fixed":
            leader = f"j{n}"
        text += (
            f'<joint name="j{n}" type="{kind}"><parent link="l{draw(st.integers(0, n - 1))}"/><child link="l{n}"/>'
            f'<origin xyz="{draw(triples)}" rpy="{draw(triples)}"/><axis xyz="{axis}"/>'
            f'<limit lower="-2" upper="2" effort="1" velocity="1"/>{mimic}</joint>'
        )
    return f'<robot name="random">{text}</robot>'


@given(description=descriptions())
@settings(max_examples=25, deadline=None)
def test_random_trees_have_the_poses_of_pinocchio(description, tmp_path_factory):
    path = tmp_path_factory.mktemp("random") / "random.urdf"
    path.write_text(description, encoding="utf-8")
    compare(path, compiling(read)(path, {}, Job()).robot, 2)


def shipped():
    """URDF files that the package `rtbdata` has."""
    try:
        import rtbdata
    except ImportError:
        return []
    found = sorted(Path(rtbdata.__file__).parent.rglob("*.urdf"))
    return [path for path in found if b"<robot" in path.read_bytes()]


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_robotics_toolbox_arms_have_the_poses_of_pinocchio_and_yourdfpy(path, read):
    robot = read("urdf", path, {"visuals": "no"}).robot
    compare(path, robot)
    yourdfpy = pytest.importorskip("yourdfpy")
    logging.getLogger("yourdfpy").setLevel(logging.CRITICAL)
    peer = yourdfpy.URDF.load(str(path), build_scene_graph=True, load_meshes=False, build_collision_scene_graph=False)
    for vector in vectors(robot):
        moved = at_positions(robot, vector)
        peer.update_cfg({joint.name: joint.position for joint in moved.free_joints})
        origin = np.linalg.inv(moved.item(peer.base_link).pose)
        for item in moved.items:
            np.testing.assert_allclose(origin @ item.pose, peer.get_transform(item.name), atol=CLOSE)


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_robotics_toolbox_arms_have_the_masses_of_pinocchio(path, read):
    robot = read("urdf", path, {"visuals": "no"}).robot
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    total = pinocchio.computeTotalMass(model)
    assumed = sum(item.mass for item in robot.items) - total
    assert assumed >= -1e-9
    # A file without any masses gets all of them by assumption.
    assert total == 0 or assumed <= 0.1 * total
