"""Reach of catalogue arms.

Data sheets give one figure, and most do not define it. Each row names the axis and the point that fit best. Where the
tolerance is 1 mm, the definition is exact to the rounding of the data sheet; elsewhere it is inferred.

Universal Robots calls its figure the recommended reach, without naming a point. No single point fits all models. The
centre of wrist 3, measured from the axis of shoulder-lift, fits UR10e, UR15, UR20 and UR30. It lies 6.5 to 8.4 %
beyond the figure for UR3, UR3e, UR5, UR5e, UR7e and UR16e. For these, the middle of wrist 2 (halfway between the
joint centres of wrist 2 and wrist 3) fits within 2 %. The UR5 manual, as quoted in compas_fab, also gives a maximum
working area of 1850 mm diameter; it fits the centre of wrist 3, measured from the axis of shoulder-pan.

UFACTORY gives 700 mm as the range of x and y for all xArm models. A flange that points straight down at the height of
the base reaches it within 1 %. In other directions the flange reaches 764 mm (xArm 6) and 772 mm (xArm 7).
"""

from dataclasses import dataclass
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

EXACT, INFERRED = (1.0, "mm"), (0.03, "relative")
"""Tolerances: data sheets round to a millimetre; a definition that is inferred must fit within 3 %."""


@dataclass(frozen=True)
class Reach:
    """Definition of a reach: the largest distance of a point from a joint axis."""

    axis: str
    points: tuple[str, ...]
    """Joints or frames; the point is the mean of their origins."""
    called: str
    tolerance: tuple[float, str] = EXACT
    points_down: bool = False
    """True if the point is a frame whose z axis must point down, at the height of the base."""


def to_wrist(axis, joint, tolerance=EXACT):
    return Reach(axis, (joint,), "wrist centre", tolerance)


def to_flange(axis, frame="tool0", tolerance=EXACT):
    return Reach(axis, (frame,), "flange", tolerance)


UR_MIDDLE = Reach("shoulder-lift", ("wrist-2", "wrist-3"), "middle of wrist 2", INFERRED)
UR_WRIST = Reach("shoulder-lift", ("wrist-3",), "centre of wrist 3", INFERRED)
XARM = Reach("j1", ("tool0",), "flange, pointing down at the height of the base", INFERRED, points_down=True)
REACH = {
    "abb/irb-120": to_wrist("j1", "j5"),
    "adept/cobra-s600": to_flange("j1", "j4"),
    "bosch/sr-800": to_flange("a1", "a4"),
    "fanuc/lr-mate-200id": to_wrist("j1", "j5"),
    "franka/fr3": to_flange("j1", tolerance=(0.005, "relative")),
    "franka/panda": to_flange("j1", tolerance=(0.005, "relative")),
    "generic/planar-2r": Reach("shoulder", ("tool0",), "tip"),
    "kinova/gen3": to_flange("j1"),
    "kuka/iiwa-14": to_wrist("a1", "a6"),
    "kuka/iiwa-7": to_wrist("a1", "a6"),
    "kuka/kr-6-r900": to_wrist("a1", "a5"),
    "mecademic/meca500": to_wrist("j1", "j5"),
    "stanford/stanford-arm": to_wrist("shoulder", "roll", (0.01, "relative")),
    "ufactory/lite-6": to_wrist("j1", "j5", INFERRED),
    "ufactory/xarm-6": XARM,
    "ufactory/xarm-7": XARM,
    "unimation/puma-260": to_wrist("j2", "j5"),
    "unimation/puma-560": to_flange("j2"),
    "universal-robots/ur3": UR_MIDDLE,
    "universal-robots/ur3e": UR_MIDDLE,
    "universal-robots/ur5": UR_MIDDLE,
    "universal-robots/ur5e": UR_MIDDLE,
    "universal-robots/ur7e": UR_MIDDLE,
    "universal-robots/ur10e": UR_WRIST,
    "universal-robots/ur15": UR_WRIST,
    "universal-robots/ur16e": UR_MIDDLE,
    "universal-robots/ur20": UR_WRIST,
    "universal-robots/ur30": UR_WRIST,
    "yaskawa/gp7": to_wrist("s", "b"),
}


@cache
def arms():
    """Return the parts of all arms by id."""
    paths = manifest_paths(Path(rck_parts.__file__).parent / "arms")
    return {part.id: part for part in (build_part(read_part_file(path)).unwrap() for path in paths)}


def distance(robot, axis, points):
    """Return the distance from a joint axis to the mean of joint starts and frame or item origins."""
    joint = robot.joint(axis)
    places = [
        robot.joint(point).start if point in robot.joint_index else robot.world_from(point)[:3, 3] for point in points
    ]
    return float(np.linalg.norm(np.cross(np.mean(places, axis=0) - np.array(joint.start), joint.direction)))


def farthest(robot, reach):
    """Return the largest distance within the joint limits, optimised from the best random positions."""

    def shortfall(vector):
        return -distance(at_positions(robot, vector), reach.axis, reach.points)

    def tilt_and_height(vector):
        pose = at_positions(robot, vector).world_from(reach.points[0])
        return [*pose[:2, 2], pose[2, 3]]

    bounds = [(low if np.isfinite(low) else None, high if np.isfinite(high) else None)
              for low, high in zip(*bounds_of(robot.free_joints), strict=True)]  # fmt: skip
    samples = sorted(random_vectors(robot, 200, seed=11), key=shortfall)
    if not reach.points_down:
        return max(-minimize(shortfall, sample, bounds=bounds).fun for sample in samples[:3])
    down = [sample for sample in samples if at_positions(robot, sample).world_from(reach.points[0])[2, 2] < -0.9]
    constraint = {"type": "eq", "fun": tilt_and_height}
    found = [minimize(shortfall, sample, bounds=bounds, constraints=constraint) for sample in down[:3]]
    return max(
        -one.fun for one in found if one.success and at_positions(robot, one.x).world_from(reach.points[0])[2, 2] < 0
    )


def published(part):
    return part.manifest.figures["reach"] / 1000


def test_every_arm_with_a_published_reach_has_its_definition():
    assert sorted(REACH) == sorted(name for name, part in arms().items() if "reach" in part.manifest.figures)


@pytest.mark.parametrize("name", sorted(REACH))
def test_published_reach_is_the_largest_distance_by_its_definition(compare, name):
    part, reach = arms()[name], REACH[name]
    error = abs(farthest(part.robot, reach) - published(part))
    tolerance, unit = reach.tolerance
    what = f"Reach of `{name}`, axis of {reach.axis} to {reach.called}"
    compare(what, "data sheet", 1000 * error if unit == "mm" else error / published(part), tolerance, unit)


@pytest.mark.parametrize(("name", "beyond"), [("ur3", 0.084), ("ur3e", 0.084), ("ur5", 0.073), ("ur5e", 0.079),
                                              ("ur16e", 0.065)])  # fmt: skip
def test_wrist_3_of_smaller_universal_robots_is_beyond_the_recommended_reach(name, beyond):
    part = arms()[f"universal-robots/{name}"]
    assert farthest(part.robot, UR_WRIST) / published(part) - 1 == pytest.approx(beyond, abs=0.001)


def test_maximum_working_area_of_ur5_is_that_of_wrist_3(compare):
    radius = farthest(arms()["universal-robots/ur5"].robot, Reach("shoulder-pan", ("wrist-3",), ""))
    what = "Maximum working area of `universal-robots/ur5`, axis of shoulder-pan to centre of wrist 3"
    compare(what, "UR5 manual, diameter 1850 mm", abs(radius / 0.925 - 1), *INFERRED)
