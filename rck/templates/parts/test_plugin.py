from collections.abc import Callable
from pathlib import Path

from rck.hooks import Plugins
from rck.language.session import new_session

pytest_plugins = ["rck.testing.fixtures"]


def test_every_part_is_right_at_all_ends_of_its_parameters(library_contract: Callable[[str], None]) -> None:
    library_contract("my-plugin")


def test_a_part_can_be_placed(installed_plugins: Plugins, tmp_path: Path) -> None:
    session = new_session(installed_plugins, tmp_path)
    session.do("create my-plugin/angle corner edge=60")
    robot = session.compile().unwrap().robot
    assert [item.name for item in robot.items] == ["corner/angle"]
