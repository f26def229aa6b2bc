"""Closed chains of real robots against MuJoCo's own solution of its equality constraints."""

import os
from pathlib import Path

import mujoco
import numpy as np
import pytest

from rck.hooks import discover
from rck.hooks.file_exchange import read_file, require_robot
from rck.model import Robot
from rck.model.closure import closure_of
from rck.model.forward_kinematics import forward
from rck.model.joint_positions import joint_positions
from rck.model.robot_arrays import robot_arrays

CORPUS = os.environ.get("RCK_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS, reason="needs RCK_CORPUS")


def robot_and_model(name: str) -> tuple[Robot, mujoco.MjModel]:
    path = Path(CORPUS or "") / "robots" / name
    return require_robot(read_file(path, discover()), path), mujoco.MjModel.from_xml_path(str(path))


def settled(model: mujoco.MjModel, held: dict[str, float], start: dict[str, float]) -> mujoco.MjData:
    """Return the state in which the joints not held come to rest, without gravity."""
    model.opt.gravity[:] = 0.0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    data = mujoco.MjData(model)
    for joint in held:
        # Too heavy to move.
        model.dof_armature[model.joint(joint).dofadr[0]] = 1e6
    for joint, x in (start | held).items():
        data.qpos[model.joint(joint).qposadr[0]] = x
    for _ in range(3000):
        mujoco.mj_step(model, data)
    return data


def test_2f85_takes_the_positions_of_mujoco() -> None:
    robot, model = robot_and_model("robotiq_2f85/2f85.xml")
    assert len(robot.free_joints) == 1
    assert len(robot.mobility.sprung) == 2
    arrays = robot_arrays(robot)
    for position in (0.1, 0.35, 0.6):
        vector = np.array([position])
        poses = forward(arrays, vector)
        found = joint_positions(robot, vector)
        both = {"left_driver_joint": position, "right_driver_joint": position}
        data = settled(model, both, dict(found))
        for item in robot.items:
            theirs = data.body(item.source_name or item.name).xpos
            assert np.abs(poses[robot.item_index[item.name], :3, 3] - theirs).max() < 1e-4, item.name


def test_cassie_closes_where_mujoco_does() -> None:
    robot, model = robot_and_model("agility_cassie/cassie.xml")
    closure = closure_of(robot)
    assert closure is not None
    free = [joint.name for joint in robot.free_joints]
    assert {"left-knee", "right-foot", "left-hip-roll"} <= set(free)
    assert robot.mobility.rank == 10
    generator = np.random.default_rng(5)
    for _ in range(5):
        change = {name: float(x) for name, x in zip(free, generator.uniform(-0.2, 0.2, len(free)), strict=True)}
        vector = np.array([x + change[name] for name, x in zip(free, robot.positions, strict=True)])
        positions = joint_positions(robot, vector)
        assert max(gap.distance for gap in closure.gaps(closure.complete(vector))) < 1e-10
        data = mujoco.MjData(model)
        for number in range(model.njnt):
            name, address = model.joint(number).name, model.jnt_qposadr[number]
            if model.jnt_type[number] == mujoco.mjtJoint.mjJNT_HINGE:
                data.qpos[address] = positions[name]
            elif model.jnt_type[number] == mujoco.mjtJoint.mjJNT_BALL:
                quaternion = np.array([1.0, 0.0, 0.0, 0.0])
                for axis in range(3):
                    turn = np.zeros(4)
                    mujoco.mju_axisAngle2Quat(turn, np.eye(3)[axis], positions[f"{name}-{'xyz'[axis]}"])
                    mujoco.mju_mulQuat(quaternion, quaternion.copy(), turn)
                data.qpos[address : address + 4] = quaternion
        mujoco.mj_forward(model, data)
        equality = data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        assert equality.sum() == 12
        assert np.abs(data.efc_pos[: data.nefc][equality]).max() < 1e-9
