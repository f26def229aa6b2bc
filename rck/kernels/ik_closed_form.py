"""Closed-form inverse kinematics of six-axis arms: branches of the nominal arm, refined on the real one.

A calibrated arm, whose axes deviate slightly from the nominal ones, has no closed form; its solutions are a few steps
away from the branches of its nominal arm. The branches of an exact arm are its solutions.
"""

from math import ceil, cos, floor, isfinite, sin, sqrt

import numpy as np

from rck.kernels.body_tables import Table
from rck.kernels.broad_phase import Bools
from rck.kernels.fk import BODIES, VECTOR, VECTORS
from rck.kernels.ik import is_new
from rck.kernels.ik_branches import column, rotated, shortened, spherical_wrist, three_parallel
from rck.kernels.ik_descent import CALLER_ROWS, POSE, ChainGoal, descend, deviation_at, make_workspace
from rck.kernels.ik_subproblems import cross, dot, minus, plus, turned
from rck.kernels.kernel import Floats, Ints, helper, kernel, read_only, types

# An arm is an array of this many rows and six columns; columns not named here are unused.
ROWS = 22
BOUNDS = 0  # five rows: as `rck.kernels.ik.solve` takes them
SENSES = 5  # two rows: joint positions are the first times the vector plus the second
AXES = 7  # three rows: directions of the nominal axes at zero, a column for each
POINTS = 10  # three rows: a point on each
TIP_FROM_ZERO = 13  # three rows of four: the inverse of the tip's pose at zero
BODY_FROM_TIP = 16  # three rows of four
RANGES = 20  # two rows: branches with joint positions outside these are skipped
FACTS = 19  # intersection of axes 5 and 6 in three columns; the family; the reach; 1 if the arm is exact

SPHERICAL_WRIST = 0
THREE_PARALLEL = 1
SLIDING_FOREARM = 2

ROOM = 14
"""Rows of the workspace of :func:`solve_exact`: less than a kilobyte, which numpy allocates quickly."""
FREE = 16
"""Added to the number of solutions if a joint was free."""
NO_SEED = -1
"""Returned instead of the number of solutions if the seed is not finite."""
UNDECIDED = -16
"""Returned by :func:`solve_exact` if there may be solutions that it cannot find."""
_NEAR = 3.0
"""Times the square root of the tolerance: how far the joints of a solution within the tolerance may be from those of a
branch. A miss of that size next to a boundary of the workspace moves joints by the square root of twice that."""

# The rows after those of a descent of six joints.
_MOTION = CALLER_ROWS + 6  # three rows of four: working memory of `nominal_branches`
_START = _MOTION + 3  # likewise
_ENDLESS = _START + 1  # two rows: infinite limits
_BEGIN = _ENDLESS + 2  # the start of a branch
_BRANCHES = _BEGIN + 1  # eight rows: the joint vectors of the nominal arm
_MOVES = _BRANCHES + 8  # two rows: the largest joint move of each solution
_MORE = _MOVES + 2 - _MOTION

_NOMINAL_SLACK = 0.02
"""Deviation of a nominal arm from a goal, as a fraction, up to which the real one is tried."""
_EXACT_SLACK = 1e-9
EXACT_TOLERANCE = 1e-7
"""Solutions of an exact arm are nearer than this, in metres and radians."""
_FINISHING_STEPS = 18
_AROUND = np.array(
    [(0.0, 0.0, 0.0, angle, 0.0, -angle) for angle in (0.5, -0.5, 1.0, -1.0, 2.0, -2.0)]
    + [(0.0, 0.0, 0.0, angle, 0.0, angle) for angle in (0.5, -0.5, 1.0, -1.0, 2.0, -2.0)]
    + [(0.0, -angle / 2, angle, 0.0, 0.0, 0.0) for angle in (0.1, -0.1, 0.4, -0.4)]
    + [(angle, 0.0, 0.0, 0.0, 0.0, 0.0) for angle in (0.1, -0.1, 0.4, -0.4)]
)
"""Further starts for a branch that was lost: offsets of wrist, elbow and shoulder, in radians."""
_TWO_PI = 2.0 * np.pi
_TURNS = 1.0 / _TWO_PI
_SLACK = 1e-9


@helper
def folded(vector: Floats, seed: Floats, lower: Floats, upper: Floats, turning: Floats) -> bool:
    """Move each joint by whole turns as near to the seed as its limits allow; return False if that is impossible."""
    for j in range(6):
        # Allow for rounding at the limits.
        low, high = lower[j] - _SLACK, upper[j] + _SLACK
        position = vector[j]
        if turning[j] != 0.0:
            position += _TWO_PI * floor((seed[j] - position) * _TURNS + 0.5)
            if position > high:
                position -= _TWO_PI * ceil((position - high) / _TWO_PI)
            if position < low:
                position += _TWO_PI * ceil((low - position) / _TWO_PI)
        if position < low or position > high:
            return False
        vector[j] = min(max(position, lower[j]), upper[j])
    return True


@helper
def add_in_order(vector: Floats, seed: Floats, found: Floats, moves: Floats, count: int) -> None:
    """Insert a solution into the `count` present ones, sorted by the largest joint move."""
    most = 0.0
    for j in range(6):
        most = max(most, abs(vector[j] - seed[j]))
    place = count
    while place > 0 and moves[place - 1] > most:
        moves[place] = moves[place - 1]
        for j in range(6):
            found[place, j] = found[place - 1, j]
        place -= 1
    moves[place] = most
    for j in range(6):
        found[place, j] = vector[j]


@helper
def refine(
    chain: ChainGoal, turning: Floats, goal: Floats, vector: Floats, found: Floats, count: int, workspace: Floats
) -> bool:
    """Refine a branch of the nominal arm to a solution of the real one; return True if it is a new one."""
    endless, begin = workspace[_ENDLESS : _ENDLESS + 2], workspace[_BEGIN]
    for j in range(6):
        begin[j] = vector[j]
        endless[0, j], endless[1, j] = -np.inf, np.inf
    away, angle = deviation_at(chain, vector, goal, workspace)
    there = away * chain.reach <= chain.tolerance and angle <= chain.tolerance
    if not there:
        there, _ = descend(chain, endless[0], endless[1], goal, _FINISHING_STEPS, vector, workspace)
    if there and is_new(vector, found, count, turning):
        return True
    # Near a singularity two branches may converge to one solution, or joints have far to move: try the opposite side of
    # the start, then further starts.
    for other in range(-1, len(_AROUND)):
        for j in range(6):
            vector[j] = 2.0 * begin[j] - vector[j] if other < 0 else begin[j] + _AROUND[other, j]
        there, _ = descend(chain, endless[0], endless[1], goal, _FINISHING_STEPS, vector, workspace)
        if there and is_new(vector, found, count, turning):
            return True
    return False


@helper
def nominal_branches(
    arm: Floats,
    goal: Floats,
    seed: Floats,
    slack: float,
    ranges: Floats,
    start: Floats,
    motion: Floats,
    branches: Floats,
) -> tuple[int, bool]:
    """Write the branches of the nominal arm, shape (8, 6), as joint vectors; return their number.

    It is `NO_SEED` if the seed is not finite. The second value is True if a joint is free. `slack` is how far the arm
    may miss the goal, as a fraction. Branches with positions outside `ranges`, shape (2, 6), are skipped. `start`,
    shape (6,), and `motion`, shape (3, 4), are working memory.
    """
    senses, facts = arm[SENSES : SENSES + 2], arm[FACTS]
    axes, points, tip_from_zero = arm[AXES : AXES + 3], arm[POINTS : POINTS + 3], arm[TIP_FROM_ZERO : TIP_FROM_ZERO + 3]
    total = 0.0
    for j in range(6):
        start[j] = senses[0, j] * seed[j] + senses[1, j]
        total += start[j]
    if not isfinite(total):
        return NO_SEED, False
    for i in range(3):
        for j in range(4):
            motion[i, j] = (
                goal[i, 0] * tip_from_zero[0, j] + goal[i, 1] * tip_from_zero[1, j] + goal[i, 2] * tip_from_zero[2, j]
            )
        motion[i, 3] += goal[i, 3]
    centre = (facts[0], facts[1], facts[2])
    if facts[3] == THREE_PARALLEL:
        count, free = three_parallel(axes, points, centre, motion, start, slack, ranges, branches)
    else:
        sliding = facts[3] == SLIDING_FOREARM
        count, free = spherical_wrist(axes, points, centre, motion, start, slack, sliding, ranges, branches)
    for number in range(count):
        for j in range(6):
            branches[number, j] = senses[0, j] * (branches[number, j] - senses[1, j])
    return count, free


@helper
def six_axes(
    bodies: Table, arm: Floats, goal: Floats, tolerance: float, seed: Floats, found: Floats, workspace: Floats
) -> int:
    """Solve as :func:`solve_six_axes` does; the workspace is that of a descent plus `_MORE` rows."""
    chain = ChainGoal(bodies, arm[BODY_FROM_TIP : BODY_FROM_TIP + 3, :4], POSE, arm[FACTS, 4], tolerance)
    bounds, branches = arm[BOUNDS : BOUNDS + 5], workspace[_BRANCHES : _BRANCHES + 8]
    moves, motion = workspace[_MOVES : _MOVES + 2].reshape(12), workspace[_MOTION : _MOTION + 3, :4]
    slack = _EXACT_SLACK if arm[FACTS, 5] != 0.0 else _NOMINAL_SLACK
    ranges = arm[RANGES : RANGES + 2]
    branch_count, free = nominal_branches(arm, goal, seed, slack, ranges, workspace[_START], motion, branches)
    if branch_count == NO_SEED:
        return NO_SEED
    done = arm[FACTS, 5] != 0.0 and tolerance >= EXACT_TOLERANCE
    count = 0
    for number in range(branch_count):
        vector = branches[number]
        if not (done or refine(chain, bounds[4], goal, vector, found, count, workspace)):
            continue
        if folded(vector, seed, bounds[0], bounds[1], bounds[4]) and is_new(vector, found, count, bounds[4]):
            add_in_order(vector, seed, found, moves, count)
            count += 1
    return count + FREE if free else count


@helper
def is_singular(arm: Floats, motion: Floats, vector: Floats, near: float) -> bool:
    """Return True if the arm is near a singularity where joints may move while the tip hardly does.

    There, axis 1 passes the wrist, axis 2 passes what axis 3 moves, or axis 6 is parallel to axis 4, or to axis 2 where
    2, 3 and 4 are parallel.
    """
    facts, senses = arm[FACTS], arm[SENSES : SENSES + 2]
    axes, points = arm[AXES : AXES + 3], arm[POINTS : POINTS + 3]
    centre = (facts[0], facts[1], facts[2])
    h1, h2, h3, p1, p2 = column(axes, 0), column(axes, 1), column(axes, 2), column(points, 0), column(points, 1)
    offset = (motion[0, 3], motion[1, 3], motion[2, 3])
    shoulder = shortened(minus(plus(rotated(motion, centre), offset), p1), h1)
    moved = column(points, 3) if facts[3] == THREE_PARALLEL else centre
    position = senses[0, 2] * vector[2] + senses[1, 2]
    if facts[3] == SLIDING_FOREARM:
        elbow = plus(moved, (position * h3[0], position * h3[1], position * h3[2]))
    else:
        p3 = column(points, 2)
        elbow = plus(p3, turned(h3, (cos(position), sin(position)), minus(moved, p3)))
    elbow = shortened(minus(elbow, p2), h2)
    position = senses[0, 4] * vector[4] + senses[1, 4]
    last = turned(column(axes, 4), (cos(position), sin(position)), column(axes, 5))
    wrist = cross(h2 if facts[3] == THREE_PARALLEL else column(axes, 3), last)
    return bool(min(dot(shoulder, shoulder), dot(elbow, elbow), dot(wrist, wrist)) < near * near)


@helper
def near_branches(arm: Floats, goal: Floats, tolerance: float, seed: Floats, workspace: Floats) -> int:
    """Write what may be near a solution within the tolerance to the first rows of the workspace; return their number.

    These are branches of an exact arm that miss the goal or the limits by so little that a solution within the
    tolerance may exist; they are moved into the limits. The number is `UNDECIDED` if joints may move while the tip
    hardly does. The workspace has the shape of that of :func:`solve_exact`.
    """
    reach = arm[FACTS, 4]
    near = _NEAR * sqrt(tolerance * max(reach, 1.0 / reach))
    branches, vector, motion = workspace[:8], workspace[10], workspace[11:14, :4]
    ranges, bounds = workspace[8:10], arm[BOUNDS : BOUNDS + 5]
    for j in range(6):
        ranges[0, j], ranges[1, j] = -np.inf, np.inf
    branch_count, free = nominal_branches(arm, goal, seed, near, ranges, vector, motion, branches)
    if free or branch_count == NO_SEED:
        return UNDECIDED
    count = 0
    for number in range(branch_count):
        branch = branches[number]
        if is_singular(arm, motion, branch, near):
            return UNDECIDED
        within = True
        for j in range(6):
            low, high, position = bounds[0, j] - near, bounds[1, j] + near, branch[j]
            if bounds[4, j] != 0.0 and position > high:
                position -= _TWO_PI * ceil((position - high) / _TWO_PI)
            if bounds[4, j] != 0.0 and position < low:
                position += _TWO_PI * ceil((low - position) / _TWO_PI)
            within = within and low <= position <= high
            branches[count, j] = min(max(position, bounds[0, j]), bounds[1, j])
        if within:
            count += 1
    return count


@kernel(types.int64(VECTORS, VECTORS, types.float64, VECTOR, types.float64[:, ::1]))
def solve_exact(arm: Floats, goal: Floats, tolerance: float, seed: Floats, workspace: Floats) -> int:
    """Solve for an exact arm, faster; write the solutions to the first rows of `workspace`, shape (`ROOM`, 6).

    Return their number: 0 if the goal is certainly unreachable. A negative number counts rows that are not solutions,
    but may be near one, for :func:`finish_near`; `UNDECIDED` stands for a free joint or a seed that is not finite.
    """
    bounds, found = arm[BOUNDS : BOUNDS + 5], workspace[:8]
    moves, vector = workspace[8:10].reshape(12), workspace[10]
    # There are never more solutions than branches tested so far, so both share the same rows.
    ranges, motion = arm[RANGES : RANGES + 2], workspace[11:14, :4]
    branch_count, free = nominal_branches(arm, goal, seed, _EXACT_SLACK, ranges, vector, motion, found)
    if free or branch_count == NO_SEED:
        return UNDECIDED
    count = 0
    for number in range(branch_count):
        for j in range(6):
            vector[j] = found[number, j]
        if folded(vector, seed, bounds[0], bounds[1], bounds[4]) and is_new(vector, found, count, bounds[4]):
            add_in_order(vector, seed, found, moves, count)
            count += 1
    if count > 0:
        return count
    near = near_branches(arm, goal, tolerance, seed, workspace)
    return UNDECIDED if near == UNDECIDED else -near


@kernel(types.int64(BODIES, VECTORS, VECTORS, types.float64, types.float64[:, ::1]))
def finish_near(bodies: Table, arm: Floats, goal: Floats, tolerance: float, rows: Floats) -> int:
    """Descend from each row to a solution within the limits and the tolerance; return the number of different ones.

    The solutions replace the first rows.
    """
    chain = ChainGoal(bodies, arm[BODY_FROM_TIP : BODY_FROM_TIP + 3, :4], POSE, arm[FACTS, 4], tolerance)
    bounds, workspace = arm[BOUNDS : BOUNDS + 5], make_workspace(6, 6, 0)
    count = 0
    for number in range(len(rows)):
        there, _ = descend(chain, bounds[0], bounds[1], goal, _FINISHING_STEPS, rows[number], workspace)
        if there and is_new(rows[number], rows, count, bounds[4]):
            for j in range(6):
                rows[count, j] = rows[number, j]
            count += 1
    return count


@kernel(types.void(VECTORS, read_only(types.float64, 3), types.float64, VECTORS, types.boolean[::1]))
def find_undecided(arm: Floats, goals: Floats, tolerance: float, seeds: Floats, undecided: Bools) -> None:
    """Write False for each goal that an exact arm certainly cannot reach, of those without a solution."""
    workspace = np.empty((ROOM, 6))
    for number in range(len(goals)):
        undecided[number] = near_branches(arm, goals[number], tolerance, seeds[number], workspace) != 0


@kernel(types.int64(BODIES, VECTORS, VECTORS, types.float64, VECTOR, types.float64[:, ::1]))
def solve_six_axes(bodies: Table, arm: Floats, goal: Floats, tolerance: float, seed: Floats, found: Floats) -> int:
    """Write every solution within the limits into `found`, shape (8, 6), the one nearest to the seed first.

    Return their number, plus `FREE` if a joint is free, at a singularity, and stays at the seed. `bodies` is the real
    arm, `arm` its nominal one.
    """
    return six_axes(bodies, arm, goal, tolerance, seed, found, make_workspace(6, 6, _MORE))


@kernel(
    types.void(
        BODIES,
        VECTORS,
        read_only(types.float64, 3),
        types.float64,
        VECTORS,
        types.float64[:, :, ::1],
        types.int64[::1],
    )
)
def solve_six_axes_batch(
    bodies: Table, arm: Floats, goals: Floats, tolerance: float, seeds: Floats, found: Floats, counts: Ints
) -> None:
    """Solve each goal as :func:`solve_six_axes` does; write to `found`, (goals, 8, 6), and `counts`, (goals,)."""
    workspace = make_workspace(6, 6, _MORE)
    for number in range(len(goals)):
        hits = six_axes(bodies, arm, goals[number], tolerance, seeds[number], found[number], workspace)
        counts[number] = max(hits, 0) % FREE
