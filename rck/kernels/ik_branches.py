"""The solution branches of six-axis arms.

There are three families (Pieper 1968; Paul and Zhang 1986; Hawkins 2013 for the second). Axes 2 and 3 are parallel, and
axes 4, 5 and 6 intersect in the wrist centre; or axis 4 is parallel too, and axes 5 and 6 intersect; or joint 3 slides
perpendicular to axis 2, as in the Stanford arm, and axes 4, 5 and 6 intersect. `axes` and `points`, shape (3, 6), have
a column for each axis of the arm at zero, in the base frame; `motion`, shape (3, 4), is the displacement of the tip
that the joints must produce. Branches with joint 1, 2 or 3 outside `ranges`, shape (2, 6), are skipped.
"""

from math import atan2, cos, floor, pi, sin

from rck.kernels.ik_subproblems import (
    ANY_TURN,
    NO_TURN,
    NO_TURNS,
    TWO_TURNS,
    Turn,
    back,
    cross,
    dot,
    minus,
    plus,
    then,
    turn_between,
    turned,
    turns_to_distance,
    turns_to_height,
)
from rck.kernels.kernel import Floats, Vector, helper

_TWO_PI = 2.0 * pi
_SQUARE = 1e-10
"""Cosines below which axes count as perpendicular."""


@helper
def column(table: Floats, number: int) -> Vector:
    """Return a column of an array of three rows."""
    return table[0, number], table[1, number], table[2, number]


@helper
def rotated(matrix: Floats, v: Vector) -> Vector:
    """Rotate a vector by a pose."""
    return (
        matrix[0, 0] * v[0] + matrix[0, 1] * v[1] + matrix[0, 2] * v[2],
        matrix[1, 0] * v[0] + matrix[1, 1] * v[1] + matrix[1, 2] * v[2],
        matrix[2, 0] * v[0] + matrix[2, 1] * v[1] + matrix[2, 2] * v[2],
    )


@helper
def rotated_back(matrix: Floats, v: Vector) -> Vector:
    """Rotate a vector by the inverse of a pose."""
    return (
        matrix[0, 0] * v[0] + matrix[1, 0] * v[1] + matrix[2, 0] * v[2],
        matrix[0, 1] * v[0] + matrix[1, 1] * v[1] + matrix[2, 1] * v[2],
        matrix[0, 2] * v[0] + matrix[1, 2] * v[1] + matrix[2, 2] * v[2],
    )


@helper
def across(axis: Vector) -> Vector:
    """Return a vector perpendicular to the axis, not near zero."""
    if abs(axis[0]) < 0.7:
        return cross(axis, (1.0, 0.0, 0.0))
    return cross(axis, (0.0, 1.0, 0.0))


@helper
def shortened(v: Vector, axis: Vector) -> Vector:
    """Return the component of a vector perpendicular to the axis."""
    along = dot(axis, v)
    return v[0] - along * axis[0], v[1] - along * axis[1], v[2] - along * axis[2]


@helper
def within(ranges: Floats, joint: int, position: float) -> bool:
    """Return True if the position of a revolute joint, plus whole turns, is inside its range."""
    low, high = ranges[0, joint], ranges[1, joint]
    if high - low >= _TWO_PI:
        return True
    lowest = position - _TWO_PI * floor((position - low) / _TWO_PI)
    return bool(lowest <= high)


@helper
def elbow_turns(
    axes: Floats, points: Floats, end: Vector, target: Vector, slack: float
) -> tuple[int, tuple[Turn, Turn], tuple[Turn, Turn]]:
    """Return two rotations each of joints 2 and 3, with parallel axes, that bring the point `end` to `target`."""
    h2, h3, p2, p3 = column(axes, 1), column(axes, 2), column(points, 1), column(points, 2)
    # Neither rotation changes heights along the axes, so only the perpendicular components matter.
    flat = shortened(minus(target, p2), h2)
    forearm = shortened(minus(end, p3), h3)
    upper = shortened(minus(p3, p2), h2)
    distance = dot(flat, flat) ** 0.5
    hits, first, second = turns_to_distance(h3, forearm, (-upper[0], -upper[1], -upper[2]), distance, slack)
    if hits == NO_TURNS:
        return 0, (NO_TURN, NO_TURN), (NO_TURN, NO_TURN)
    _, one = turn_between(h2, plus(upper, turned(h3, first, forearm)), flat)
    _, two = turn_between(h2, plus(upper, turned(h3, second, forearm)), flat)
    return 2, (one, two), (first, second)


@helper
def slides(
    axes: Floats, points: Floats, centre: Vector, target: Vector, slack: float
) -> tuple[int, tuple[Turn, Turn], Turn]:
    """Return two rotations of joint 2 and positions of sliding joint 3 that bring `centre` to `target`.

    If it is out of reach by less than `slack`, in metres, both are those that come nearest.
    """
    h2, h3, p2 = column(axes, 1), column(axes, 2), column(points, 1)
    flat, arm = shortened(minus(target, p2), h2), shortened(minus(centre, p2), h2)
    # |arm + position * h3| = |flat|.
    middle = -dot(arm, h3)
    squared = dot(flat, flat) - dot(arm, arm) + middle * middle
    if not squared >= -slack * slack:
        return 0, (NO_TURN, NO_TURN), NO_TURN
    half = max(squared, 0.0) ** 0.5
    one, two = middle + half, middle - half
    _, first = turn_between(h2, plus(arm, (one * h3[0], one * h3[1], one * h3[2])), flat)
    _, second = turn_between(h2, plus(arm, (two * h3[0], two * h3[1], two * h3[2])), flat)
    return 2, (first, second), (one, two)


@helper
def is_square(one: Vector, middle: Vector, last: Vector) -> bool:
    """Return True if the middle wrist axis is perpendicular to the others: its branches are then half a turn apart."""
    return abs(dot(one, middle)) + abs(dot(middle, last)) < _SQUARE


@helper
def add_wrist(
    axes: Floats, axis: Vector, other: Vector, a1: float, a2: float, a3: float, seed: Floats, slack: float,
    branches: Floats, count: int,
) -> tuple[int, bool]:  # fmt: skip
    """Add the two branches of a wrist that brings axis 6 to `axis` and a perpendicular vector to `other`."""
    h4, h5, h6 = column(axes, 3), column(axes, 4), column(axes, 5)
    v = across(h6)
    free = False
    flips, low, high = turns_to_height(h4, h5, h6, dot(h4, axis), slack)
    if flips != TWO_TURNS:
        return count, False
    square = is_square(h4, h5, h6)
    for flip in range(2):
        turn5 = low if flip == 0 else high
        if flip == 1 and square and not free:
            # Half a turn of joints 4 and 6.
            branches[count, 0], branches[count, 1], branches[count, 2] = a1, a2, a3
            branches[count, 3], branches[count, 5] = branches[count - 1, 3] + pi, branches[count - 1, 5] + pi
            branches[count, 4] = atan2(turn5[1], turn5[0])
            count += 1
            break
        fixed, turn4 = turn_between(h4, turned(h5, turn5, h6), axis)
        a4 = atan2(turn4[1], turn4[0])
        if not fixed:
            a4, turn4, free = seed[3], (cos(seed[3]), sin(seed[3])), True
        _, turn6 = turn_between(h6, v, turned(h5, back(turn5), turned(h4, back(turn4), other)))
        branches[count, 0], branches[count, 1], branches[count, 2] = a1, a2, a3
        branches[count, 3], branches[count, 4] = a4, atan2(turn5[1], turn5[0])
        branches[count, 5] = atan2(turn6[1], turn6[0])
        count += 1
    return count, free


@helper
def spherical_wrist(
    axes: Floats, points: Floats, centre: Vector, motion: Floats, seed: Floats, slack: float, sliding: bool,
    ranges: Floats, branches: Floats,
) -> tuple[int, bool]:  # fmt: skip
    """Write the branches of an arm whose last three axes intersect at `centre`; return their number.

    The second value is True if a joint is free. Joint 3 turns about an axis parallel to that of joint 2, or is
    `sliding` perpendicular to it.
    """
    h1, h2, h3, p1 = column(axes, 0), column(axes, 1), column(axes, 2), column(points, 0)
    wrist = minus(plus(rotated(motion, centre), (motion[0, 3], motion[1, 3], motion[2, 3])), p1)
    hits, first, second = turns_to_height(h2, h1, wrist, dot(h2, minus(centre, p1)), slack)
    if hits == NO_TURNS:
        return 0, False
    free = False
    count = 0
    h6 = column(axes, 5)
    last, side = rotated(motion, h6), rotated(motion, across(h6))
    same = dot(h2, h3) > 0.0
    for shoulder in range(2):
        undo1 = first if shoulder == 0 else second
        a1 = -atan2(undo1[1], undo1[0])
        if hits == ANY_TURN:
            a1, undo1, free = seed[0], (cos(seed[0]), -sin(seed[0])), True
        if not within(ranges, 0, a1):
            continue
        target = plus(p1, turned(h1, undo1, wrist))
        last1, side1 = turned(h1, undo1, last), turned(h1, undo1, side)
        folds = (NO_TURN, NO_TURN)
        lengths = (0.0, 0.0)
        if sliding:
            bends, swings, lengths = slides(axes, points, centre, target, slack)
        else:
            bends, swings, folds = elbow_turns(axes, points, centre, target, slack)
        for elbow in range(bends):
            swing, fold = swings[elbow], folds[elbow]
            a2 = atan2(swing[1], swing[0])
            a3 = lengths[elbow] if sliding else atan2(fold[1], fold[0])
            if not (within(ranges, 1, a2) and (sliding or within(ranges, 2, a3))):
                continue
            # The axes are parallel, so the two rotations add up.
            undo23 = back(then(swing, fold if same else back(fold)))
            axis, other = turned(h2, undo23, last1), turned(h2, undo23, side1)
            count, loose = add_wrist(axes, axis, other, a1, a2, a3, seed, slack, branches, count)
            free = free or loose
    return count, free


@helper
def three_parallel(
    axes: Floats, points: Floats, centre: Vector, motion: Floats, seed: Floats, slack: float, ranges: Floats,
    branches: Floats,
) -> tuple[int, bool]:  # fmt: skip
    """Write the branches of an arm with axes 2, 3, 4 parallel and axes 5, 6 intersecting at `centre`.

    Return their number, and True if a joint is free.
    """
    h1, h2, h3, h4, h5, h6 = (
        column(axes, 0),
        column(axes, 1),
        column(axes, 2),
        column(axes, 3),
        column(axes, 4),
        column(axes, 5),
    )
    p1, p4 = column(points, 0), column(points, 3)
    sense3, sense4 = dot(h2, h3), dot(h2, h4)
    wrist = minus(plus(rotated(motion, centre), (motion[0, 3], motion[1, 3], motion[2, 3])), p1)
    hits, first, second = turns_to_height(h2, h1, wrist, dot(h2, minus(centre, p1)), slack)
    if hits == NO_TURNS:
        return 0, False
    free = False
    count = 0
    v = across(h2)
    last = rotated(motion, h6)
    square = is_square(h2, h5, h6)
    for shoulder in range(2):
        undo1 = first if shoulder == 0 else second
        a1 = -atan2(undo1[1], undo1[0])
        if hits == ANY_TURN:
            a1, undo1, free = seed[0], (cos(seed[0]), -sin(seed[0])), True
        if not within(ranges, 0, a1):
            continue
        target = plus(p1, turned(h1, undo1, wrist))
        axis = turned(h1, undo1, last)
        flips, low, high = turns_to_height(h2, h5, h6, dot(h2, axis), slack)
        if flips != TWO_TURNS:
            continue
        # Axis 2 in the frame of the last link: joints 2, 3 and 4 do not change it.
        seen2 = rotated_back(motion, turned(h1, back(undo1), h2))
        together, a6, all_three = NO_TURN, 0.0, 0.0
        for flip in range(2):
            turn5 = low if flip == 0 else high
            if flip == 1 and square and not free:
                # Half a turn of joints 4 and 6.
                together, a6, all_three = (-together[0], -together[1]), a6 + pi, all_three + pi
            else:
                fixed, undo6 = turn_between(h6, turned(h5, back(turn5), h2), seen2)
                a6 = -atan2(undo6[1], undo6[0])
                if not fixed:
                    a6, undo6, free = seed[5], (cos(seed[5]), -sin(seed[5])), True
                # The combined rotation of joints 2, 3 and 4.
                seen = rotated(motion, turned(h6, undo6, turned(h5, back(turn5), v)))
                _, together = turn_between(h2, v, turned(h1, undo1, seen))
                all_three = atan2(together[1], together[0])
            hand = turned(h2, together, minus(centre, p4))
            bends, swings, folds = elbow_turns(axes, points, p4, minus(target, hand), slack)
            a5 = atan2(turn5[1], turn5[0])
            for elbow in range(bends):
                swing, fold = swings[elbow], folds[elbow]
                a2, a3 = atan2(swing[1], swing[0]), atan2(fold[1], fold[0])
                if not (within(ranges, 1, a2) and within(ranges, 2, a3)):
                    continue
                branches[count, 0], branches[count, 1], branches[count, 2] = a1, a2, a3
                branches[count, 3] = sense4 * (all_three - a2 - sense3 * a3)
                branches[count, 4], branches[count, 5] = a5, a6
                count += 1
    return count, free
