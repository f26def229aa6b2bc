"""Numeric inverse kinematics of one serial chain: descents within the limits, from many starts.

Starts come from the additive recurrence of Roberts 2018, which fills a box evenly; of every six, the one nearest to the
goal is taken. Each descent is that of `ik_descent`.
"""

from math import floor, isfinite

import numpy as np

from rck.kernels.body_tables import Table
from rck.kernels.fk import BODIES, VECTOR, VECTORS
from rck.kernels.ik_descent import CALLER_ROWS, STEP, ChainGoal, descend, deviation_at, make_workspace
from rck.kernels.kernel import Floats, Ints, helper, kernel, read_only, types

_STEPS = 60
"""Steps of one descent at most."""
_CANDIDATES = 6
"""Starts compared for each one that is used."""
UNUSABLE = -1
"""Returned instead of the number of solutions if goal or seed are not finite."""
_TWO_PI = 2.0 * np.pi
_SAME = 1e-4
"""Solutions that differ by less than this in every joint, in radians or metres, are the same."""


@helper
def start_at(number: int, low: Floats, high: Floats, vector: Floats) -> None:
    """Write start `number` of the sequence that fills the box from `low` to `high`."""
    count = len(vector)
    # The root of x^(count + 1) = x + 1, by Newton's method.
    ratio = 1.5
    for _ in range(20):
        power = ratio**count
        ratio -= (power * ratio - ratio - 1.0) / ((count + 1) * power - 1.0)
    share = 1.0
    for j in range(count):
        share /= ratio
        position = 0.5 + number * share
        vector[j] = low[j] + (position - floor(position)) * (high[j] - low[j])


@helper
def nearest_start(
    chain: ChainGoal, low: Floats, high: Floats, goal: Floats, number: int, vector: Floats, workspace: Floats
) -> None:
    """Write the start nearest to the goal of group `number`."""
    candidate = workspace[STEP, : len(vector)]
    least = np.inf
    for which in range(_CANDIDATES):
        start_at(number * _CANDIDATES + which, low, high, candidate)
        away, angle = deviation_at(chain, candidate, goal, workspace)
        if away * away + angle * angle < least:
            least = away * away + angle * angle
            for j in range(len(vector)):
                vector[j] = candidate[j]


@helper
def is_new(vector: Floats, found: Floats, count: int, turning: Floats) -> bool:
    """Return True if no row before `count` is the same position of the chain, up to whole turns."""
    for row in range(count):
        same = True
        for j in range(len(vector)):
            difference = abs(vector[j] - found[row, j])
            if turning[j] != 0.0 and difference > np.pi:
                difference = abs(difference - _TWO_PI * floor(difference / _TWO_PI + 0.5))
            if difference >= _SAME:
                same = False
                break
        if same:
            return False
    return True


@helper
def search(
    chain: ChainGoal,
    bounds: Floats,
    goal: Floats,
    seed: Floats,
    first: int,
    starts: int,
    found: Floats,
    known: int,
    best: Floats,
    least: float,
    workspace: Floats,
) -> tuple[int, float]:
    """Search as :func:`solve` does; the workspace is that of a descent plus one row."""
    lower, upper, low, high, turning = bounds[0], bounds[1], bounds[2], bounds[3], bounds[4]
    vector = workspace[CALLER_ROWS + len(seed), : len(seed)]
    count = known
    for number in range(first, first + starts):
        if number == 0:
            for j in range(len(seed)):
                vector[j] = min(max(seed[j], lower[j]), upper[j])
        else:
            nearest_start(chain, low, high, goal, number - 1, vector, workspace)
        there, squared = descend(chain, lower, upper, goal, _STEPS, vector, workspace)
        if squared < least:
            least = squared
            for j in range(len(vector)):
                best[j] = vector[j]
        if there and is_new(vector, found, count, turning):
            for j in range(len(vector)):
                found[count, j] = vector[j]
            count += 1
            if count == len(found):
                break
    return count, least


@kernel(
    types.Tuple((types.int64, types.float64))(
        BODIES,
        VECTORS,
        VECTORS,
        VECTORS,
        types.int64,
        types.float64,
        types.float64,
        VECTOR,
        types.int64,
        types.int64,
        types.float64[:, ::1],
        types.int64,
        types.float64[::1],
        types.float64,
    )
)
def solve(
    bodies: Table,
    tip: Floats,
    bounds: Floats,
    goal: Floats,
    wants: int,
    reach: float,
    tolerance: float,
    seed: Floats,
    first: int,
    starts: int,
    found: Floats,
    known: int,
    best: Floats,
    least: float,
) -> tuple[int, float]:
    """Search for joint vectors that bring the tip to the goal; return the number found and the least squared error.

    Rows of `bounds`, shape (5, joints): lower and upper limits, the box of starts (two rows), and 1 for a joint that
    turns. Start 0 is the seed. Starts from `first` are tried until `found` is full; its first `known` rows are already
    filled. `best` is the vector with the smallest squared error so far, `least`. The number is `UNUSABLE` if goal or
    seed are not finite.
    """
    total = 0.0
    for i in range(4):
        for j in range(4):
            total += goal[i, j]
    for j in range(len(seed)):
        total += seed[j]
    if not isfinite(total):
        return UNUSABLE, least
    chain = ChainGoal(bodies, tip, wants, reach, tolerance)
    workspace = make_workspace(len(bodies), len(seed), 1)
    return search(chain, bounds, goal, seed, first, starts, found, known, best, least, workspace)


@kernel(
    types.void(
        BODIES,
        VECTORS,
        VECTORS,
        read_only(types.float64, 3),
        types.int64,
        types.float64,
        types.float64,
        VECTORS,
        types.int64,
        types.float64[:, ::1],
        types.boolean[::1],
    )
)
def solve_batch(
    bodies: Table,
    tip: Floats,
    bounds: Floats,
    goals: Floats,
    wants: int,
    reach: float,
    tolerance: float,
    seeds: Floats,
    starts: int,
    vectors: Floats,
    solved: Ints,
) -> None:
    """Write one solution for each goal, from its seed and at most `starts` starts, to `vectors`, shape (goals, joints).

    Without a solution, `solved` is False and the row is the vector that came nearest.
    """
    count = seeds.shape[1]
    chain = ChainGoal(bodies, tip, wants, reach, tolerance)
    workspace = make_workspace(len(bodies), count, 1)
    found = np.empty((1, count))
    for row in range(len(goals)):
        hits, _ = search(chain, bounds, goals[row], seeds[row], 0, starts, found, 0, vectors[row], np.inf, workspace)
        solved[row] = hits > 0
        if hits > 0:
            for j in range(count):
                vectors[row, j] = found[0, j]
