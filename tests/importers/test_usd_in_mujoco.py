"""A model of MuJoCo that another program converted to USD moves as the original, after RCK read it and wrote MJCF."""

from pathlib import Path

import numpy as np
import pytest
import rck_plugins.exporters.mjcf

from rck.hooks import Job
from rck.model import Actuation

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
pytest.importorskip("pxr", reason="usd-core is not installed")

DATA = Path(__file__).parent / "data"
STATES = 10
BODIES = ("base-link", "upper.arm", "slider", "follower", "leader", "bob")


@pytest.fixture(scope="module")
def original():
    return mujoco.MjModel.from_xml_path(str(DATA / "converted-linkage.xml"))


@pytest.fixture
def robot(read):
    return read("usd", DATA / "converted-linkage.usda").robot


@pytest.fixture
def again(robot):
    (exporter,) = rck_plugins.exporters.mjcf.rck_exporters()
    files = exporter.write(robot, "r.xml", {}, Job()).files
    return mujoco.MjModel.from_xml_string(files["r.xml"].decode())


def addresses(model):
    """Index of each number of qpos and of qvel, by joint; the free joint has another name in the export."""
    positions, speeds = {}, {}
    for number in range(model.njnt):
        joint = model.joint(number)
        free = joint.type[0] == mujoco.mjtJoint.mjJNT_FREE
        name = "free" if free else joint.name
        size = {0: (7, 6), 1: (4, 3)}.get(int(joint.type[0]), (1, 1))
        positions |= {(name, n): joint.qposadr[0] + n for n in range(size[0])}
        speeds |= {(name, n): joint.dofadr[0] + n for n in range(size[1])}
    return positions, speeds


def computed(model, positions, speeds, controls):
    """Body positions, mass matrix, bias forces and accelerations without contact, in the order of the names."""
    data = mujoco.MjData(model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    places, rates = addresses(model)
    for key, value in positions.items():
        data.qpos[places[key]] = value
    for key, value in speeds.items():
        data.qvel[rates[key]] = value
    data.ctrl[:] = controls
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, mass)
    except TypeError:
        # The arguments of MuJoCo before 4.0.
        mujoco.mj_fullM(model, mass, data.qM)
    order = [rates[key] for key in speeds]
    bodies = np.array(
        [data.body(name).xpos for name in ("base-link", "upper.arm", "slider", "follower", "leader", "bob")]
    )
    return bodies, mass[np.ix_(order, order)], data.qfrc_bias[order], data.qacc[order]


def test_it_moves_like_the_original(original, again):
    places, rates = addresses(original)
    dice = np.random.default_rng(0)
    for _ in range(STATES):
        positions = original.qpos0.copy()
        mujoco.mj_integratePos(original, positions, dice.normal(0, 0.5, original.nv), 1.0)
        state = (
            {key: positions[place] for key, place in places.items()},
            {key: dice.normal() for key in rates},
            dice.normal(size=original.nu),
        )
        for ours, theirs in zip(computed(again, *state), computed(original, *state), strict=True):
            # USD has single precision.
            assert ours == pytest.approx(theirs, abs=2e-6 * max(1.0, abs(theirs).max()))


def test_actuators_tendon_limits_and_filters_are_those_of_the_original(original, again):
    for name in ("actuator_ctrlrange", "actuator_forcerange", "actuator_gear", "actuator_gainprm", "actuator_biasprm",
                 "tendon_range", "tendon_stiffness"):  # fmt: skip
        assert getattr(again, name) == pytest.approx(getattr(original, name), rel=1e-6), name
    assert [again.actuator(n).name for n in range(again.nu)] == ["hold", "push", "spin", "pull"]
    for joint in ("shoulder_8.0", "roll", "slide", "lead"):
        for name in ("range", "stiffness", "armature", "damping", "frictionloss"):
            given = getattr(original.joint(joint), name)
            assert getattr(again.joint(joint), name) == pytest.approx(given, rel=1e-6, abs=1e-9), name
    assert again.neq == original.neq
    assert (again.opt.timestep, again.opt.density, again.opt.integrator) == (
        original.opt.timestep, pytest.approx(original.opt.density), original.opt.integrator
    )  # fmt: skip


def test_the_robot_says_what_drives_it(robot):
    actuation = {joint.source_name: joint.actuation for joint in robot.joints if joint.kind.moves}
    assert actuation["shoulder_8.0"] is Actuation.ACTUATED
    assert actuation["follow"] is Actuation.PASSIVE
    assert robot.joint("follow").mimic.joint == "lead"
    assert robot.item("loose").mobile
