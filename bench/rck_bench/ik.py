"""Inverse kinematics of the arms of the catalogue, on the same random reachable poses, by RCK and by its peers.

Every answer, ours and theirs, is judged by one forward kinematics, `rck.model.forward`: within 1e-5 in every
number of the pose, and inside the limits. A solve of ours that takes longer than the budget counts as a miss.
Times are of the processor, one pass over the goals after a first call: other programs on the machine would
otherwise decide who keeps a budget of milliseconds.
"""

from dataclasses import dataclass, replace
from math import pi
from time import process_time

import numpy as np

from rck.catalogue.library import open_catalogue
from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, invert
from rck.hooks import ChainSolver, Goal, discover
from rck.kinematics.batch import solve_batch
from rck.kinematics.chain import Chain, chain_between
from rck.kinematics.solver import DEFAULT, solver_for
from rck.model import Frame, build_robot
from rck.model.arrays import robot_arrays
from rck.model.forward import forward_frames_batch
from rck_bench.ik_peers import CLOSED, SEARCHING, Call, Peer, finite_limits
from rck_bench.machine import package_version
from rck_bench.report import Report, Row
from rck_bench.timing import rates

ARMS = ("unimation/puma-560", "universal-robots/ur5e", "abb/irb-120", "franka/panda", "kuka/iiwa-7")
"""The arms on which all peers are asked; on the others of the catalogue, the quickest of those that search."""
GOALS = 10_000
BATCH = 100_000
BUDGET = 0.005
CLOSE = 1e-5
TIP = "bench-tip"


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
    for peer in (*SEARCHING, *CLOSED):
        report.machine[peer.package] = package_version(peer.package)
    chains = {name: arm_chain(name) for name in ARMS}
    for name, chain in chains.items():
        _searching(report, name, chain, SEARCHING)
    for name in other_arms():
        _searching(report, name, arm_chain(name), SEARCHING[:1])
    for name, chain in chains.items():
        _closed(report, name, chain)
    for name in ARMS[:2]:
        _closed(report, f"{name}, calibrated", calibrated(chains[name]))
    _batch(report, ARMS[0], chains[ARMS[0]])


def other_arms() -> list[str]:
    """The other arms of the catalogue that have a published table and four to seven axes."""
    catalogue = open_catalogue(discover())
    names = [name for name in catalogue.entries if name not in ARMS]
    tables = [name for name in names if catalogue.file(name).manifest.dh is not None]
    return [name for name in sorted(tables) if 4 <= len(arm_chain(name).joints) <= 7]


def arm_chain(name: str) -> Chain:
    """An arm of the catalogue, from its base to the tip of its published table."""
    part = open_catalogue(discover()).part(name)
    assert part.manifest.dh is not None
    port = part.ports[part.manifest.dh.tip]
    tip = Frame(TIP, port.item, invert(part.robot.item(port.item).pose) @ port.pose)
    robot = build_robot("arm", part.robot.items, part.robot.joints, [tip]).unwrap()
    return chain_between(robot, part.ports["base"].item, TIP)


def calibrated(chain: Chain) -> Chain:
    """The chain with its axes off by what calibration finds: some milliradians and tenths of a millimetre."""
    rng = np.random.default_rng(4)
    joints = []
    for joint in chain.robot.joints:
        start = np.add(joint.start, rng.uniform(-5e-4, 5e-4, 3))
        end = start + from_euler(rng.uniform(-2e-3, 2e-3, 3).tolist())[:3, :3] @ joint.direction
        joints.append(replace(joint, start=tuple(start.tolist()), end=tuple(end.tolist())))
    robot = build_robot("arm", chain.robot.items, joints, chain.robot.frames).unwrap()
    return chain_between(robot, chain.base, chain.tip)


def _searching(report: Report, name: str, chain: Chain, peers: tuple[Peer, ...]) -> None:
    goals, seed = random_goals(chain, GOALS), _at_zero(chain)
    numeric = solver_for(discover(), chain.robot, chain.base, chain.tip, DEFAULT)
    ours = judged(chain, _calls(numeric, 1), goals, seed)
    for peer in peers:
        told, theirs = _peer_score(peer, chain, goals, seed)
        report.rows.append(Row(f"{name} numeric: {ours}", ours.rate, told, theirs, least_ratio=2.0, one_pass=True))


def _closed(report: Report, name: str, chain: Chain) -> None:
    from rck_ik_closed.six_axis import recognise

    best = recognise(chain)
    if best is None:
        return
    goals, seed = random_goals(chain, GOALS), _at_zero(chain)
    ours = judged(chain, _calls(best, 8), goals, seed)
    for peer in CLOSED:
        told, theirs = _peer_score(peer, chain, goals, seed)
        report.rows.append(Row(f"{name} closed form: {ours}", ours.rate, told, theirs, least_ratio=1.0, one_pass=True))


def _peer_score(peer: Peer, chain: Chain, goals: Floats, seed: Floats) -> tuple[str, float | None]:
    if not peer.installed:
        return f"{peer.name} is not installed (pip install {peer.package})", None
    try:
        call = peer.make(chain)
    except Exception as refusal:
        # Peers raise what they like at an arm that they do not serve.
        return f"{peer.name} refuses: {refusal}".splitlines()[0][:80], None
    score = judged(chain, call, goals[: peer.goals], seed, budget=np.inf)
    return f"{peer.name}: {score}", score.rate


def _batch(report: Report, name: str, chain: Chain) -> None:
    goals = random_goals(chain, BATCH)
    seeds = np.tile(_at_zero(chain), (BATCH, 1))
    for kind in (DEFAULT, None):
        solver = solver_for(discover(), chain.robot, chain.base, chain.tip, kind)
        found: list[float] = []

        def work(solver: ChainSolver = solver, found: list[float] = found) -> None:
            found.append(float(solve_batch(solver, goals, seeds)[1].mean()))

        rate = rates({"ours": work}, BATCH, repetitions=2)["ours"]
        what = f"{name} {kind or 'closed form'}, {BATCH:,} goals at once on all cores: {100 * found[-1]:.3f} %"
        report.rows.append(Row(what, rate, "none; by the clock on the wall", one_pass=True))


def _at_zero(chain: Chain) -> Floats:
    return np.clip(np.zeros(len(chain.joints)), chain.lower, chain.upper)


def random_goals(chain: Chain, count: int) -> Floats:
    """Poses of the tip at random joint vectors within the limits. Shape (count, 4, 4)."""
    low, high = finite_limits(chain)
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
        start = process_time()
        answers.append(call(goal, seed))
        times[number] = process_time() - start
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
