"""Newton-Gauss on seven equations for arms of six joints, turning or sliding (Angeles and Rojas 1987).

Three equations are the vector of the rotation, one its trace, three the position: one more than there are joints, and
none of them singular where a rotation is half a turn, as angles are. The search begins at the seed; where that does
not lead to the goal, it begins where the Jacobian is best conditioned, and the goal is moved there and led back to
its place by continuation.
"""

from dataclasses import dataclass
from time import thread_time

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.hooks.solving import Answer, Goal
from rck.kinematics.answering import missed, question, refused, unusable
from rck.kinematics.chain import Chain, start_box, tip_pose
from rck.kinematics.choice import nearest_turn
from rck.kinematics.deviation import deviation
from rck.kinematics.dexterity import chain_jacobian, chain_jacobians
from rck.kinematics.motion.curve import between
from rck.kinematics.workspace import spread

_STEPS = 30
_SAMPLES = 512
_STARTS = 12
"""Of the samples, as many of the best conditioned are tried."""
_FIRST_STRIDE = 0.25
_SHORTEST_STRIDE = 1e-3
"""Shares of the way from the start to the goal that continuation takes at a time."""


@dataclass(frozen=True, eq=False)
class NewtonGauss:
    """One arm of six joints. Make one with :func:`newton_gauss`."""

    chain: Chain
    starts: Floats
    """Joint vectors at which the Jacobian is well conditioned, the best first. Shape (starts, 6)."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """The solution that is led to from the seed or from the best conditioned start, within the limits."""
        chain = self.chain
        pose, start = question(chain, goal, seed)
        if problem := unusable(chain, pose, start):
            return refused(chain, problem)
        if goal.wants != "pose":
            return refused(chain, f"Newton-Gauss solves for a whole pose, not for its {goal.wants}")
        end = thread_time() + budget
        ends = [_descended(chain, start, pose, goal.tolerance)]
        for begin in self.starts:
            if _kept(chain, ends[-1], pose, goal.tolerance, start) is not None or thread_time() > end:
                break
            ends.append(_continued(chain, begin, pose, goal.tolerance, end))
        found = _kept(chain, ends[-1], pose, goal.tolerance, start)
        if found is not None:
            return Answer(found[None])
        inside = [np.clip(nearest_turn(chain, row, start), chain.lower, chain.upper) for row in ends]
        errors = [deviation(tip_pose(chain, row), pose, "pose") for row in inside]
        best = int(np.argmin([away / chain.reach + turned for away, turned in errors]))
        why = "Newton-Gauss did not come to a solution within the limits, neither from the seed nor by continuation"
        return missed(chain, goal, inside[best], why)


def newton_gauss(chain: Chain) -> NewtonGauss:
    """The solver of a chain of six joints: its starts are where the Jacobian's condition number is least."""
    vectors = spread(_SAMPLES, start_box(chain))
    slopes = chain_jacobians(chain, vectors)
    slopes[:, :3] /= chain.reach
    values = np.linalg.svd(slopes, compute_uv=False)
    conditions = values[:, 0] / np.maximum(values[:, -1], 1e-12)
    return NewtonGauss(chain, frozen(vectors[np.argsort(conditions)[:_STARTS]]))


def _missing(reached: Floats, pose: Floats, reach: float) -> Floats:
    """What the seven equations are short of: vector, trace, and position in reaches. Shape (7,)."""
    difference = pose - reached
    return np.array([*_vector(difference), np.trace(difference[:3, :3]), *(difference[:3, 3] / reach)])


def _vector(matrix: Floats) -> tuple[float, float, float]:
    """The vector of a matrix: half of what is not symmetric in it."""
    return (
        0.5 * (matrix[2, 1] - matrix[1, 2]),
        0.5 * (matrix[0, 2] - matrix[2, 0]),
        0.5 * (matrix[1, 0] - matrix[0, 1]),
    )


def _slope(chain: Chain, vector: Floats, reached: Floats) -> Floats:
    """How the seven change with the joints. Shape (7, 6)."""
    jacobian = chain_jacobian(chain, vector)
    turn = reached[:3, :3]
    # A spin w changes a rotation Q by w x Q, the vector of which is (trace(Q) 1 - Q) w / 2.
    by_spin = 0.5 * (np.trace(turn) * np.eye(3) - turn)
    return np.vstack(
        [by_spin @ jacobian[3:], -2.0 * np.array(_vector(turn)) @ jacobian[3:], jacobian[:3] / chain.reach]
    )


def _descended(chain: Chain, start: Floats, pose: Floats, tolerance: float) -> Floats:
    """Where Newton-Gauss leads from a start: steps are halved until they lessen what is missing."""
    vector = np.array(start, dtype=float)
    reached = tip_pose(chain, vector)
    missing = _missing(reached, pose, chain.reach)
    for _ in range(_STEPS):
        away, turned = deviation(reached, pose, "pose")
        if away <= tolerance and turned <= tolerance:
            break
        step = np.linalg.lstsq(_slope(chain, vector, reached), missing, rcond=1e-9)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-12))
        for _ in range(8):
            further = tip_pose(chain, vector + step)
            left = _missing(further, pose, chain.reach)
            if left @ left < missing @ missing:
                break
            step = step / 2
        else:
            break
        vector, reached, missing = vector + step, further, left
    return vector


def _continued(chain: Chain, start: Floats, pose: Floats, tolerance: float, end: float) -> Floats:
    """Where the joints come when the goal moves from where they stand to its place, in strides that they can follow."""
    vector, begin = np.array(start, dtype=float), tip_pose(chain, start)
    share, stride = 0.0, _FIRST_STRIDE
    while share < 1.0 and stride > _SHORTEST_STRIDE and thread_time() < end:
        further = min(share + stride, 1.0)
        goal = pose if further == 1.0 else between(begin, pose, further)
        close = tolerance if further == 1.0 else 1e-3
        moved = _descended(chain, vector, goal, close)
        away, turned = deviation(tip_pose(chain, moved), goal, "pose")
        if away <= close and turned <= close:
            vector, share, stride = moved, further, 1.5 * stride
        else:
            stride /= 2
    return vector


def _kept(chain: Chain, vector: Floats, pose: Floats, tolerance: float, seed: Floats) -> Floats | None:
    """The vector by whole turns within the limits, if it is at the goal."""
    away, turned = deviation(tip_pose(chain, vector), pose, "pose")
    row = nearest_turn(chain, vector, seed)
    inside = ((row >= chain.lower) & (row <= chain.upper)).all()
    return row if inside and away <= tolerance and turned <= tolerance else None
