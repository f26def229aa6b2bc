"""What solvers share: reading what is asked, and saying why there is no solution and what comes nearest."""

from math import degrees, isfinite

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.solving import Answer, Goal, no_solutions
from rck.kinematics.chain import Chain, tip_pose
from rck.kinematics.deviation import deviation
from rck.model.units import amount

_IN_METRES = 100.0
_UNCOUNTED = 1e6


def question(chain: Chain, goal: Goal, seed: Floats | None) -> tuple[Floats, Floats]:
    """The goal's pose and the start, the seed or else where the robot stands, as contiguous arrays of floats."""
    start = chain.reference if seed is None else np.asarray(seed, np.float64, order="C")
    return np.asarray(goal.pose, np.float64, order="C"), start


def unusable(chain: Chain, pose: Floats, seed: Floats) -> str:
    """Why a goal or seed makes no sense, or an empty text."""
    # A sum is finite where all numbers are, and quicker than looking at each.
    if pose.shape != (4, 4) or not isfinite(pose.sum()):
        return "the goal is not a pose: it takes 4 x 4 finite numbers"
    if seed.shape != chain.reference.shape or not isfinite(seed.sum()):
        return f"the seed takes a finite number for each of {', '.join(chain.joints)}"
    return ""


def refused(chain: Chain, reason: str) -> Answer:
    """The answer to a question that was not looked into."""
    return Answer(no_solutions(len(chain.joints)), reason=reason)


def missed(chain: Chain, goal: Goal, nearest: Floats, why: str) -> Answer:
    """The answer to a goal that was not reached: why, and how near a joint vector within the limits comes."""
    reached = tip_pose(chain, nearest)
    away, turned = deviation(reached, goal.pose, goal.wants)
    turn = "" if goal.wants == "position" else f" and {amount(degrees(turned))}°"
    reason = f"{why}; the nearest that it comes is {_distance(away)}{turn} off"
    return Answer(
        no_solutions(len(nearest)), reason=reason, nearest=nearest, nearest_pose=reached, away=away, turned=turned
    )


def _distance(metres: float) -> str:
    """Millimetres as far as an arm may be meant, then metres, then what nobody counts."""
    if metres < _IN_METRES:
        return f"{amount(1000 * metres)} mm"
    return f"{amount(metres)} m" if metres < _UNCOUNTED else f"more than {_UNCOUNTED / 1000:.0f} km"


def nearest_first(solutions: Floats, seed: Floats) -> Floats:
    """The rows in the order of their largest difference from the seed."""
    order = np.argsort(np.abs(solutions - seed).max(axis=1), kind="stable")
    rows: Floats = solutions[order]
    return rows


def beyond_limits(chain: Chain, vector: Floats) -> str:
    """Which joints would have to leave their limits to stand so."""
    # Whole turns come for free, so bring every joint as near to its range as can be.
    turn = 2 * np.pi
    middle = np.where(np.isfinite(chain.lower), (chain.lower + chain.upper) / 2, vector)
    folded = np.where(chain.turning > 0, vector - turn * np.round((vector - middle) / turn), vector)
    outside = [
        f"{name} at {_position(chain, number, folded[number])}, beyond its limit of {_position(chain, number, limit)}"
        for number, name in enumerate(chain.joints)
        if (limit := min(max(folded[number], chain.lower[number]), chain.upper[number])) != folded[number]
    ]
    if not outside:
        return f"{chain.tip} gets there only from positions that the search did not meet within the limits"
    return f"the limits forbid it: it would take {' and '.join(outside)}"


def _position(chain: Chain, number: int, value: float) -> str:
    if not isfinite(value):
        return "no finite position"
    return f"{degrees(value):.4g}°" if chain.turning[number] else f"{1000 * value:.4g} mm"
