from collections.abc import Callable
from pathlib import Path

import pytest

from rck.hooks import Exported, Plugins
from rck.language.session import Session
from rck.model import RckError, Robot
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_lifecycle_hooks(lifecycle_contract: Callable[[str], None]) -> None:
    lifecycle_contract("my-plugin")


def test_a_file_name_with_spaces_is_refused(session: Session, tmp_path: Path) -> None:
    with pytest.raises(RckError, match="save as my-arm"):
        session.save(tmp_path / "my arm.rck")
    assert not list(tmp_path.glob("*.rck"))
    session.save(tmp_path / "my-arm.rck")


@pytest.mark.parametrize(("robot", "count"), [(planar_arm(2), 0), (Robot("empty", ()), 1)])
def test_only_a_robot_without_mass_is_reported(installed_plugins: Plugins, robot: Robot, count: int) -> None:
    found = installed_plugins.inspect(
        "rck_on_export", path=Path("arm.urdf"), robot=robot, exporter="urdf", exported=Exported()
    )
    assert len([finding for finding in found if finding.plugin == "my-plugin"]) == count
