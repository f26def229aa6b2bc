"""Contract of inverse kinematics solvers: run :func:`check_solver` on yours, with a robot that it supports."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, rotation_angle, translation
from rck.hooks.ik_types import Answer, ChainSolver, Goal
from rck.hooks.kinds import Solver
from rck.hooks.options import make_solver
from rck.model.joint import bounds_of
from rck.model.joint_positions import at_positions, random_vectors
from rck.model.robot import Robot
from rck.testing.assertions import assert_array, assert_type

_SLACK = 1e-9


def check_solver(solver: Solver, robot: Robot, base: str, tip: str, *, goals: int = 10, seed: int = 1) -> None:
    """Run all checks below."""
    made = make_solver(solver, robot, base, tip)
    assert made is not None, f"{solver.name} does not support the chain from {base} to {tip}"
    unknown = set(made.joints) - {joint.name for joint in robot.free_joints}
    assert not unknown, f"not free joints of the robot: {', '.join(sorted(unknown))}"
    check_reachable_goals(made, robot, base, tip, goals=goals, seed=seed)
    check_unreachable_goal(made, robot, base, tip)
    check_invalid_input(made)


def check_reachable_goals(
    made: ChainSolver, robot: Robot, base: str, tip: str, *, goals: int = 10, seed: int = 1
) -> None:
    """Require solutions for reachable goals: correct, within the limits, the one nearest to the seed first."""
    for vector in random_vectors(robot, goals, seed, joints=made.joints):
        wanted = pose_at(robot, base, tip, made.joints, vector)
        goal = Goal(wanted)
        answer = made.solve(goal, vector, most=2, budget=0.2)
        _check_answer(answer, len(made.joints))
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
        assert (np.diff(moves) >= -_SLACK).all(), "the nearest solution is not the first"


def check_unreachable_goal(made: ChainSolver, robot: Robot, base: str, tip: str) -> None:
    """Require a reason and the nearest pose for a goal a kilometre away."""
    here = pose_at(robot, base, tip, made.joints, random_vectors(robot, 1, 2, joints=made.joints)[0])
    answer = made.solve(Goal(translation((0.0, 0.0, 1000.0)) @ here))
    _check_answer(answer, len(made.joints))
    assert not answer.solved
    assert answer.reason
    assert answer.nearest is not None
    assert answer.nearest_pose is not None
    np.testing.assert_allclose(
        pose_at(robot, base, tip, made.joints, answer.nearest), answer.nearest_pose, rtol=0, atol=1e-9
    )
    assert answer.away > 0


def check_invalid_input(made: ChainSolver) -> None:
    """Require a reason for numbers that are not finite and for arrays of the wrong shape."""
    for pose in (np.full((4, 4), np.nan), np.eye(3)):
        answer = made.solve(Goal(pose))
        assert not answer.solved
        assert answer.reason
    answer = made.solve(Goal(np.eye(4)), np.zeros(len(made.joints) + 1))
    assert not answer.solved
    assert answer.reason


def _check_answer(answer: Answer, joints: int) -> None:
    assert_type(answer, Answer, "answer")
    assert_array(answer.solutions, (len(answer.solutions), joints), "solutions")
    if answer.nearest is not None:
        assert_array(answer.nearest, (joints,), "nearest")
    if answer.nearest_pose is not None:
        assert_array(answer.nearest_pose, (4, 4), "nearest_pose")


def pose_at(robot: Robot, base: str, tip: str, joints: tuple[str, ...], vector: Floats) -> Floats:
    """Return base from tip, computed by the reference implementation of forward kinematics. Shape (4, 4)."""
    names = [joint.name for joint in robot.free_joints]
    whole = robot.positions.copy()
    whole[[names.index(name) for name in joints]] = vector
    moved = at_positions(robot, whole)
    return invert(moved.world_from(base)) @ moved.world_from(tip)


def _limits(robot: Robot, joints: tuple[str, ...]) -> tuple[Floats, Floats]:
    return bounds_of(robot.joint(name) for name in joints)
