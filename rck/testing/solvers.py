"""What every solver of inverse kinematics must do: run these on yours, with a robot that it serves."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, rotation_angle, translation
from rck.hooks.kinds import Solver
from rck.hooks.solving import ChainSolver, Goal
from rck.model.joint import bounds_of
from rck.model.motion import at_positions
from rck.model.robot import Robot
from rck.model.sampling import random_vectors

_SLACK = 1e-9


def check_solver(solver: Solver, robot: Robot, base: str, tip: str, *, goals: int = 10, seed: int = 1) -> None:
    """All checks below; the first that fails raises :class:`AssertionError`."""
    made = solver.make(robot, base, tip)
    assert made is not None, f"{solver.name} does not serve the chain from {base} to {tip}"
    check_reachable_goals(made, robot, base, tip, goals=goals, seed=seed)
    check_unreachable_goal(made, robot, base, tip)
    check_nonsense(made)


def check_reachable_goals(
    made: ChainSolver, robot: Robot, base: str, tip: str, *, goals: int = 10, seed: int = 1
) -> None:
    """Where some joint vector puts the tip, solutions are found: true ones, within limits, the nearest first."""
    for vector in random_vectors(robot, goals, seed, joints=made.joints):
        wanted = pose_at(robot, base, tip, made.joints, vector)
        goal = Goal(wanted)
        answer = made.solve(goal, vector, most=2, budget=0.2)
        assert answer.solved, f"{vector} reaches the goal, but: {answer.reason}"
        assert answer.reason == ""
        lower, upper = _limits(robot, made.joints)
        for row in answer.solutions:
            reached = pose_at(robot, base, tip, made.joints, row)
            assert np.linalg.norm(reached[:3, 3] - wanted[:3, 3]) <= goal.tolerance + _SLACK
            assert rotation_angle(reached[:3, :3].T @ wanted[:3, :3]) <= goal.tolerance + _SLACK
            assert (row >= lower - _SLACK).all(), f"{row} is below the limits {lower}"
            assert (row <= upper + _SLACK).all(), f"{row} is above the limits {upper}"
        moves = np.abs(answer.solutions - vector).max(axis=1)
        assert (np.diff(moves) >= -_SLACK).all(), "the nearest solution does not come first"


def check_unreachable_goal(made: ChainSolver, robot: Robot, base: str, tip: str) -> None:
    """A goal a kilometre away is answered with the reason and the nearest pose."""
    here = pose_at(robot, base, tip, made.joints, random_vectors(robot, 1, 2, joints=made.joints)[0])
    answer = made.solve(Goal(translation((0.0, 0.0, 1000.0)) @ here))
    assert not answer.solved
    assert answer.reason
    assert answer.nearest is not None
    assert answer.nearest_pose is not None
    np.testing.assert_allclose(
        pose_at(robot, base, tip, made.joints, answer.nearest), answer.nearest_pose, rtol=0, atol=1e-9
    )
    assert answer.away > 0


def check_nonsense(made: ChainSolver) -> None:
    """Numbers that are not finite, and arrays of the wrong shape, are refused with a reason."""
    for pose in (np.full((4, 4), np.nan), np.eye(3)):
        answer = made.solve(Goal(pose))
        assert not answer.solved
        assert answer.reason
    answer = made.solve(Goal(np.eye(4)), np.zeros(len(made.joints) + 1))
    assert not answer.solved
    assert answer.reason


def pose_at(robot: Robot, base: str, tip: str, joints: tuple[str, ...], vector: Floats) -> Floats:
    """Base from tip by the plain reference of forward kinematics. Shape (4, 4)."""
    names = [joint.name for joint in robot.free_joints]
    whole = robot.positions.copy()
    whole[[names.index(name) for name in joints]] = vector
    moved = at_positions(robot, whole)
    return invert(moved.world_from(base)) @ moved.world_from(tip)


def _limits(robot: Robot, joints: tuple[str, ...]) -> tuple[Floats, Floats]:
    return bounds_of(robot.joint(name) for name in joints)
