"""Functions that solvers share: reading goals, and reporting why there is no solution and which pose is closest."""

from collections.abc import Callable
from math import atan2, degrees, dist, isfinite

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rotation_angle
from rck.hooks.ik_types import Answer, Goal, Wants, no_solutions
from rck.kinematics.chain import Chain, tip_pose
from rck.support.units import amount

_IN_METRES = 100.0
_FARTHEST = 1e6


def read_goal(chain: Chain, goal: Goal, seed: Floats | None, *, poses_only: str = "") -> tuple[Floats, Floats] | Answer:
    """Return the goal's pose and the start as contiguous arrays, or the answer that refuses them.

    The start is the seed, by default the current joint vector. `poses_only` is the name of a method that does not solve
    for a position or an axis alone.
    """
    pose, start = goal_arrays(chain, goal, seed)
    if problem := goal_problem(chain, pose, start):
        return refuse(chain, problem)
    if poses_only and goal.wants != "pose":
        return refuse(chain, f"{poses_only} solves only for a whole pose, not for its {goal.wants}")
    return pose, start


def goal_arrays(chain: Chain, goal: Goal, seed: Floats | None) -> tuple[Floats, Floats]:
    """Return the goal's pose and the start as contiguous arrays, unchecked."""
    start = chain.reference if seed is None else np.asarray(seed, np.float64, order="C")
    return np.asarray(goal.pose, np.float64, order="C"), start


def goal_problem(chain: Chain, pose: Floats, seed: Floats) -> str:
    """Return the reason why a goal or seed is invalid, or an empty text."""
    # The sum is finite exactly if all numbers are, and faster to test than each of them.
    if pose.shape != (4, 4) or not isfinite(pose.sum()):
        return "the goal is not a pose: it needs 4 x 4 finite numbers"
    if seed.shape != chain.reference.shape or not isfinite(seed.sum()):
        return f"the seed needs a finite number for each of {', '.join(chain.joints)}"
    return ""


def refuse(chain: Chain, reason: str) -> Answer:
    """Return the answer to a goal that was not searched for."""
    return Answer(no_solutions(len(chain.joints)), reason=reason)


def report_miss(chain: Chain, goal: Goal, nearest: Floats, why: str) -> Answer:
    """Return the answer to a goal that was not reached: the reason, and the closest joint vector within the limits."""
    reached = tip_pose(chain, nearest)
    away, turned = deviation(reached, goal.pose, goal.wants)
    turn = "" if goal.wants == "position" else f" and {amount(degrees(turned))}°"
    reason = f"{why}; the closest pose is {_distance(away)}{turn} away"
    return Answer(
        no_solutions(len(nearest)), reason=reason, nearest=nearest, nearest_pose=reached, away=away, turned=turned
    )


class UnreachableAnswer(Answer, frozen=True, eq=False):
    """The answer of a solver that knows at once that there is no solution; it is explained when a program asks why.

    Finding the closest pose takes a search of milliseconds, and most programs only need to know that there is no
    solution.
    """

    pending: list[Callable[[], Answer]] = []
    """Computes the explanation; replaced by a function that returns it."""

    @property  # type: ignore[misc]
    def reason(self) -> str:
        """Why there is no solution."""
        return self.explained.reason

    @property  # type: ignore[misc]
    def nearest(self) -> Floats | None:
        """The nearest joint vector within the limits. Shape (joints,)."""
        return self.explained.nearest

    @property  # type: ignore[misc]
    def nearest_pose(self) -> Floats | None:
        """Pose of the tip at `nearest`, base from tip. Shape (4, 4)."""
        return self.explained.nearest_pose

    @property  # type: ignore[misc]
    def away(self) -> float:
        """Distance of the nearest pose from the goal, in metres."""
        return self.explained.away

    @property  # type: ignore[misc]
    def turned(self) -> float:
        """Rotation of the nearest pose against the goal, in radians."""
        return self.explained.turned

    @property
    def explained(self) -> Answer:
        """The same answer with its explanation computed."""
        answer = self.pending[0]()
        self.pending[0] = lambda: answer
        return answer


def deviation(reached: Floats, pose: Floats, wants: Wants) -> tuple[float, float]:
    """Return the difference between a pose and the goal, in metres and in radians."""
    away = dist(reached[:3, 3], pose[:3, 3])
    if wants == "position":
        return away, 0.0
    if wants == "axis":
        z, wanted = reached[:3, 2], pose[:3, 2]
        return away, atan2(float(np.linalg.norm(np.cross(z, wanted))), float(z @ wanted))
    return away, rotation_angle(reached[:3, :3].T @ pose[:3, :3])


def _distance(metres: float) -> str:
    """Format a distance in millimetres, or in metres if it is large."""
    if metres < _IN_METRES:
        return f"{amount(1000 * metres)} mm"
    return f"{amount(metres)} m" if metres < _FARTHEST else f"more than {_FARTHEST / 1000:.0f} km"


def nearest_first(solutions: Floats, seed: Floats) -> Floats:
    """Sort the rows by their largest difference from the seed."""
    order = np.argsort(np.abs(solutions - seed).max(axis=1), kind="stable")
    rows: Floats = solutions[order]
    return rows


def limit_violations(chain: Chain, vector: Floats) -> str:
    """Name the joints that exceed their limits at a joint vector."""
    # Remove whole turns: bring every joint as near to its range as possible.
    turn = 2 * np.pi
    middle = np.where(np.isfinite(chain.lower), (chain.lower + chain.upper) / 2, vector)
    folded = np.where(chain.turning > 0, vector - turn * np.round((vector - middle) / turn), vector)
    outside = [
        f"{name} at {_position(chain, number, folded[number])}, beyond its limit of {_position(chain, number, limit)}"
        for number, name in enumerate(chain.joints)
        if (limit := min(max(folded[number], chain.lower[number]), chain.upper[number])) != folded[number]
    ]
    if not outside:
        return f"the search found no solution within the limits, although {chain.tip} could reach the target"
    return f"joint limits prevent it: it needs {' and '.join(outside)}"


def _position(chain: Chain, number: int, value: float) -> str:
    if not isfinite(value):
        return "no finite position"
    return f"{degrees(value):.4g}°" if chain.turning[number] else f"{1000 * value:.4g} mm"
