"""Joint vectors that a closed form proposes, and what becomes of them: those that reach the goal within the limits."""

from collections.abc import Iterable

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.solving import Goal
from rck.kinematics.answering import nearest_first
from rck.kinematics.chain import Chain, tip_pose
from rck.kinematics.choice import nearest_turn
from rck.kinematics.deviation import deviation

_SLACK = 1e-9
"""How far beyond a limit, or from another, a vector may lie because of rounding."""


def reaching(chain: Chain, vectors: Iterable[Floats], goal: Goal, start: Floats) -> Floats:
    """Those of the vectors that reach the goal within the limits, each once, by whole turns nearest to the start.

    Shape (solutions, joints), the nearest first.
    """
    found: list[Floats] = []
    for vector in vectors:
        row = nearest_turn(chain, vector, start)
        away, turned = deviation(tip_pose(chain, row), goal.pose, goal.wants)
        within = (row >= chain.lower - _SLACK).all() and (row <= chain.upper + _SLACK).all()
        new = all(np.abs(row - other).max() > _SLACK for other in found)
        if within and new and away <= goal.tolerance and turned <= goal.tolerance:
            found.append(np.clip(row, chain.lower, chain.upper))
    return nearest_first(np.array(found).reshape(-1, len(start)), start)
