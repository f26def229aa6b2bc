"""Comparison of imported files with the reference libraries of the formats."""

import contextlib
import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rck.geometry.transforms import from_euler, to_quaternion
from rck.importing.import_report import Report
from rck.importing.legal_names import allowed_names
from rck.model import Robot, at_positions

CLOSE = 1e-9
_VECTORS = 3
_KINDS = ("free", "ball", "slide", "hinge")


def agrees(name: str, path: Path, robot: Robot) -> bool | None:
    """Return True if all poses agree; None if the library is not installed or cannot read the file."""
    peers = {"urdf": _in_pinocchio, "mjcf": _in_mujoco, "sdf": _in_drake}
    if name not in peers:
        return None
    try:
        with _silence():
            errors = list(peers[name](path, robot))
    except (ImportError, ValueError, RuntimeError):
        return None
    return max(errors) < CLOSE if errors else None


def readers(name: str, path: Path) -> list[str]:
    """Return the installed libraries of a format that read the file."""
    known = {"urdf": (_pinocchio, _yourdfpy, _mujoco), "mjcf": (_mujoco,), "sdf": (_drake,)}
    found = []
    for library in known.get(name, ()):
        try:
            with _silence():
                library(path)
        except Exception:  # each library raises different exceptions
            continue
        found.append(library.__name__[1:])
    return found


def _pinocchio(path: Path) -> Any:
    import pinocchio

    return pinocchio.buildModelFromUrdf(str(path))


def _yourdfpy(path: Path) -> Any:
    import yourdfpy

    return yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=False)


def _mujoco(path: Path) -> Any:
    import mujoco

    return mujoco.MjModel.from_xml_path(str(path))


def _drake(path: Path) -> Any:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    instances = Parser(plant).AddModels(str(path))
    plant.Finalize()
    return plant, instances


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress the messages that these libraries write directly to the file descriptors."""
    logging.disable(logging.CRITICAL)
    saved = [os.dup(1), os.dup(2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        for target, descriptor in zip((1, 2), saved, strict=True):
            os.dup2(descriptor, target)
            os.close(descriptor)
        os.close(nowhere)


def _moved(robot: Robot) -> Iterator[Robot]:
    dice = np.random.default_rng(0)
    for _ in range(_VECTORS):
        yield at_positions(robot, dice.uniform(-2, 2, len(robot.free_joints)))


def _in_pinocchio(path: Path, robot: Robot) -> Iterator[float]:
    import pinocchio

    model = _pinocchio(path)
    data = model.createData()
    bodies = {f.name: n for n, f in enumerate(model.frames) if f.type == pinocchio.FrameType.BODY}
    for moved in _moved(robot):
        vector = pinocchio.neutral(model)
        for joint in moved.joints:
            if not (joint.kind.moves and model.existJointName(joint.name)):
                continue
            there = model.joints[model.getJointId(joint.name)]
            vector[there.idx_q] = joint.position if there.nq == 1 else np.cos(joint.position)
            if there.nq == 2:
                vector[there.idx_q + 1] = np.sin(joint.position)
        pinocchio.framesForwardKinematics(model, data, vector)
        for item in moved.items:
            if item.name in bodies:
                yield float(abs(data.oMf[bodies[item.name]].homogeneous - item.pose).max())


def _in_mujoco(path: Path, robot: Robot) -> Iterator[float]:
    import mujoco

    model = _mujoco(path)
    data = mujoco.MjData(model)
    bodies, joints = mujoco_names(model)
    for moved in _moved(robot):
        move_in_mujoco(model, data, joints, moved)
        for number, name in enumerate(bodies):
            if number and name in moved.item_index:
                pose = moved.item(name).pose
                yield float(abs(pose[:3, 3] - data.xpos[number]).max())
                yield float(abs(pose[:3, :3].ravel() - data.xmat[number]).max())


def move_in_mujoco(model: Any, data: Any, joints: Sequence[str], moved: Robot) -> None:
    """Set MuJoCo's joints, which have these names in RCK, to the positions of the robot."""
    import mujoco

    data.qpos[:] = model.qpos0
    for number, name in enumerate(joints):
        at, kind = model.jnt_qposadr[number], _KINDS[model.jnt_type[number]]
        if kind == "ball":
            angles = [moved.joint(f"{name}-{letter}").position for letter in "xyz"]
            data.qpos[at : at + 4] = to_quaternion(from_euler(angles, "XYZ"))
        elif kind != "free":
            data.qpos[at] = moved.joint(name).position
    mujoco.mj_kinematics(model, data)


def mujoco_names(model: Any) -> tuple[list[str], list[str]]:
    """Return the names of bodies and joints in RCK, including generated ones."""
    bodies = [model.body(number).name or f"body{number}" for number in range(model.nbody)]
    joints = []
    for number in range(model.njnt):
        body = model.jnt_bodyid[number]
        place = number - model.body_jntadr[body]
        own = f"{bodies[body]}-{_KINDS[model.jnt_type[number]]}{place + 1 if place else ''}"
        joints.append(model.joint(number).name or own)
    return allowed_names(bodies, "link", "", Report()), allowed_names(joints, "joint", "", Report())


def _in_drake(path: Path, robot: Robot) -> Iterator[float]:
    plant, instances = _drake(path)
    context = plant.CreateDefaultContext()
    alone = sum("::" not in plant.GetModelInstanceName(one) for one in instances) == 1

    def named(instance: Any, name: str) -> str:
        scopes = plant.GetModelInstanceName(instance).split("::")
        return "/".join([*(scopes[1:] if alone else scopes), name])

    for moved in _moved(robot):
        positions = plant.GetPositions(context).copy()
        for instance in instances:
            for index in plant.GetJointIndices(instance):
                there = plant.get_joint(index)
                if there.num_positions() == 1 and named(instance, there.name()) in moved.joint_index:
                    positions[there.position_start()] = moved.joint(named(instance, there.name())).position
        plant.SetPositions(context, positions)
        for instance in instances:
            for index in plant.GetBodyIndices(instance):
                body = plant.get_body(index)
                if named(instance, body.name()) in moved.item_index:
                    pose = plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4()
                    yield float(abs(pose - moved.item(named(instance, body.name())).pose).max())
