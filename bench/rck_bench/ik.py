"""Inverse kinematics of the arms of the catalogue, on the same random reachable poses, by RCK and by its peers.

Our solver gets all goals, a peer the first of them: slow peers fewer, as the table says. A solve of ours that takes
longer than the budget counts as a miss; peers have no budget.
"""

from time import thread_time

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import ChainSolver, Goal, discover
from rck.kinematics.batch import solve_batch
from rck.kinematics.chain import Chain
from rck.kinematics.jog import Jogger, JogStep
from rck.kinematics.solver_choice import DEFAULT, solver_for
from rck.model import RckError
from rck.model.joint_positions import at_positions, random_vectors
from rck_bench.ik_arms import ARMS, arm_chain, calibrated, other_arms
from rck_bench.ik_judge import Contender, contest, random_goals
from rck_bench.ik_peers import CLOSED, SEARCHING, Call, Peer
from rck_bench.machine import package_version
from rck_bench.report import Report, Row
from rck_bench.timing import rates

GOALS = 10_000
BATCH = 100_000
BUDGET = 0.005
SEARCHED = 200
"""Unreachable goals that the search tries, to confirm that there is no solution."""
PRESSES = 1_000
"""Key presses on the Move screen that are timed."""
FAR = 3_000.0
"""Length of a step that no arm here can make, in millimetres."""


def run(report: Report) -> None:
    """Add the rows of this area."""
    for peer in (*SEARCHING, *CLOSED):
        report.machine[peer.package] = package_version(peer.package)
    chains = {name: arm_chain(name) for name in ARMS}
    for name, chain in chains.items():
        _searching(report, name, chain, SEARCHING)
    for name, chain in other_arms().items():
        _searching(report, name, chain, SEARCHING[:1])
    for name, chain in chains.items():
        _closed(report, name, chain)
        _unreachable(report, name, chain)
    for name in ARMS[:2]:
        _closed(report, f"{name}, calibrated", calibrated(chains[name]))
    _batch(report, ARMS[0], chains[ARMS[0]])
    for name in (*ARMS[:2], ARMS[3]):
        _presses(report, name, chains[name])


def _searching(report: Report, name: str, chain: Chain, peers: tuple[Peer, ...]) -> None:
    numeric = solver_for(discover(), chain.robot, chain.base, chain.tip, DEFAULT)
    _compare(report, f"{name} numeric", chain, _calls(numeric, 1), peers, least_ratio=2.0)


def _closed(report: Report, name: str, chain: Chain) -> None:
    from rck_plugins.solvers.closed_form.six_axis import recognise

    best = recognise(chain)
    if best is not None:
        _compare(report, f"{name} closed form", chain, _calls(best, 8), CLOSED, least_ratio=1.0)


def _unreachable(report: Report, name: str, chain: Chain) -> None:
    """Time goals that the closed form cannot reach: random positions with the orientations of others."""
    from rck_plugins.solvers.closed_form.six_axis import recognise

    best = recognise(chain)
    if best is None:
        return
    goals, seed = random_goals(chain, GOALS), _at_zero(chain)
    goals[:, :3, :3] = goals[::-1, :3, :3]
    missed = [Goal(goal) for goal in goals if not best.solve(Goal(goal), seed).solved]
    searching = solver_for(discover(), chain.robot, chain.base, chain.tip, DEFAULT)
    wrong = sum(searching.solve(goal, seed, budget=BUDGET).solved for goal in missed[:SEARCHED])
    start = thread_time()
    for goal in missed:
        best.solve(goal, seed)
    rate = len(missed) / (thread_time() - start)
    what = f"{name} closed form, {len(missed):,} unreachable goals: {1e6 / rate:.1f} us each"
    told = f"our search, {BUDGET * 1000:.0f} ms for each of the first {SEARCHED}, reaches {wrong}"
    report.rows.append(Row(what, rate, told, difference=float(wrong), least_rate=200_000, one_pass=True))


def _compare(
    report: Report, what: str, chain: Chain, call: Call, peers: tuple[Peer, ...], *, least_ratio: float
) -> None:
    """Add a row for each peer."""
    contenders, told = [Contender(call, GOALS, BUDGET)], []
    for peer in peers:
        theirs, refusal = _made(peer, chain)
        told.append(refusal)
        if theirs is not None:
            contenders.append(Contender(theirs, min(peer.goals, GOALS)))
    ours, *scores = contest(chain, contenders, random_goals(chain, GOALS), _at_zero(chain))
    answered = iter(zip(contenders[1:], scores, strict=True))
    for peer, refusal in zip(peers, told, strict=True):
        said, rate = refusal, None
        if not refusal:
            contender, score = next(answered)
            few = "" if contender.goals == GOALS else f", first {contender.goals:,} goals"
            said, rate = f"{peer.name}{few}: {score}", score.rate
        report.rows.append(Row(f"{what}: {ours}", ours.rate, said, rate, least_ratio=least_ratio, one_pass=True))


def _made(peer: Peer, chain: Chain) -> tuple[Call | None, str]:
    """Return the call of a peer for a chain, or the reason why it is missing."""
    if not peer.installed:
        return None, f"{peer.name} is not installed (pip install {peer.package})"
    try:
        return peer.make(chain), ""
    except Exception as refusal:
        # Peers raise arbitrary exceptions for arms that they do not support.
        return None, f"{peer.name} refuses: {refusal}".splitlines()[0][:80]


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
        report.rows.append(Row(what, rate, "none; wall-clock time", one_pass=True))


def _presses(report: Report, name: str, chain: Chain) -> None:
    """Measure steps of 10 mm from random positions, as on the Move screen, and steps out of reach."""
    vectors = random_vectors(chain.robot, PRESSES, 5, joints=chain.joints)
    robots = [at_positions(chain.robot, chain.in_robot(vector)) for vector in vectors]
    jogger = Jogger(discover())
    times: dict[bool, list[float]] = {True: [], False: []}
    for number, robot in enumerate((robots[0], *robots)):
        for amount in (10.0, FAR):
            start = thread_time()
            try:
                jogger.solve(chain.robot, robot, chain.tip, JogStep("xyz"[number % 3], amount))
                taken = True
            except RckError:
                taken = False
            # The first call creates the solver.
            if number:
                times[taken].append(thread_time() - start)
    for taken, word in ((True, "is taken"), (False, "cannot be taken, and why")):
        middle, slowest = np.quantile(times[taken], (0.5, 0.99))
        figures = f"median {1e6 * middle:,.0f} us, 99th percentile {1e6 * slowest:,.0f} us"
        what = f"{name}, a step on the Move screen {word}: {figures}"
        report.rows.append(Row(what, 1 / float(slowest), "none", least_rate=1 / BUDGET, one_pass=True))


def _at_zero(chain: Chain) -> Floats:
    return np.clip(np.zeros(len(chain.joints)), chain.lower, chain.upper)


def _calls(solver: ChainSolver, most: int) -> Call:
    return lambda goal, seed: solver.solve(Goal(goal), seed, most=most, budget=BUDGET).solutions
