"""Closed-form solvers find all solutions."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_plugins.solvers.closed_form import rck_solvers
from rck_plugins.solvers.closed_form.six_axis import recognise as recognise_six_axis

from rck.geometry.transforms import from_euler, rotation_about, translation
from rck.hooks import Goal, discover
from rck.kinematics.batch import solve_batch
from rck.kinematics.chain import chain_between, poses_at, tip_pose
from rck.kinematics.configuration import configuration_of
from rck.kinematics.dexterity import dexterity
from rck.kinematics.numeric_solver import numeric_solver
from rck.kinematics.solver_choice import solver_for
from rck.model import Frame, RckError, build_item, build_joint, build_robot
from rck.model.joint_positions import random_vectors
from rck.testing.robots import box_between, planar_arm, six_axis_arm

pytest_plugins = ["rck.testing.fixtures"]

SOLVERS = {solver.name: solver for solver in rck_solvers()}
ROUND_WRIST = ["unimation/puma-560", "unimation/puma-260", "abb/irb-120", "kuka/kr-6-r900", "mecademic/meca500"]
PARALLEL = ["universal-robots/ur3e", "universal-robots/ur5e", "universal-robots/ur10e"]
SCARA = ["bosch/sr-800", "adept/cobra-s600"]


def stack(name, *joints):
    """A robot of boxes, one on the other: each joint is its kind and the end of its axis from the origin."""
    items = [build_item("base", [box_between((-0.1, -0.1, -0.1), (0.1, 0.1, 0.0))]).unwrap()]
    made = []
    for number, (kind, start, axis) in enumerate(joints):
        items.append(build_item(f"link-{number}", [box_between((0, 0, 0), (0.1, 0.1, 0.1))]).unwrap())
        limits = (-3.0, 3.0) if kind == "revolute" else (-0.4, 0.6)
        end = np.add(start, axis)
        made.append(
            build_joint(
                f"joint-{number}", kind, items[-2].name, items[-1].name, start=start, end=end, limits=limits
            ).unwrap()
        )
    tool = Frame("tool", items[-1].name, translation((0.3, 0.05, 0.1)) @ from_euler((0.3, 0.2, 0.1)))
    return build_robot(name, items, made, [tool]).unwrap()


def unlimited(chain):
    return replace(chain, lower=np.full(len(chain.joints), -pi), upper=np.full(len(chain.joints), pi))


@pytest.mark.parametrize("name", [*ROUND_WRIST, *PARALLEL, "stanford/stanford-arm"])
def test_six_axis_solver_meets_contract(arm, name, solver_contract):
    chain = arm(name)
    solver_contract("six-axis", chain.robot, chain.base, chain.tip)


@pytest.mark.parametrize("name", ["unimation/puma-560", "abb/irb-120"])
def test_spherical_wrist_arm_has_eight_solutions_in_eight_configurations(arm, name):
    chain = unlimited(arm(name))
    solver = recognise_six_axis(chain)
    for vector in random_vectors(chain.robot, 30, seed=3, joints=chain.joints):
        answer = solver.solve(Goal(tip_pose(chain, vector)), vector, most=8)
        assert answer.complete
        assert len(answer.solutions) == 8
        assert len({str(configuration_of(chain, row)) for row in answer.solutions}) == 8


@pytest.mark.parametrize("name", ["unimation/puma-560", "universal-robots/ur5e"])
def test_closed_form_and_search_find_same_solutions(arm, name):
    chain = unlimited(arm(name))
    closed, search = recognise_six_axis(chain), numeric_solver(chain)
    for vector in np.random.default_rng(8).uniform(-3, 3, (5, 6)):
        goal = Goal(tip_pose(chain, vector), tolerance=1e-9)
        all_of_them = closed.solve(goal, vector, most=8)
        met = search.solve(goal, vector, most=len(all_of_them.solutions), budget=2.0)
        assert len(met.solutions) == len(all_of_them.solutions)
        for row in met.solutions:
            differences = (row - all_of_them.solutions + pi) % (2 * pi) - pi
            assert np.abs(differences).max(axis=1).min() < 1e-5


def test_stanford_arm_has_up_to_eight_solutions(arm):
    chain = arm("stanford/stanford-arm")
    sliding = chain.turning == 0
    free = replace(chain, lower=np.where(sliding, -9.0, -pi), upper=np.where(sliding, 9.0, pi))
    solver = recognise_six_axis(free)
    for vector in random_vectors(chain.robot, 20, seed=5, joints=chain.joints):
        answer = solver.solve(Goal(tip_pose(chain, vector)), vector, most=8)
        assert answer.complete
        assert len(answer.solutions) == 8
        np.testing.assert_allclose(answer.solutions[0], vector, atol=1e-6)
        for row in answer.solutions:
            np.testing.assert_allclose(tip_pose(chain, row), tip_pose(chain, vector), atol=1e-7)


@pytest.mark.parametrize("name", ["unimation/puma-560", "universal-robots/ur5e"])
def test_calibrated_arm_keeps_all_branches(arm, name):
    nominal = unlimited(arm(name))
    rng = np.random.default_rng(4)
    bodies = nominal.bodies.copy()
    for body in bodies:
        shift = translation(rng.uniform(-5e-4, 5e-4, 3)) @ from_euler(rng.uniform(-2e-3, 2e-3, 3))
        body["parent_from_body"] = (np.vstack([body["parent_from_body"], (0, 0, 0, 1)]) @ shift)[:3]
    calibrated = replace(nominal, bodies=bodies)
    vectors = rng.uniform(-pi, pi, (400, 6))
    _, goals = poses_at(calibrated, vectors)
    found, counts = recognise_six_axis(calibrated).all_solutions(goals, vectors, tolerance=1e-9)
    _, nominal_counts = recognise_six_axis(nominal).all_solutions(poses_at(nominal, vectors)[1], vectors)
    # At a singularity branches cannot be told apart, and an arm that is off may gain or lose a pair of them.
    apart = np.array([dexterity(calibrated, vector).condition < 1000 for vector in vectors])
    assert apart.mean() > 0.9
    assert (counts == nominal_counts)[apart].mean() > 0.97
    for number in np.flatnonzero(apart):
        rows = found[number, : counts[number]]
        assert np.abs(rows - vectors[number]).max(axis=1).min() < 1e-4
        np.testing.assert_allclose(poses_at(calibrated, rows)[1], np.tile(goals[number], (len(rows), 1, 1)), atol=3e-6)


def test_free_joint_stays_at_seed_at_wrist_singularity(arm):
    chain = arm("unimation/puma-560")
    straight = np.radians([20.0, 40.0, -100.0, 35.0, 0.0, 10.0])
    answer = recognise_six_axis(chain).solve(Goal(tip_pose(chain, straight)), straight, most=8)
    np.testing.assert_allclose(answer.solutions[0], straight, atol=1e-5)
    assert not answer.complete


def test_batch_has_solutions_of_each_goal(arm):
    chain = arm("abb/irb-120")
    solver = recognise_six_axis(chain)
    vectors = random_vectors(chain.robot, 250, seed=1, joints=chain.joints)
    goals = poses_at(chain, vectors)[1]
    found, counts = solver.all_solutions(goals, vectors)
    for number in (0, 99, 100, 249):
        one = solver.solve(Goal(goals[number]), vectors[number], most=8)
        np.testing.assert_array_equal(found[number, : counts[number]], one.solutions)


@pytest.mark.parametrize("name", [*SCARA])
def test_parallel_axes_solver_meets_contract_for_scara_arms(arm, name, solver_contract):
    chain = arm(name)
    solver_contract("parallel-axes", chain.robot, chain.base, chain.tip)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_parallel_axes_solver_meets_contract_for_planar_arms(axes, solver_contract):
    solver_contract("parallel-axes", planar_arm(axes), "base", "tool")


def test_scara_arm_has_left_and_right_solution(arm):
    chain = arm("bosch/sr-800")
    solver = SOLVERS["parallel-axes"].make(chain.robot, chain.base, chain.tip)
    vector = chain.reference.copy()
    vector[:2] = 0.2, 0.9
    answer = solver.solve(Goal(tip_pose(chain, vector)), vector, most=4)
    assert answer.complete
    assert len(answer.solutions) == 2
    assert sorted(np.sign(answer.solutions[:, 1])) == [-1, 1]


def test_scara_arm_refuses_tilted_goal(arm):
    chain = arm("bosch/sr-800")
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    tilted = tip_pose(chain, chain.reference) @ rotation_about((1, 0, 0), 0.5)
    answer = solver.solve(Goal(tilted))
    assert not answer.solved
    assert "out of reach" in answer.reason


@given(st.floats(-0.95, 0.95), st.floats(-0.95, 0.95))
@settings(max_examples=50)
def test_two_links_reach_every_point_with_elbow_on_either_side(x, y):
    chain = chain_between(planar_arm(2), "base", "tool")
    solver = SOLVERS["parallel-axes"].make(chain.robot, "base", "tool")
    distance = np.hypot(x, y)
    answer = solver.solve(Goal(translation((x, y, 0)), "position"), most=4)
    if 1e-3 < distance < 0.999:
        assert len(answer.solutions) == 2
    for row in answer.solutions:
        np.testing.assert_allclose(tip_pose(chain, row)[:2, 3], (x, y), atol=1e-6)
    if distance > 1.001:
        assert not answer.solved


def test_a_cartesian_arm_has_one_solution(solver_contract):
    robot = stack("gantry", ("prismatic", (0, 0, 0), (1, 0, 0)), ("prismatic", (0, 0, 0), (0, 1, 0)),
                  ("prismatic", (0, 0, 0), (0.1, 0, -1)))  # fmt: skip
    solver_contract("sliding", robot, "base", "tool")
    chain = chain_between(robot, "base", "tool")
    answer = SOLVERS["sliding"].make(robot, "base", "tool").solve(Goal(tip_pose(chain, np.full(3, 0.2))), most=4)
    np.testing.assert_allclose(answer.solutions, [[0.2, 0.2, 0.2]], atol=1e-12)


def test_cylindrical_arm_has_two_solutions(solver_contract):
    robot = stack("column", ("revolute", (0.1, 0, 0), (0, 0, 1)), ("prismatic", (0, 0, 0), (0, 0, -1)),
                  ("prismatic", (0, 0, 0), (1, 0, 0)))  # fmt: skip
    solver_contract("sliding", robot, "base", "tool")
    chain = chain_between(robot, "base", "tool")
    goal = Goal(tip_pose(chain, np.array([0.4, 0.1, -0.3])), "position")
    answer = SOLVERS["sliding"].make(robot, "base", "tool").solve(goal, most=4)
    assert len(answer.solutions) == 2
    for row in answer.solutions:
        np.testing.assert_allclose(tip_pose(chain, row)[:3, 3], goal.pose[:3, 3], atol=1e-12)


def test_solver_is_chosen_by_geometry(arm):
    plugins = discover()
    expected = {
        "unimation/puma-560": "SixAxisSolver",
        "universal-robots/ur5e": "SixAxisSolver",
        "bosch/sr-800": "ParallelSolver",
        "generic/planar-2r": "ParallelSolver",
        "franka/panda": "NumericSolver",
        "stanford/stanford-arm": "SixAxisSolver",
        "ufactory/xarm-6": "NumericSolver",
    }
    for name, kind in expected.items():
        chain = arm(name)
        assert type(solver_for(plugins, chain.robot, chain.base, chain.tip)).__name__ == kind


def test_unsuitable_solver_is_refused_by_name():
    robot = six_axis_arm()
    with pytest.raises(RckError, match="solver sliding does not support"):
        solver_for(discover(), robot, "base", "tool", "sliding")
    with pytest.raises(RckError, match=r"no solver 'numerc'.*numeric"):
        solver_for(discover(), robot, "base", "tool", "numerc")
    with pytest.raises(RckError, match="no free joint moves"):
        solver_for(discover(), robot, "base", "base")


EVERY_CLOSED_FORM = [*ROUND_WRIST, *PARALLEL, *SCARA, "stanford/stanford-arm"]


@pytest.mark.parametrize("name", EVERY_CLOSED_FORM)
def test_closed_form_and_search_agree_on_which_goals_are_unreachable(arm, name):
    chain = arm(name)
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    vectors = random_vectors(chain.robot, 60, 3, joints=chain.joints)
    poses = poses_at(chain, vectors)[1]
    poses[:, :3, :3] = poses[::-1, :3, :3]
    poses[::3, :3, 3] *= 1.3
    answers = [solver.solve(Goal(pose), chain.reference) for pose in poses]
    _, found = numeric_solver(chain).solve_many(poses, starts=60)
    solved = np.array([answer.solved for answer in answers])
    assert not (found & ~solved).any()
    assert (~solved).any()
    assert solve_batch(solver, poses)[1].tolist() == solved.tolist()


@pytest.mark.parametrize("name", EVERY_CLOSED_FORM)
def test_goals_just_past_the_limits_are_reached_within_the_tolerance(arm, name):
    chain = arm(name)
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    chance = np.random.default_rng(4)
    for vector in random_vectors(chain.robot, 40, 6, joints=chain.joints):
        at_limit = chance.random(len(vector)) < 0.5
        low = np.where(np.isfinite(chain.lower), chain.lower, vector)
        # Some joints a little below their lower limit: the limit itself is within the tolerance.
        past = np.where(at_limit, low - 2e-8, vector)
        answer = solver.solve(Goal(tip_pose(chain, past)), vector)
        assert answer.solved
        reached = tip_pose(chain, answer.solutions[0])
        np.testing.assert_allclose(reached, tip_pose(chain, past), rtol=0, atol=1e-6)


def test_goals_just_out_of_reach_are_reached_within_the_tolerance(arm):
    chain = arm("universal-robots/ur5e")
    solver = SOLVERS["six-axis"].make(chain.robot, chain.base, chain.tip)
    straight = chain.reference.copy()
    for bend in np.linspace(0.3, 2.0, 10):
        straight[:] = 0.4, -bend, 0.0, 0.5 * bend, 0.8, 0.3
        goal = tip_pose(chain, straight)
        # Along the stretched arm, away from its shoulder.
        poses, _ = poses_at(chain, straight[None])
        away = poses[0, 3, :3, 3] - poses[0, 1, :3, 3]
        goal[:3, 3] += 3e-7 * away / np.linalg.norm(away)
        assert solver.solve(Goal(goal), straight).solved


def test_unreachable_goal_is_explained_on_request(arm):
    chain = arm("unimation/puma-560")
    solver = SOLVERS["six-axis"].make(chain.robot, chain.base, chain.tip)
    goal = Goal(translation((2.0, 0.0, 0.0)) @ tip_pose(chain, chain.reference))
    answer = solver.solve(goal)
    searched = numeric_solver(chain).solve(goal)
    assert not answer.solved
    assert answer.reason.startswith(f"the target is out of reach of {chain.tip}; the closest pose is ")
    np.testing.assert_allclose(tip_pose(chain, answer.nearest), answer.nearest_pose, atol=1e-12)
    assert answer.away == pytest.approx(searched.away, rel=0.02)


def test_goal_without_finite_numbers_is_refused_with_the_reason(arm):
    chain = arm("abb/irb-120")
    solver = SOLVERS["six-axis"].make(chain.robot, chain.base, chain.tip)
    assert "is not a pose" in solver.solve(Goal(np.full((4, 4), np.nan))).reason
