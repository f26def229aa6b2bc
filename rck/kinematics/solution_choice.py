"""Choice between several solutions of inverse kinematics."""

from collections.abc import Sequence
from math import pi, radians

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.chain import Chain
from rck.kinematics.configuration import Configuration, configuration_of
from rck.support.finding import RckError

LARGE_MOVE = radians(45.0)
"""Moves in which a joint turns by more than this are large, in radians."""


def nearest(chain: Chain, solutions: Floats, present: Floats) -> Floats:
    """Return the solution with the smallest largest joint move, up to whole turns. Shape (joints,)."""
    rows = np.array([nearest_turn(chain, row, present) for row in solutions])
    best: Floats = rows[np.argmin(largest_moves(chain, rows, present))]
    return best


def farthest_from_limits(chain: Chain, solutions: Floats) -> Floats:
    """Return the solution whose joints stay farthest from their limits, as a fraction of the range. Shape (joints,)."""
    rows = np.array([_most_room(chain, row) for row in solutions])
    best: Floats = rows[np.argmax(room_to_limits(chain, rows))]
    return best


def small_moves_nearest(chain: Chain, solutions: Floats, present: Floats, limit: float = LARGE_MOVE) -> Floats:
    """Return the nearest solution or, if a joint moves by more than `limit` radians, the one farthest from limits."""
    near = nearest(chain, solutions, present)
    if largest_moves(chain, near[None], present)[0] <= limit:
        return near
    return farthest_from_limits(chain, solutions)


def in_configuration(chain: Chain, solutions: Floats, wanted: Configuration) -> Floats:
    """Return the solutions in a configuration; unspecified words match any. Shape (some, joints)."""
    matching = [row for row in solutions if wanted.admits(configuration_of(chain, row))]
    return np.array(matching).reshape(-1, solutions.shape[1])


def frozen_solution(chain: Chain, solutions: Floats, present: Floats) -> Floats:
    """Return the nearest of the solutions in the present configuration of the chain."""
    same = in_configuration(chain, solutions, configuration_of(chain, present))
    if not len(same):
        raise RckError(f"no solution keeps the configuration {configuration_of(chain, present)}")
    return nearest(chain, same, present)


def largest_moves(chain: Chain, rows: Floats, present: Floats) -> Floats:
    """Return the largest joint move of each row; prismatic moves count in reaches of the chain. Shape (rows,)."""
    moves = np.abs(rows - present) / np.where(chain.turning > 0, 1.0, chain.reach)
    most: Floats = moves.max(axis=1, initial=0.0)
    return most


def room_to_limits(chain: Chain, rows: Floats) -> Floats:
    """Return the smallest margin of a joint to its limits: 0.5 in mid-range, 0 at a limit. Shape (rows,)."""
    span = np.where(chain.upper > chain.lower, chain.upper - chain.lower, 1.0)
    with np.errstate(invalid="ignore"):
        shares = np.minimum(rows - chain.lower, chain.upper - rows) / span
    # A joint without limits is never near one.
    shares = np.where(np.isfinite(span), shares, 0.5)
    least: Floats = shares.min(axis=1, initial=0.5)
    return least


def nearest_turn(chain: Chain, vector: Floats, present: Floats) -> Floats:
    """Move each revolute joint by whole turns as near to the present position as its limits allow."""
    turn = 2 * pi * chain.turning
    turns = np.round((present - vector) / (2 * pi))
    moved = vector + turn * turns
    moved = np.where(moved > chain.upper + _SLACK, moved - turn, moved)
    moved = np.where(moved < chain.lower - _SLACK, moved + turn, moved)
    inside = (moved <= chain.upper + _SLACK) & (moved >= chain.lower - _SLACK)
    chosen: Floats = np.where(inside, moved, vector)
    return chosen


_SLACK = 1e-9
"""Tolerance of limits for rounding, in radians."""


def _most_room(chain: Chain, vector: Floats) -> Floats:
    """Move each revolute joint by whole turns as far from its limits as possible."""
    bounded = np.isfinite(chain.upper - chain.lower)
    middle = np.where(bounded, (np.where(bounded, chain.lower, 0.0) + np.where(bounded, chain.upper, 0.0)) / 2, vector)
    return nearest_turn(chain, vector, middle)


def configurations(chain: Chain, solutions: Floats) -> Sequence[Configuration]:
    """Return the configuration of each solution."""
    return [configuration_of(chain, row) for row in solutions]
