"""Tool paths stay within the tolerance and the motion limits."""

from dataclasses import replace
from math import inf, pi

import numpy as np
import pytest
from msgspec import structs

from rck.geometry.transforms import rotation_about, rotation_angle, translation
from rck.hooks import discover
from rck.kinematics.chain import chain_between, poses_at, tip_pose
from rck.kinematics.motion import ToolSpeed, arc, follow, line, motion_limits, peaks, rounded
from rck.kinematics.motion.curve import between
from rck.kinematics.numeric_solver import numeric_solver
from rck.kinematics.solver_choice import solver_for
from rck.model import RckError
from rck.testing.robots import planar_arm

PUMA = np.radians([0.0, 45.0, -180.0, 0.0, 30.0, 0.0])


def solver_of(chain):
    return solver_for(discover(), chain.robot, chain.base, chain.tip)


def limits_of(chain):
    return motion_limits(chain.robot, chain.joints)


def places_of(chain, path, count=200):
    times = np.linspace(0, path.duration, count)
    return poses_at(chain, path.at(times))[1]


def off_line(places, start, end):
    along = (end - start) / np.linalg.norm(end - start)
    ways = places - start
    return np.linalg.norm(ways - np.outer(ways @ along, along), axis=1).max()


@pytest.mark.parametrize(
    ("name", "degrees", "way", "profile"),
    [
        ("unimation/puma-560", (0, 45, -180, 0, 30, 0), (0.1, 0.25, -0.1), "trapezoidal"),
        ("universal-robots/ur5e", (0, -90, 90, -90, -90, 0), (0.1, 0.3, 0.1), "polynomial"),
        ("kuka/iiwa-7", (0, 30, 0, -60, 0, 60, 0), (0.0, 0.3, 0.0), "cubic"),
    ],
)
def test_line_stays_within_tolerance_and_limits(arm, name, degrees, way, profile):
    chain = arm(name)
    start = np.radians(degrees)
    begin = tip_pose(chain, start)
    end = translation(way) @ begin @ rotation_about((0.0, 1.0, 0.0), 0.3)
    limits = limits_of(chain)
    path = follow(solver_of(chain), chain, [line(begin, end)], start, limits, profile=profile, tolerance=5e-5).unwrap()
    places = places_of(chain, path)
    assert off_line(places[:, :3, 3], begin[:3, 3], end[:3, 3]) < 5e-5
    np.testing.assert_allclose(places[-1], end, atol=2e-6)
    # The turn is done together with the way.
    for place in places[::20]:
        share = (place[:3, 3] - begin[:3, 3]) @ way / np.dot(way, way)
        assert rotation_angle(place[:3, :3].T @ between(begin, end, share)[:3, :3]) < 1e-3
    speeds, accelerations = peaks(path)
    assert (speeds <= 1.001 * limits.speeds).all()
    assert (accelerations <= 1.003 * limits.accelerations).all()


def test_tip_moves_at_tool_speed(arm):
    chain = arm("unimation/puma-560")
    begin = tip_pose(chain, PUMA)
    way = line(begin, translation((0.0, 0.2, 0.0)) @ begin)
    path = follow(solver_of(chain), chain, [way], PUMA, limits_of(chain), tool=ToolSpeed(0.1)).unwrap()
    places = places_of(chain, path, 501)[:, :3, 3]
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) / (path.duration / 500)
    assert speed.max() == pytest.approx(0.1, rel=3e-3)


def test_speed_is_reduced_to_joint_limits_with_warning(arm):
    chain = arm("unimation/puma-560")
    begin = tip_pose(chain, PUMA)
    way = line(begin, translation((0.0, 0.3, 0.0)) @ begin)
    built = follow(solver_of(chain), chain, [way], PUMA, limits_of(chain), duration=0.1)
    assert [finding.code for finding in built.findings] == [903]
    path = built.unwrap()
    speeds, accelerations = peaks(path)
    assert (speeds <= 1.001 * limits_of(chain).speeds).all()
    assert (accelerations <= 1.003 * limits_of(chain).accelerations).all()
    # Some joint is at one of its limits nearly all the time: it could hardly be quicker.
    times = np.linspace(0, path.duration, 101)[5:-5]
    shares = np.hstack(
        [
            np.abs(path.speed_at(times)) / limits_of(chain).speeds,
            np.abs(path.acceleration_at(times)) / limits_of(chain).accelerations,
        ]
    )
    assert np.quantile(shares.max(axis=1), 0.1) > 0.95
    assert (
        off_line(places_of(chain, path)[:, :3, 3], begin[:3, 3], (translation((0.0, 0.3, 0.0)) @ begin)[:3, 3]) < 1e-4
    )


def test_an_arc_stays_on_its_circle(arm):
    chain = arm("universal-robots/ur5e")
    start = np.radians([0, -90, 90, -90, -90, 0])
    begin = tip_pose(chain, start)
    centre = begin[:3, 3] + (0.0, 0.1, 0.0)
    curve = arc(begin, np.add(centre, (0.1, 0.0, 0.0)), translation((0.0, 0.2, 0.0)) @ begin)
    assert curve.parts[0].length == pytest.approx(0.1 * pi)
    path = follow(solver_of(chain), chain, [curve], start, limits_of(chain)).unwrap()
    places = places_of(chain, path)[:, :3, 3]
    np.testing.assert_allclose(np.linalg.norm(places - centre, axis=1), 0.1, atol=1e-4)
    assert places[:, 0].max() == pytest.approx(begin[0, 3] + 0.1, abs=1e-3)


def test_arc_passes_through_its_point_on_the_long_side():
    begin, end = np.eye(4), translation((1.0, 1.0, 0.0))
    short = arc(begin, (1 - 0.5**0.5, 0.5**0.5, 0.0), end).parts[0]
    far = arc(begin, (2.0, 0.0, 0.0), end).parts[0]
    assert short.length == pytest.approx(pi / 2)
    assert far.length == pytest.approx(3 * pi / 2)
    np.testing.assert_allclose(far.pose_at(1.0), end, atol=1e-12)


def test_arc_through_collinear_point_is_line_or_refused():
    begin, end = np.eye(4), translation((1.0, 0.0, 0.0))
    np.testing.assert_allclose(arc(begin, (0.5, 0, 0), end).parts[0].pose_at(0.3)[:3, 3], (0.3, 0, 0))
    with pytest.raises(RckError, match="not between them"):
        arc(begin, (2.0, 0.0, 0.0), end)


def test_corners_are_blended_within_radius_or_stopped_at(arm):
    chain = arm("universal-robots/ur5e")
    start = np.radians([0, -90, 90, -90, -90, 0])
    begin = tip_pose(chain, start)
    corner, end = translation((0.0, 0.2, 0.0)) @ begin, translation((0.0, 0.2, 0.15)) @ begin
    solver, limits = solver_of(chain), limits_of(chain)
    smooth = follow(solver, chain, rounded([begin, corner, end], 0.02), start, limits).unwrap()
    sharp = follow(solver, chain, rounded([begin, corner, end], 0.0), start, limits).unwrap()

    def nearest_to_corner(path):
        return np.linalg.norm(places_of(chain, path, 400)[:, :3, 3] - corner[:3, 3], axis=1).min()

    assert nearest_to_corner(smooth) == pytest.approx(0.02, abs=1e-3)
    assert nearest_to_corner(sharp) < 1e-3
    assert smooth.duration < sharp.duration
    cruising = np.linspace(0.3, smooth.duration - 0.3, 100)
    assert np.abs(smooth.speed_at(cruising)).max(axis=1).min() > 0.01


def test_reversal_is_not_blended():
    there = translation((1.0, 0.0, 0.0))
    assert len(rounded([np.eye(4), there, np.eye(4)], 0.1)) == 2


def test_goal_out_of_reach_is_refused_with_reason(arm):
    chain = arm("unimation/puma-560")
    begin = tip_pose(chain, PUMA)
    built = follow(solver_of(chain), chain, [line(begin, translation((3, 0, 0)) @ begin)], PUMA, limits_of(chain))
    assert built.value is None
    assert [finding.code for finding in built.findings] == [901]
    assert built.findings[0].where.startswith("100 % of the path")
    assert "out of reach" in built.findings[0].message


def test_path_that_leaves_reach_names_location(arm):
    chain = arm("generic/planar-2r")
    start = np.array([0.6, 1.2])
    begin = tip_pose(chain, start)
    mirrored = tip_pose(chain, np.array([0.6 + pi, 1.2]))
    # Straight through the base, where the elbow would have to fold farther than the inner circle lets it.
    short = replace(chain, lower=np.array([-4.0, -1.5]), upper=np.array([4.0, 1.5]))
    built = follow(
        numeric_solver(short), short, [line(begin, mirrored)], start, limits_of(chain), wants="position", tolerance=1e-3
    )
    assert [finding.code for finding in built.findings] == [901]
    share = float(built.findings[0].where.split()[0])
    inner = np.linalg.norm(tip_pose(chain, np.array([0.0, 1.5]))[:2, 3])
    assert share / 100 == pytest.approx((1 - inner / np.linalg.norm(begin[:2, 3])) / 2, abs=0.01)


def test_change_of_configuration_is_an_error_with_location():
    chain = chain_between(planar_arm(2, length=0.5), "base", "tool")

    # The elbow may bend to one side only, then to the other: the joints would jump half way.
    class Jumping:
        joints = chain.joints
        inner = numeric_solver(chain)

        def solve(self, goal, seed=None, *, most=1, budget=0.005):
            both = self.inner.solve(goal, seed, most=2, budget=0.2)
            left = goal.pose[0, 3] < 0.6
            rows = [row for row in both.solutions if (row[1] > 0) == left]
            return structs.replace(both, solutions=np.array(rows))

    start = np.array([0.0, 1.6])
    begin = tip_pose(chain, start)
    end = begin.copy()
    end[:3, 3] = (0.75, 0.3, 0.0)
    built = follow(Jumping(), chain, [line(begin, end)], start, limits_of(chain), wants="position")
    assert [finding.code for finding in built.findings] == [902]
    share = (0.6 - begin[0, 3]) / (0.75 - begin[0, 3])
    assert float(built.findings[0].where.split()[0]) == pytest.approx(100 * share, abs=0.01)
    assert "joint-2 by -" in built.findings[0].message


def test_path_near_wrist_singularity_slows_down_only_there(arm):
    chain = arm("unimation/puma-560")
    start = np.radians([0.0, 45.0, -180.0, 0.0, 20.0, 0.0])
    begin = tip_pose(chain, start)
    # Turning about an axis that misses that of joint 5 takes axis 6 past axis 4, and joint 4 quickly round.
    end = begin @ rotation_about((0.3, 1.0, 0.0), np.radians(40.0))
    built = follow(solver_of(chain), chain, [line(begin, end)], start, limits_of(chain), tool=ToolSpeed(angular=0.5))
    assert [finding.code for finding in built.findings] == [903]
    path = built.unwrap()
    np.testing.assert_allclose(tip_pose(chain, path.end), end, atol=2e-6)
    speeds, accelerations = peaks(path)
    assert (speeds <= 1.001 * limits_of(chain).speeds).all()
    assert (accelerations <= 1.003 * limits_of(chain).accelerations).all()
    # Where the wrist can keep up, it goes as it was to: from rest to 0.5 rad/s in a quarter of a second.
    turned = [rotation_angle(begin[:3, :3].T @ tip_pose(chain, path.at(time))[:3, :3]) for time in (0.25, 0.35)]
    assert turned == pytest.approx([0.0625, 0.1125], rel=1e-2)
    # Joint 4 then is as fast as it may be for a good half of the time.
    assert (np.abs(path.speed_at(np.linspace(0, path.duration, 101))[:, 3]) > 0.99).mean() > 0.4


def test_curve_with_wrong_start_and_zero_tool_speed_are_refused(arm):
    chain = arm("unimation/puma-560")
    begin = tip_pose(chain, PUMA)
    with pytest.raises(RckError, match="does not start at the pose of"):
        follow(solver_of(chain), chain, [line(np.eye(4), begin)], PUMA, limits_of(chain))
    with pytest.raises(RckError, match="must be positive"):
        follow(solver_of(chain), chain, [line(begin, begin)], PUMA, limits_of(chain), tool=ToolSpeed(0.0))


def test_path_without_length_takes_no_time(arm):
    chain = arm("unimation/puma-560")
    begin = tip_pose(chain, PUMA)
    limits = motion_limits(chain.robot, chain.joints, accelerations=inf)
    assert follow(solver_of(chain), chain, [line(begin, begin)], PUMA, limits).unwrap().duration == 0.0
