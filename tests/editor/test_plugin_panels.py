"""Panels of plugins are on any screen, follow the robot, and run commands; one that fails or is slow harms nothing."""

import asyncio
import time

import pytest

from rck.editor.widgets.command_line import CommandInput
from rck.editor.widgets.plugin_panels import PanelView, PluginPanels

PANEL = """
import time
from rck.hooks import (
    EditorPanel, PanelBar, PanelButton, PanelField, PanelTable, PanelText, hookimpl,
)
from rck.model import RckError

TITLE = ["mass"]

def masses(context):
    if context.robot is None:
        raise RckError("no robot")
    yield PanelText(f"{TITLE[0]}: {len(context.robot.items)} items", "bold")
    yield f"{context.screen} {list(context.selection)} {context.tool}"
    yield PanelTable(("name", "kg"), tuple((n, "1.0") for n in context.document.assembly.parts), choose)
    yield PanelBar("load", 0.5, "half")
    yield PanelButton("Remove hand", remove)
    yield PanelButton("Break", broken)
    yield PanelField("Title", TITLE[0], rename)
    yield " ".join(f"{n}={v:.2f}" for n, v in context.positions.items())

def choose(context, row):
    context.notify(f"row {row}: {list(context.document.assembly.parts)[row]}", "done")

def remove(context):
    context.do("remove hand --with-dependents")
    context.do("pose bent shoulder/axis=30")

def broken(context):
    context.do("remove hand --with-dependents")
    context.notify("never shown")
    raise ValueError("stumbled")

def rename(context, text):
    if not text:
        raise RckError("the title is empty")
    TITLE[0] = text

def faulty(context):
    raise ValueError("stumbled")

def other(context):
    return [7]

def nothing(context):
    return None

def slow(context):
    time.sleep(30)  # never ends in time

def running(context):
    context.do("new")
    return []

@hookimpl
def rck_editor_panels():
    return [EditorPanel("masses", "counts", WHAT, SCREENS, deadline=0.3)]
"""
ALL = ("build", "move", "simulate", "import", "plugins")


@pytest.fixture
def with_panel(editor):
    """Let the editor have one plugin, whose panel shows the result of this function."""

    def use(what="masses", screens=("build",)):
        editor.use_plugin(f"panel_{what}", PANEL.replace("WHAT", what).replace("SCREENS", repr(screens)))

    return use


def view_of(player):
    return player.app.screen.query_one(PluginPanels).query_one(PanelView)


def test_panel_follows_the_robot_and_the_selection(editor, arm, with_panel):
    with_panel()

    async def story(player):
        shown = view_of(player).plain
        assert shown.splitlines()[:2] == ["mass: 9 items", "build [] grip"]
        assert "name       kg" in shown
        assert "load ━━━━━━────── half" in shown
        assert "shoulder/axis=0.00" in shown
        await player.command("remove hand --with-dependents")
        assert view_of(player).plain.startswith("mass: 6 items")
        await player.command("set joint shoulder/axis position=90")
        await player.press("escape", "2", "down")
        assert "['" in view_of(player).plain.splitlines()[1]

    editor.play(story, commands=arm, size=(160, 48))


def test_panel_follows_a_joint_while_it_is_moved(editor, arm, with_panel):
    with_panel(screens=("move",))

    async def story(player):
        await player.press("f3")
        assert "shoulder/axis=0.00" in view_of(player).plain
        player.app.screen.query_one("#joints").focus()
        await player.press("right")
        assert "shoulder/axis=0.00" not in view_of(player).plain

    editor.play(story, commands=arm, size=(160, 48))


@pytest.mark.parametrize("key", ["f2", "f3", "f4", "f5", "f6"])
def test_panel_is_on_every_screen_that_it_names(editor, arm, with_panel, key):
    with_panel(screens=ALL)

    async def story(player):
        await player.press(key)
        name = ALL[int(key[1]) - 2]
        assert view_of(player).plain.splitlines()[1].startswith(name)
        assert view_of(player).size.height > 0
        await player.press("escape" if name != "plugins" else "down", "5")

    editor.play(story, commands=arm, size=(160, 48))


def test_button_runs_its_commands_and_a_row_and_a_field_are_chosen_by_keys(editor, arm, with_panel):
    with_panel()

    async def story(player):
        await player.press("escape", "5")
        assert player.app.focused is view_of(player)
        await player.press("down", "enter")
        assert player.said == "row 1: shoulder"
        await player.press("down", "down", "down", "down", "enter")
        assert "hand" not in player.bench.assembly.parts
        assert "bent" in player.bench.assembly.poses
        assert view_of(player).plain.startswith("mass: 6 items")
        await player.press("down", "down", "down", "enter")
        await player.press(*("backspace",) * 4, "enter")
        assert "the title is empty" in player.said
        await player.press("down", "enter")
        await player.type("total")
        await player.press("enter")
        assert view_of(player).plain.startswith("total: 6 items")

    editor.play(story, commands=arm, size=(160, 48))


def test_no_command_runs_after_a_fault(editor, arm, with_panel):
    with_panel()

    async def story(player):
        before = player.bench.assembly
        await player.press("escape", "5", *("down",) * 6, "enter")
        assert "editor panel masses failed: ValueError: stumbled (panel_masses.py, line 32)" in player.said
        assert player.bench.assembly is before
        assert not any("never shown" in one.text for one in player.bench.messages)

    editor.play(story, commands=arm, size=(160, 48))


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("faulty", "ValueError: stumbled (panel_faulty.py, line 40)"),
        ("other", "show returned int among its content"),
        ("nothing", "TypeError: 'NoneType' object is not iterable"),
        ("slow", "TimeoutError: no result after 0.3 s (panel_slow.py, line 49)"),
    ],
)
def test_panel_that_fails_or_takes_too_long_is_removed_and_reported(editor, arm, with_panel, what, why):
    with_panel(what)

    async def story(player):
        assert any(why in one.text for one in player.bench.messages), player.bench.messages
        assert any(why in finding.message for finding in player.bench.findings)
        await player.command("create kit/foot second")
        assert "second" in player.bench.assembly.parts
        assert player.app.screen.query_one(PluginPanels).empty

    start = time.monotonic()
    editor.play(story, commands=arm)
    assert time.monotonic() - start < 25, "the editor waits for the panel"


def test_editor_answers_while_a_panel_is_computing(editor, arm):
    source = PANEL.replace("WHAT", "slow").replace("SCREENS", "('build',)").replace("deadline=0.3", "deadline=20")
    editor.use_plugin("panel_wait", source)
    app = editor.app(commands=arm)

    async def run():
        async with app.run_test(size=(160, 48)) as pilot:
            await pilot.pause()
            view = app.screen.query_one(PanelView)
            assert view._asking
            assert app.workbench.run("create kit/foot second")
            await pilot.press("escape", "colon", "x")
            assert app.screen.query_one(CommandInput).value == "x"
            assert view._asking, "the panel is still computing"

    start = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - start < 15, "the editor waited for the panel"


def test_a_function_that_shows_something_cannot_run_commands(editor, arm, with_panel):
    with_panel("running")

    async def story(player):
        assert "cannot run commands" in view_of(player).plain
        assert player.bench.assembly.parts

    editor.play(story, commands=arm)


def test_refusal_of_a_panel_is_shown_in_it(editor, with_panel):
    with_panel()
    (editor.folder / "bad.rck").write_text("rck: 1\nname: bad\nparts: {a: {part: no/such-part}}\n")

    async def story(player):
        assert view_of(player).plain == "no robot"

    editor.play(story, file=editor.folder / "bad.rck", size=(160, 48))


def test_panel_key_without_panels_shows_a_message(editor, arm):
    async def story(player):
        await player.press("escape", "5")
        assert "no plugin adds a panel" in player.said

    editor.play(story, commands=arm)
