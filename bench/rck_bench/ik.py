"""Inverse kinematics of five arms, on the same random reachable poses, by RCK and by the peers that are installed.

Every answer, ours and theirs, is judged by one forward kinematics, `rck.model.forward`: within 1e-5 in every
number of the pose, and inside the limits. A solve of ours that takes longer than the budget counts as a miss.
Times are of the processor, one pass over the goals after a first call: other programs on the machine would
otherwise decide who keeps a budget of milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import pi
from time import thread_time

import numpy as np

from rck.catalogue.library import open_catalogue
from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert
from rck.hooks import ChainSolver, Goal, discover
from rck.kinematics.chain import Chain, axes_at, chain_between, tip_pose
from rck.kinematics.denavit_hartenberg import dh_of_robot
from rck.kinematics.solver import DEFAULT, solver_for
from rck.model import Frame, build_robot
from rck.model.arrays import robot_arrays
from rck.model.forward import forward_frames_batch
from rck_bench.machine import package_version
from rck_bench.report import Report, Row

ARMS = ("unimation/puma-560", "universal-robots/ur5e", "abb/irb-120", "franka/panda", "kuka/iiwa-7")
GOALS = 10_000
PEER_GOALS = 1_000
BUDGET = 0.005
CLOSE = 1e-5
TIP = "bench-tip"

Call = Callable[[Floats, Floats], Floats]
"""From a goal, shape (4, 4), and a seed to joint vectors, shape (solutions, joints)."""


@dataclass(frozen=True)
class Score:
    """How one solver did on a list of goals."""

    success: float
    """Share of the goals that were reached, within limits and budget."""
    rate: float
    """Solves a second, all calls counted."""
    slowest: float
    """The 99th percentile of the times, in seconds."""
    solutions: float
    """Solutions per goal, right ones."""

    def __str__(self) -> str:
        return f"{100 * self.success:.2f} %, {self.solutions:.2f} a goal, 99th percentile {1e6 * self.slowest:,.0f} us"


def run(report: Report) -> None:
    """Add the rows of this area."""
    for package in ("roboticstoolbox-python", "eaik"):
        report.machine[package] = package_version(package)
    for name in ARMS:
        _one_arm(report, name, arm_chain(name))


def arm_chain(name: str) -> Chain:
    """An arm of the catalogue, from its base to the tip of its published table."""
    part = open_catalogue(discover()).part(name)
    assert part.manifest.dh is not None
    port = part.ports[part.manifest.dh.tip]
    tip = Frame(TIP, port.item, invert(part.robot.item(port.item).pose) @ port.pose)
    robot = build_robot("arm", part.robot.items, part.robot.joints, [tip]).unwrap()
    return chain_between(robot, part.ports["base"].item, TIP)


def _one_arm(report: Report, name: str, chain: Chain) -> None:
    goals = random_goals(chain, GOALS)
    seed = np.clip(np.zeros(len(chain.joints)), chain.lower, chain.upper)
    plugins = discover()
    numeric = solver_for(plugins, chain.robot, chain.base, chain.tip, DEFAULT)
    ours = judged(chain, _calls(numeric, 1), goals, seed)
    peer, theirs = "roboticstoolbox is not installed (pip install roboticstoolbox-python)", None
    if find_spec("roboticstoolbox"):
        score = judged(chain, toolbox_call(chain), goals[:PEER_GOALS], seed, budget=np.inf)
        peer, theirs = f"roboticstoolbox ik_LM, {score}", score.rate
    report.rows.append(Row(f"{name} numeric, one pass: {ours}", ours.rate, peer, theirs, least_ratio=2.0))
    best = solver_for(plugins, chain.robot, chain.base, chain.tip)
    if type(best) is type(numeric):
        return
    closed = judged(chain, _calls(best, 8), goals, seed)
    peer, theirs = "EAIK is not installed (pip install eaik)", None
    if find_spec("eaik"):
        score = judged(chain, eaik_call(chain), goals[:PEER_GOALS], seed, budget=np.inf)
        peer, theirs = f"EAIK, {score}", score.rate
    report.rows.append(Row(f"{name} closed form, one pass: {closed}", closed.rate, peer, theirs, least_ratio=1.0))


def random_goals(chain: Chain, count: int) -> Floats:
    """Poses of the tip at random joint vectors within the limits. Shape (count, 4, 4)."""
    low = np.where(np.isfinite(chain.lower), chain.lower, -pi)
    high = np.where(np.isfinite(chain.upper), chain.upper, pi)
    vectors = np.random.default_rng(1).uniform(low, high, (count, len(low)))
    return reached(chain, vectors)


def reached(chain: Chain, vectors: Floats) -> Floats:
    """Where joint vectors of the chain bring its tip, by the judge. Shape (vectors, 4, 4)."""
    whole = np.tile(chain.robot.positions, (len(vectors), 1))
    whole[:, list(chain.columns)] = vectors
    world_from_tip = forward_frames_batch(robot_arrays(chain.robot), whole)[:, -1]
    poses: Floats = invert(chain.robot.item(chain.base).pose) @ world_from_tip
    return poses


def judged(chain: Chain, call: Call, goals: Floats, seed: Floats, budget: float = BUDGET) -> Score:
    """The score of a solver on the goals; the first call, which may compile, is not counted."""
    call(goals[0], seed)
    answers, times = [], np.empty(len(goals))
    for number, goal in enumerate(goals):
        start = thread_time()
        answers.append(call(goal, seed))
        times[number] = thread_time() - start
    counts = [len(rows) for rows in answers]
    folded = _into_limits(chain, np.concatenate(answers))
    wanted = np.repeat(goals, counts, axis=0)
    close = np.abs(reached(chain, folded) - wanted).max(axis=(1, 2)) < CLOSE
    good = close & (folded >= chain.lower - 1e-9).all(axis=1) & (folded <= chain.upper + 1e-9).all(axis=1)
    right = np.bincount(np.repeat(np.arange(len(goals)), counts)[good], minlength=len(goals))
    hit = (right > 0) & (times <= budget)
    return Score(
        float(hit.mean()), len(goals) / float(times.sum()), float(np.quantile(times, 0.99)), float(right.mean())
    )


def _into_limits(chain: Chain, rows: Floats) -> Floats:
    """Whole turns are free: peers that know no limits get the benefit of them."""
    turn = 2 * pi * chain.turning
    above, below = rows > chain.upper + 1e-9, rows < chain.lower - 1e-9
    folded: Floats = rows - turn * above + turn * below
    return folded


def _calls(solver: ChainSolver, most: int) -> Call:
    return lambda goal, seed: solver.solve(Goal(goal), seed, most=most, budget=BUDGET).solutions


def toolbox_call(chain: Chain) -> Call:
    """Roboticstoolbox's Levenberg-Marquardt in C++, on the standard Denavit-Hartenberg rows of the chain."""
    import roboticstoolbox as rtb

    dh = dh_of_robot(chain.robot, chain.base, chain.tip)
    steps = rtb.ET.SE3(dh.base)
    for number, row in enumerate(dh.rows):
        limits = (chain.lower[number], chain.upper[number])
        steps = steps * rtb.ET.Rz(row.theta) * rtb.ET.Rz(qlim=limits) * rtb.ET.tz(row.d) * rtb.ET.tx(row.a)
        steps = steps * rtb.ET.Rx(row.alpha)
    arm = steps * rtb.ET.SE3(dh.tool)

    def call(goal: Floats, seed: Floats) -> Floats:
        answer = arm.ik_LM(goal, q0=seed, tol=1e-12, joint_limits=True)
        return np.array([answer.q]) if answer.success else np.empty((0, len(seed)))

    return call


def eaik_call(chain: Chain) -> Call:
    """EAIK's closed form, on the axes of the chain at zero; its least-squares answers are not solutions."""
    from eaik.IK_HP import HPRobot

    zero = np.zeros(len(chain.joints))
    points, directions = axes_at(chain, zero)
    tip = tip_pose(chain, zero)
    arm = HPRobot(directions, np.diff(np.vstack([np.zeros(3), points, tip[:3, 3]]), axis=0))
    turn_back = np.eye(4)
    turn_back[:3, :3] = tip[:3, :3].T

    def call(goal: Floats, seed: Floats) -> Floats:
        answer = arm.IK(goal @ turn_back)
        rows: Floats = np.asarray(answer.Q)[~np.asarray(answer.is_LS, dtype=bool)]
        return rows

    return call
