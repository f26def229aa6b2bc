"""Settings of plugins: stored in the settings folder, validated, and read by the plugin."""

import pytest

from rck.hooks import Option, Settings, read_settings
from rck.hooks.plugin_settings import FILE, read_switches, stored_settings, switch, write_settings
from rck.model import RckError

HOUSE = Settings(
    "house",
    "rules",
    (
        Option("reach", "longest reach", "length", 1.0),
        Option("strict", "refuse", "flag", False),
        Option("mode", "mode", "choice", "slow", ("slow", "fast")),
    ),
)


def test_defaults_are_read_without_a_file(tmp_path):
    assert read_settings(HOUSE, tmp_path) == {"reach": 1.0, "strict": False, "mode": "slow"}
    assert list(tmp_path.iterdir()) == []


def test_settings_are_stored_with_units_and_survive_other_changes(tmp_path):
    write_settings(tmp_path, HOUSE, {"reach": "40", "strict": "yes"})
    switch(tmp_path, "importer-dxf", on=False)
    assert stored_settings(HOUSE, tmp_path) == {"reach": "40mm", "strict": "yes"}
    assert read_settings(HOUSE, tmp_path) == {"reach": 0.04, "strict": True, "mode": "slow"}
    assert read_switches(tmp_path).disabled == {"importer-dxf"}


def test_empty_value_restores_the_default(tmp_path):
    write_settings(tmp_path, HOUSE, {"mode": "fast", "strict": "yes"})
    write_settings(tmp_path, HOUSE, {"mode": ""})
    assert stored_settings(HOUSE, tmp_path) == {"strict": "yes"}
    write_settings(tmp_path, HOUSE, {"strict": ""})
    assert read_switches(tmp_path).settings == {}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"reach": "long"}, "option reach"),
        ({"mode": "fsat"}, "not one of slow, fast"),
        ({"raech": "1"}, "did you mean reach"),
        ({"raech": ""}, "did you mean reach"),
    ],
)
def test_invalid_setting_is_refused_and_nothing_is_stored(tmp_path, given, reason):
    with pytest.raises(RckError, match=reason):
        write_settings(tmp_path, HOUSE, given)
    assert list(tmp_path.iterdir()) == []


def test_file_that_was_edited_wrongly_is_named(tmp_path):
    (tmp_path / FILE).write_text("settings: {house: {mode: medium}}\n")
    with pytest.raises(RckError, match=r"plugins.yaml: settings of house: option mode: 'medium' is not one of"):
        read_settings(HOUSE, tmp_path)
