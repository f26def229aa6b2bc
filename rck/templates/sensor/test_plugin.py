import pytest

from rck.hooks import Sensor, discover
from rck.testing.devices import check_sensor
from rck.testing.surroundings import arm_before_a_wall


def found() -> Sensor:
    return next(one for one in discover().all(Sensor) if one.name == "my-plugin")


def test_it_keeps_the_contract_of_sensors() -> None:
    check_sensor(found())


def test_it_measures_the_distance_to_a_wall() -> None:
    world, mount = arm_before_a_wall(gap=0.5)
    reader = found().make(world.robot, mount, {"max-range": 2.0})
    assert reader.read(world)["distance"][0] == pytest.approx(0.5, abs=1e-4)
