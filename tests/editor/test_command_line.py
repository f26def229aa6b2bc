"""The command line: completion, history, previews, refusals, pasted scripts."""

from rck.editor.dialogs import Ask, Told
from rck.editor.widgets.assembly_tree import AssemblyTree
from rck.editor.widgets.command_line import CommandInput


def test_tab_completes_as_far_as_it_is_certain_and_lists_the_rest(editor):
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


def test_only_what_goes_on_from_the_typed_letters_is_drawn_behind_them(editor):
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


def test_keys_go_back_to_where_a_command_was_begun(editor):
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


def test_undo_in_the_line_takes_back_words_and_then_commands(editor):
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


def test_up_and_down_go_through_what_was_typed(editor):
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


def test_the_view_shows_what_a_line_would_give_and_a_refusal_stays_to_be_corrected(editor):
    async def story(player):
        await player.press("colon")
        await player.type("move foot 0,0,100")
        assert player.bench.preview.ghosts == {"foot/plate"}
        await player.type("x")
        assert player.bench.preview is None
        message = player.app.screen.query_one("#message")
        assert "no unit of length" in str(message.render())
        await player.press("enter")
        assert player.app.screen.query_one(CommandInput).value.endswith("100x")
        assert player.bench.said[-1].tone == "refused"
        await player.press("backspace", "enter")
        assert player.bench.assembly.parts["foot"].place is not None

    editor.play(story, commands=("create kit/foot",))


def test_what_was_said_stays_when_the_line_is_emptied_for_the_next_command(editor):
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


def test_a_colon_too_many_does_no_harm(editor):
    async def story(player):
        await player.type("::create kit/foot\r:create kit/foot other\r")
        assert set(player.bench.assembly.parts) == {"foot", "other"}

    editor.play(story)


def test_a_long_answer_is_shown_over_the_screen_and_escape_leaves_it(editor):
    async def story(player):
        await player.press("colon")
        await player.type("help")
        await player.press("enter")
        assert isinstance(player.app.screen, Told)
        await player.press("escape")
        assert not isinstance(player.app.screen, Told)

    editor.play(story)


def test_one_pasted_line_goes_into_the_line_several_are_asked_about(editor, arm):
    async def story(player):
        await player.press("colon")
        await player.paste("create kit/foot")
        assert player.app.screen.query_one(CommandInput).value == "create kit/foot"
        await player.press("escape", "colon")
        await player.paste("\n".join(arm))
        assert isinstance(player.app.screen, Ask)
        await player.press("d")
        assert len(player.bench.assembly.parts) == 5
        await player.press("escape", "colon")
        await player.paste("create kit/foot extra\nno such command")
        await player.press("d")
        assert "extra" not in player.bench.assembly.parts

    editor.play(story)


def test_commands_that_take_long_do_not_stop_the_interface(editor):
    (editor.folder / "more.rcks").write_text("create kit/foot\ncreate kit/servo --at foot.top --by back\n")

    async def story(player):
        await player.press("colon")
        await player.type("run more.rcks")
        await player.press("enter")
        assert list(player.bench.assembly.parts) == ["foot", "servo"]
        assert player.bench.busy == ""
        assert player.app.screen.query_one(CommandInput).value == ""

    editor.play(story)


def test_while_one_command_is_under_way_no_other_is_done(editor):
    from rck.editor.workbench import Workbench

    waiting = []
    bench = Workbench(editor.session(), beside=lambda work, done: waiting.append((work, done)))
    bench.do_beside("run other.rcks", lambda well: None)
    assert not bench.do("create kit/foot")
    assert "under way" in bench.said[-1].text
    work, done = waiting.pop()
    done(work())
    assert bench.do("create kit/foot")
