from rck.hooks import Exporter, Job, discover
from rck.testing.exporters import check_exporter
from rck.testing.robots import planar_arm


def found() -> Exporter:
    return next(one for one in discover().all(Exporter) if one.name == "my-plugin")


def test_it_keeps_the_contract_of_exporters() -> None:
    check_exporter(found())


def test_every_item_has_a_line() -> None:
    robot = planar_arm(2)
    (content,) = found().write(robot, "arm.masses", {}, Job()).files.values()
    assert [line.split("\t")[0] for line in content.decode().splitlines()[1:]] == [item.name for item in robot.items]
