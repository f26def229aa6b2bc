"""Motors: torque-speed lines, continuous torques, gears and verdicts."""

from math import inf, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.model import Actuator, ActuatorKind, build_joint
from rck.model.motor import EffortLimits, Motor, Verdict, motor_of

SERVO = {"stall-torque": 10.6, "speed": pi, "voltage": 12.0, "gear-ratio": 272.5}


def joint(effort=None):
    return build_joint("axis", "continuous", "body", "horn", effort=effort).unwrap()


def motor(values, kind=ActuatorKind.POSITION, effort=None, gear=1.0):
    return motor_of(joint(effort), Actuator("motor", kind, "axis", gear=gear, values=values))


def test_servo_loses_torque_in_proportion_to_its_speed():
    servo = motor(SERVO)
    assert servo.effort_at(0.0) == 10.6
    assert servo.effort_at(pi / 2) == pytest.approx(5.3)
    assert servo.effort_at(-pi / 2) == pytest.approx(5.3)
    assert servo.effort_at(2 * pi) == 0.0
    # Half of both: a quarter of the product, 8.3 W.
    assert servo.max_power == pytest.approx(10.6 * pi / 4)


def test_continuous_torque_is_published_or_estimated():
    assert (motor(SERVO).continuous, motor(SERVO).is_estimated) == (pytest.approx(2.12), True)
    published = motor({**SERVO, "rated-torque": 3.0})
    assert (published.continuous, published.is_estimated) == (3.0, False)
    # Only for servos is the share known.
    assert motor(SERVO, ActuatorKind.DC_MOTOR).continuous is None


def test_figures_of_the_output_know_no_further_gear():
    assert motor(SERVO).stall == 10.6
    assert motor({**SERVO, "rotor-inertia": 1e-6}).rotor_inertia == pytest.approx(272.5**2 * 1e-6)


def test_gear_after_the_motor_multiplies_torque_and_divides_speed():
    bare = {"stall-torque": 0.1, "speed": 100.0, "rotor-inertia": 1e-6, "efficiency": 0.8}
    geared = motor(bare, ActuatorKind.DC_MOTOR, gear=-50.0)
    assert geared.stall == pytest.approx(0.1 * 50 * 0.8)
    assert geared.no_load_speed == pytest.approx(2.0)
    assert geared.rotor_inertia == pytest.approx(2.5e-3)
    assert geared.max_power == pytest.approx(0.8 * 0.1 * 100 / 4)


def test_line_of_a_current_limited_drive_passes_its_rated_point():
    # AK80-9: 9 N m at 390 rpm, 22 N m peak, 570 rpm without load.
    drive = motor({"rated-torque": 9.0, "peak-torque": 22.0, "speed": 570.0, "rated-speed": 390.0}, ActuatorKind.MOTOR)
    assert drive.effort_at(0.0) == 22.0
    assert drive.effort_at(390.0) == pytest.approx(9.0)
    assert drive.effort_at(100.0) == 22.0
    assert drive.max_power == pytest.approx(28.5 / 2 * 570 / 2)


def test_line_is_not_lowered_to_a_thermal_rating():
    # GIM8108-8: 7.5 N m at 110 rpm is what it bears, not what its voltage allows.
    drive = motor({"rated-torque": 7.5, "peak-torque": 22.0, "speed": 320.0, "rated-speed": 110.0}, ActuatorKind.MOTOR)
    assert drive.effort_at(110.0) == pytest.approx(22.0 * (1 - 110 / 320))


def test_effort_limit_of_the_joint_holds_too():
    limited = motor(SERVO, effort=5.0)
    assert limited.peak == 5.0
    assert limited.stall == 10.6
    assert motor_of(joint(7.0), None) == Motor(7.0)
    assert motor_of(joint(), None) == Motor()


@pytest.mark.parametrize(
    ("effort", "verdict"),
    [(2.0, Verdict.OK), (2.2, Verdict.NEAR_LIMIT), (10.6, Verdict.NEAR_LIMIT), (10.7, Verdict.TOO_WEAK)],
)
def test_verdict_on_a_static_load(effort, verdict):
    assert motor(SERVO).verdict(effort) is verdict


def test_verdict_is_unknown_without_a_limit():
    assert Motor().verdict(1.0) is None
    assert Motor(2.0).verdict(1.0) is Verdict.OK


@given(st.floats(-30.0, 30.0), st.floats(-6.0, 6.0))
def test_usage_above_one_is_an_effort_that_the_motor_cannot_give(effort, speed):
    limits = EffortLimits([motor(SERVO), Motor(8.0), Motor()])
    efforts, speeds = np.full(3, effort), np.full(3, speed)
    given_efforts = limits.clip(efforts, speeds)
    usage = limits.usage(efforts, speeds)
    assert usage[2] == 0.0
    assert given_efforts[2] == effort
    for asked, given_effort, used in zip(efforts, given_efforts, usage, strict=True):
        assert abs(given_effort) <= abs(asked)
        if used <= 1.0:
            assert given_effort == pytest.approx(asked, abs=1e-9)
        elif abs(used - 1.0) > 1e-9 and asked:
            assert abs(given_effort) < abs(asked)


def test_a_motor_brakes_with_its_whole_torque():
    limits = EffortLimits([motor(SERVO)])
    assert limits.clip(np.array([-20.0]), np.array([pi])) == pytest.approx([-10.6])
    assert limits.clip(np.array([20.0]), np.array([pi])) == pytest.approx([0.0])
    assert limits.is_limited
    assert not EffortLimits([Motor()]).is_limited
    assert inf not in limits.usage(np.array([1.0]), np.array([100.0]))
