"""Inverse kinematics, workspace, loads and random vectors of robots with loops."""

import numpy as np

from rck.hooks import Goal, discover
from rck.kinematics.chain import chain_between, tip_pose
from rck.kinematics.dexterity import chain_jacobian
from rck.kinematics.loads import static_efforts, worst_loads
from rck.kinematics.solver_choice import solver_for
from rck.model.joint_positions import at_positions, random_vectors
from rck.testing.mechanisms import delta, five_bar, four_bar

PLUGINS = discover()


def test_inverse_kinematics_of_a_delta_robot_returns_to_its_motors() -> None:
    robot = delta(0.1, 0.2, 0.45, 0.05)
    solver = solver_for(PLUGINS, robot, "ground", "tool")
    chain = chain_between(robot, "ground", "tool")
    assert tuple(solver.joints) == ("motor-0", "motor-1", "motor-2")
    for wanted in np.random.default_rng(1).uniform(-0.4, 0.6, (5, 3)):
        pose = tip_pose(chain, wanted)
        answer = solver.solve(Goal(pose, "position", tolerance=1e-8), budget=0.05)
        assert answer.solved
        assert np.abs(tip_pose(chain, answer.solutions[0])[:3, 3] - pose[:3, 3]).max() < 1e-8


def test_a_target_out_of_reach_is_refused_with_the_nearest_pose() -> None:
    robot = five_bar(0.2, 0.25, 0.35)
    pose = tip_pose(chain_between(robot, "ground", "tool"), np.zeros(2))
    pose[0, 3] += 5.0
    answer = solver_for(PLUGINS, robot, "ground", "tool").solve(Goal(pose, "position"), budget=0.02)
    assert not answer.solved
    assert "closest pose" in answer.reason


def test_chain_jacobian_agrees_with_differences() -> None:
    robot = five_bar(0.2, 0.25, 0.35)
    chain = chain_between(robot, "ground", "tool")
    here = np.array([0.1, -0.2])
    found = chain_jacobian(chain, here)
    for column in range(2):
        change = np.eye(2)[column] * 1e-6
        slope = (tip_pose(chain, here + change) - tip_pose(chain, here - change))[:3, 3] / 2e-6
        assert np.abs(slope - found[:3, column]).max() < 1e-7


def test_loads_go_through_loops_by_virtual_work() -> None:
    robot = delta(0.1, 0.2, 0.45, 0.05)
    vector = np.array([0.1, 0.2, 0.3])
    efforts = static_efforts(at_positions(robot, vector))

    def potential(change: int, step: float) -> float:
        there = vector.copy()
        there[change] += step
        whole = at_positions(robot, there).mass_properties
        return float(9.80665 * whole.mass * whole.centre[2])

    for number in range(3):
        slope = (potential(number, 1e-5) - potential(number, -1e-5)) / 2e-5
        assert abs(efforts[f"motor-{number}"] - slope) < 1e-7 * max(1.0, abs(slope))
    assert efforts["swing-1"] == 0.0


def test_worst_load_of_a_crank_is_at_least_that_of_every_position() -> None:
    robot = four_bar(0.4, 0.1, 0.35, 0.3)
    (load,) = worst_loads(robot, gravity=(0.0, -9.80665, 0.0))
    assert load.joint == "crank"
    sideways = [
        abs(
            (at_positions(robot, np.array([x + 1e-5])).mass_properties.centre[1]
            - at_positions(robot, np.array([x - 1e-5])).mass_properties.centre[1]) / 2e-5
        )
        * robot.mass_properties.mass * 9.80665
        for x in np.linspace(-np.pi, np.pi, 60)
    ]  # fmt: skip
    assert load.effort >= max(sideways) * 0.9999
    assert load.effort <= max(sideways) * 1.02


def test_random_vectors_close_their_loops() -> None:
    robot = four_bar(0.4, 0.3, 0.35, 0.2)
    vectors = random_vectors(robot, 200)
    assert vectors.shape == (200, 1)
    for vector in vectors[:20]:
        at_positions(robot, vector)
