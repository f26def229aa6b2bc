"""Transforms against their definitions and against SciPy."""

from itertools import product
from math import pi

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rck.geometry.transforms import (
    AXES,
    apply,
    frame,
    from_dh,
    from_dh_modified,
    from_euler,
    from_point_pairs,
    from_quaternion,
    invert,
    is_rigid,
    mirror,
    rotation_about,
    rotation_angle,
    rotation_vector,
    scaling,
    to_euler,
    to_quaternion,
    translation,
    unit_vector,
)

angles = st.floats(-pi, pi)
lengths = st.floats(-3, 3)
points = st.tuples(lengths, lengths, lengths)
directions = points.filter(lambda p: np.linalg.norm(p) > 0.01)
EULER_ORDERS = [
    case("".join(axes))
    for axes in product("xyz", repeat=3)
    if axes[0] != axes[1] != axes[2]
    for case in (str.lower, str.upper)
]


def close(a, b, tolerance=1e-9):
    return np.abs(np.asarray(a) - np.asarray(b)).max() < tolerance


@pytest.mark.parametrize("order", EULER_ORDERS)
@settings(max_examples=15, deadline=None)
@given(turns=st.tuples(angles, angles, angles))
def test_euler_angles_reproduce_the_rotation(order, turns):
    rotation = from_euler(turns, order)
    assert close(from_euler(to_euler(rotation, order), order), rotation)


@pytest.mark.parametrize("order", EULER_ORDERS)
@pytest.mark.parametrize("middle", [0.0, pi / 2, -pi / 2, pi, pi / 2 - 1e-9, 1e-9, 1e-14])
def test_euler_angles_hold_in_gimbal_lock(order, middle):
    rotation = from_euler((0.3, middle, -1.1), order)
    assert close(from_euler(to_euler(rotation, order), order), rotation, 1e-11)


def test_outermost_angle_is_zero_in_gimbal_lock():
    assert to_euler(from_euler((0.2, pi / 2, 0.5), "xyz"), "xyz")[2] == 0.0
    assert to_euler(from_euler((0.2, 0.0, 0.5), "ZYZ"), "ZYZ") == pytest.approx((0.0, 0.0, 0.7))


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_euler_angles_agree_with_scipy(order):
    from scipy.spatial.transform import Rotation

    turns = (0.4, 0.9, -1.3)
    peer = Rotation.from_euler(order, turns)
    assert close(from_euler(turns, order)[:3, :3], peer.as_matrix())
    assert close(to_euler(from_euler(turns, order), order), peer.as_euler(order))


def test_roll_pitch_yaw_turns_about_the_axes_of_the_world_in_that_order():
    roll, pitch, yaw = 0.1, 0.2, 0.3
    about = [rotation_about(AXES[axis], turn) for axis, turn in zip("xyz", (roll, pitch, yaw), strict=True)]
    assert close(from_euler((roll, pitch, yaw), "xyz"), about[2] @ about[1] @ about[0])
    assert close(from_euler((roll, pitch, yaw), "XYZ"), about[0] @ about[1] @ about[2])


@pytest.mark.parametrize("order", ["xyw", "xYz", "", "xy"])
def test_a_wrong_euler_order_is_named(order):
    with pytest.raises(ValueError, match="Euler order"):
        from_euler((0.0, 0.0, 0.0), order)
    with pytest.raises(ValueError, match="Euler order"):
        to_euler(np.eye(4), order)


def test_an_order_that_repeats_an_axis_fixes_no_angles():
    with pytest.raises(ValueError, match="twice in a row"):
        to_euler(np.eye(4), "xxy")


@settings(max_examples=50, deadline=None)
@given(axis=directions, angle=angles, point=points, along=lengths)
def test_a_turn_about_a_line_keeps_the_line_and_the_distances_to_it(axis, angle, point, along):
    turn = rotation_about(axis, angle, point)
    on_line = np.array(point) + along * unit_vector(axis)
    assert close(apply(turn, on_line), on_line)
    assert is_rigid(turn)
    assert rotation_angle(turn) == pytest.approx(abs(angle), abs=1e-7)


@settings(max_examples=30, deadline=None)
@given(axis=directions, one=angles, other=angles, point=points)
def test_turns_about_one_line_add_up(axis, one, other, point):
    both = rotation_about(axis, one, point) @ rotation_about(axis, other, point)
    assert close(both, rotation_about(axis, one + other, point))


def test_a_positive_turn_about_z_goes_from_x_to_y():
    assert close(apply(rotation_about((0, 0, 2), pi / 2, (1, 0, 0)), (2, 0, 5)), (1, 1, 5))


def test_a_direction_without_length_is_refused():
    with pytest.raises(ValueError, match="must have a length"):
        rotation_about((0, 0, 0), 1.0)


@settings(max_examples=50, deadline=None)
@given(turns=st.tuples(angles, angles, angles), offset=points, corners=st.lists(points, min_size=3, max_size=3))
def test_three_point_pairs_give_back_the_motion(turns, offset, corners):
    a, b, c = np.array(corners)
    assume(np.linalg.norm(np.cross(b - a, c - a)) > 0.01)
    motion = translation(offset) @ from_euler(turns)
    assert close(from_point_pairs(corners, apply(motion, corners)), motion, 1e-7)


def test_point_pairs_of_unequal_size_match_origin_ray_and_half_plane():
    motion = from_point_pairs([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 1, 1], [1, 1, 3], [1, 7, 5]])
    assert is_rigid(motion)
    assert close(apply(motion, (0, 0, 0)), (1, 1, 1))
    assert close(apply(motion, (1, 0, 0)), (1, 1, 2))
    assert close(apply(motion, (0, 1, 0)), (1, 2, 1))


@pytest.mark.parametrize("which", ["source", "target"])
def test_three_points_on_a_line_fix_no_motion(which):
    straight, corner = [[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    pair = (straight, corner) if which == "source" else (corner, straight)
    with pytest.raises(ValueError, match=f"{which} points are collinear"):
        from_point_pairs(*pair)


@settings(max_examples=60, deadline=None)
@given(turns=st.tuples(angles, angles, angles), size=st.floats(0.1, 10))
def test_a_quaternion_of_any_length_gives_back_its_rotation(turns, size):
    rotation = from_euler(turns)
    quaternion = to_quaternion(rotation)
    assert quaternion[0] >= 0
    assert np.linalg.norm(quaternion) == pytest.approx(1.0)
    assert close(from_quaternion(size * quaternion), rotation)
    assert close(from_quaternion(-quaternion), rotation)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 1)])
def test_half_turn_has_a_quaternion(axis):
    rotation = rotation_about(axis, pi)
    assert close(from_quaternion(to_quaternion(rotation)), rotation)


def test_a_quaternion_is_scalar_first():
    assert close(from_quaternion((np.cos(0.2), 0, 0, np.sin(0.2))), rotation_about(AXES["z"], 0.4))


@settings(max_examples=30, deadline=None)
@given(theta=angles, d=lengths, a=lengths, alpha=angles)
def test_denavit_hartenberg_is_its_elementary_motions(theta, d, a, alpha):
    about_z, along_z = rotation_about(AXES["z"], theta), translation((0, 0, d))
    about_x, along_x = rotation_about(AXES["x"], alpha), translation((a, 0, 0))
    assert close(from_dh(theta, d, a, alpha), about_z @ along_z @ along_x @ about_x)
    assert close(from_dh_modified(alpha, a, theta, d), about_x @ along_x @ about_z @ along_z)


@settings(max_examples=30, deadline=None)
@given(turns=st.tuples(angles, angles, angles), offset=points)
def test_a_motion_and_its_inverse_cancel(turns, offset):
    motion = translation(offset) @ from_euler(turns)
    assert close(motion @ invert(motion), np.eye(4))
    assert is_rigid(motion)


@settings(max_examples=30, deadline=None)
@given(normal=directions, point=points, other=points)
def test_a_mirror_undoes_itself_and_keeps_its_plane(normal, point, other):
    matrix = mirror(normal, point)
    assert close(matrix @ matrix, np.eye(4))
    assert close(apply(matrix, point), point)
    middle = (apply(matrix, other) + other) / 2
    assert abs((middle - point) @ unit_vector(normal)) < 1e-9
    assert not is_rigid(matrix)


def test_scaling_takes_one_factor_or_three():
    assert close(apply(scaling(2), (1, 2, 3)), (2, 4, 6))
    assert close(apply(scaling((1, 2, 3)), (1, 2, 3)), (1, 4, 9))


@settings(max_examples=30, deadline=None)
@given(z=directions, x=directions, origin=points)
def test_frame_has_the_requested_axes(z, x, origin):
    assume(np.linalg.norm(np.cross(unit_vector(z), unit_vector(x))) > 0.01)
    made = frame(origin, z, x)
    assert is_rigid(made)
    assert close(made[:3, 2], unit_vector(z))
    assert made[:3, 0] @ x > 0
    assert abs(made[:3, 1] @ x) < 1e-9
    assert is_rigid(frame(origin, z))


@pytest.mark.parametrize("angle", [1e-9, 1e-5, 1.0, pi - 1e-7])
def test_the_angle_of_a_small_rotation_is_not_lost(angle):
    assert rotation_angle(rotation_about((1, 2, 3), angle)) == pytest.approx(angle, rel=1e-6)


@given(axis=directions, angle=st.floats(0.0, pi))
def test_the_vector_of_a_rotation_is_its_axis_as_long_as_its_angle(axis, angle):
    turn = rotation_about(axis, angle)
    vector = rotation_vector(turn)
    assert np.linalg.norm(vector) == pytest.approx(angle, abs=1e-7)
    opposite = angle > pi - 1e-6 and vector @ axis < 0
    assert close(vector, (-angle if opposite else angle) * unit_vector(axis), 1e-7)


@given(axis=directions)
def test_the_vector_of_a_half_turn_turns_by_half_a_turn(axis):
    turn = rotation_about(axis, pi)
    vector = rotation_vector(turn)
    assert np.linalg.norm(vector) == pytest.approx(pi, abs=1e-9)
    assert close(rotation_about(vector, pi), turn)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, 1e-9, 1e-5, 1.0, pi - 1e-7])
def test_the_vector_of_a_small_rotation_is_not_lost(angle):
    vector = rotation_vector(rotation_about((1, 2, 3), angle))
    assert vector == pytest.approx(angle * unit_vector((1, 2, 3)), rel=1e-6, abs=0)


@pytest.mark.parametrize("axis", AXES)
def test_the_vector_of_a_half_turn_about_an_axis_of_the_world_is_right(axis):
    assert close(np.abs(rotation_vector(rotation_about(AXES[axis], pi))), pi * np.array(AXES[axis]))
