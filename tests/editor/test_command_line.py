"""The command line: completion, history, previews, refusals, pasted scripts."""

from rck.editor.dialogs.basic import ChoiceDialog, TextDialog
from rck.editor.widgets.assembly_tree import AssemblyTree
from rck.editor.widgets.command_line import CommandInput
from rck.editor.workbench import Workbench


def test_tab_completes_the_common_prefix_and_lists_the_rest(editor):
    async def story(player):
        await player.press("colon")
        await player.type("cre")
        await player.press("tab")
        box = player.app.screen.query_one(CommandInput)
        assert box.value == "create "
        await player.type("kit/s")
        await player.press("tab")
        assert "kit/servo" in player.said
        assert "kit/strong-servo" in player.said
        await player.type("er")
        await player.press("tab")
        assert box.value == "create kit/servo "

    editor.play(story)


def test_suggestion_must_start_with_the_typed_letters(editor):
    async def story(player):
        box = player.app.screen.query_one(CommandInput)
        await player.type(":create kit/f")
        assert box._suggestion == "create kit/foot"
        await player.press("ctrl+u")
        await player.type("create foo")
        assert box._suggestion == ""
        await player.press("tab")
        assert box.value == "create kit/foot "
        await player.press("ctrl+u")
        await player.type("create serv")
        await player.press("tab")
        assert box.value == "create serv"
        assert "kit/strong-servo" in player.said

    editor.play(story)


def test_focus_returns_to_where_a_command_was_started(editor):
    async def story(player):
        box = player.app.screen.query_one(CommandInput)
        tree = player.app.screen.query_one(AssemblyTree)
        await player.press("escape", "2")
        await player.type(":create kit/nonsense\r")
        assert box.has_focus
        await player.press("ctrl+u")
        await player.type("create kit/foot\r")
        assert tree.has_focus
        await player.click(CommandInput)
        await player.type("create kit/foot other\r")
        assert box.has_focus
        assert set(player.bench.assembly.parts) == {"foot", "other"}

    editor.play(story)


def test_undo_in_the_command_line_reverts_words_then_commands(editor):
    async def story(player):
        box = player.app.screen.query_one(CommandInput)
        await player.type(":create kit/foot\r:move foot 0,0,1")
        await player.press("ctrl+z")
        assert box.value == "move foot "
        await player.press("ctrl+z", "ctrl+z")
        assert box.value == ""
        assert player.bench.assembly.parts
        await player.press("ctrl+z")
        assert not player.bench.assembly.parts

    editor.play(story)


def test_up_and_down_recall_typed_lines(editor):
    async def story(player):
        await player.press("colon")
        for line in ("create kit/foot", "create kit/foot other"):
            await player.paste(line)
            await player.press("enter", "colon")
        box = player.app.screen.query_one(CommandInput)
        await player.press("up")
        assert box.value == "create kit/foot other"
        await player.press("up", "up")
        assert box.value == "create kit/foot"
        await player.press("down", "down")
        assert box.value == ""

    editor.play(story)


def test_view_previews_the_line_and_a_refused_line_stays_for_correction(editor):
    async def story(player):
        await player.press("colon")
        await player.type("move foot 0,0,100")
        assert player.bench.preview.ghosts == {"foot/plate"}
        await player.type("x")
        assert player.bench.preview is None
        message = player.app.screen.query_one("#message")
        assert "is not a unit of length" in str(message.render())
        await player.press("enter")
        assert player.app.screen.query_one(CommandInput).value.endswith("100x")
        assert player.bench.messages[-1].tone == "error"
        await player.press("backspace", "enter")
        assert player.bench.assembly.parts["foot"].place is not None

    editor.play(story, commands=("create kit/foot",))


def test_last_message_stays_when_the_line_is_cleared(editor):
    async def story(player):
        await player.press("colon")
        await player.paste("move foot 0,0,100")
        await player.press("enter")
        message = player.app.screen.query_one("#message")
        assert player.app.screen.query_one(CommandInput).value == ""
        assert "moved foot" in str(message.render())
        await player.type(":move fo")
        assert "moved foot" not in str(message.render())

    editor.play(story, commands=("create kit/foot",))


def test_extra_colon_is_ignored(editor):
    async def story(player):
        await player.type("::create kit/foot\r:create kit/foot other\r")
        assert set(player.bench.assembly.parts) == {"foot", "other"}

    editor.play(story)


def test_long_output_is_shown_in_a_dialog_that_escape_closes(editor):
    async def story(player):
        await player.press("colon")
        await player.type("help")
        await player.press("enter")
        assert isinstance(player.app.screen, TextDialog)
        await player.press("escape")
        assert not isinstance(player.app.screen, TextDialog)

    editor.play(story)


def test_one_pasted_line_is_inserted_and_several_need_confirmation(editor, arm):
    async def story(player):
        await player.press("colon")
        await player.paste("create kit/foot")
        assert player.app.screen.query_one(CommandInput).value == "create kit/foot"
        await player.press("escape", "colon")
        await player.paste("\n".join(arm))
        assert isinstance(player.app.screen, ChoiceDialog)
        await player.press("r")
        assert len(player.bench.assembly.parts) == 5
        await player.press("escape", "colon")
        await player.paste("create kit/foot extra\nno such command")
        await player.press("r")
        assert "extra" not in player.bench.assembly.parts

    editor.play(story)


def test_slow_commands_do_not_block_the_interface(editor):
    (editor.folder / "more.rcks").write_text("create kit/foot\ncreate kit/servo --at foot.top --by back\n")

    async def story(player):
        await player.press("colon")
        await player.type("run more.rcks")
        await player.press("enter")
        assert list(player.bench.assembly.parts) == ["foot", "servo"]
        assert player.bench.busy == ""
        assert player.app.screen.query_one(CommandInput).value == ""

    editor.play(story)


def test_commands_are_refused_while_another_is_running(editor):
    waiting = []
    bench = Workbench(editor.session(), command_runner=lambda work, done: waiting.append((work, done)))
    bench.run_in_background("run other.rcks", lambda succeeded: None)
    assert not bench.run("create kit/foot")
    assert "still running" in bench.messages[-1].text
    work, done = waiting.pop()
    done(work())
    assert bench.run("create kit/foot")
