"""Which of several solutions to take."""

from collections.abc import Sequence
from math import pi, radians

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.chain import Chain
from rck.kinematics.configuration import Configuration, configuration_of
from rck.model.finding import RckError

LARGE_MOVE = radians(45.0)
"""Moves in which some joint turns more than this are large."""


def nearest(chain: Chain, solutions: Floats, present: Floats) -> Floats:
    """The solution that moves the joint that moves most the least, whole turns included. Shape (joints,)."""
    rows = np.array([nearest_turn(chain, row, present) for row in solutions])
    best: Floats = rows[np.argmin(largest_moves(chain, rows, present))]
    return best


def farthest_from_limits(chain: Chain, solutions: Floats) -> Floats:
    """The solution whose worst joint has the most room to its limits, as a share of its range. Shape (joints,)."""
    rows = np.array([_most_room(chain, row) for row in solutions])
    best: Floats = rows[np.argmax(room_to_limits(chain, rows))]
    return best


def small_moves_nearest(chain: Chain, solutions: Floats, present: Floats, limit: float = LARGE_MOVE) -> Floats:
    """The nearest solution while no joint moves more than `limit`, in radians; else the one farthest from limits."""
    near = nearest(chain, solutions, present)
    if largest_moves(chain, near[None], present)[0] <= limit:
        return near
    return farthest_from_limits(chain, solutions)


def in_configuration(chain: Chain, solutions: Floats, wanted: Configuration) -> Floats:
    """The solutions in that configuration; words that it leaves open match any. Shape (some, joints)."""
    kept = [row for row in solutions if wanted.admits(configuration_of(chain, row))]
    return np.array(kept).reshape(-1, solutions.shape[1])


def frozen_solution(chain: Chain, solutions: Floats, present: Floats) -> Floats:
    """The nearest of the solutions in the configuration that the chain stands in now."""
    same = in_configuration(chain, solutions, configuration_of(chain, present))
    if not len(same):
        raise RckError(f"no solution keeps the configuration {configuration_of(chain, present)}")
    return nearest(chain, same, present)


def largest_moves(chain: Chain, rows: Floats, present: Floats) -> Floats:
    """How far the joint that moves most moves in each row; sliding counts in reaches of the chain. Shape (rows,)."""
    moves = np.abs(rows - present) / np.where(chain.turning > 0, 1.0, chain.reach)
    most: Floats = moves.max(axis=1, initial=0.0)
    return most


def room_to_limits(chain: Chain, rows: Floats) -> Floats:
    """The room of the joint that has least: 0.5 in the middle of its range, 0 at a limit. Shape (rows,)."""
    span = np.where(chain.upper > chain.lower, chain.upper - chain.lower, 1.0)
    with np.errstate(invalid="ignore"):
        shares = np.minimum(rows - chain.lower, chain.upper - rows) / span
    # A joint without limits is never near one.
    shares = np.where(np.isfinite(span), shares, 0.5)
    least: Floats = shares.min(axis=1, initial=0.5)
    return least


def nearest_turn(chain: Chain, vector: Floats, present: Floats) -> Floats:
    """The same position of the chain with each turning joint as near to the present as its limits let it."""
    turn = 2 * pi * chain.turning
    turns = np.round((present - vector) / (2 * pi))
    moved = vector + turn * turns
    moved = np.where(moved > chain.upper + _SLACK, moved - turn, moved)
    moved = np.where(moved < chain.lower - _SLACK, moved + turn, moved)
    inside = (moved <= chain.upper + _SLACK) & (moved >= chain.lower - _SLACK)
    chosen: Floats = np.where(inside, moved, vector)
    return chosen


_SLACK = 1e-9
"""How far, in radians, a position may lie beyond a limit because of rounding."""


def _most_room(chain: Chain, vector: Floats) -> Floats:
    """The same position of the chain with each turning joint as far from its limits as can be."""
    bounded = np.isfinite(chain.upper - chain.lower)
    middle = np.where(bounded, (np.where(bounded, chain.lower, 0.0) + np.where(bounded, chain.upper, 0.0)) / 2, vector)
    return nearest_turn(chain, vector, middle)


def configurations(chain: Chain, solutions: Floats) -> Sequence[Configuration]:
    """The configuration of each solution."""
    return [configuration_of(chain, row) for row in solutions]
