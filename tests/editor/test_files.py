"""Files: saving, quitting with unsaved changes, scripts, recent files, files changed by other programs."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rck.assembly.native_file import read_assembly
from rck.cli.edit import edit
from rck.editor.dialogs.basic import ChoiceDialog, PromptDialog
from rck.editor.settings import read_settings
from rck.model import RckError

ARM = Path(__file__).parents[2] / "examples" / "small-arm.xml"


def test_only_the_first_save_asks_for_a_name(editor):
    async def story(player):
        await player.place("foot")
        await player.press("ctrl+s")
        assert player.app.screen.focused.value == "save robot.rck"
        await player.press("enter")
        assert player.bench.session.path == editor.folder / "robot.rck"
        assert not player.bench.session.unsaved
        await player.command("create kit/foot other")
        await player.press("ctrl+s")
        assert set(read_assembly(editor.folder / "robot.rck").parts) == {"foot", "other"}

    editor.play(story)
    assert read_settings().recent == (str((editor.folder / "robot.rck").resolve()),)


def test_quitting_with_unsaved_changes_asks_and_escape_cancels(editor, arm_file):
    async def story(player):
        await player.command("create kit/foot other")
        await player.press("ctrl+q")
        assert isinstance(player.app.screen, ChoiceDialog)
        await player.press("escape")
        assert player.app.is_running
        await player.press("ctrl+q", "s")

    app = editor.play(story, file=arm_file)
    assert not app.is_running
    assert "other" in read_assembly(arm_file).parts
    assert not list(editor.folder.glob(".*.journal"))


def test_unnamed_assembly_can_be_named_when_quitting(editor):
    async def story(player):
        await player.place("foot")
        await player.press("ctrl+q", "s")
        assert player.app.screen.focused.value == "save robot.rck"
        await player.press("enter")

    app = editor.play(story)
    assert not app.is_running
    assert list(read_assembly(editor.folder / "robot.rck").parts) == ["foot"]


def test_discarding_keeps_the_file_and_removes_the_journal(editor, arm_file):
    before = arm_file.read_text()

    async def story(player):
        await player.command("remove hand --with-dependents")
        await player.press("ctrl+q", "d")

    app = editor.play(story, file=arm_file)
    assert not app.is_running
    assert arm_file.read_text() == before
    assert not list(editor.folder.glob(".*.journal"))


def test_commands_are_saved_as_a_script_that_repeats_them(editor):
    async def story(player):
        await player.place("foot")
        await player.place("servo", "t")
        await player.command("drive servo/axis 20")
        await player.press("ctrl+z")
        player.app.action_save_script()
        await player.rest()
        assert isinstance(player.app.screen, PromptDialog)
        await player.press("ctrl+u")
        await player.type("nowhere/again\r")
        assert "there is no folder" in player.said
        await player.press("ctrl+u")
        await player.type("again\r")

    app = editor.play(story)
    script = editor.folder / "again.rcks"
    assert not (editor.folder / "nowhere").exists()
    again = editor.session()
    again.run_script(script.read_text(), script.name)
    assert again.assembly == app.workbench.assembly
    assert "drive" not in script.read_text()


def test_file_changed_by_another_program_is_not_overwritten_without_confirmation(editor, arm_file):
    async def story(player):
        await player.command("create kit/foot other")
        theirs = arm_file.read_text().replace("name: untitled", "name: theirs")
        arm_file.write_text(theirs)
        await player.press("ctrl+s")
        assert arm_file.read_text() == theirs
        assert "another program" in player.bench.messages[-1].text
        assert player.app.screen.focused.value == "save --overwrite"
        await player.press("enter")
        assert "other" in read_assembly(arm_file).parts

    editor.play(story, file=arm_file)


def test_palette_has_every_command_and_opens_recent_files(editor, arm_file):
    async def story(player):
        player.app.settings = player.app.settings.with_recent(arm_file)
        entries = {one.title: one for one in player.app.get_system_commands(player.app.screen)}
        assert set(player.bench.session.grammar.commands) <= set(entries)
        assert {"Theme", "Tutorial", "Save commands as script", "Move screen"} <= set(entries)
        entries["Open recent: arm.rck"].callback()
        await player.rest()
        assert player.bench.session.path == arm_file
        assert "hand" in player.bench.assembly.parts
        entries["mate"].callback()
        await player.rest()
        assert player.app.screen.focused.value == "mate "
        entries["undo"].callback()
        assert player.said == "there is nothing to undo"

    editor.play(story)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("torn.rck", "rck: 1\nname: [", "torn.rck"),
        ("other.rck", "hello: world\n", "not an RCK assembly"),
        ("newer.rck", "rck: 999\nname: x\n", "newer"),
        ("picture.rck", b"\x89PNG\r\n\x1a\n\x00\xff", "picture.rck"),
        ("letter.doc", "Dear robot,\n", "no importer recognises"),
    ],
)
def test_unreadable_file_gives_one_message(tmp_path, monkeypatch, name, content, said):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.setenv("TEXTUAL_DRIVER", "never.started:Driver")
    result = CliRunner().invoke(edit, [str(path)])
    assert isinstance(result.exception, RckError)
    assert said in str(result.exception)


def test_folders_and_files_in_missing_folders_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere" / "arm.rck"):
        assert isinstance(CliRunner().invoke(edit, [str(path)]).exception, RckError)


def test_editor_without_a_terminal_is_refused(tmp_path: Path):
    result = CliRunner().invoke(edit, [str(tmp_path / "arm.rck")])
    assert "terminal" in str(result.exception)


def test_file_of_another_format_is_imported_into_an_empty_assembly(editor):
    async def story(player):
        assert list(player.bench.assembly.parts) == ["small-arm"]
        assert player.bench.session.unsaved
        await player.press("ctrl+z")
        assert player.bench.assembly.parts == {}

    shutil.copy(ARM, editor.folder)
    editor.play(story, first_command=f"import {ARM.name}")


def test_command_palette_stays_narrow_on_a_wide_terminal(editor):
    async def story(player):
        await player.press("ctrl+p")
        box = player.app.screen.query_one("CommandPalette > Vertical")
        assert box.size.width <= 90

    editor.play(story, size=(160, 48))
