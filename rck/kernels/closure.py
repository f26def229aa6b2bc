"""Positions of the dependent joints of closed chains: Newton's method with damping, in blocks that share no joint.

A block has loops, and unknowns: the dependent joints, and those that only springs hold. Without springs, the unknowns
close the loops from where they are. With springs, they also take the least spring energy within the joint limits.
"""

from math import sqrt

import numpy as np

from rck.kernels.body_tables import BODY, TURNS, WORLD, Table
from rck.kernels.fk import place_bodies
from rck.kernels.kernel import Floats, Ints, from_dtype, helper, kernel, read_only, types

# Kinds of loops.
CONNECT = 0
WELD = 1
REVOLUTE = 2
PRISMATIC = 3

ROWS = (3, 6, 5, 5)
"""Equations of each kind of loop."""

LOOP = np.dtype(
    [
        ("kind", np.int64),
        # The bodies of the two frames, or WORLD, and the frames in them.
        ("bodies", np.int64, 2),
        ("frames", np.float64, (2, 3, 4)),
        # Its rows in the table of arms.
        ("first", np.int64),
        ("last", np.int64),
        # Equations of rotation are multiplied by this length, in metres.
        ("length", np.float64),
    ]
)
"""One loop: a constraint between the frames of two bodies."""

ARM = np.dtype([("body", np.int64), ("sign", np.float64), ("joint", np.int64), ("column", np.int64)])
"""One joint on the way round a loop: its body, whether it moves the second frame (1) or the first (-1), its position
in the coordinates, and its column among the unknowns of the block, -1 if it is none."""

BLOCK = np.dtype(
    [
        ("first_loop", np.int64),
        ("last_loop", np.int64),
        ("first_unknown", np.int64),
        ("last_unknown", np.int64),
        # Its own bodies; parents, and bodies of loops and arms, count from the first.
        ("first_body", np.int64),
        ("last_body", np.int64),
        ("rows", np.int64),
        ("springs", np.int64),
    ]
)
"""Loops that share joints, and their unknowns. `springs` is the number of freedoms that only springs hold."""

UNKNOWN = np.dtype(
    [
        ("joint", np.int64),
        ("lower", np.float64),
        ("upper", np.float64),
        ("stiffness", np.float64),
        ("relaxed", np.float64),
    ]
)
"""One unknown: its position in the coordinates, and its limits and spring."""

SOLVED_STEP = 1e-8
"""The last step of Newton's method, in radians or metres: the error after it is about its square."""
MOST_STEPS = 60
# The weights of springs against closure, one after the other: a stiff valley is followed in stages.
FIRST_WEIGHT = 1e-2
LAST_WEIGHT = 1e-8
MOST_SPRING_STEPS = 300
# At a smaller pivot, relative to the largest, a position counts as singular; pivots are squares.
SINGULAR_PIVOT = 1e-12

# A step in which a dependent joint moves farther, in radians or metres, is halved, down to this share of the way.
LONGEST_JUMP = 0.8
SHORTEST_SHARE = 1e-3

LOOPS = read_only(from_dtype(LOOP), 1)
ARMS = read_only(from_dtype(ARM), 1)
BLOCKS = read_only(from_dtype(BLOCK), 1)
UNKNOWNS = read_only(from_dtype(UNKNOWN), 1)
BODIES = read_only(from_dtype(BODY), 1)


@helper
def _frame_in_world(poses: Floats, body: int, frame: Floats, result: Floats) -> None:
    """Write the world pose of a frame in a body, shape (3, 4)."""
    if body == WORLD:
        for i in range(3):
            for j in range(4):
                result[i, j] = frame[i, j]
        return
    for i in range(3):
        x, y, z = poses[body, i, 0], poses[body, i, 1], poses[body, i, 2]
        for j in range(4):
            result[i, j] = x * frame[0, j] + y * frame[1, j] + z * frame[2, j]
        result[i, 3] += poses[body, i, 3]


@helper
def _equations(
    loops: Table,
    arms: Table,
    bodies: Table,
    poses: Floats,
    by_joint: bool,
    errors: Floats,
    slopes: Floats,
    work: Floats,
) -> int:
    """Write the equations of loops and their derivatives; return their number.

    The columns of `slopes` are the unknowns of the block or, `by_joint`, all coordinates.
    """
    row = 0
    a, b = work[0], work[1]
    for number in range(len(loops)):
        loop = loops[number]
        kind, length = loop["kind"], loop["length"]
        _frame_in_world(poses, loop["bodies"][0], loop["frames"][0], a)
        _frame_in_world(poses, loop["bodies"][1], loop["frames"][1], b)
        dx, dy, dz = b[0, 3] - a[0, 3], b[1, 3] - a[1, 3], b[2, 3] - a[2, 3]
        points = 2 if kind == PRISMATIC else 3
        for i in range(points):
            errors[row + i] = a[0, i] * dx + a[1, i] * dy + a[2, i] * dz
        turned = row + points
        turns = 0
        # The z axis of the second frame in the first.
        zx = a[0, 0] * b[0, 2] + a[1, 0] * b[1, 2] + a[2, 0] * b[2, 2]
        zy = a[0, 1] * b[0, 2] + a[1, 1] * b[1, 2] + a[2, 1] * b[2, 2]
        zz = a[0, 2] * b[0, 2] + a[1, 2] * b[1, 2] + a[2, 2] * b[2, 2]
        if kind == REVOLUTE:
            turns = 2
            errors[turned] = length * zx
            errors[turned + 1] = length * zy
        elif kind != CONNECT:
            turns = 3
            yx = a[0, 0] * b[0, 1] + a[1, 0] * b[1, 1] + a[2, 0] * b[2, 1]
            yz = a[0, 2] * b[0, 1] + a[1, 2] * b[1, 1] + a[2, 2] * b[2, 1]
            xy = a[0, 1] * b[0, 0] + a[1, 1] * b[1, 0] + a[2, 1] * b[2, 0]
            xz = a[0, 2] * b[0, 0] + a[1, 2] * b[1, 0] + a[2, 2] * b[2, 0]
            errors[turned] = 0.5 * length * (yz - zy)
            errors[turned + 1] = 0.5 * length * (zx - xz)
            errors[turned + 2] = 0.5 * length * (xy - yx)
        for n in range(loop["first"], loop["last"]):
            arm = arms[n]
            column = arm["joint"] if by_joint else arm["column"]
            if column < 0:
                continue
            body = arm["body"]
            factor = arm["sign"] * bodies[body]["ratio"]
            ux, uy, uz = poses[body, 0, 2] * factor, poses[body, 1, 2] * factor, poses[body, 2, 2] * factor
            vx, vy, vz = ux, uy, uz
            spins = bodies[body]["motion"] == TURNS
            if spins:
                rx, ry, rz = b[0, 3] - poses[body, 0, 3], b[1, 3] - poses[body, 1, 3], b[2, 3] - poses[body, 2, 3]
                vx, vy, vz = uy * rz - uz * ry, uz * rx - ux * rz, ux * ry - uy * rx
            for i in range(points):
                slopes[row + i, column] += a[0, i] * vx + a[1, i] * vy + a[2, i] * vz
            if spins and turns:
                wx = a[0, 0] * ux + a[1, 0] * uy + a[2, 0] * uz
                wy = a[0, 1] * ux + a[1, 1] * uy + a[2, 1] * uz
                wz = a[0, 2] * ux + a[1, 2] * uy + a[2, 2] * uz
                if turns == 2:
                    slopes[turned, column] += length * (wy * zz - wz * zy)
                    slopes[turned + 1, column] += length * (wz * zx - wx * zz)
                else:
                    slopes[turned, column] += length * wx
                    slopes[turned + 1, column] += length * wy
                    slopes[turned + 2, column] += length * wz
        row = turned + turns
    return row


@helper
def _solve_normal(matrix: Floats, size: int, right: Floats) -> float:
    """Solve a symmetric system in place by Cholesky's method; return the ratio of its least and largest pivot."""
    largest = 0.0
    for i in range(size):
        largest = max(largest, matrix[i, i])
    floor = 1e-15 * largest
    least = largest
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                least = min(least, total)
                matrix[i, i] = sqrt(max(total, floor)) if largest > 0.0 else 1.0
            else:
                matrix[i, j] = total / matrix[j, j]
    for i in range(size):
        total = right[i]
        for k in range(i):
            total -= matrix[i, k] * right[k]
        right[i] = total / matrix[i, i]
    for i in range(size - 1, -1, -1):
        total = right[i]
        for k in range(i + 1, size):
            total -= matrix[k, i] * right[k]
        right[i] = total / matrix[i, i]
    return least / largest if largest > 0.0 else 1.0


@helper
def _squared(errors: Floats, rows: int) -> float:
    total = 0.0
    for i in range(rows):
        total += errors[i] * errors[i]
    return total


@helper
def _energy(unknowns: Table, coordinates: Floats, weight: float) -> float:
    """Return the weighted spring energy, times two."""
    total = 0.0
    for n in range(len(unknowns)):
        away = coordinates[unknowns[n]["joint"]] - unknowns[n]["relaxed"]
        total += weight * unknowns[n]["stiffness"] * away * away
    return total


@helper
def _descend(
    loops: Table,
    arms: Table,
    bodies: Table,
    unknowns: Table,
    weight: float,
    bounded: bool,
    frozen_at_bounds: bool,
    most: int,
    last_step: float,
    coordinates: Floats,
    poses: Floats,
    work: Floats,
    errors: Floats,
    slopes: Floats,
    matrix: Floats,
    step: Floats,
    before: Floats,
    held: Ints,
) -> tuple[float, float]:
    """Descend by Levenberg and Marquardt's method; return the residual in metres and the ratio of pivots.

    `weight` is that of the springs. If `bounded`, the unknowns keep within their limits; if `frozen_at_bounds`, those
    that are at a limit stay there.
    """
    count = len(unknowns)
    damping = 0.0
    ratio = 1.0
    place_bodies(bodies, coordinates, poses)
    slopes[:, :count] = 0.0
    rows = _equations(loops, arms, bodies, poses, False, errors, slopes, work)
    here = _squared(errors, rows)
    value = here + _energy(unknowns, coordinates, weight)
    for _ in range(most):
        # The gradient, and the unknowns that a limit holds.
        active = 0
        for n in range(count):
            held[n] = 0
            total = 0.0
            for i in range(rows):
                total += slopes[i, n] * errors[i]
            unknown = unknowns[n]
            x = coordinates[unknown["joint"]]
            total += weight * unknown["stiffness"] * (x - unknown["relaxed"])
            if frozen_at_bounds:
                if x <= unknown["lower"] or x >= unknown["upper"]:
                    held[n] = 1
            elif bounded and ((x <= unknown["lower"] and total > 0.0) or (x >= unknown["upper"] and total < 0.0)):
                held[n] = 1
            before[n] = x
            if not held[n]:
                step[active] = -total
                active += 1
        if active == 0:
            break
        p = 0
        trace = 0.0
        for n in range(count):
            if held[n]:
                continue
            q = 0
            for m in range(n + 1):
                if held[m]:
                    continue
                total = 0.0
                for i in range(rows):
                    total += slopes[i, n] * slopes[i, m]
                matrix[p, q] = total
                q += 1
            matrix[p, p] += weight * unknowns[n]["stiffness"]
            trace = max(trace, matrix[p, p])
            p += 1
        for p in range(active):
            matrix[p, p] += (damping + 1e-14) * trace
        ratio = _solve_normal(matrix, active, step)
        p = 0
        longest = 0.0
        for n in range(count):
            if held[n]:
                continue
            unknown = unknowns[n]
            x = before[n] + step[p]
            if bounded or frozen_at_bounds:
                x = min(max(x, unknown["lower"]), unknown["upper"])
            longest = max(longest, abs(x - before[n]))
            coordinates[unknown["joint"]] = x
            p += 1
        place_bodies(bodies, coordinates, poses)
        slopes[:, :count] = 0.0
        _equations(loops, arms, bodies, poses, False, errors, slopes, work)
        there = _squared(errors, rows)
        new_value = there + _energy(unknowns, coordinates, weight)
        if not (new_value <= value or (longest < last_step and new_value <= 1.000001 * value + 1e-26)):
            for n in range(count):
                coordinates[unknowns[n]["joint"]] = before[n]
            if longest < last_step:
                break
            damping = max(10.0 * damping, 1e-4)
            if damping > 1e12:
                break
            place_bodies(bodies, coordinates, poses)
            slopes[:, :count] = 0.0
            _equations(loops, arms, bodies, poses, False, errors, slopes, work)
            continue
        here, value = there, new_value
        damping = 0.0 if damping < 1e-4 else 0.1 * damping
        if longest < last_step:
            break
    return sqrt(here), ratio


@helper
def _at_rest(
    unknowns: Table,
    coordinates: Floats,
    errors: Floats,
    slopes: Floats,
    matrix: Floats,
    step: Floats,
    held: Ints,
) -> bool:
    """Return True if limits leave no freedom, and the springs press against every one of these limits.

    `slopes` has the derivatives at the coordinates; `errors` is overwritten.
    """
    count, rows = len(unknowns), len(errors)
    p = 0
    for n in range(count):
        unknown = unknowns[n]
        x = coordinates[unknown["joint"]]
        held[n] = 1 if x <= unknown["lower"] or x >= unknown["upper"] else 0
        if held[n]:
            continue
        q = 0
        for m in range(n + 1):
            if not held[m]:
                total = 0.0
                for i in range(rows):
                    total += slopes[i, n] * slopes[i, m]
                matrix[p, q] = total
                q += 1
        step[p] = -unknown["stiffness"] * (x - unknown["relaxed"])
        p += 1
    if p == count or _solve_normal(matrix, p, step) < SINGULAR_PIVOT:
        return False
    for i in range(rows):
        total = 0.0
        p = 0
        for n in range(count):
            if not held[n]:
                total += slopes[i, n] * step[p]
                p += 1
        errors[i] = total
    for n in range(count):
        if held[n]:
            unknown = unknowns[n]
            x = coordinates[unknown["joint"]]
            force = unknown["stiffness"] * (x - unknown["relaxed"])
            for i in range(rows):
                force += slopes[i, n] * errors[i]
            if (x <= unknown["lower"] and force < 0.0) or (x >= unknown["upper"] and force > 0.0):
                return False
    return True


@helper
def _close_block(
    loops: Table,
    arms: Table,
    bodies: Table,
    unknowns: Table,
    springs: int,
    coordinates: Floats,
    poses: Floats,
    work: Floats,
    errors: Floats,
    slopes: Floats,
    matrix: Floats,
    step: Floats,
    before: Floats,
    held: Ints,
) -> tuple[float, float]:
    """Move the unknowns of one block to where its loops are closed; return the residual and the ratio of pivots."""
    if springs == 0:
        return _descend(
            loops, arms, bodies, unknowns, 0.0, False, False, MOST_STEPS, SOLVED_STEP,
            coordinates, poses, work, errors, slopes, matrix, step, before, held,
        )  # fmt: skip
    # Most often the limits that held the mechanism still hold it.
    residual, ratio = _descend(
        loops, arms, bodies, unknowns, 0.0, False, True, MOST_STEPS, SOLVED_STEP,
        coordinates, poses, work, errors, slopes, matrix, step, before, held,
    )  # fmt: skip
    if residual < 1e-10 and _at_rest(unknowns, coordinates, errors, slopes, matrix, step, held):
        return residual, ratio
    stiffest = 0.0
    for n in range(len(unknowns)):
        stiffest = max(stiffest, unknowns[n]["stiffness"])
    largest = 0.0
    for n in range(len(unknowns)):
        total = 0.0
        for i in range(slopes.shape[0]):
            total += slopes[i, n] * slopes[i, n]
        largest = max(largest, total)
    weight = FIRST_WEIGHT
    while weight >= 0.5 * LAST_WEIGHT:
        _descend(
            loops, arms, bodies, unknowns, weight * largest / stiffest, True, False, MOST_SPRING_STEPS, 1e-9,
            coordinates, poses, work, errors, slopes, matrix, step, before, held,
        )  # fmt: skip
        weight *= 0.01
    return _descend(
        loops, arms, bodies, unknowns, 0.0, False, True, MOST_STEPS, SOLVED_STEP,
        coordinates, poses, work, errors, slopes, matrix, step, before, held,
    )  # fmt: skip


@kernel(
    types.void(
        BODIES, LOOPS, ARMS, BLOCKS, UNKNOWNS, read_only(types.int64, 1), read_only(types.float64, 1),
        types.float64, types.float64, read_only(types.float64, 2), types.float64[:, ::1], types.float64[:, ::1],
    )
)  # fmt: skip
def close_loops(
    bodies: Table,
    loops: Table,
    arms: Table,
    blocks: Table,
    unknowns: Table,
    free: Ints,
    seed: Floats,
    longest: float,
    tolerance: float,
    vectors: Floats,
    coordinates: Floats,
    results: Floats,
) -> None:
    """Close the loops for each row of `vectors`, shape (vectors, free joints).

    `coordinates`, shape (vectors, coordinates), has one position per movable joint without mimic. Row 0 is solved
    from `seed`, and each other row from the row before, or from `seed` if that is nearer. The free joints go there in
    steps of at most `longest`, smaller ones where a dependent joint moves fast, so that the mechanism stays on its
    branch. `results`, shape (vectors, 2), has the residual, in metres, and the smallest ratio of pivots; the residual
    is infinite if some position is not finite.
    """
    most_rows, most_unknowns = 1, 1
    for block in range(len(blocks)):
        most_rows = max(most_rows, blocks[block]["rows"])
        most_unknowns = max(most_unknowns, blocks[block]["last_unknown"] - blocks[block]["first_unknown"])
    poses = np.empty((len(bodies), 4, 4))
    work = np.empty((2, 3, 4))
    errors, slopes = np.empty(most_rows), np.empty((most_rows, most_unknowns))
    matrix, step = np.empty((most_unknowns, most_unknowns)), np.empty(most_unknowns)
    before, held = np.empty(most_unknowns), np.empty(most_unknowns, np.int64)
    here = np.empty(len(seed))
    start, known = np.empty(len(free)), np.empty(len(seed))
    for row in range(len(vectors)):
        here[:] = seed
        far = 0.0
        finite = True
        for n in range(len(free)):
            far = max(far, abs(vectors[row, n] - seed[free[n]]))
            finite = finite and np.isfinite(vectors[row, n])
        if row > 0 and results[row - 1, 0] <= tolerance:
            farther = 0.0
            for n in range(len(free)):
                farther = max(farther, abs(vectors[row, n] - coordinates[row - 1, free[n]]))
            if farther < far:
                far = farther
                here[:] = coordinates[row - 1]
        if not finite:
            coordinates[row] = np.nan
            results[row, 0], results[row, 1] = np.inf, 0.0
            continue
        for n in range(len(free)):
            start[n] = here[free[n]]
        residual, ratio = 0.0, 1.0
        done, share = 0.0, 1.0 / max(1.0, np.ceil(min(far / longest, 1000.0)))
        while True:
            then = min(done + share, 1.0)
            if then > 1.0 - 1e-9:
                then = 1.0
            known[:] = here
            for n in range(len(free)):
                here[free[n]] = start[n] + (vectors[row, n] - start[n]) * then
                if then == 1.0:
                    here[free[n]] = vectors[row, n]
            residual, ratio = 0.0, 1.0
            for number in range(len(blocks)):
                block = blocks[number]
                found, pivots = _close_block(
                    loops[block["first_loop"] : block["last_loop"]], arms,
                    bodies[block["first_body"] : block["last_body"]],
                    unknowns[block["first_unknown"] : block["last_unknown"]], block["springs"],
                    here, poses, work, errors[: block["rows"]], slopes[: block["rows"]], matrix, step, before, held,
                )  # fmt: skip
                residual = max(residual, found)
                ratio = min(ratio, pivots)
            jump = 0.0
            for n in range(len(unknowns)):
                jump = max(jump, abs(here[unknowns[n]["joint"]] - known[unknowns[n]["joint"]]))
            if (residual > tolerance or jump > LONGEST_JUMP) and share > SHORTEST_SHARE and far > 0.0:
                # Farther along, the mechanism may jump to another branch: go there in smaller steps.
                here[:] = known
                share *= 0.5
                continue
            done = then
            if done >= 1.0 or residual > tolerance:
                break
        coordinates[row] = here
        for n in range(len(free)):
            coordinates[row, free[n]] = vectors[row, n]
        results[row, 0], results[row, 1] = residual, ratio


@kernel(
    types.void(
        BODIES, LOOPS, ARMS, BLOCKS, read_only(types.float64, 1), types.float64[::1], types.float64[:, ::1]
    )
)  # fmt: skip
def loop_equations(
    bodies: Table, loops: Table, arms: Table, blocks: Table, coordinates: Floats, errors: Floats, slopes: Floats
) -> None:
    """Write the errors of all loops, in metres, and their derivatives by the coordinates."""
    poses = np.empty((len(bodies), 4, 4))
    work = np.empty((2, 3, 4))
    slopes[:] = 0.0
    row = 0
    for number in range(len(blocks)):
        block = blocks[number]
        own = bodies[block["first_body"] : block["last_body"]]
        place_bodies(own, coordinates, poses)
        end = row + block["rows"]
        _equations(
            loops[block["first_loop"] : block["last_loop"]],
            arms,
            own,
            poses,
            True,
            errors[row:end],
            slopes[row:end],
            work,
        )
        row = end
