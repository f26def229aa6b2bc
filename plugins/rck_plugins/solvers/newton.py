"""Newton's methods for arms of six joints, as in the first general solvers."""

from dataclasses import dataclass
from time import thread_time

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import rotation_vector
from rck.hooks import ChainSolver, Solver, hookimpl
from rck.hooks.ik_types import Answer, Goal
from rck.kinematics.chain import Chain, chain_between, start_box, tip_pose
from rck.kinematics.dexterity import chain_jacobian, chain_jacobians
from rck.kinematics.ik_answers import deviation, read_goal, report_miss
from rck.kinematics.motion.curve import between
from rck.kinematics.solution_choice import nearest_turn
from rck.kinematics.workspace import spread
from rck.model import Robot

_RAPHSON_STEPS = 50
_GAUSS_STEPS = 30
_SAMPLES = 512
_STARTS = 12
"""Number of the best conditioned samples that are tried."""
_FIRST_STRIDE = 0.25
_SHORTEST_STRIDE = 1e-3
"""Fractions of the way from the start to the goal for one step of continuation."""


@dataclass(frozen=True, eq=False)
class NewtonRaphson:
    """Newton-Raphson for one arm of six joints: the Jacobian, LU-factored once per step.

    It converges in a few steps from a nearby seed, and fails from far away or past a singularity. It is meant for
    comparison, and as an example of a small solver.
    """

    chain: Chain

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return the solution found from the seed, if it is within the limits."""
        chain = self.chain
        request = read_goal(chain, goal, seed, poses_only="Newton's method")
        if isinstance(request, Answer):
            return request
        pose, start = request
        end = thread_time() + budget
        vector, nearest, least = start.copy(), np.clip(start, chain.lower, chain.upper), np.inf
        for _ in range(_RAPHSON_STEPS):
            reached = tip_pose(chain, vector)
            away, turned = deviation(reached, pose, "pose")
            inside = _inside(chain, nearest_turn(chain, vector, start))
            if away <= goal.tolerance and turned <= goal.tolerance:
                if inside is None:
                    break
                return Answer(inside[None])
            if inside is not None and away / chain.reach + turned < least:
                nearest, least = inside, away / chain.reach + turned
            if thread_time() > end:
                break
            try:
                vector = vector + np.linalg.solve(chain_jacobian(chain, vector), _twist(reached, pose))
            except np.linalg.LinAlgError:
                break
        return report_miss(chain, goal, nearest, "Newton's method found no solution within the limits from the seed")


def _twist(reached: Floats, pose: Floats) -> Floats:
    """Return the translation and rotation from a pose to another, the rotation as axis times angle. Shape (6,)."""
    turn = rotation_vector(pose[:3, :3] @ reached[:3, :3].T)
    return np.concatenate([pose[:3, 3] - reached[:3, 3], turn])


def _inside(chain: Chain, vector: Floats) -> Floats | None:
    """Return the vector if it is within the limits."""
    return vector if ((vector >= chain.lower) & (vector <= chain.upper)).all() else None


@dataclass(frozen=True, eq=False)
class NewtonGauss:
    """Newton-Gauss for one arm of six joints. Make one with :func:`newton_gauss`.

    Seven equations for six joints, revolute or prismatic (Angeles and Rojas 1987): three for the vector of the
    rotation, one for its trace, three for the position. None of them is singular at half a turn, as angles are. If the
    search from the seed fails, it starts where the Jacobian is best conditioned, and moves the goal from there back to
    its pose by continuation.
    """

    chain: Chain
    starts: Floats
    """Joint vectors at which the Jacobian is well conditioned, the best first. Shape (starts, 6)."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The free joints of the chain, from base to tip."""
        return self.chain.joints

    def solve(self, goal: Goal, seed: Floats | None = None, *, most: int = 1, budget: float = 0.005) -> Answer:
        """Return the solution found from the seed or from a well conditioned start, within the limits."""
        chain = self.chain
        request = read_goal(chain, goal, seed, poses_only="Newton-Gauss")
        if isinstance(request, Answer):
            return request
        pose, start = request
        end = thread_time() + budget
        ends = [_descend(chain, start, pose, goal.tolerance)]
        for begin in self.starts:
            if _accept(chain, ends[-1], pose, goal.tolerance, start) is not None or thread_time() > end:
                break
            ends.append(_continue(chain, begin, pose, goal.tolerance, end))
        found = _accept(chain, ends[-1], pose, goal.tolerance, start)
        if found is not None:
            return Answer(found[None])
        inside = [np.clip(nearest_turn(chain, row, start), chain.lower, chain.upper) for row in ends]
        errors = [deviation(tip_pose(chain, row), pose, "pose") for row in inside]
        best = int(np.argmin([away / chain.reach + turned for away, turned in errors]))
        why = "Newton-Gauss found no solution within the limits, neither from the seed nor by continuation"
        return report_miss(chain, goal, inside[best], why)


def newton_gauss(chain: Chain) -> NewtonGauss:
    """Build the solver of a chain of six joints, with starts of the smallest condition numbers."""
    vectors = spread(_SAMPLES, start_box(chain))
    slopes = chain_jacobians(chain, vectors)
    slopes[:, :3] /= chain.reach
    values = np.linalg.svd(slopes, compute_uv=False)
    conditions = values[:, 0] / np.maximum(values[:, -1], 1e-12)
    return NewtonGauss(chain, frozen(vectors[np.argsort(conditions)[:_STARTS]]))


def _residual(reached: Floats, pose: Floats, reach: float) -> Floats:
    """Return the residual of the seven equations: vector, trace, and position in reaches. Shape (7,)."""
    difference = pose - reached
    return np.array([*_vector(difference), np.trace(difference[:3, :3]), *(difference[:3, 3] / reach)])


def _vector(matrix: Floats) -> tuple[float, float, float]:
    """Return the vector of the skew-symmetric part of a matrix."""
    return (
        0.5 * (matrix[2, 1] - matrix[1, 2]),
        0.5 * (matrix[0, 2] - matrix[2, 0]),
        0.5 * (matrix[1, 0] - matrix[0, 1]),
    )


def _slope(chain: Chain, vector: Floats, reached: Floats) -> Floats:
    """Return the derivative of the seven equations by the joints. Shape (7, 6)."""
    jacobian = chain_jacobian(chain, vector)
    turn = reached[:3, :3]
    # A spin w changes a rotation Q by w x Q, the vector of which is (trace(Q) 1 - Q) w / 2.
    by_spin = 0.5 * (np.trace(turn) * np.eye(3) - turn)
    return np.vstack(
        [by_spin @ jacobian[3:], -2.0 * np.array(_vector(turn)) @ jacobian[3:], jacobian[:3] / chain.reach]
    )


def _descend(chain: Chain, start: Floats, pose: Floats, tolerance: float) -> Floats:
    """Run Newton-Gauss from a start; steps are halved until they reduce the residual."""
    vector = np.array(start, dtype=float)
    reached = tip_pose(chain, vector)
    residual = _residual(reached, pose, chain.reach)
    for _ in range(_GAUSS_STEPS):
        away, turned = deviation(reached, pose, "pose")
        if away <= tolerance and turned <= tolerance:
            break
        step = np.linalg.lstsq(_slope(chain, vector, reached), residual, rcond=1e-9)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-12))
        for _ in range(8):
            further = tip_pose(chain, vector + step)
            left = _residual(further, pose, chain.reach)
            if left @ left < residual @ residual:
                break
            step = step / 2
        else:
            break
        vector, reached, residual = vector + step, further, left
    return vector


def _continue(chain: Chain, start: Floats, pose: Floats, tolerance: float, end: float) -> Floats:
    """Follow the goal from the tip at `start` to its pose, in steps that converge; return the last joint vector."""
    vector, begin = np.array(start, dtype=float), tip_pose(chain, start)
    share, stride = 0.0, _FIRST_STRIDE
    while share < 1.0 and stride > _SHORTEST_STRIDE and thread_time() < end:
        further = min(share + stride, 1.0)
        goal = pose if further == 1.0 else between(begin, pose, further)
        close = tolerance if further == 1.0 else 1e-3
        moved = _descend(chain, vector, goal, close)
        away, turned = deviation(tip_pose(chain, moved), goal, "pose")
        if away <= close and turned <= close:
            vector, share, stride = moved, further, 1.5 * stride
        else:
            stride /= 2
    return vector


def _accept(chain: Chain, vector: Floats, pose: Floats, tolerance: float, seed: Floats) -> Floats | None:
    """Return the vector, moved by whole turns into the limits, if it is at the goal."""
    away, turned = deviation(tip_pose(chain, vector), pose, "pose")
    row = nearest_turn(chain, vector, seed)
    inside = ((row >= chain.lower) & (row <= chain.upper)).all()
    return row if inside and away <= tolerance and turned <= tolerance else None


def _make_raphson(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    chain = chain_between(robot, base, tip)
    return NewtonRaphson(chain) if len(chain.joints) == 6 else None


def _make_gauss(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    chain = chain_between(robot, base, tip)
    return newton_gauss(chain) if len(chain.joints) == 6 else None


@hookimpl
def rck_solvers() -> list[Solver]:
    """Return Newton's methods."""
    return [
        Solver("newton-raphson", "Newton's method with LU factors, from the seed alone; six joints", _make_raphson),
        Solver(
            "newton-gauss", "seven equations, from the best conditioned start, by continuation; six joints", _make_gauss
        ),
    ]
