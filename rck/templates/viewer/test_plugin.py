import pytest

from rck.hooks import Viewer, discover
from rck.testing.robots import planar_arm


def test_every_item_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    viewer = next(one for one in discover().all(Viewer) if one.name == "my-plugin")
    robot = planar_arm(2)
    viewer.show(robot, {"digits": 1.0})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [item.name for item in robot.items]
