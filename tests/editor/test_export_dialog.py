"""The export dialog: losses are shown before anything is written."""

from textual.widgets import Input, Static

from rck.editor.dialogs.basic import TextDialog
from rck.editor.dialogs.export import ExportDialog, FormatList, SettingRow, placeholder
from rck.hooks import Exporter, Option


def shown(player, name):
    return str(player.app.screen.query_one(name, Static).content)


async def highlight(player, name):
    player.app.screen.query_one(FormatList).choose(name)
    await player.rest()


def test_dialog_shows_losses_and_exports_on_enter(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        assert isinstance(player.app.screen, ExportDialog)
        await highlight(player, "stl")
        assert "Behaves differently:" in shown(player, "#export-result")
        assert "joints" in shown(player, "#export-result")
        await player.press("enter")
        assert player.app.screen.query_one("#export-file", Input).value == f"{arm_file.stem}.stl"
        await player.press("enter")
        assert not isinstance(player.app.screen, ExportDialog)

    editor.play(story, file=arm_file)
    assert (editor.folder / f"{arm_file.stem}.stl").stat().st_size > 84


def test_typing_letters_selects_a_format(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        await player.type("urd")
        name = player.app.screen.query_one("#export-file", Input)
        assert name.value == "arm.urdf"
        await player.type("stl")
        assert name.value == "arm.stl"

    editor.play(story, file=arm_file)


def test_formats_are_grouped_and_the_last_one_is_selected_again(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        formats = player.app.screen.query_one(FormatList)
        assert formats.chosen.name == "urdf"
        lines = [str(option.prompt).split()[0] for option in formats.options]
        assert lines[:5] == ["Simulators", "urdf", "mjcf", "sdf", "usd"]
        assert lines.index("Historic") < lines.index("seffas")
        await highlight(player, "stl")
        await player.press("enter", "enter")
        await player.press("ctrl+e")
        assert player.app.screen.query_one(FormatList).chosen.name == "stl"

    editor.play(story, file=arm_file)


def test_unsupported_robot_shows_the_reason_and_writes_nothing(editor):
    async def story(player):
        await player.press("ctrl+e")
        await highlight(player, "robosim")
        assert "Cannot be exported:" in shown(player, "#export-result")
        await player.press("enter", "enter")
        assert isinstance(player.app.screen, ExportDialog)
        assert "one robot with one base" in shown(player, "#export-reason")
        await player.press("escape")

    branches = ("create kit/foot foot", "create kit/foot other")
    editor.play(story, commands=branches)
    assert not list(editor.folder.glob("*.loc*"))


def test_empty_file_name_is_refused(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        await highlight(player, "urdf")
        await player.press("enter")
        player.app.screen.query_one("#export-file", Input).value = " "
        await player.press("enter")
        assert "enter a file name" in shown(player, "#export-reason")

    editor.play(story, file=arm_file)


def test_assembly_that_does_not_compile_shows_the_reasons(editor):
    (editor.folder / "broken.rck").write_text("rck: 1\nname: broken\nparts:\n  a: {part: kit/nothing}\n")

    async def story(player):
        await player.press("ctrl+e")
        assert isinstance(player.app.screen, TextDialog)

    editor.play(story, file=editor.folder / "broken.rck")


def rows(player):
    return {row.setting.name: row for row in player.app.screen.query(SettingRow).results(SettingRow)}


def test_format_options_are_fields_with_defaults_and_become_arguments(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        await highlight(player, "dh")
        assert list(rows(player)) == [option.name for option in exporter_named(player, "dh").options]
        await highlight(player, "rib")
        fields = rows(player)
        assert fields["size"].field.placeholder.startswith("1280x800 · ")
        assert fields["angle"].field.placeholder.startswith("30° · ")
        assert all(row.region.bottom <= 23 for row in fields.values() if row.region.height), "it fits 80x24"
        await player.press("enter", "tab")
        assert player.app.focused is fields["size"].field
        await player.type("64x48")
        await player.press("enter")
        assert player.app.focused is player.app.screen.query_one("#export-file")
        await player.press("enter")
        assert not isinstance(player.app.screen, ExportDialog)
        assert any("export arm.rib size=64x48 --format rib" in one.text for one in player.bench.messages)

    editor.play(story, file=arm_file, size=(80, 24))
    assert "Format 64 48" in (editor.folder / "arm.rib").read_text()


def test_invalid_option_shows_the_reason_next_to_its_field_and_writes_nothing(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        await highlight(player, "rib")
        row = rows(player)["view"]
        row.field.value = "sideways"
        player.app.screen.query_one("#export-file").focus()
        await player.press("enter")
        assert isinstance(player.app.screen, ExportDialog)
        assert "'sideways' is not one of" in str(row.query_one(".export-refusal", Static).content)
        assert player.app.focused is row.field
        row.field.value = "front"
        await player.press("enter")
        assert str(row.query_one(".export-refusal", Static).content) == ""
        await player.press("escape")

    editor.play(story, file=arm_file, size=(80, 24))
    assert not (editor.folder / "arm.rib").exists()


def test_format_without_options_shows_no_fields(editor, arm_file):
    async def story(player):
        await player.press("ctrl+e")
        await highlight(player, "rib")
        await highlight(player, "bom")
        assert rows(player) == {}
        assert player.app.screen.query_one("#export-settings").region.height == 0

    editor.play(story, file=arm_file)


def exporter_named(player, name):
    return next(one for one in player.bench.session.plugins.all(Exporter) if one.name == name)


def test_defaults_are_shown_as_typed():
    shown = {
        Option("a", "help", "flag", True): "yes · help",
        Option("a", "help", "length", 0.002): "2 mm · help",
        Option("a", "help", "angle", "5 deg"): "5 deg · help",
        Option("a", "help", "number", 3.0): "3 · help",
        Option("a", "help"): "help",
    }
    assert {option: placeholder(option) for option in shown} == shown
