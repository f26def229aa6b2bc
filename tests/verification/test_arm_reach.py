"""Reach of catalogue arms."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import rck_parts
from scipy.optimize import minimize

from rck.model.joint import bounds_of
from rck.model.joint_positions import at_positions, random_vectors
from rck.parts.library import manifest_paths
from rck.parts.part import build_part, read_part_file

WRIST, FLANGE = "wrist centre", "flange"
REACH = {
    "abb/irb-120": ("j1", "j5", WRIST), "adept/cobra-s600": ("j1", "j4", FLANGE), "bosch/sr-800": ("a1", "a4", FLANGE),
    "fanuc/lr-mate-200id": ("j1", "j5", WRIST), "franka/panda": ("j1", "tool0", FLANGE),
    "generic/planar-2r": ("shoulder", "tool0", "tip"), "kinova/gen3": ("j1", "tool0", FLANGE),
    "kuka/iiwa-14": ("a1", "a6", WRIST), "kuka/iiwa-7": ("a1", "a6", WRIST), "kuka/kr-6-r900": ("a1", "a5", WRIST),
    "mecademic/meca500": ("j1", "j5", WRIST), "stanford/stanford-arm": ("shoulder", "roll", WRIST),
    "unimation/puma-260": ("j2", "j5", WRIST), "unimation/puma-560": ("j2", "tool0", FLANGE),
    "yaskawa/gp7": ("s", "b", WRIST),
}  # fmt: skip
"""How the maker measures the reach: from the axis of this joint, to the point of this joint or frame, called so."""
ROUNDED = {"franka/panda": 0.005, "stanford/stanford-arm": 0.01}
"""Arms whose published reach is not exactly that of the point, and the relative difference that is allowed."""
BETWEEN = {
    **{f"universal-robots/{name}": ("shoulder-pan", "wrist-2", "wrist-3")
       for name in ("ur3", "ur3e", "ur5", "ur5e", "ur10e", "ur16e", "ur20")},
    "ufactory/xarm-6": ("j1", "j5", "tool0"), "ufactory/xarm-7": ("j1", "j6", "tool0"),
}  # fmt: skip
"""Arms whose makers publish a working radius without naming its point, such as the recommended reach of Universal
Robots. It lies between the farthest positions of two points (joints or frames), from the axis of the first joint."""


@cache
def arms():
    """Return the parts of all arms by id."""
    paths = manifest_paths(Path(rck_parts.__file__).parent / "arms")
    return {part.id: part for part in (build_part(read_part_file(path)).unwrap() for path in paths)}


def distance(robot, axis, point):
    """Return the distance from a joint axis to the start of another joint axis, or to a frame or item origin."""
    joint = robot.joint(axis)
    place = robot.joint(point).start if point in robot.joint_index else robot.world_from(point)[:3, 3]
    return float(np.linalg.norm(np.cross(place - np.array(joint.start), joint.direction)))


def farthest(robot, axis, point):
    """Return the largest distance within the joint limits, optimised from the best random positions."""

    def short_of(vector):
        return -distance(at_positions(robot, vector), axis, point)

    bounds = [(low if np.isfinite(low) else None, high if np.isfinite(high) else None)
              for low, high in zip(*bounds_of(robot.free_joints), strict=True)]  # fmt: skip
    samples = sorted(random_vectors(robot, 200, seed=11), key=short_of)
    return max(-minimize(short_of, sample, bounds=bounds).fun for sample in samples[:3])


def published(part):
    return part.manifest.figures["reach"] / 1000


def test_every_arm_has_its_definition_of_reach():
    assert sorted([*REACH, *BETWEEN]) == sorted(arms())


@pytest.mark.parametrize("name", sorted(REACH))
def test_published_reach_is_the_largest_distance_by_its_definition(compare, name):
    part = arms()[name]
    axis, point, called = REACH[name]
    error = abs(farthest(part.robot, axis, point) - published(part))
    what = f"Reach of `{name}`, axis of {axis} to {called}"
    if name in ROUNDED:
        compare(what, "data sheet", error / published(part), ROUNDED[name], "relative")
    else:
        # Data sheets round to a millimetre.
        compare(what, "data sheet", 1000 * error, 1.0, "mm")


@pytest.mark.parametrize("name", sorted(BETWEEN))
def test_published_working_radius_lies_between_wrist_and_flange(name):
    part = arms()[name]
    axis, near, far = BETWEEN[name]
    assert farthest(part.robot, axis, near) < published(part) < farthest(part.robot, axis, far)
