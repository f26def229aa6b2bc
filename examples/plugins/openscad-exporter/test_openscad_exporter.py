from rck.hooks import Exporter, Job
from rck.testing.robots import six_axis_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_exporters(exporter_contract):
    exporter_contract("openscad")


def test_every_item_is_a_module_that_is_called_once(contribution):
    robot = six_axis_arm()
    done = contribution(Exporter, "openscad").write(robot, "arm.scad", {}, Job())
    text = done.files["arm.scad"].decode()
    assert text.count("module item_") == text.count("multmatrix(") == len(robot.items)
    assert text.count("polyhedron(") == sum(len(item.subitems) for item in robot.items)
