from collections.abc import Callable

import pytest

from rck.hooks import Viewer
from rck.testing.contracts import Contribution
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_viewers(viewer_contract: Callable[..., None]) -> None:
    viewer_contract("my-plugin")


def test_every_item_has_a_line(contribution: Contribution, capsys: pytest.CaptureFixture[str]) -> None:
    robot = planar_arm(2)
    contribution(Viewer, "my-plugin").show(robot, {"digits": 1.0})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [item.name for item in robot.items]
