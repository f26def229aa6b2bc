"""Numeric inverse kinematics of one serial chain: descents inside the limits, from many starts.

Starts come from the additive recurrence of Roberts 2018, which fills a box evenly; of a handful of them the one that
lands nearest is taken. Each is led to the goal as `ik_descent` has it.
"""

from math import floor, isfinite

import numpy as np
from numba import boolean, types

from rck.kernels.bodies import Table
from rck.kernels.fk import BODIES, VECTOR, VECTORS
from rck.kernels.ik_descent import BEHIND, STEP, descend, deviation_at, room_for
from rck.kernels.kernel import Floats, Ints, helper, kernel, read_only

_STEPS = 60
"""Steps before a start is given up."""
_CANDIDATES = 6
"""Starts that are looked at for each that is taken."""
UNUSABLE = -1
"""Instead of the number of solutions."""
_TWO_PI = 2.0 * np.pi
_SAME = 1e-4
"""Solutions nearer than this in every joint, in radians or metres, are one."""


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
        place = 0.5 + number * share
        vector[j] = low[j] + (place - floor(place)) * (high[j] - low[j])


@helper
def nearest_start(
    bodies: Table,
    tip: Floats,
    low: Floats,
    high: Floats,
    goal: Floats,
    wants: int,
    reach: float,
    number: int,
    vector: Floats,
    room: Floats,
) -> None:
    """Write the start, of the `number`-th handful, that lands nearest to the goal."""
    candidate = room[STEP, : len(vector)]
    least = np.inf
    for which in range(_CANDIDATES):
        start_at(number * _CANDIDATES + which, low, high, candidate)
        away, angle = deviation_at(bodies, tip, candidate, goal, wants, reach, room)
        if away * away + angle * angle < least:
            least = away * away + angle * angle
            for j in range(len(vector)):
                vector[j] = candidate[j]


@helper
def is_new(vector: Floats, found: Floats, count: int, turning: Floats) -> bool:
    """Whether no row before `count` is the same position of the chain, whole turns left aside."""
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
    room: Floats,
) -> tuple[int, float]:
    """As :func:`solve`, in room that the caller gives: that of a descent, and one row more."""
    lower, upper, low, high, turning = bounds[0], bounds[1], bounds[2], bounds[3], bounds[4]
    vector = room[BEHIND + len(seed), : len(seed)]
    count = known
    for number in range(first, first + starts):
        if number == 0:
            for j in range(len(seed)):
                vector[j] = min(max(seed[j], lower[j]), upper[j])
        else:
            nearest_start(bodies, tip, low, high, goal, wants, reach, number - 1, vector, room)
        there, squared = descend(bodies, tip, lower, upper, goal, wants, reach, tolerance, _STEPS, vector, room)
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
    """Look for joint vectors that bring the tip to the goal; how many `found` then has, and the least squared error.

    Rows of `bounds`, shape (5, joints): lower and upper limits, the box that starts are taken from, and whether
    the joint turns. Start 0 is the seed; starts `first` and following are tried until `found` is full, of which
    `known` rows are filled already. `best` is the vector with the squared error `least`, reached so far. `UNUSABLE`
    instead of a number where goal or seed are not finite.
    """
    total = 0.0
    for i in range(4):
        for j in range(4):
            total += goal[i, j]
    for j in range(len(seed)):
        total += seed[j]
    if not isfinite(total):
        return UNUSABLE, least
    room = room_for(len(bodies), len(seed), 1)
    return search(
        bodies, tip, bounds, goal, wants, reach, tolerance, seed, first, starts, found, known, best, least, room
    )


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
        boolean[::1],
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
    """One solution for each goal, from its seed and at most `starts` starts, into `vectors`, shape (goals, joints).

    Where there is none, `solved` is false and the row is the vector that came nearest.
    """
    count = seeds.shape[1]
    room = room_for(len(bodies), count, 1)
    found = np.empty((1, count))
    for row in range(len(goals)):
        hits, _ = search(
            bodies,
            tip,
            bounds,
            goals[row],
            wants,
            reach,
            tolerance,
            seeds[row],
            0,
            starts,
            found,
            0,
            vectors[row],
            np.inf,
            room,
        )
        solved[row] = hits > 0
        if hits > 0:
            for j in range(count):
                vectors[row, j] = found[0, j]
