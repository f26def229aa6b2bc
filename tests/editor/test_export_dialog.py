"""The export dialog: what a format would lose is told before anything is written."""

from textual.widgets import Input, OptionList, Static

from rck.editor.dialogs import Told
from rck.editor.export_dialog import ExportDialog
from rck.exporting.everything import robot_exporters


def shown(player, name):
    return str(player.app.screen.query_one(name, Static).content)


async def highlight(player, name):
    formats = player.app.screen.query_one("#export-formats", OptionList)
    formats.highlighted = [one.name for one in robot_exporters(player.bench.session.plugins)].index(name)
    await player.rest()


def test_the_dialog_tells_what_the_format_would_lose_and_writes_on_enter(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        assert isinstance(player.app.screen, ExportDialog)
        await highlight(player, "stl")
        assert "It would behave differently:" in shown(player, "#export-told")
        assert "joints, frames" in shown(player, "#export-told")
        await player.press("enter")
        assert player.app.screen.query_one("#export-file", Input).value == f"{arm_file.stem}.stl"
        await player.press("enter")
        assert not isinstance(player.app.screen, ExportDialog)

    editor.play(story, file=arm_file)
    assert (editor.folder / f"{arm_file.stem}.stl").stat().st_size > 84


def test_letters_go_to_a_format(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        await player.type("urd")
        name = player.app.screen.query_one("#export-file", Input)
        assert name.value == "arm.urdf"
        await player.type("stl")
        assert name.value == "arm.stl"

    editor.play(story, file=arm_file)


def test_a_format_that_cannot_hold_the_robot_says_why_and_writes_nothing(editor):
    async def story(player):
        await player.press("ctrl+e")
        await highlight(player, "robosim")
        assert "It cannot be written:" in shown(player, "#export-told")
        await player.press("enter", "enter")
        assert isinstance(player.app.screen, ExportDialog)
        assert "one robot on one base" in shown(player, "#export-reason")
        await player.press("escape")

    branches = ("create kit/foot foot", "create kit/foot other")
    editor.play(story, commands=branches)
    assert not list(editor.folder.glob("*.loc*"))


def test_a_file_without_a_name_is_asked_for_again(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        await highlight(player, "urdf")
        await player.press("enter")
        player.app.screen.query_one("#export-file", Input).value = " "
        await player.press("enter")
        assert "a file name is missing" in shown(player, "#export-reason")

    editor.play(story, file=arm_file)


def test_an_assembly_without_a_robot_tells_the_reasons(editor):
    (editor.folder / "broken.rck").write_text("rck: 1\nname: broken\nparts:\n  a: {part: kit/nothing}\n")

    async def story(player):
        await player.press("ctrl+e")
        assert isinstance(player.app.screen, Told)

    editor.play(story, file=editor.folder / "broken.rck")
