"""Denavit-Hartenberg parameters reproduce the kinematics of the robot."""

from itertools import pairwise
from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry.transforms import from_dh, from_euler, invert, rotation_about, translation
from rck.kinematics import ScrewAxis, denavit_hartenberg, dh_of_robot, dh_parameters, forward, joints_between, modified
from rck.model import Frame, JointKind, RckError, Robot, build_item, build_joint, build_robot
from rck.model.joint_positions import at_positions
from rck.testing.robots import box_between, planar_arm, six_axis_arm

UR5 = [(0.089159, 0, pi / 2), (0, -0.425, 0), (0, -0.39225, 0), (0.10915, 0, pi / 2), (0.09465, 0, -pi / 2)]


def coordinates(most: float = 2.0):
    """Round numbers often, so that axes meet, coincide and lie parallel, and any number else."""
    return st.one_of(st.sampled_from([-1.0, 0.0, 0.0, 1.0]), st.floats(-most, most))


def directions():
    upright = st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 1, 0)])
    leaning = st.tuples(st.floats(0.01, pi - 0.01), st.floats(-pi, pi)).map(
        lambda angles: (sin(angles[0]) * cos(angles[1]), sin(angles[0]) * sin(angles[1]), cos(angles[0]))
    )
    return st.one_of(upright, upright, leaning)


def poses():
    turns = st.tuples(*[st.floats(-pi, pi)] * 3).map(from_euler)
    return st.tuples(st.tuples(*[coordinates()] * 3), turns).map(lambda pair: translation(pair[0]) @ pair[1])


@st.composite
def chains(draw) -> Robot:
    """Serial robots of every kind of joint, standing away from zero."""
    kinds = draw(st.lists(st.sampled_from(["continuous", "continuous", "prismatic", "fixed"]), max_size=7))
    items = [build_item("item-0", [box_between((0, 0, 0), (1, 1, 1))], pose=draw(poses())).unwrap()]
    joints = []
    for number, kind in enumerate(kinds):
        start = np.array(draw(st.tuples(*[coordinates()] * 3)))
        end = start + draw(directions())
        position = draw(st.floats(-3, 3))
        items.append(build_item(f"item-{number + 1}", items[0].subitems, pose=draw(poses())).unwrap())
        joint = build_joint(
            f"j-{number}", kind, items[-2].name, items[-1].name, start=start, end=end, position=position
        )
        joints.append(joint.unwrap())
    return build_robot("chain", items, joints).unwrap()


def leans_only_clearly(robot: Robot) -> bool:
    """No two successive axes that are almost parallel: their common normal is too far away for nine digits."""
    axes = [joint.direction for joint in robot.joints if joint.kind.moves]
    axes = [robot.items[0].pose[:3, 2], *axes, robot.items[-1].pose[:3, 2]]
    leans = [np.linalg.norm(np.cross(a, b)) for a, b in pairwise(axes)]
    return all(lean < 1e-12 or lean > 1e-5 for lean in leans)


@given(robot=chains().filter(leans_only_clearly), seed=st.integers(0, 1000))
@settings(max_examples=80, deadline=None)
def test_rows_reproduce_forward_kinematics_in_both_conventions(robot, seed):
    tip = robot.items[-1].name
    chain = dh_of_robot(robot, "item-0", tip)
    vector = np.random.default_rng(seed).uniform(-3, 3, len(robot.free_joints))
    moved = at_positions(robot, vector)
    base_from_tip = invert(moved.item("item-0").pose) @ moved.item(tip).pose
    np.testing.assert_allclose(forward(chain, vector), base_from_tip, atol=1e-9)
    np.testing.assert_allclose(forward(modified(chain), vector), base_from_tip, atol=1e-9)


def test_published_table_is_reproduced_up_to_free_signs():
    arm = six_axis_arm()
    rows = dh_of_robot(arm, "base", "tool").rows
    for row, (_, a, alpha) in zip(rows, UR5, strict=False):
        assert abs(row.a) == pytest.approx(abs(a), abs=1e-12)
        assert abs(row.alpha) == pytest.approx(abs(alpha), abs=1e-12)
    # Of three parallel axes only the sum of the shifts along them is a fact.
    assert abs(sum(row.d for row in rows[1:4])) == pytest.approx(0.10915)
    assert abs(rows[4].d) == pytest.approx(0.09465)


def test_modified_table_has_same_numbers_one_row_later():
    chain = dh_of_robot(six_axis_arm(), "base", "tool")
    shifted = modified(chain)
    assert [(row.theta, row.d) for row in shifted.rows] == [(row.theta, row.d) for row in chain.rows]
    assert [(row.a, row.alpha) for row in shifted.rows[1:]] == [(row.a, row.alpha) for row in chain.rows[:-1]]
    assert (shifted.rows[0].a, shifted.rows[0].alpha) == (0.0, 0.0)
    assert modified(shifted) is shifted


def test_planar_arm_has_only_lengths():
    for row in dh_of_robot(planar_arm(3, 0.5), "base", "tool").rows:
        assert (row.theta, row.d, row.alpha) == pytest.approx((0, 0, 0))
        assert row.a == pytest.approx(0.5)


def test_joint_position_is_not_part_of_its_row():
    arm = planar_arm(2, 1.0)
    bent = at_positions(arm, np.array([0.4, -1.1]))
    for straight, row in zip(
        dh_of_robot(arm, "base", "tool").rows, dh_of_robot(bent, "base", "tool").rows, strict=True
    ):
        assert (row.theta, row.d, row.a) == pytest.approx((straight.theta, straight.d, straight.a), abs=1e-12)


def test_prismatic_joint_adds_position_to_d():
    slide = ScrewAxis(JointKind.PRISMATIC, np.zeros(3), np.array([0.0, 0.0, 2.0]), position=0.3)
    chain = denavit_hartenberg([slide], translation((0, 0, 0.3)) @ rotation_about((1, 0, 0), pi / 2))
    assert chain.rows[0].kind is JointKind.PRISMATIC
    assert chain.rows[0].d == pytest.approx(0.0)
    assert forward(chain, [1.0])[2, 3] == pytest.approx(1.0)


def test_lengths_are_never_negative():
    rows = dh_of_robot(six_axis_arm(), "base", "tool").rows
    assert all(row.a >= -1e-12 for row in rows)


@given(st.tuples(st.floats(-pi, pi), st.floats(-2, 2), st.floats(-2, 2), st.floats(-pi, pi)))
@settings(max_examples=50, deadline=None)
def test_parameters_are_recovered_from_their_matrix(numbers):
    matrix = from_dh(*numbers)
    np.testing.assert_allclose(from_dh(*dh_parameters(matrix)), matrix, atol=1e-12)


def test_a_chain_without_joints_is_its_base_and_tool():
    robot = build_robot("r", [build_item("only", [box_between((0, 0, 0), (1, 1, 1))]).unwrap()]).unwrap()
    framed = Robot("r", robot.items, (), (Frame("tool", "only", translation((1, 2, 3))),))
    chain = dh_of_robot(framed, "only", "tool")
    assert chain.rows == ()
    np.testing.assert_allclose(forward(chain, []), translation((1, 2, 3)))


def test_item_that_does_not_carry_the_other_is_refused():
    arm = planar_arm(2)
    assert [joint.name for joint in joints_between(arm, "link-1", "link-2")] == ["joint-2"]
    with pytest.raises(RckError, match="item link-2 does not carry item base"):
        joints_between(arm, "link-2", "base")
