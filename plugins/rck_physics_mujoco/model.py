"""A robot, or several robots and objects in one, as a model of MuJoCo with the same joints in the same order."""

from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import mujoco
import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.collision.scene import Scene
from rck.geometry.arrays import Floats
from rck.geometry.mass import MassProperties, combine, moved
from rck.geometry.transforms import apply, to_quaternion
from rck.hooks import Values
from rck.kernels.bodies import TURNS, WORLD
from rck.model.arrays import RobotArrays, robot_arrays
from rck.model.finding import RckError
from rck.model.robot import Robot
from rck.simulation.stage import loose_objects, loosened

GRAVITY = {"earth": 9.80665, "moon": 1.62, "zero-gravity": 0.0, "under-water": 9.80665}
"""In m/s2."""
WATER = (1000.0, 0.001)
"""Density in kg/m3 and viscosity in Pa s, at 20 degrees."""

# Robots whose neighbours overlap a little, as simplified shapes do, must not be blown apart by it.
_OVERLAP = 1e-4


@dataclass(frozen=True, eq=False)
class Model:
    """The compiled model, and where the things of the robot are in it."""

    robot: Robot
    arrays: RobotArrays
    compiled: Any
    """The `mujoco.MjModel`."""
    joint_rows: list[int]
    """For each free joint its place among the positions and, since all are of one number, of the speeds."""
    speed_rows: list[int]
    body_of_group: list[int]
    """For each rigid group the number of its body."""
    item_of_geom: list[int]
    volumes: Floats
    """Of each body, in m3. Shape (bodies,)."""
    centres: Floats
    """Of the volume of each body, in its frame. Shape (bodies, 3)."""


def build_model(robot: Robot, values: Values) -> Model:
    """The model; a robot that MuJoCo refuses is an error that says why."""
    robot = loosened(robot)
    arrays = robot_arrays(robot)
    spec = mujoco.MjSpec()
    # Angles are radians here.
    spec.compiler.degree = False
    spec.option.timestep = values["step"]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.gravity = (0.0, 0.0, -GRAVITY[values["environment"]])
    if values["environment"] == "under-water":
        spec.option.density, spec.option.viscosity = WATER
    bodies = _add_bodies(spec, arrays, values)
    _exclude(spec, robot, arrays)
    _add_holds(spec, arrays)
    try:
        compiled = spec.compile()
    except ValueError as error:
        raise RckError(f"MuJoCo does not take robot {robot.name}: {error}") from None
    names = [joint.name for joint in robot.free_joints]
    rows = [mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_JOINT, name) for name in names]
    volumes, centres = _volumes(arrays, compiled, bodies)
    return Model(
        robot,
        arrays,
        compiled,
        [int(compiled.jnt_qposadr[row]) for row in rows],
        [int(compiled.jnt_dofadr[row]) for row in rows],
        [mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, name) for name in bodies],
        [int(compiled.geom(number).name.split("-")[1]) for number in range(compiled.ngeom)],
        volumes,
        centres,
    )


def _add_bodies(spec: Any, arrays: RobotArrays, values: Values) -> list[str]:
    """A body for each rigid group, with its solids; the names of the bodies."""
    robot = arrays.robot
    loose = {thing.body for thing in loose_objects(arrays)}
    made: list[Any] = []
    for number, (record, group) in enumerate(zip(arrays.bodies, robot.tree.rigid_groups, strict=True)):
        parent = spec.worldbody if record["parent"] == WORLD else made[record["parent"]]
        pose = record["parent_from_body"]
        body = parent.add_body(name=f"group-{number}", pos=pose[:, 3], quat=to_quaternion(pose))
        made.append(body)
        mass = _mass(arrays, group.items)
        if number in loose:
            body.add_freejoint()
        elif group.joint is not None:
            _add_joint(spec, body, arrays, group.joint, record, values)
        if mass.mass > 0:
            inertia = np.asarray(mass.inertia)
            body.explicitinertial, body.mass, body.ipos = True, mass.mass, mass.centre
            body.fullinertia = inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
        for item in group.items:
            frame = _whole(arrays.items[item]["body_from_place"])
            for place, subitem in enumerate(robot.items[item].subitems):
                name = f"item-{item}-{place}"
                mesh = spec.add_mesh(name=name)
                mesh.uservert = apply(frame, subitem.shape.vertices).ravel()
                mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
                body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
    return [f"group-{number}" for number in range(len(made))]


def _add_joint(spec: Any, body: Any, arrays: RobotArrays, number: int, record: Any, values: Values) -> None:
    joint = arrays.robot.joints[number]
    turns = record["motion"] == TURNS
    added = body.add_joint(
        name=joint.name,
        type=mujoco.mjtJoint.mjJNT_HINGE if turns else mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(0.0, 0.0, 1.0),
        armature=values["gear"] ** 2 * values["rotor-inertia"],
        frictionloss=joint.friction,
    )
    added.damping = np.full_like(added.damping, joint.damping) if np.ndim(added.damping) else joint.damping
    if joint.limits is not None:
        added.limited = True
        added.range = (joint.limits.lower, joint.limits.upper)
    if joint.mimic is not None:
        follows = spec.add_equality(
            name=f"{joint.name} follows", type=mujoco.mjtEq.mjEQ_JOINT, name1=joint.name, name2=joint.mimic.joint
        )
        follows.objtype = mujoco.mjtObj.mjOBJ_JOINT
        follows.data[:2] = joint.mimic.offset, joint.mimic.ratio


def hold_name(held: int, hand: int) -> str:
    """The name of the bond between a loose group and the group of a hand."""
    return f"hand group-{hand} holds group-{held}"


def _add_holds(spec: Any, arrays: RobotArrays) -> None:
    """A bond, not yet fast, between every loose object and every hand."""
    robot = arrays.robot
    grips = {robot.tree.group_of_item[robot.item_index[device.item]] for device in robot.devices if device.kind.grips}
    for hand in sorted(grips):
        for thing in loose_objects(arrays):
            bond = spec.add_equality(
                name=hold_name(thing.body, hand),
                type=mujoco.mjtEq.mjEQ_WELD,
                name1=f"group-{hand}",
                name2=f"group-{thing.body}",
                active=False,
            )
            bond.objtype = mujoco.mjtObj.mjOBJ_BODY


def _exclude(spec: Any, robot: Robot, arrays: RobotArrays) -> None:
    """Let only those items touch that are tested, and that do not overlap as they are drawn.

    MuJoCo excludes whole bodies. Where some items of two bodies may touch and others not, the bodies are excluded and
    the pairs that may touch are named.
    """
    pairs = pairs_to_test(robot)
    loose = {item for thing in loose_objects(arrays) for item in thing.items}
    drawn_in = set()
    for contact in Scene(robot, pairs).contacts(robot.positions):
        one, other = sorted(robot.item_index[name] for name in contact.items)
        if contact.depth > _OVERLAP and not loose & {one, other}:
            drawn_in.add((one, other))
    groups = robot.tree.group_of_item
    together: dict[tuple[int, int], list[tuple[int, int, bool]]] = {}
    for a, b in combinations(range(len(groups)), 2):
        if groups[a] != groups[b]:
            pair = (min(groups[a], groups[b]), max(groups[a], groups[b]))
            together.setdefault(pair, []).append((a, b, pairs.tests(a, b) and (a, b) not in drawn_in))
    for (one, other), listed in together.items():
        if not all(tested for _, _, tested in listed):
            spec.add_exclude(bodyname1=f"group-{one}", bodyname2=f"group-{other}")
            for a, b, tested in listed:
                for i, j in product(*(range(len(robot.items[item].subitems)) for item in (a, b))):
                    if tested:
                        spec.add_pair(geomname1=f"item-{a}-{i}", geomname2=f"item-{b}-{j}")


def _mass(arrays: RobotArrays, items: tuple[int, ...]) -> MassProperties:
    """Of a rigid group, in the frame of its body."""
    return combine(
        moved(arrays.robot.items[item].mass_properties, _whole(arrays.items[item]["body_from_place"])) for item in items
    )


def _whole(frame: Floats) -> Floats:
    return np.vstack([frame, (0.0, 0.0, 0.0, 1.0)])


def _volumes(arrays: RobotArrays, compiled: Any, bodies: list[str]) -> tuple[Floats, Floats]:
    """The volume of each body of the model, and the middle of it in the body's frame."""
    volumes, centres = np.zeros(compiled.nbody), np.zeros((compiled.nbody, 3))
    for name, group in zip(bodies, arrays.robot.tree.rigid_groups, strict=True):
        number = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, name)
        total, first = 0.0, np.zeros(3)
        for item in group.items:
            frame = _whole(arrays.items[item]["body_from_place"])
            for subitem in arrays.robot.items[item].subitems:
                body = subitem.mass_properties
                volume = body.mass / subitem.density if subitem.density > 0 else 0.0
                total += volume
                first += volume * apply(frame, body.centre)
        volumes[number] = total
        centres[number] = first / total if total > 0 else 0.0
    return volumes, centres
