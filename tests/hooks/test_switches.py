"""Disabled plugins, and the settings folders that store them."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.hooks import discover
from rck.hooks.plugin_settings import FILE, read_switches, switch
from rck.model import RckError
from rck.support.user_folders import config_folder, data_folder


def test_no_plugin_is_disabled_without_a_settings_file(tmp_path):
    assert read_switches(tmp_path).disabled == frozenset()
    assert read_switches(tmp_path / "nowhere").disabled == frozenset()


def test_disabled_plugin_is_remembered_until_enabled(tmp_path):
    folder = tmp_path / "a" / "b"
    switch(folder, "importer-urdf", on=False)
    switch(folder, "importer-dxf", on=False)
    assert read_switches(folder).disabled == {"importer-urdf", "importer-dxf"}
    switch(folder, "importer-urdf", on=True)
    assert read_switches(folder).disabled == {"importer-dxf"}


def test_enabling_an_enabled_plugin_writes_nothing(tmp_path):
    switch(tmp_path, "importer-urdf", on=True)
    assert list(tmp_path.iterdir()) == []


def test_settings_file_has_a_header_and_is_the_only_file_in_the_folder(tmp_path):
    switch(tmp_path, "importer-urdf", on=False)
    switch(tmp_path, "importer-dxf", on=False)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    lines = (tmp_path / FILE).read_text().splitlines()
    assert lines[0].startswith("# Disabled plugins")
    assert lines[1:] == ["disabled: [importer-dxf, importer-urdf]"]


@given(
    st.sets(
        st.text(min_size=1, max_size=20) | st.sampled_from(["on", "off", "yes", "no", "null", "12", "1e3", "~"]),
        max_size=3,
    )
)
@settings(max_examples=20, deadline=None)
def test_any_name_can_be_remembered(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("settings")
    for name in names:
        switch(folder, name, on=False)
    assert read_switches(folder).disabled == names


@pytest.mark.parametrize("content", ["", "# nothing yet\n", "disabled: []\n", "{}\n"])
def test_settings_file_without_names_disables_nothing(tmp_path, content):
    (tmp_path / FILE).write_text(content)
    assert read_switches(tmp_path).disabled == frozenset()


@pytest.mark.parametrize(
    "content",
    [
        b"disabled: [urdf",
        b"disabled: urdf",
        b"disabled: [1, 2]",
        b"enabled: [urdf]",
        b"- urdf",
        b"\xff\xfe\x00",
        b"\t",
        b"7",
    ],
)
def test_damaged_settings_file_is_reported_and_not_changed(tmp_path, content):
    path = tmp_path / FILE
    path.write_bytes(content)
    for attempt in (
        lambda: read_switches(tmp_path),
        lambda: switch(tmp_path, "importer-urdf", on=False),
        lambda: discover(environment={"RCK_CONFIG": str(tmp_path)}),
    ):
        with pytest.raises(RckError, match=r"plugins.yaml is damaged: .*; repair or remove it") as caught:
            attempt()
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_unusable_folder_is_named_in_the_error(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(RckError, match=r"file/plugins.yaml cannot be read: Not a directory; set RCK_CONFIG"):
        read_switches(tmp_path / "file")
    (tmp_path / "rck" / FILE).mkdir(parents=True)
    with pytest.raises(RckError, match="cannot be read: Is a directory"):
        switch(tmp_path / "rck", "urdf", on=False)


def test_unwritable_folder_is_named_in_the_error():
    with pytest.raises(RckError, match=r"/proc/settings/plugins.yaml cannot be written: .*; set RCK_CONFIG"):
        switch(Path("/proc/settings"), "urdf", on=False)


@pytest.mark.parametrize(
    ("folder", "own", "shared", "under_home"),
    [
        (config_folder, "RCK_CONFIG", "XDG_CONFIG_HOME", ".config"),
        (data_folder, "RCK_DATA", "XDG_DATA_HOME", ".local/share"),
    ],
)
def test_folders_follow_the_xdg_specification_and_rck_variables(folder, own, shared, under_home):
    home = {"HOME": "/home/ada"}
    assert folder(home) == Path("/home/ada") / under_home / "rck"
    assert folder(home | {shared: "/var/shared"}) == Path("/var/shared/rck")
    assert folder(home | {shared: "relative/is/ignored"}) == folder(home)
    assert folder(home | {shared: ""}) == folder(home)
    assert folder(home | {shared: "/var/shared", own: "/opt/mine"}) == Path("/opt/mine")
    assert folder(home | {own: ""}) == folder(home)


def test_home_folder_comes_from_the_system_without_the_home_variable(monkeypatch):
    monkeypatch.setenv("HOME", "/home/grace")
    assert config_folder({}) == Path("/home/grace/.config/rck")
    assert config_folder() == config_folder(os.environ)


def test_plugins_disabled_under_a_former_name_stay_disabled(tmp_path):
    (tmp_path / "plugins.yaml").write_text("disabled: [urdf-export, dxf, third-party]\n")
    assert read_switches(tmp_path).disabled == {"exporter-urdf", "importer-dxf", "third-party"}
    switch(tmp_path, "exporter-urdf", on=True)
    assert read_switches(tmp_path).disabled == {"importer-dxf", "third-party"}
    assert "urdf-export" not in (tmp_path / "plugins.yaml").read_text()
