from collections.abc import Callable

import pytest

from rck.hooks import Sensor
from rck.testing.contracts import Contribution
from rck.testing.still_world import arm_before_a_wall

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_sensors(sensor_contract: Callable[..., None]) -> None:
    sensor_contract("my-plugin")


def test_it_measures_the_distance_to_a_wall(contribution: Contribution) -> None:
    world, mount = arm_before_a_wall(gap=0.5)
    reader = contribution(Sensor, "my-plugin").make(world.robot, mount, {"max-range": 2.0})
    assert reader.read(world)["distance"][0] == pytest.approx(0.5, abs=1e-4)
