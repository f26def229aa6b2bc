"""Judge of solvers: checks every answer, ours and the peers', with one independent forward kinematics.

An answer is correct within 1e-5 in every number of the pose and inside the limits. Times are processor times: other
programs on the machine would otherwise decide who keeps a budget of milliseconds. The cost of reading the clock is
subtracted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import pi
from time import process_time

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert
from rck.kinematics.chain import Chain
from rck.model.forward_kinematics import forward_frames_batch
from rck.model.joint_positions import random_vectors
from rck.model.robot_arrays import robot_arrays
from rck_bench.ik_peers import Call, StagedCall

CLOSE = 1e-5
TURNS = 10
"""Number of turns in which solvers alternate, so that disturbances of the machine affect all of them."""


@dataclass(frozen=True)
class Score:
    """The score of one solver on a list of goals."""

    success: float
    """Fraction of the goals that were reached, within limits and budget."""
    rate: float
    """Calls per second."""
    slowest: float
    """The 99th percentile of the times, in seconds."""
    solutions: float
    """Correct solutions per goal."""

    def __str__(self) -> str:
        return f"{100 * self.success:.2f} %, {self.solutions:.2f} a goal, 99th percentile {1e6 * self.slowest:,.0f} us"


@dataclass
class Contender:
    """A solver in the contest, and its answers so far."""

    call: Call
    goals: int
    """Number of goals that it receives."""
    budget: float = np.inf
    """Time limit for an answer, in seconds; slower answers are ignored."""
    answers: list[Floats] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def take(self, goals: Floats, seed: Floats) -> None:
        """Solve these goals, each timed separately."""
        for goal in goals:
            if isinstance(self.call, StagedCall):
                ready = self.call.prepare(goal)
                start = process_time()
                answer = self.call.solve(ready)
                self.times.append(process_time() - start)
                rows = self.call.read(answer)
            else:
                start = process_time()
                rows = self.call(goal, seed)
                self.times.append(process_time() - start)
            self.answers.append(rows)


def random_goals(chain: Chain, count: int) -> Floats:
    """Return poses of the tip at random joint vectors within the limits. Shape (count, 4, 4)."""
    return reached(chain, random_vectors(chain.robot, count, joints=chain.joints))


def reached(chain: Chain, vectors: Floats) -> Floats:
    """Return the tip poses for joint vectors of the chain, computed by the judge. Shape (vectors, 4, 4)."""
    world_from_tip = forward_frames_batch(robot_arrays(chain.robot), chain.in_robot(vectors))[:, -1]
    poses: Floats = invert(chain.robot.item(chain.base).pose) @ world_from_tip
    return poses


def contest(chain: Chain, contenders: Sequence[Contender], goals: Floats, seed: Floats) -> list[Score]:
    """Return the score of each; the first call, which may compile, is not timed."""
    for one in contenders:
        one.call(goals[0], seed)
    for turn in range(TURNS):
        for one in contenders:
            count = min(one.goals, len(goals))
            one.take(goals[count * turn // TURNS : count * (turn + 1) // TURNS], seed)
    return [_score(chain, one, goals[: len(one.times)]) for one in contenders]


def _score(chain: Chain, one: Contender, goals: Floats) -> Score:
    times = np.maximum(np.array(one.times) - _cost_of_clock(), 0.0)
    counts = [len(rows) for rows in one.answers]
    folded = _into_limits(chain, np.concatenate(one.answers))
    wanted = np.repeat(goals, counts, axis=0)
    close = np.abs(reached(chain, folded) - wanted).max(axis=(1, 2)) < CLOSE
    good = close & (folded >= chain.lower - 1e-9).all(axis=1) & (folded <= chain.upper + 1e-9).all(axis=1)
    right = np.bincount(np.repeat(np.arange(len(goals)), counts)[good], minlength=len(goals))
    hit = (right > 0) & (times <= one.budget)
    return Score(
        float(hit.mean()), len(goals) / float(times.sum()), float(np.quantile(times, 0.99)), float(right.mean())
    )


def _cost_of_clock() -> float:
    """Return the seconds between two consecutive readings of the clock."""
    return float(np.median([-(process_time() - process_time()) for _ in range(1000)]))


def _into_limits(chain: Chain, rows: Floats) -> Floats:
    """Move joints by whole turns into their limits, in favour of peers without limits."""
    turn = 2 * pi * chain.turning
    above, below = rows > chain.upper + 1e-9, rows < chain.lower - 1e-9
    folded: Floats = rows - turn * above + turn * below
    return folded
