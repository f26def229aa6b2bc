"""Coupling with a real robot: lag, deviation, leading and following."""

import asyncio
import json
from math import sin

import numpy as np
import pytest

from rck.control.client_session import ClientSession
from rck.control.hardware_feedback import Feedback, FeedbackSettings
from rck.control.hub import Hub
from rck.control.services import Caller
from rck.control.topics import joint_states
from rck.support.finding import RckError


def swing(time):
    return {"a": 0.5 * sin(2.0 * time), "b": 0.3 * sin(3.0 * time)}


def compared(settings, robot, seconds=6.0, step=0.02, simulation=swing):
    """Run a simulation with the readings of a robot; return the coupling at the end."""
    coupled = Feedback()
    coupled.couple(settings)
    taken = []
    for number in range(round(seconds / step)):
        time = number * step
        coupled.add_simulated(time, simulation(time))
        taken.append(coupled.add_measured(time, robot(time), simulation(time)))
    return coupled, taken


@pytest.mark.parametrize("lag", [0.0, 0.12, 0.4])
def test_lag_is_estimated_from_noisy_readings(lag):
    chance = np.random.default_rng(7)

    def robot(time):
        return {name: value + chance.normal(0.0, 1e-3) for name, value in swing(time - lag).items()}

    coupled, _ = compared(FeedbackSettings("compare"), robot)
    assert coupled.lag == pytest.approx(lag, abs=0.011)
    assert coupled.deviation is not None
    assert coupled.deviation.largest < 0.02
    assert not coupled.deviation.alarm


def test_recorded_robot_agrees_with_a_simulation_of_the_same_motion(world_of):
    def course(hub):
        """Run one motion step by step."""
        args = {"joints": {"scara_a1": 1.2, "scara_a2": -0.8}, "duration": 3.0}
        asyncio.run(hub.call(Caller("user"), "/move_joints", json.dumps(args).encode()))
        for _ in range(320):
            hub.world.step(0.01)
            hub.finish_step()
            yield joint_states(hub.world)

    recorded = list(course(Hub(world_of())))
    chance = np.random.default_rng(3)
    hub, told = Hub(world_of()), []
    driver = ClientSession(hub, "driver", lambda text, may_skip: told.append(json.loads(text)))

    def say(**message):
        asyncio.run(driver.receive(json.dumps(message).encode()))

    say(op="call_service", service="/feedback", args={"mode": "compare"})
    say(op="subscribe", topic="/deviation")
    for number, _ in enumerate(course(hub)):
        late = recorded[max(0, number - 15)]
        noisy = [value + chance.normal(0.0, 1e-3) for value in late["position"]]
        if number % 2 == 0:
            say(op="publish", topic="/feedback/joint_states", msg={"name": late["name"], "position": noisy})
    last = told[-1]["msg"]
    assert last["lag"] == pytest.approx(0.15, abs=0.02)
    assert not last["alarm"]


def test_uncompensated_lag_raises_the_alarm():
    coupled, _ = compared(FeedbackSettings("compare", lag=0.0), lambda time: swing(time - 0.4), seconds=6.4)
    assert coupled.deviation is not None
    assert coupled.deviation.alarm


def test_deviation_raises_the_alarm_and_names_the_joint():
    coupled, _ = compared(
        FeedbackSettings("compare", lag=0.0), lambda time: {**swing(time), "b": swing(time)["b"] + 0.1}
    )
    assert coupled.deviation is not None
    assert coupled.deviation.alarm
    assert coupled.deviation.by_joint["b"] == pytest.approx(0.1)
    assert coupled.deviation.by_joint["a"] == pytest.approx(0.0)


def test_leading_robot_moves_the_simulation_to_its_extrapolated_position():
    _, taken = compared(FeedbackSettings("lead", lag=0.1), lambda time: swing(time - 0.1), seconds=3.0)
    now = swing(2.98)
    assert taken[-1]["a"] == pytest.approx(now["a"], abs=0.02)
    assert abs(taken[-1]["a"] - swing(2.88)["a"]) > 0.05


def test_simulation_resynchronises_while_both_are_at_rest():
    still = {"a": 0.2, "b": 0.0}
    _, taken = compared(
        FeedbackSettings("follow", lag=0.0, resync=1.0),
        lambda _: {"a": 0.21, "b": 0.0},
        seconds=2.5,
        simulation=lambda _: still,
    )
    corrections = [one for one in taken if one]
    assert 1 <= len(corrections) <= 3
    assert corrections[0] == {"a": 0.21, "b": 0.0}


def test_simulation_does_not_resynchronise_with_a_moving_robot():
    _, taken = compared(FeedbackSettings("follow", lag=0.0, resync=0.5), swing, seconds=2.0)
    assert not any(taken)


def test_readings_are_refused_without_a_coupled_robot():
    with pytest.raises(RckError, match="coupled"):
        Feedback().add_measured(0.0, {"a": 0.0}, {"a": 0.0})
    with pytest.raises(RckError, match="lag"):
        FeedbackSettings("lead", lag=5.0)
