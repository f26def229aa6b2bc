"""Switches and folders: what the user has switched off, and where that is remembered."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.hooks import discover
from rck.hooks.folders import config_folder, data_folder
from rck.hooks.switches import FILE, read_switches, switch
from rck.model import RckError


def test_where_nothing_is_remembered_nothing_is_off(tmp_path):
    assert read_switches(tmp_path).disabled == frozenset()
    assert read_switches(tmp_path / "nowhere").disabled == frozenset()


def test_a_switch_is_remembered_until_it_is_turned(tmp_path):
    folder = tmp_path / "a" / "b"
    switch(folder, "urdf", on=False)
    switch(folder, "dxf", on=False)
    assert read_switches(folder).disabled == {"urdf", "dxf"}
    switch(folder, "urdf", on=True)
    assert read_switches(folder).disabled == {"dxf"}


def test_switching_on_what_is_on_writes_nothing(tmp_path):
    switch(tmp_path, "urdf", on=True)
    assert list(tmp_path.iterdir()) == []


def test_the_file_says_what_it_is_and_nothing_else_is_left_in_the_folder(tmp_path):
    switch(tmp_path, "urdf", on=False)
    switch(tmp_path, "dxf", on=False)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    lines = (tmp_path / FILE).read_text().splitlines()
    assert lines[0].startswith("# Plugins that are switched off")
    assert lines[1:] == ["disabled:", "- dxf", "- urdf"]


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
def test_a_file_that_names_nothing_switches_nothing_off(tmp_path, content):
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
def test_a_damaged_file_is_named_and_left_alone(tmp_path, content):
    path = tmp_path / FILE
    path.write_bytes(content)
    for attempt in (
        lambda: read_switches(tmp_path),
        lambda: switch(tmp_path, "urdf", on=False),
        lambda: discover(environment={"RCK_CONFIG": str(tmp_path)}),
    ):
        with pytest.raises(RckError, match=r"plugins.yaml is damaged: .*; mend it or remove it") as caught:
            attempt()
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(RckError, match=r"file/plugins.yaml cannot be read: Not a directory; set RCK_CONFIG"):
        read_switches(tmp_path / "file")
    (tmp_path / "rck" / FILE).mkdir(parents=True)
    with pytest.raises(RckError, match="cannot be read: Is a directory"):
        switch(tmp_path / "rck", "urdf", on=False)


def test_a_folder_that_cannot_be_written_is_named():
    with pytest.raises(RckError, match=r"/proc/settings/plugins.yaml cannot be written: .*; set RCK_CONFIG"):
        switch(Path("/proc/settings"), "urdf", on=False)


@pytest.mark.parametrize(
    ("folder", "own", "shared", "under_home"),
    [
        (config_folder, "RCK_CONFIG", "XDG_CONFIG_HOME", ".config"),
        (data_folder, "RCK_DATA", "XDG_DATA_HOME", ".local/share"),
    ],
)
def test_folders_are_where_the_specification_and_the_user_say(folder, own, shared, under_home):
    home = {"HOME": "/home/ada"}
    assert folder(home) == Path("/home/ada") / under_home / "rck"
    assert folder(home | {shared: "/var/shared"}) == Path("/var/shared/rck")
    assert folder(home | {shared: "relative/is/ignored"}) == folder(home)
    assert folder(home | {shared: ""}) == folder(home)
    assert folder(home | {shared: "/var/shared", own: "/opt/mine"}) == Path("/opt/mine")
    assert folder(home | {own: ""}) == folder(home)


def test_without_a_home_in_the_environment_the_system_is_asked(monkeypatch):
    monkeypatch.setenv("HOME", "/home/grace")
    assert config_folder({}) == Path("/home/grace/.config/rck")
    assert config_folder() == config_folder(os.environ)
