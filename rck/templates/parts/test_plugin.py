from pathlib import Path

from rck.hooks import PartLibrary, discover
from rck.language.session import new_session
from rck.testing.parts import check_library


def test_every_part_is_right_at_all_ends_of_its_parameters() -> None:
    check_library(next(one for one in discover().all(PartLibrary) if one.name == "my-plugin"))


def test_a_part_can_be_placed(tmp_path: Path) -> None:
    session = new_session(discover(), tmp_path)
    session.do("create my-plugin/angle corner edge=60")
    robot = session.compile().unwrap().robot
    assert [item.name for item in robot.items] == ["corner/angle"]
