"""MuJoCo model of robots and objects, with the same joints in the same order."""

from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import mujoco
import numpy as np

from rck.collision.pairs import ordered, pairs_to_test
from rck.collision.scene import HullScene
from rck.exporting import LEAST_BODY
from rck.exporting.file_text import valid_inertia
from rck.geometry.arrays import Floats, Ints
from rck.geometry.mass_properties import MassProperties, combine, moved, nearest_inertia
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply, to_quaternion, translation
from rck.hooks import Values
from rck.kernels.body_tables import TURNS, WORLD
from rck.model.loop import LoopKind
from rck.model.materials import DEFAULT_FRICTION, pair_friction
from rck.model.robot import Robot
from rck.model.robot_arrays import RobotArrays, robot_arrays
from rck.simulation.kinematic_state import loose_objects, loosened
from rck.support.finding import RckError
from rck_plugins.physics.mujoco.shapes import primitive_of

STIFFNESS = 3.0
"""Time constant of contacts, limits and welds, in time steps: softer ones penetrate, stiffer ones chatter."""
_IMPEDANCE = (0.95, 0.95, 0.001, 0.5, 2.0)
"""The `solimp` of MuJoCo: the same constraint impedance at every penetration depth."""
_FRICTION_STIFFNESS = 50.0
"""The `impratio` of MuJoCo: friction is stiffer than the normal direction, so that objects do not creep on slopes."""
GRAVITY = {"earth": 9.80665, "moon": 1.62, "zero-gravity": 0.0, "under-water": 9.80665}
"""Gravitational acceleration in m/s2."""
WATER = (1000.0, 0.001)
"""Density in kg/m3 and viscosity in Pa s, at 20 °C."""

_TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
}
_HAS_WRONG_SPARSE_SOLVER = mujoco.__version__ == "4.0.0"
"""True if accelerations are wrong with a sparse constraint Jacobian, as MuJoCo uses it from 60 degrees of freedom: its
release 4.0.0 factorises the sparse Hessian of the Newton solver incorrectly (issue 3767, fixed in 4.0.1)."""
_LEAST_INERTIA = 1e-14
"""Smallest principal moment of inertia, in kg m2; MuJoCo treats less than 1e-15 as zero."""
_AXIS = 0.05
"""Distance between the two points by which MuJoCo holds an axis, in metres."""
_OVERLAP = 1e-4
"""Overlap in metres from which a pair of items never collides: simplified shapes must not push robots apart."""


@dataclass(frozen=True, eq=False)
class Model:
    """The compiled model, and the indices of the robot's joints, items and groups in it."""

    robot: Robot
    arrays: RobotArrays
    compiled: Any
    """The `mujoco.MjModel`."""
    joint_rows: Ints
    """Index of each free joint in `qpos`. Shape (free joints,)."""
    speed_rows: Ints
    """Index of each free joint in `qvel`. Shape (free joints,)."""
    ratios: Floats
    """Motion of each degree of freedom per motion of each coordinate. Shape (coordinates, degrees of freedom).

    Coordinates are those of `Robot.coordinate_joints`: without loops, the free joints.
    """
    body_of_group: list[int]
    """Index of the body of each rigid group."""
    item_of_geom: list[int]
    """Number of the item of each geom."""
    volumes: Floats
    """Volume of each body, in m3. Shape (bodies,)."""
    centres: Floats
    """Centre of volume of each body, in its frame. Shape (bodies, 3)."""


def build_model(robot: Robot, values: Values) -> Model:
    """Build the model; raise an error with the reason if MuJoCo refuses it."""
    robot = loosened(robot)
    arrays = robot_arrays(robot)
    spec = mujoco.MjSpec()
    # Use radians.
    spec.compiler.degree = False
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = _FRICTION_STIFFNESS
    if _HAS_WRONG_SPARSE_SOLVER:
        spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.option.gravity = (0.0, 0.0, -GRAVITY[values["environment"]])
    if values["environment"] == "under-water":
        spec.option.density, spec.option.viscosity = WATER
    bodies = _add_bodies(spec, arrays, values)
    _choose_pairs(spec, robot, arrays)
    _add_welds(spec, arrays)
    _add_loops(spec, arrays)
    try:
        compiled = spec.compile()
    except ValueError as error:
        raise RckError(f"MuJoCo refuses robot {robot.name}: {error}") from None
    names = [joint.name for joint in robot.free_joints]
    rows = np.array([mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_JOINT, name) for name in names], dtype=np.int64)
    volumes, centres = _volumes(arrays, compiled, bodies)
    for impedance in (compiled.jnt_solimp, compiled.dof_solimp, compiled.eq_solimp):
        impedance[:] = _IMPEDANCE
    return Model(
        robot,
        arrays,
        compiled,
        compiled.jnt_qposadr[rows].astype(np.int64),
        compiled.jnt_dofadr[rows].astype(np.int64),
        _joint_ratios(robot, compiled),
        [mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, name) for name in bodies],
        [int(compiled.geom(number).name.split("-")[1]) for number in range(compiled.ngeom)],
        volumes,
        centres,
    )


def _add_bodies(spec: Any, arrays: RobotArrays, values: Values) -> list[str]:
    """Add a body with its geoms for each rigid group; return the names of the bodies."""
    robot = arrays.robot
    loose = {each.body for each in loose_objects(arrays)}
    known = {item.friction for item in robot.items if item.friction is not None}
    priorities = [None, *sorted(known, reverse=True)]
    bodies: list[Any] = []
    for number, (record, group) in enumerate(zip(arrays.bodies, robot.tree.rigid_groups, strict=True)):
        parent = spec.worldbody if record["parent"] == WORLD else bodies[record["parent"]]
        pose = record["parent_from_body"]
        body = parent.add_body(name=f"group-{number}", pos=pose[:, 3], quat=to_quaternion(pose))
        bodies.append(body)
        mass = _mass(arrays, group.items)
        if mass.mass <= 0 and (number in loose or group.joint is not None):
            mass = LEAST_BODY
        if number in loose:
            body.add_freejoint()
        elif group.joint is not None:
            _add_joint(spec, body, arrays, group.joint, record, values)
        if mass.mass > 0:
            inertia = valid_inertia(nearest_inertia(mass.inertia, _LEAST_INERTIA))
            body.explicitinertial, body.mass, body.ipos = True, mass.mass, mass.centre
            body.fullinertia = inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
        shapes = [
            (item, f"item-{item}-{index}", subitem.shape)
            for item in group.items
            for index, subitem in enumerate(robot.items[item].subitems)
        ]
        for item, name, shape in shapes:
            geom = _add_geom(spec, body, name, shape, _to_4x4(arrays.items[item]["body_from_frame"]))
            geom.solimp = _IMPEDANCE
            # The geom with the higher priority sets the friction of a contact: the more slippery one.
            friction = robot.items[item].friction
            geom.friction = (DEFAULT_FRICTION if friction is None else friction, 0.0, 0.0)
            geom.priority = priorities.index(friction)
            geom.fluid_ellipsoid *= len(shapes) == 1
    return [f"group-{number}" for number in range(len(bodies))]


def _add_geom(spec: Any, body: Any, name: str, shape: Polyhedron, frame: Floats) -> Any:
    """Add a convex polyhedron to a body, as a primitive if possible; `frame` is body from shape, shape (4, 4)."""
    primitive = primitive_of(shape)
    if primitive is None:
        mesh = spec.add_mesh(name=name)
        mesh.uservert = apply(frame, shape.vertices).ravel()
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        return body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
    pose = frame @ primitive.pose
    geom = body.add_geom(
        name=name, type=_TYPES[primitive.kind], size=primitive.size, pos=pose[:3, 3], quat=to_quaternion(pose)
    )
    # Drag without lift: coefficients for blunt, slender and angular drag, Kutta lift and Magnus lift.
    geom.fluid_ellipsoid = 1.0
    geom.fluid_coefs = (primitive.blunt_drag, 0.0, 1.5, 0.0, 0.0)
    return geom


def _add_joint(spec: Any, body: Any, arrays: RobotArrays, number: int, record: Any, values: Values) -> None:
    joint = arrays.robot.joints[number]
    turns = record["motion"] == TURNS
    added = body.add_joint(
        name=joint.name,
        type=mujoco.mjtJoint.mjJNT_HINGE if turns else mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(0.0, 0.0, 1.0),
        armature=joint.armature or values["gear"] ** 2 * values["rotor-inertia"],
        frictionloss=joint.friction,
    )
    added.damping = np.full_like(added.damping, joint.damping) if np.ndim(added.damping) else joint.damping
    if joint.limits is not None:
        added.limited = True
        added.range = (joint.limits.lower, joint.limits.upper)
    if joint.name in arrays.robot.mobility.sprung | arrays.robot.mobility.dependent:
        spring = (joint.stiffness, joint.spring_position)
        added.stiffness = np.full_like(added.stiffness, spring[0]) if np.ndim(added.stiffness) else spring[0]
        added.springref = spring[1]
    if joint.mimic is not None:
        follows = spec.add_equality(
            name=f"{joint.name} follows", type=mujoco.mjtEq.mjEQ_JOINT, name1=joint.name, name2=joint.mimic.joint
        )
        follows.objtype = mujoco.mjtObj.mjOBJ_JOINT
        follows.data[:2] = joint.mimic.offset, joint.mimic.ratio


def _add_loops(spec: Any, arrays: RobotArrays) -> None:
    """Hold the frames of each loop together; axes by two points each."""
    robot = arrays.robot
    for loop in robot.loops:
        sites = []
        bodies = [int(arrays.items[robot.item_index[item]]["body"]) for item in loop.items]
        for side, (item, pose) in enumerate(zip(loop.items, loop.poses, strict=True)):
            frame = _to_4x4(arrays.items[robot.item_index[item]]["body_from_frame"]) @ pose
            body = spec.body(f"group-{bodies[side]}")
            sites.append((body, frame))
        if loop.kind is LoopKind.PRISMATIC:
            raise RckError(
                f"MuJoCo cannot hold loop {loop.name}: it has no prismatic equality; make it a joint instead"
            )
        if loop.kind is LoopKind.WELD:
            _add_loop(spec, loop.name, mujoco.mjtEq.mjEQ_WELD, sites)
            continue
        # An axis is held by two points on it.
        for number, along in enumerate((0.0,) if loop.kind is LoopKind.CONNECT else (0.0, _AXIS)):
            points = [(body, frame @ translation((0.0, 0.0, along))) for body, frame in sites]
            _add_loop(spec, f"{loop.name} {number}", mujoco.mjtEq.mjEQ_CONNECT, points)


def _add_loop(spec: Any, name: str, kind: Any, ends: list[tuple[Any, Floats]]) -> None:
    names = []
    for side, (body, frame) in enumerate(ends):
        names.append(f"{name} end {side}")
        body.add_site(name=names[-1], pos=frame[:3, 3], quat=to_quaternion(frame))
    closing = spec.add_equality(name=name, type=kind, name1=names[0], name2=names[1])
    closing.objtype = mujoco.mjtObj.mjOBJ_SITE


def weld_name(held: int, hand: int) -> str:
    """Return the name of the weld between a loose group and the group of a gripper."""
    return f"hand group-{hand} holds group-{held}"


def _add_welds(spec: Any, arrays: RobotArrays) -> None:
    """Add an inactive weld between every loose object and every gripper."""
    robot = arrays.robot
    hands = {robot.tree.group_of_item[robot.item_index[device.item]] for device in robot.devices if device.kind.grips}
    for hand in sorted(hands):
        for loose in loose_objects(arrays):
            weld = spec.add_equality(
                name=weld_name(loose.body, hand),
                type=mujoco.mjtEq.mjEQ_WELD,
                name1=f"group-{hand}",
                name2=f"group-{loose.body}",
                active=False,
            )
            weld.objtype = mujoco.mjtObj.mjOBJ_BODY


def _choose_pairs(spec: Any, robot: Robot, arrays: RobotArrays) -> None:
    """Enable contacts between the tested pairs of items that do not overlap in the initial pose; set their friction.

    MuJoCo excludes pairs of bodies. If only some items of two bodies may collide, the bodies are excluded and these
    pairs are added explicitly, as are pairs with their own friction.
    """
    pairs = pairs_to_test(robot)
    loose = {item for each in loose_objects(arrays) for item in each.items}
    overlapping = set()
    for contact in HullScene(robot, pairs).contacts(robot.positions):
        one, other = sorted(robot.item_index[name] for name in contact.items)
        if contact.depth > _OVERLAP and not loose & {one, other}:
            overlapping.add((one, other))
    groups = robot.tree.group_of_item
    frictions = _pair_frictions(robot)
    together: dict[tuple[int, int], list[tuple[int, int, bool]]] = {}
    for a, b in combinations(range(len(groups)), 2):
        if groups[a] != groups[b]:
            pair = (min(groups[a], groups[b]), max(groups[a], groups[b]))
            together.setdefault(pair, []).append((a, b, pairs.tests(a, b) and (a, b) not in overlapping))
    for (one, other), listed in together.items():
        excluded = not all(tested for _, _, tested in listed)
        if excluded:
            spec.add_exclude(bodyname1=f"group-{one}", bodyname2=f"group-{other}")
        for a, b, tested in listed:
            if tested and (excluded or (a, b) in frictions):
                own = pair_friction(robot.items[a].friction, robot.items[b].friction)
                friction = frictions.get((a, b), own)
                for i, j in product(*(range(len(robot.items[item].subitems)) for item in (a, b))):
                    pair = spec.add_pair(geomname1=f"item-{a}-{i}", geomname2=f"item-{b}-{j}")
                    pair.friction = (friction, friction, 0.0, 0.0, 0.0)
                    pair.solimp = _IMPEDANCE


def _pair_frictions(robot: Robot) -> dict[tuple[int, int], float]:
    """Return the friction that rules set for pairs of item numbers, the lower number first."""
    index = robot.item_index
    return {
        ordered(*(index[name] for name in rule.items)): rule.friction
        for rule in robot.rules
        if rule.friction is not None and all(name in index for name in rule.items)
    }


def _joint_ratios(robot: Robot, compiled: Any) -> Floats:
    """Return the motion of each degree of freedom per motion of each coordinate: 1, or the ratio of a mimic joint.

    Coordinates are those of `Robot.coordinate_joints`: without loops, the free joints.
    """
    ratios = np.zeros((len(robot.coordinate_joints), compiled.nv))
    row_of = {joint.name: row for row, joint in enumerate(robot.coordinate_joints)}
    for joint in robot.joints:
        if joint.kind.moves:
            leader, ratio = (joint.name, 1.0) if joint.mimic is None else (joint.mimic.joint, joint.mimic.ratio)
            ratios[row_of[leader], compiled.joint(joint.name).dofadr[0]] = ratio
    return ratios


def _mass(arrays: RobotArrays, items: tuple[int, ...]) -> MassProperties:
    """Return the mass properties of a rigid group in the frame of its body."""
    return combine(
        moved(arrays.robot.items[item].mass_properties, _to_4x4(arrays.items[item]["body_from_frame"]))
        for item in items
    )


def _to_4x4(frame: Floats) -> Floats:
    return np.vstack([frame, (0.0, 0.0, 0.0, 1.0)])


def _volumes(arrays: RobotArrays, compiled: Any, bodies: list[str]) -> tuple[Floats, Floats]:
    """Return the volume of each body of the model, and its centre in the frame of the body."""
    volumes, centres = np.zeros(compiled.nbody), np.zeros((compiled.nbody, 3))
    for name, group in zip(bodies, arrays.robot.tree.rigid_groups, strict=True):
        number = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, name)
        total, first = 0.0, np.zeros(3)
        for item in group.items:
            frame = _to_4x4(arrays.items[item]["body_from_frame"])
            for subitem in arrays.robot.items[item].subitems:
                body = subitem.mass_properties
                volume = body.mass / subitem.density if subitem.density > 0 else 0.0
                total += volume
                first += volume * apply(frame, body.centre)
        volumes[number] = total
        centres[number] = first / total if total > 0 else 0.0
    return volumes, centres
