from collections.abc import Callable

from rck.hooks import Exporter, Job
from rck.model import Feature
from rck.testing.contracts import Contribution
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_exporters(exporter_contract: Callable[..., None]) -> None:
    exporter_contract("my-plugin")


def test_every_item_has_a_line(contribution: Contribution) -> None:
    robot = planar_arm(2)
    (content,) = contribution(Exporter, "my-plugin").write(robot, "arm.masses", {}, Job()).files.values()
    assert [line.split("\t")[0] for line in content.decode().splitlines()[1:]] == [item.name for item in robot.items]


def test_only_names_and_masses_are_kept(contribution: Contribution) -> None:
    assert contribution(Exporter, "my-plugin").keeps == {Feature.NAMES, Feature.MASSES}
