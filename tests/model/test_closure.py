"""Closed chains: forward solutions against closed forms, branches, singular positions, mobility and Jacobians."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry.arrays import Floats
from rck.model import RckError, Robot
from rck.model.closure import closure_of
from rck.model.forward_kinematics import forward, forward_batch, forward_frames, forward_rates, jacobian, jacobian_batch
from rck.model.joint_positions import at_positions, random_vectors
from rck.model.loop import LoopKind
from rck.model.loop_checks import branch_findings, closure_findings
from rck.model.robot_arrays import robot_arrays
from rck.testing.mechanisms import (
    circle_crossing,
    delta,
    five_bar,
    four_bar,
    planar_linkage,
    point_of_three_spheres,
    stewart,
)

GRASHOF = (0.4, 0.1, 0.35, 0.3)


def tip_of(robot: Robot, vector: Floats) -> Floats:
    point: Floats = forward_frames(robot_arrays(robot), vector)[0, :3, 3]
    return point


@pytest.mark.parametrize("kind", [LoopKind.CONNECT, LoopKind.REVOLUTE])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_four_bar_follows_its_closed_form_for_a_whole_turn(kind: LoopKind, side: float) -> None:
    ground, crank, coupler, rocker = GRASHOF
    robot = four_bar(*GRASHOF, kind=kind, side=side)
    assert [joint.name for joint in robot.free_joints] == ["crank"]
    for angle in np.linspace(-2 * np.pi, 2 * np.pi, 97):
        a = crank * np.array([-np.sin(angle), np.cos(angle), 0.0])
        wanted = circle_crossing(a, coupler, np.array([ground, 0.0, 0.0]), rocker, side)
        assert np.abs(tip_of(robot, np.array([angle])) - wanted).max() < 1e-12


def test_five_bar_follows_its_closed_form() -> None:
    robot = five_bar(0.2, 0.25, 0.35)
    assert [joint.name for joint in robot.free_joints] == ["left", "right"]
    for left, right in np.random.default_rng(1).uniform(-0.35, 0.35, (50, 2)):
        ends = [
            np.array([foot - 0.25 * np.sin(angle), 0.25 * np.cos(angle), 0.0])
            for foot, angle in ((-0.1, left), (0.1, right))
        ]
        wanted = circle_crossing(ends[0], 0.35, ends[1], 0.35, 1.0)
        assert np.abs(tip_of(robot, np.array([left, right])) - wanted).max() < 1e-12


def test_delta_follows_its_closed_form() -> None:
    base, upper, rod, platform = 0.1, 0.2, 0.45, 0.05
    robot = delta(base, upper, rod, platform)
    assert [joint.name for joint in robot.free_joints] == ["motor-0", "motor-1", "motor-2"]
    assert robot.mobility.rank == 9
    for angles in np.random.default_rng(2).uniform(-0.5, 0.8, (50, 3)):
        # The platform is at the distance of a rod from three points; take the lower one.
        outs = [np.array([np.cos(t), np.sin(t), 0.0]) for t in 2 * np.pi * np.arange(3) / 3]
        points = [
            (base + upper * np.cos(angle) - platform) * out - np.array([0.0, 0.0, upper * np.sin(angle)])
            for out, angle in zip(outs, angles, strict=True)
        ]
        wanted = point_of_three_spheres(points, rod)
        assert np.abs(tip_of(robot, angles) - wanted).max() < 1e-9


def hexapod() -> tuple[Robot, Floats, Floats]:
    angles = np.radians([-10, 10, 110, 130, 230, 250])
    tops = np.radians([-50, 50, 70, 170, 190, 290])
    feet = np.column_stack([0.3 * np.cos(angles), 0.3 * np.sin(angles), np.zeros(6)])
    mounts = np.column_stack([0.15 * np.cos(tops), 0.15 * np.sin(tops), np.zeros(6)])
    return stewart(feet, mounts, 0.4), feet, mounts


def test_stewart_platform_has_the_leg_lengths_that_it_is_given() -> None:
    robot, feet, mounts = hexapod()
    assert [joint.name for joint in robot.free_joints] == [f"leg-{number}" for number in range(6)]
    rest = np.linalg.norm(mounts + np.array([0.0, 0.0, 0.4]) - feet, axis=1)
    for change in np.random.default_rng(3).uniform(-0.04, 0.04, (30, 6)):
        pose = forward_frames(robot_arrays(robot), change)[0]
        lengths = np.linalg.norm(mounts @ pose[:3, :3].T + pose[:3, 3] - feet, axis=1)
        assert np.abs(lengths - rest - change).max() < 1e-9


def test_a_linkage_stays_on_its_branch_in_a_batch_as_one_by_one() -> None:
    robot = four_bar(*GRASHOF)
    arrays = robot_arrays(robot)
    vectors = np.random.default_rng(4).uniform(-7.0, 7.0, (1500, 1))
    batch = forward_batch(arrays, vectors, threads=2)
    again = forward_batch(arrays, vectors, threads=1)
    assert np.array_equal(batch, again)
    for number in range(0, 1500, 100):
        assert np.abs(batch[number] - forward(arrays, vectors[number])).max() < 1e-12


def test_kernels_and_the_reference_implementation_agree() -> None:
    robot = delta(0.1, 0.2, 0.45, 0.05)
    vector = np.array([0.2, -0.1, 0.4])
    moved = at_positions(robot, vector)
    poses = forward(robot_arrays(robot), vector)
    for number, item in enumerate(moved.items):
        assert np.abs(item.pose - poses[number]).max() < 1e-12
    # The moved robot continues there, with the same free joints.
    assert [joint.name for joint in moved.free_joints] == [joint.name for joint in robot.free_joints]
    assert np.abs(forward(robot_arrays(moved), np.zeros(3)) - forward(robot_arrays(robot), np.zeros(3))).max() < 1e-9


@pytest.mark.parametrize(
    "make", [lambda: four_bar(*GRASHOF), lambda: delta(0.1, 0.2, 0.45, 0.05), lambda: hexapod()[0]]
)
def test_jacobian_and_rates_are_those_of_the_closed_mechanism(make: Callable[[], Robot]) -> None:
    robot = make()
    arrays = robot_arrays(robot)
    count = len(robot.free_joints)
    vector = np.linspace(0.01, 0.05, count)
    item = robot.frames[0].item
    number = robot.item_index[item]
    found = jacobian(arrays, vector, item)
    step = 1e-6
    for column in range(count):
        change = np.zeros(count)
        change[column] = step
        ahead, behind = forward(arrays, vector + change)[number], forward(arrays, vector - change)[number]
        assert np.abs((ahead - behind)[:3, 3] / (2 * step) - found[:3, column]).max() < 1e-6
    assert np.abs(jacobian_batch(arrays, vector[None], item)[0] - found).max() < 1e-9
    speed = np.linspace(1.0, 0.5, count)
    velocities, accelerations = forward_rates(arrays, vector, speed, np.zeros(count))
    assert np.abs(velocities[number] - found @ speed).max() < 1e-9
    step = 1e-4
    places = [forward(arrays, vector + way * step * speed)[number, :3, 3] for way in (-1.0, 0.0, 1.0)]
    second = (places[2] - 2 * places[1] + places[0]) / step**2
    assert np.abs(second - accelerations[number, :3]).max() < 1e-4


def test_a_position_that_does_not_close_is_refused_with_the_gap() -> None:
    # A linkage whose crank cannot turn round.
    robot = four_bar(0.4, 0.3, 0.35, 0.2)
    with pytest.raises(RckError, match=r"loop pin stays open by .* mm"):
        at_positions(robot, np.array([np.pi / 2]))
    assert np.isnan(forward_batch(robot_arrays(robot), [[np.pi / 2]])).any()
    vectors = random_vectors(robot, 100)
    assert np.isfinite(forward_batch(robot_arrays(robot), vectors)).all()


def test_open_loop_is_reported_with_its_gap() -> None:
    robot = four_bar(*GRASHOF)
    loop = robot.loops[0]
    far = loop.poses[1].copy()
    far[2, 3] += 0.003
    broken = replace(robot, loops=(replace(loop, poses=(loop.poses[0], far)),))
    (finding,) = [one for one in closure_findings(broken) if one.code == 211]
    # Less than 3 mm: the error is spread as far as the joints allow.
    assert "3 mm remain" in finding.message


def test_other_branch_is_a_finding() -> None:
    (finding,) = branch_findings(four_bar(*GRASHOF))
    assert finding.code == 215
    assert "2 ways" in finding.message


def test_singular_position_is_a_finding() -> None:
    # Coupler and rocker in line.
    robot = four_bar(0.3, 0.4, 0.25, 0.25 + 1e-12)
    assert any(one.code == 213 for one in closure_findings(robot))
    assert not any(one.code == 213 for one in closure_findings(four_bar(*GRASHOF)))


def test_locked_loops_are_a_finding() -> None:
    triangle = planar_linkage(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    assert not triangle.free_joints
    assert [one.code for one in closure_findings(triangle)] == [212]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.2, 1.0), st.floats(-0.3, 0.3)), min_size=4, max_size=7),
    st.lists(st.floats(-1.5, 1.5), min_size=4, max_size=4),
)
def test_random_planar_linkage_closes_or_says_that_it_does_not(
    corners: list[tuple[float, float]], moves: list[float]
) -> None:
    turns = 2 * np.pi * (np.arange(len(corners)) + np.array([shift for _, shift in corners])) / len(corners)
    radii = np.array([radius for radius, _ in corners])
    robot = planar_linkage(np.column_stack([radii * np.cos(turns), radii * np.sin(turns)]))
    closure = closure_of(robot)
    assert closure is not None
    assert len(robot.free_joints) == len(corners) - 3
    vector = np.array(moves[: len(robot.free_joints)])
    coordinates, residuals = closure.complete_batch(vector[None])
    if residuals[0] <= closure.tolerance:
        poses = forward(robot_arrays(robot), vector)
        loop = robot.loops[0]
        ends = [poses[robot.item_index[item]] @ pose for item, pose in zip(loop.items, loop.poses, strict=True)]
        assert np.abs(ends[0][:3, 3] - ends[1][:3, 3]).max() < 1e-10
    else:
        assert np.isnan(coordinates).all()
        with pytest.raises(RckError, match="stays open by"):
            at_positions(robot, vector)
