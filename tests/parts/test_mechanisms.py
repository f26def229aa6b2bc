"""Mechanisms of the catalogue: closed at all parameters, and in the positions of their closed forms."""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert
from rck.hooks import discover
from rck.hooks.file_exchange import read_file, require_robot
from rck.model import Robot, Severity
from rck.model.closure import closure_of
from rck.model.forward_kinematics import forward, forward_frames
from rck.model.loop_checks import closure_findings
from rck.model.robot_arrays import robot_arrays
from rck.parts.part import build_part, read_part_file
from rck.parts.part_checks import corner_values
from rck.testing.mechanisms import circle_crossing, point_of_three_spheres

LIBRARY = Path(__file__).parents[2] / "parts_library" / "rck_parts"
LOOPED = ["delta", "five-bar", "four-bar", "scissor-lift", "stewart-platform"]


def mechanism(name: str, values: Mapping[str, float] | None = None) -> Robot:
    path = LIBRARY / f"mechanisms/{name}.yaml"
    return build_part(read_part_file(path), values or {}).unwrap().robot


def tool(robot: Robot, vector: Floats) -> Floats:
    pose: Floats = forward_frames(robot_arrays(robot), vector)[0]
    return pose


@pytest.mark.parametrize("name", LOOPED)
def test_a_mechanism_is_drawn_closed_at_all_parameters(name: str) -> None:
    file = read_part_file(LIBRARY / f"mechanisms/{name}.yaml")
    for values in corner_values(file):
        robot = build_part(file, dict(values)).unwrap().robot
        closure = closure_of(robot)
        assert closure is not None
        assert closure.residual < 1e-12
        assert not [one for one in closure_findings(robot) if one.severity is not Severity.NOTE]
        driven = [joint.name for joint in robot.joints if joint.effort is not None]
        assert [joint.name for joint in robot.free_joints] == driven


def test_four_bar_has_the_positions_of_its_closed_form() -> None:
    robot = mechanism("four-bar", {"coupler": 320})
    for angle in np.linspace(-3.0, 6.0, 40):
        crank = 0.1 * np.array([np.cos(angle), np.sin(angle), 0.0])
        wanted = circle_crossing(crank, 0.32, np.array([0.4, 0.0, 0.0]), 0.3, 1.0)
        assert np.abs(tool(robot, np.array([angle]))[:2, 3] - wanted[:2]).max() < 1e-9


def test_five_bar_has_the_positions_of_its_closed_form() -> None:
    robot = mechanism("five-bar", {"crank": 260})
    for angles in np.random.default_rng(1).uniform(1.2, 1.9, (40, 2)):
        ends = [
            np.array([foot + 0.26 * np.cos(angle), 0.26 * np.sin(angle), 0.0])
            for foot, angle in zip((-0.1, 0.1), angles, strict=True)
        ]
        wanted = circle_crossing(ends[0], 0.35, ends[1], 0.35, 1.0)
        assert np.abs(tool(robot, angles)[:2, 3] - wanted[:2]).max() < 1e-9


def test_scissor_lift_has_the_height_of_its_closed_form() -> None:
    robot = mechanism("scissor-lift")
    start = tool(robot, robot.positions)
    for x in np.linspace(0.31, 0.59, 15):
        pose = tool(robot, np.array([x]))
        rise = 3.0 * (np.sqrt(0.6**2 - x**2) - 0.6 * np.sin(np.radians(25.0)))
        assert np.abs(pose[:3, 3] - start[:3, 3] - [0.0, 0.0, rise]).max() < 1e-9
        assert np.abs(pose[:3, :3] - start[:3, :3]).max() < 1e-9


def test_delta_has_the_positions_of_its_closed_form() -> None:
    robot = mechanism("delta", {"rod": 480})
    base, upper, rod, platform = 0.1, 0.2, 0.48, 0.05
    for angles in np.random.default_rng(2).uniform(-0.5, 0.8, (40, 3)):
        outs = [np.array([np.cos(t), np.sin(t), 0.0]) for t in 2 * np.pi * np.arange(3) / 3]
        centres = [
            (base + upper * np.cos(angle) - platform) * out - np.array([0.0, 0.0, upper * np.sin(angle)])
            for out, angle in zip(outs, angles, strict=True)
        ]
        pose = tool(robot, angles)
        wanted = point_of_three_spheres(centres, rod) - np.array([0.0, 0.0, 0.015])
        assert np.abs(pose[:3, 3] - wanted).max() < 1e-9
        # The platform stays level.
        assert np.abs(pose[:3, 2] - [0.0, 0.0, -1.0]).max() < 1e-9


def test_stewart_platform_has_the_leg_lengths_that_it_is_given() -> None:
    robot = mechanism("stewart-platform", {"top": 160})
    feet_at, mounts_at = np.radians([-10, 10, 110, 130, 230, 250]), np.radians([-50, 50, 70, 170, 190, 290])
    feet = np.column_stack([0.3 * np.cos(feet_at), 0.3 * np.sin(feet_at), np.full(6, 0.03)])
    mounts = np.column_stack([0.16 * np.cos(mounts_at), 0.16 * np.sin(mounts_at), np.full(6, -0.024)])
    for change in np.random.default_rng(3).uniform(-0.05, 0.05, (20, 6)):
        lengths = robot.positions + change
        pose = tool(robot, lengths)
        found = np.linalg.norm(mounts @ pose[:3, :3].T + pose[:3, 3] - feet, axis=1)
        assert np.abs(found - lengths).max() < 1e-9


def test_gear_train_turns_by_the_ratio_of_its_teeth() -> None:
    robot = mechanism("gear-train", {"pinion": 20, "wheel": 50})
    pose = tool(robot, np.array([1.5]))
    turn = 1.5 * 20 / 50 * 16 / 48
    assert np.arctan2(pose[1, 0], pose[0, 0]) == pytest.approx(turn, abs=1e-12)


@pytest.mark.skipif("RCK_CORPUS" not in os.environ, reason="needs RCK_CORPUS")
def test_2f85_with_linkage_moves_as_the_model_that_it_comes_from() -> None:
    path = Path(os.environ["RCK_CORPUS"]) / "robots/robotiq_2f85/2f85.xml"
    theirs = require_robot(read_file(path, discover()), path)
    ours = build_part(read_part_file(LIBRARY / "grippers/parallel/2f-85-linkage.yaml")).unwrap().robot
    start_theirs, start_ours = (forward(robot_arrays(one), np.zeros(1)) for one in (theirs, ours))
    # The pivot of the right finger on its spring link; their coupling is 0.2 mm lower.
    pivot, lower = np.array([0.0502, 0.0, 0.1159, 1.0]), np.array([0.0, 0.0, 0.0002, 0.0])
    for angle in (0.2, 0.45, 0.7):
        moved_theirs, moved_ours = (forward(robot_arrays(one), np.array([angle])) for one in (theirs, ours))
        one, other = theirs.item_index["right_follower"], ours.item_index["right-finger"]
        motion_theirs = moved_theirs[one] @ invert(start_theirs[one])
        motion_ours = moved_ours[other] @ invert(start_ours[other])
        assert np.abs(motion_theirs[:3, :3] - motion_ours[:3, :3]).max() < 1e-6
        assert np.abs(motion_theirs @ (pivot - lower) + lower - motion_ours @ pivot).max() < 1e-6
