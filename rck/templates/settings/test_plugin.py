from collections.abc import Callable
from pathlib import Path

import pytest

from rck.hooks import Check, Settings, write_settings
from rck.testing.contracts import Contribution
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_they_keep_the_contracts_of_settings_and_checks(
    settings_contract: Callable[[str], None], check_contract: Callable[[str], None]
) -> None:
    settings_contract("my-plugin")
    check_contract("my-plugin")


def test_the_value_of_the_user_is_used(
    contribution: Contribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path))
    check, robot = contribution(Check, "my-plugin"), planar_arm(2)
    assert list(check.run(robot)) == []
    write_settings(tmp_path, contribution(Settings, "my-plugin"), {"heaviest": "0.001"})
    (finding,) = check.run(robot)
    assert "more than 0.001 kg" in finding.message
