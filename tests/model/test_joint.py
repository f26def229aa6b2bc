"""Joints: axis, limits, and invalid values."""

from dataclasses import FrozenInstanceError
from math import inf, nan, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_tests import codes

from rck.geometry.transforms import apply
from rck.model import JointKind, JointLimits, Mimic, Severity, build_joint
from rck.model.joint import motion


def hinge(**changes):
    return build_joint(
        **{"name": "hinge", "kind": "revolute", "base": "frame", "moves": "door", "limits": (-1, 1)} | changes
    )


def test_joint_keeps_all_values():
    joint = build_joint(
        "shoulder",
        JointKind.REVOLUTE,
        "base",
        ("upper", "motor"),
        start=(0, 0, 1),
        end=(0, 1, 1),
        limits=JointLimits(-2.0, 2.0),
        position=0.5,
        speed=3.0,
        acceleration=10.0,
        effort=40.0,
        damping=0.1,
        friction=0.2,
    ).unwrap()
    assert (joint.base, joint.moves) == ("base", ("upper", "motor"))
    assert (joint.start, joint.end) == ((0.0, 0.0, 1.0), (0.0, 1.0, 1.0))
    assert (joint.limits, joint.position) == (JointLimits(-2.0, 2.0), 0.5)
    assert (joint.speed, joint.acceleration, joint.effort) == (3.0, 10.0, 40.0)
    assert (joint.damping, joint.friction) == (0.1, 0.2)
    assert joint.direction.tolist() == [0, 1, 0]


def test_joint_is_immutable():
    with pytest.raises(FrozenInstanceError):
        hinge().unwrap().position = 0.5


@pytest.mark.parametrize(
    ("kind", "turns", "moves"),
    [("revolute", True, True), ("continuous", True, True), ("prismatic", False, True), ("fixed", False, False)],
)
def test_kinds_know_whether_they_turn_and_move(kind, turns, moves):
    assert (JointKind(kind).turns, JointKind(kind).moves) == (turns, moves)
    built = build_joint("joint", kind, "a", "b", limits=(-1, 1))
    assert built.findings == ()
    assert built.unwrap().kind is JointKind(kind)


def test_continuous_and_fixed_joints_have_no_limits():
    for kind in ("continuous", "fixed"):
        joint = build_joint("joint", kind, "a", "b", limits=(-1, 1), position=7.0).unwrap()
        assert joint.limits is None


def test_fixed_joint_needs_no_axis_and_has_no_mimic():
    joint = build_joint("weld", "fixed", "a", "b", end=(0, 0, 0), mimic=Mimic("other")).unwrap()
    assert joint.mimic is None


REFUSED = {
    "a kind that does not exist": ({"kind": "ball"}, [104]),
    "an empty name": ({"name": ""}, [102]),
    "a start that is not a number": ({"start": (nan, 0, 0)}, [101]),
    "an infinite end": ({"end": (0, inf, 0)}, [101]),
    "a point in the plane": ({"start": (0, 0)}, [101]),
    "a point of four numbers": ({"end": (0, 0, 0, 1)}, [101]),
    "three limits": ({"limits": (0, 1, 2)}, [101]),
    "a limit that is not a number": ({"limits": (nan, 1)}, [101]),
    "infinite limits": ({"limits": (-inf, inf)}, [101]),
    "a position that is not a number": ({"position": nan}, [101]),
    "an infinite speed": ({"speed": inf}, [101]),
    "a mimic ratio that is not a number": ({"mimic": Mimic("a", nan)}, [101]),
    "nothing to move": ({"moves": ()}, [204]),
    "its own base to move": ({"moves": ("door", "frame")}, [204]),
    "an item twice": ({"moves": ("door", "door")}, [204]),
    "an axis without length": ({"start": (1, 2, 3), "end": (1, 2, 3)}, [205]),
    "an axis of astronomic length": ({"end": (0, 0, 1e300)}, [205]),
    "no limits": ({"limits": None}, [104]),
    "reversed limits": ({"limits": (1, -1)}, [404]),
    "a position below its limits": ({"position": -1.5}, [405]),
    "a position above its limits": ({"position": 1.5}, [405]),
    "a negative speed": ({"speed": -1}, [104]),
    "a negative acceleration": ({"acceleration": -1}, [104]),
    "a negative effort": ({"effort": -1}, [104]),
    "negative damping and friction": ({"damping": -1, "friction": -1}, [104, 104]),
    "several faults": ({"name": "a b", "moves": (), "limits": (1, -1)}, [102, 204, 404]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_invalid_hinge_is_refused(what):
    changes, expected = REFUSED[what]
    built = hinge(**changes)
    assert built.value is None
    assert codes(built) == expected
    assert {finding.severity for finding in built.findings} == {Severity.ERROR}


def test_position_at_limit_is_valid_despite_rounding():
    third = pi / 3
    assert hinge(limits=(-third, third), position=third * (1 + 1e-12)).value is not None


def test_equal_limits_hold_a_joint_in_place():
    assert hinge(limits=(0.5, 0.5), position=0.5).value is not None


def test_prismatic_joint_without_limits_is_a_warning():
    built = build_joint("lift", "prismatic", "column", "carriage")
    assert built.value is not None
    assert [(finding.code, finding.severity) for finding in built.findings] == [(406, Severity.WARNING)]


def test_messages_show_limits_in_unit_of_joint():
    assert "-1 to 1 rad" in hinge(position=2).findings[0].message
    assert "0 to 0.2 m" in build_joint("s", "prismatic", "a", "b", limits=(0, 0.2), position=1).findings[0].message


def test_a_joint_turns_right_handed_about_the_line_from_start_to_end():
    quarter = motion(hinge(start=(1, 0, 0), end=(1, 0, 5)).unwrap(), pi / 2)
    np.testing.assert_allclose(apply(quarter, [2, 0, 3]), [1, 1, 3], atol=1e-15)


def test_a_joint_slides_along_the_line_from_start_to_end():
    slide = build_joint("slide", "prismatic", "a", "b", start=(5, 5, 5), end=(5, 5, 3), limits=(0, 1)).unwrap()
    np.testing.assert_allclose(apply(motion(slide, 0.25), [1, 1, 1]), [1, 1, 0.75])


def test_a_fixed_joint_moves_nothing():
    assert motion(build_joint("weld", "fixed", "a", "b").unwrap(), 1.0).tolist() == np.eye(4).tolist()


numbers = st.floats(-1e6, 1e6)


@given(
    kind=st.sampled_from(["revolute", "continuous", "prismatic"]),
    start=st.tuples(numbers, numbers, numbers),
    change=st.floats(-10, 10),
)
@settings(max_examples=50)
def test_motion_keeps_axis_and_is_undone_by_its_inverse(kind, start, change):
    joint = build_joint("j", kind, "a", "b", start=start, end=(1.5e6, 2e6, -3e6), limits=(-1, 1)).unwrap()
    there = motion(joint, change)
    np.testing.assert_allclose(motion(joint, -change) @ there, np.eye(4), atol=1e-8)
    if joint.kind.turns:
        ends = [joint.start, joint.end]
        np.testing.assert_allclose(apply(there, ends), ends, rtol=1e-12, atol=1e-8)


anything = st.floats(allow_nan=True, allow_infinity=True) | st.just(0.0)


@given(
    kind=st.sampled_from(["revolute", "continuous", "prismatic", "fixed", "spherical", ""]),
    moves=st.lists(st.sampled_from(["base", "a", "b", ""]), max_size=3).map(tuple),
    points=st.lists(st.lists(anything, max_size=4), min_size=2, max_size=2),
    limits=st.none() | st.tuples(anything, anything) | st.builds(JointLimits, anything, anything),
    others=st.lists(anything, min_size=5, max_size=5),
    optional=st.lists(st.none() | anything, min_size=3, max_size=3),
)
@settings(max_examples=150)
def test_any_numbers_give_a_joint_or_findings(kind, moves, points, limits, others, optional):
    built = build_joint(
        "joint",
        kind,
        "base",
        moves,
        start=points[0],
        end=points[1],
        limits=limits,
        position=others[0],
        speed=optional[0],
        acceleration=optional[1],
        effort=optional[2],
        damping=others[1],
        friction=others[2],
        mimic=Mimic("leader", others[3], others[4]),
    )
    assert (built.value is None) == any(finding.severity is Severity.ERROR for finding in built.findings)
    if built.value is not None and built.value.kind.moves:
        assert np.isfinite(motion(built.value, 0.1)).all()
