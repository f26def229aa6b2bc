from rck.hooks import Sensor, read_options
from rck.testing.still_world import arm_before_a_wall

pytest_plugins = ["rck.testing.fixtures"]


def reader(contribution, line):
    sensor = contribution(Sensor, "line")
    world, mount = arm_before_a_wall(gap=0.02)
    return sensor.make(world.robot, mount, read_options(sensor.options, {"line": line})), world


def test_it_keeps_the_contract_of_sensors(sensor_contract):
    sensor_contract("line")


def test_it_counts_a_line_once_until_it_leaves_it(contribution):
    sensor, world = reader(contribution, "wall")
    assert sensor.read(world)["on"] == 1
    assert sensor.read(world)["crossings"] == 1


def test_restored_sensor_goes_on_counting(contribution):
    sensor, world = reader(contribution, "wall")
    sensor.recall([False, 3])
    assert sensor.read(world)["crossings"] == 4
    assert sensor.memory() == [True, 4]


def test_other_items_are_no_lines(contribution):
    sensor, world = reader(contribution, "stripe")
    assert sensor.read(world)["on"] == 0
