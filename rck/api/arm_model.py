"""One arm of a robot, as Python programs use it: inverse kinematics of a chain, dexterity and motions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.geometry.transforms import translation
from rck.hooks import Answer, ChainSolver, Goal
from rck.kinematics.chain import Chain, tip_pose
from rck.kinematics.dexterity import Dexterity, chain_jacobian, dexterity, encoder_errors, singularity_report
from rck.kinematics.motion import (
    JointPath,
    MotionLimits,
    ToolCurve,
    follow,
    joint_move,
    line,
    redirected,
    redirected_to,
)
from rck.kinematics.motion.tool_path import TOLERANCE
from rck.support.finding import RckError


@dataclass(frozen=True, eq=False, slots=True)
class ArmModel:
    """The joints between a base and a tip, with a solver. Get one from `RobotModel.arm`.

    Joint vectors have one number for each of :attr:`joints`, and poses are in the frame of the base. Methods that plan
    a motion raise :class:`RckError` with the reason if there is none.
    """

    chain: Chain
    solver: ChainSolver
    limits: MotionLimits

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move independently, from base to tip."""
        return self.chain.joints

    @property
    def base(self) -> str:
        """The item or frame in which poses are given."""
        return self.chain.base

    @property
    def tip(self) -> str:
        """The item or frame that the arm moves."""
        return self.chain.tip

    def fk(self, q: ArrayLike) -> Floats:
        """Return the pose of the tip, base from tip. Shape (4, 4)."""
        return tip_pose(self.chain, np.asarray(q, dtype=float))

    def ik(self, target: ArrayLike, q: ArrayLike, *, most: int = 1, seconds: float = 0.2) -> Answer:
        """Solve for a pose, shape (4, 4), or a position, shape (3,). The solution nearest to `q` comes first.

        Without a solution, the answer has the reason and the nearest pose.
        """
        return self.solver.solve(goal_for(target), np.asarray(q, dtype=float), most=most, budget=seconds)

    def jacobian(self, q: ArrayLike) -> Floats:
        """Return the Jacobian of the tip in the frame of the base, linear over angular. Shape (6, joints)."""
        return chain_jacobian(self.chain, np.asarray(q, dtype=float))

    def dexterity(self, q: ArrayLike) -> Dexterity:
        """Return how well the arm can move at a joint vector: manipulability, condition, lost and idle motions."""
        return dexterity(self.chain, np.asarray(q, dtype=float))

    def singularities(self, q: ArrayLike) -> list[str]:
        """Describe the motions that the tip has lost at a joint vector; empty if there are none."""
        return singularity_report(self.chain, np.asarray(q, dtype=float))

    def encoder_errors(self, q: ArrayLike, bits: ArrayLike) -> Floats:
        """Return the largest error of the tip for encoders of this resolution. Shape (2,): metres and radians."""
        errors: Floats = encoder_errors(self.chain, np.asarray(q, dtype=float)[None], bits)[0]
        return errors

    def move(self, start: ArrayLike, end: ArrayLike, profile: str = "trapezoidal") -> JointPath:
        """Return the fastest move between two joint vectors in which all joints start and end together."""
        return joint_move(self.limits, start, end, profile=profile).unwrap()

    def follow(self, start: ArrayLike, *curves: ToolCurve | ArrayLike, tolerance: float = TOLERANCE) -> JointPath:
        """Return a move of the tip from a joint vector along curves, with a stop after each.

        A pose, shape (4, 4), stands for a straight line to it. The tip stays within `tolerance` metres of the curve.
        """
        here, pieces = self.fk(start), []
        for curve in curves:
            pieces.append(curve if isinstance(curve, ToolCurve) else line(here, _pose(curve)))
            here = pieces[-1].end
        return follow(self.solver, self.chain, pieces, start, self.limits, tolerance=tolerance).unwrap()

    def redirect(self, path: JointPath, time: float, target: ArrayLike) -> JointPath:
        """Redirect a path at a time, in seconds, to another joint vector or pose, with continuous velocity."""
        if np.shape(target) == (4, 4):
            return redirected_to(path, time, goal_for(target), self.solver, self.limits).unwrap()
        return redirected(path, time, target, self.limits).unwrap()


def goal_for(target: ArrayLike, base_from_world: Floats | None = None) -> Goal:
    """Return the goal for a pose, shape (4, 4), or a position, shape (3,), which leaves the orientation free."""
    pose = _pose(target)
    in_base = pose if base_from_world is None else base_from_world @ pose
    return Goal(in_base, "position" if np.shape(target) == (3,) else "pose")


def _pose(target: ArrayLike) -> Floats:
    wanted = np.asarray(target, dtype=float)
    if wanted.shape not in ((3,), (4, 4)):
        raise RckError(f"a target has the shape (4, 4) or (3,), not {wanted.shape}")
    return translation(wanted) if wanted.shape == (3,) else wanted
