import pytest

from rck.hooks.plugin_settings import write_settings
from rck.model import RckError

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contracts_of_hooks_settings_and_codes(
    lifecycle_contract, settings_contract, finding_code_contract
):
    lifecycle_contract("house-rules")
    settings_contract("house-rules")
    finding_code_contract("HSE101")


def test_limit_of_the_user_is_used(session, tmp_path, monkeypatch):
    from house_rules import SETTINGS

    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "settings"))
    write_settings(tmp_path / "settings", SETTINGS, {"heaviest": "0.001"})
    session.do("create structure/plate top")
    assert "HSE101" in [finding.code for finding in session.compile().findings]


def test_released_file_is_not_overwritten(session, tmp_path):
    session.save(tmp_path / "released-1.rck")
    session.do("create structure/plate top")
    with pytest.raises(RckError, match=r"plugin house-rules: released-1\.rck is released"):
        session.save(tmp_path / "released-1.rck")
