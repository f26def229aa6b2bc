"""The peers of inverse kinematics, each in its recommended configuration, on the chain that RCK solves.

Those that read URDF get the chain's frames as links without shapes. Those without built-in restarts start from random
positions within the limits until they report success: 20 times, the first at the seed.
"""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, to_euler
from rck.kernels.body_tables import TURNS
from rck.kinematics.chain import Chain, axes_at, tip_pose
from rck.kinematics.denavit_hartenberg import dh_of_robot
from rck.model.joint_positions import random_vectors

Call = Callable[[Floats, Floats], Floats]
"""Function of a goal, shape (4, 4), and a seed that returns joint vectors, shape (solutions, joints)."""


@dataclass(frozen=True)
class StagedCall:
    """A call in three stages, of which only the second is timed: the peer's own call, without our conversions."""

    prepare: Callable[[Floats], Any]
    """Converts a goal to what the peer takes."""
    solve: Callable[[Any], Any]
    read: Callable[[Any], Floats]
    """Converts its answer to joint vectors, shape (solutions, joints)."""

    def __call__(self, goal: Floats, seed: Floats) -> Floats:
        """Run all stages."""
        return self.read(self.solve(self.prepare(goal)))


RESTARTS = 20
CLOSE = 1e-6
"""Tolerance for iterative peers, in metres and radians: a tenth of that of the judge."""


@dataclass(frozen=True)
class Peer:
    """Another solver."""

    name: str
    module: str
    """The required module."""
    package: str
    """Its name for pip."""
    make: Callable[[Chain], Call]
    """Returns a call for a chain; raises ValueError if the peer does not support it."""
    goals: int
    """Number of goals; slow peers get fewer."""

    @property
    def installed(self) -> bool:
        """True if it can be imported."""
        return find_spec(self.module) is not None


def finite_limits(chain: Chain) -> tuple[Floats, Floats]:
    """Return the limits, one turn for joints without limits: peers draw their starts from them. Shapes (joints,)."""
    lower, upper = np.isfinite(chain.lower), np.isfinite(chain.upper)
    return np.where(lower, chain.lower, -np.pi), np.where(upper, chain.upper, np.pi)


def chain_urdf(chain: Chain) -> str:
    """Return the chain as URDF: links without shapes, the free joints, and the tip on the last link."""
    lines = ['<robot name="arm">', '<link name="base"/>']
    before = "base"
    for number, body in enumerate(chain.bodies):
        link = f"link-{number}"
        kind = "revolute" if body["motion"] == TURNS else "prismatic"
        low, high = (float(limits[number]) for limits in finite_limits(chain))
        if body["ratio"] != 1.0 or body["offset"] != 0.0 or body["joint"] != number:
            raise ValueError("mimic joints and joints with an offset are not supported")
        lines += [
            _link(link),
            f'<joint name="joint-{number}" type="{kind}"><parent link="{before}"/><child link="{link}"/>',
            _origin(np.vstack([body["parent_from_body"], (0, 0, 0, 1)])),
            f'<axis xyz="0 0 1"/><limit lower="{low!r}" upper="{high!r}" effort="100" velocity="10"/></joint>',
        ]
        before = link
    lines += [_link("tip"), f'<joint name="tip-joint" type="fixed"><parent link="{before}"/><child link="tip"/>']
    lines += [_origin(chain.body_from_tip), "</joint>", "</robot>"]
    return "\n".join(lines)


def _link(name: str) -> str:
    # Some peers refuse moving links without mass.
    inertia = 'ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"'
    return f'<link name="{name}"><inertial><mass value="1"/><inertia {inertia}/></inertial></link>'


def _origin(pose: Floats) -> str:
    place = " ".join(repr(float(x)) for x in pose[:3, 3])
    turns = " ".join(repr(float(x)) for x in to_euler(pose))
    return f'<origin xyz="{place}" rpy="{turns}"/>'


def _urdf_file(chain: Chain) -> str:
    handle, name = tempfile.mkstemp(suffix=".urdf")
    os.close(handle)
    Path(name).write_text(chain_urdf(chain), encoding="utf-8")
    return name


def _none(chain: Chain) -> Floats:
    return np.empty((0, len(chain.joints)))


def _restarting(chain: Chain, once: Callable[[Floats, Floats], Floats | None]) -> Call:
    """Return a call that restarts from random positions, the same for every goal."""
    seeds = random_vectors(chain.robot, RESTARTS - 1, 2, joints=chain.joints)

    def call(goal: Floats, seed: Floats) -> Floats:
        for start in (seed, *seeds):
            vector = once(goal, start)
            if vector is not None:
                return vector[None]
        return _none(chain)

    return call


def toolbox(chain: Chain) -> Call:
    """Return roboticstoolbox's Levenberg-Marquardt in C++, with its own restarts, on the chain's DH rows."""
    import roboticstoolbox as rtb

    dh = dh_of_robot(chain.robot, chain.base, chain.tip)
    lower, upper = finite_limits(chain)
    steps = rtb.ET.SE3(dh.base)
    for number, row in enumerate(dh.rows):
        limits = (lower[number], upper[number])
        if chain.turning[number]:
            steps = steps * rtb.ET.Rz(row.theta) * rtb.ET.Rz(qlim=limits) * rtb.ET.tz(row.d)
        else:
            steps = steps * rtb.ET.Rz(row.theta) * rtb.ET.tz(row.d) * rtb.ET.tz(qlim=limits)
        steps = steps * rtb.ET.tx(row.a) * rtb.ET.Rx(row.alpha)
    arm = steps * rtb.ET.SE3(dh.tool)

    def call(goal: Floats, seed: Floats) -> Floats:
        answer = arm.ik_LM(goal, q0=seed, tol=1e-12, joint_limits=True)
        return np.array([answer.q]) if answer.success else _none(chain)

    return call


def eaik(chain: Chain) -> Call:
    """Return EAIK's closed form, on the axes of the chain at zero; its least-squares answers are not solutions."""
    from eaik.IK_HP import HPRobot

    if len(chain.joints) != 6 or not chain.turning.all():
        raise ValueError("EAIK supports six revolute joints")
    zero = np.zeros(len(chain.joints))
    points, directions = axes_at(chain, zero)
    tip = tip_pose(chain, zero)
    arm = HPRobot(directions, np.diff(np.vstack([np.zeros(3), points, tip[:3, 3]]), axis=0))
    if not arm.hasKnownDecomposition():
        raise ValueError("EAIK has no closed form for it")
    turn_back = np.eye(4)
    turn_back[:3, :3] = tip[:3, :3].T

    def solve(goal: Floats) -> tuple[Any, Any]:
        answer = arm.IK(goal)
        return answer.Q, answer.is_LS

    def read(answer: tuple[Any, Any]) -> Floats:
        solutions, are_approximate = answer
        rows: Floats = np.asarray(solutions)[~np.asarray(are_approximate, dtype=bool)]
        return rows

    return StagedCall(lambda goal: goal @ turn_back, solve, read)


def ssik(chain: Chain) -> Call:
    """Return ssik's closed form, which ssik chooses."""
    from ssik import Manipulator

    if len(chain.joints) != 6 or not chain.turning.all():
        raise ValueError("ssik supports six revolute joints")
    arm = Manipulator.from_urdf(_urdf_file(chain), base="base", ee="tip")
    if arm.solver_name == "ikgeo.general_6r":
        raise ValueError("the preparation of an arm without closed form takes minutes")

    def call(goal: Floats, seed: Floats) -> Floats:
        # One solution per branch, as for the others.
        found = arm.solve(goal, enumerate_windings=False)
        return np.array([one.q for one in found]) if found else _none(chain)

    return call


def trac_ik(chain: Chain) -> Call:
    """Return TRAC-IK, through pytracik, with 5 ms of real time per attempt; it uses two threads."""
    from trac_ik import TracIK

    arm = TracIK("base", "tip", _urdf_file(chain), timeout=0.005, epsilon=CLOSE)

    def once(goal: Floats, seed: Floats) -> Floats | None:
        answer: Floats | None = arm.ik(goal[:3, 3], goal[:3, :3], seed_jnt_values=seed)
        return answer

    return _restarting(chain, once)


def pinocchio(chain: Chain) -> Call:
    """Return a Levenberg-Marquardt loop in Python on pinocchio's Jacobian."""
    import pinocchio as pin

    model = pin.buildModelFromXML(chain_urdf(chain))
    data = model.createData()
    tip = model.getFrameId("tip")

    def once(goal: Floats, seed: Floats) -> Floats | None:
        wanted = pin.SE3(goal[:3, :3], goal[:3, 3])
        vector = seed.copy()
        for _ in range(60):
            pin.framesForwardKinematics(model, data, vector)
            missing = pin.log6(data.oMf[tip].actInv(wanted)).vector
            if np.abs(missing).max() < CLOSE:
                return vector
            slope = pin.computeFrameJacobian(model, data, vector, tip, pin.LOCAL)
            square = slope.T @ slope + 0.1 * float(missing @ missing) * np.eye(len(vector))
            vector = np.clip(vector + np.linalg.solve(square, slope.T @ missing), chain.lower, chain.upper)
        return None

    return _restarting(chain, once)


def placo(chain: Chain) -> Call:
    """Return placo's whole-body solver with one frame task."""
    import placo as library

    robot = library.RobotWrapper(_urdf_file(chain), library.Flags.ignore_collisions)
    solver = library.KinematicsSolver(robot)
    solver.mask_fbase(True)
    solver.enable_joint_limits(True)
    task = solver.add_frame_task("tip", np.eye(4))
    task.configure("tip", "soft", 1.0, 1.0)
    names = [f"joint-{number}" for number in range(len(chain.joints))]

    def once(goal: Floats, seed: Floats) -> Floats | None:
        for name, value in zip(names, seed, strict=True):
            robot.set_joint(name, value)
        robot.update_kinematics()
        task.T_world_frame = goal
        for _ in range(40):
            solver.solve(True)
            robot.update_kinematics()
            if task.position().error_norm() < CLOSE and task.orientation().error_norm() < CLOSE:
                return np.array([robot.get_joint(name) for name in names])
        return None

    return _restarting(chain, once)


def mink(chain: Chain) -> Call:
    """Return mink's differential solver on MuJoCo, stepped until it converges."""
    import mink as library
    import mujoco

    spec = mujoco.MjSpec.from_string(chain_urdf(chain))
    spec.compiler.fusestatic = False
    model = spec.compile()
    configuration = library.Configuration(model)
    task = library.FrameTask("tip", "body", position_cost=1.0, orientation_cost=1.0)
    limits = [library.ConfigurationLimit(model)]

    def once(goal: Floats, seed: Floats) -> Floats | None:
        configuration.update(seed)
        task.set_target(library.SE3.from_matrix(goal))
        for _ in range(60):
            velocity = library.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-9, limits=limits)
            configuration.integrate_inplace(velocity, 1.0)
            if np.abs(task.compute_error(configuration)).max() < CLOSE:
                return np.array(configuration.q)
        return None

    return _restarting(chain, once)


def ikpy(chain: Chain) -> Call:
    """Return ikpy's least squares on the whole frame."""
    from ikpy.chain import Chain as Peer
    from ikpy.link import OriginLink, URDFLink

    links = [OriginLink()]
    for number, body in enumerate(chain.bodies):
        frame = np.vstack([body["parent_from_body"], (0, 0, 0, 1)])
        kind = "revolute" if body["motion"] == TURNS else "prismatic"
        axis = {"rotation" if kind == "revolute" else "translation": np.array([0.0, 0.0, 1.0])}
        bounds = (chain.lower[number], chain.upper[number])
        links.append(
            URDFLink(
                f"joint-{number}",
                origin_translation=frame[:3, 3],
                origin_orientation=np.array(to_euler(frame)),
                bounds=bounds,
                joint_type=kind,
                **axis,
            )
        )
    active = [False, *[True] * len(chain.bodies)]
    arm = Peer(links, active_links_mask=active)
    last_from_tip = invert(chain.body_from_tip)

    def once(goal: Floats, seed: Floats) -> Floats | None:
        wanted = goal @ last_from_tip
        found = arm.inverse_kinematics_frame(wanted, initial_position=[0.0, *seed], orientation_mode="all")
        reached = arm.forward_kinematics(found)
        return np.array(found[1:]) if np.abs(reached - wanted).max() < 10 * CLOSE else None

    return _restarting(chain, once)


SEARCHING = (
    Peer("roboticstoolbox ik_LM", "roboticstoolbox", "roboticstoolbox-python", toolbox, 10_000),
    Peer("TRAC-IK", "pytracik", "pytracik", trac_ik, 1000),
    Peer("placo", "placo", "placo", placo, 1000),
    Peer("pinocchio loop", "pinocchio", "pin", pinocchio, 500),
    Peer("mink", "mink", "mink", mink, 100),
    Peer("ikpy", "ikpy", "ikpy", ikpy, 30),
)
"""Peers that search for one solution."""
CLOSED = (
    Peer("EAIK", "eaik", "eaik", eaik, 10_000),
    Peer("ssik", "ssik", "ssik", ssik, 1000),
)
"""Peers that give all solutions."""
