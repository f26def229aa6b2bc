"""Help: F1, the tutorial, the command palette, jump mode; and custom keys."""

import pytest
from textual.command import CommandPalette
from textual.widgets import HelpPanel, Markdown

from rck.editor.dialogs.jump import JumpScreen, jump_targets
from rck.editor.settings import KEYMAPS, binding_ids, read_keymap
from rck.editor.widgets.joint_sliders import JointSliders
from rck.editor.widgets.property_table import PropertyTable
from rck.editor.widgets.tutorial_card import STEPS, TutorialCard, current_step
from rck.editor.workbench import Selected


def test_f1_shows_and_hides_the_help_of_the_focused_panel(editor, arm):
    async def story(player):
        for key, heading in (
            ("escape", "# View"),
            ("2", "# Assembly"),
            ("3", "# Inspector"),
            ("colon", "# Command line"),
        ):
            await player.press(key, "f1")
            panel = player.app.screen.query_one(HelpPanel)
            assert heading in panel.query_one(Markdown).source
            await player.press("f1")
            assert not player.app.screen.query(HelpPanel)
            await player.press("escape")

    editor.play(story, commands=arm, size=(120, 40))


def test_tutorial_leads_to_a_moving_arm_in_six_steps(real_editor):
    async def story(player):
        def card():
            return str(player.app.screen.query_one(TutorialCard).render())

        await player.type("?")
        assert card().startswith("1 of 6")
        await player.type("round base\r")
        assert card().startswith("2 of 6")
        await player.type("/xm540\rt\r")
        assert card().startswith("3 of 6")
        await player.type("/bar link\r\r")
        assert card().startswith("4 of 6")
        await player.type("/xm430\r\r")
        assert card().startswith("5 of 6")
        player.bench.select(Selected("instance", "bar-link"))
        await player.press("3")
        table = player.app.screen.query_one(PropertyTable)
        table.cursor = next(number for number, row in enumerate(table.rows) if row.label == "length")
        await player.type("150\r")
        assert player.bench.assembly.parts["bar-link"].with_ == {"length": 150}
        await player.press("ctrl+z")
        assert card().startswith("6 of 6")
        await player.press("escape", "f3", "right")
        player.app.screen.query_one(JointSliders).settle()
        await player.rest()
        assert card().startswith("Finished")
        assert current_step(player.bench, player.bench.tutorial_step) == len(STEPS) == 6
        await player.press("question_mark")
        assert not player.app.screen.has_class("tutorial")

    real_editor.play(story)


def test_palette_finds_a_command_and_jump_focuses_a_panel_by_letter(editor, arm):
    async def story(player):
        await player.press("ctrl+p")
        assert isinstance(player.app.screen, CommandPalette)
        await player.type("move screen")
        await player.pilot.pause(0.3)
        await player.press("enter", "enter")
        assert player.app.current_mode == "move"
        await player.press("f2", "ctrl+o")
        assert isinstance(player.app.screen, JumpScreen)
        await player.press("escape")
        targets = jump_targets(player.app.screen)
        letter = next(letter for letter, widget in targets.items() if widget.id == "assembly")
        await player.press("ctrl+o", letter)
        assert player.app.screen.focused.id == "assembly"

    editor.play(story, commands=arm, size=(120, 36))


def write_keys(tmp_path, text):
    folder = tmp_path / "config"
    folder.mkdir(exist_ok=True)
    (folder / "keys.yaml").write_text(text)
    return folder


def test_vim_preset_and_custom_keys_work_and_other_keys_stay(editor, arm, tmp_path):
    write_keys(tmp_path, "preset: vim\nsave: ctrl+w\nview-left: [a, left]\n")

    async def story(player):
        await player.press("2", "j", "j")
        assert player.bench.selection == (Selected("instance", "shoulder"),)
        await player.press("k", "G", "g", "escape")
        view = player.app.screen.query_one("#view")
        before = view.camera
        await player.press("a")
        assert view.camera != before
        await player.press("right")
        await player.command("create kit/foot other")
        await player.press("u")
        assert "other" not in player.bench.assembly.parts
        await player.press("ctrl+r")
        assert "other" in player.bench.assembly.parts
        await player.press("ctrl+w")
        assert player.app.screen.focused.value == "save robot.rck"

    editor.play(story, commands=arm)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("undoo: u\n", "undoo (did you mean undo?)"),
        ("preset: emacs\n", "unknown preset emacs"),
        ("- a\n- b\n", "lines such as `undo: ctrl+z`"),
        ("undo: [", "lines such as `undo: ctrl+z`"),
    ],
)
def test_invalid_keymap_is_reported_and_ignored(tmp_path, text, said):
    keys, complaints = read_keymap(write_keys(tmp_path, text))
    assert keys == {}
    assert len(complaints) == 1
    assert said in complaints[0]


def test_presets_use_only_known_binding_ids():
    for keymap in KEYMAPS:
        assert keymap.keys.keys() <= binding_ids().keys()
