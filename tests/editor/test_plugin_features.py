"""Actions, overlays, screens, themes, keymaps and start templates of plugins are used like those of RCK."""

import numpy as np
import pytest
from textual.widgets import OptionList, Static

from rck.editor.command_palette import palette_commands
from rck.editor.themes import THEMES
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.plugin_panels import PanelView
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.title_bar import TitleBar
from rck.hooks import Plugins
from rck.hooks.project_plugins import FilePoint
from rck.rendering.picture import QUICK

ACTIONS = """
from time import monotonic

from rck.hooks import EditorAction, hookimpl

def count(context):
    context.notify(f"{len(context.document.assembly.parts)} instances on {context.screen}", "done")

def add(context):
    context.do("create kit/foot second")
    context.do("create kit/foot third")

def half(context):
    context.do("create kit/foot second")
    context.do("create no/such")

def broken(context):
    context.do("create kit/foot second")
    raise KeyError("lost")

def endless(context):
    # Its thread ends some time, so that it does not slow the tests after it.
    end = monotonic() + 3
    while monotonic() < end:
        pass

@hookimpl
def rck_editor_actions():
    return [
        EditorAction("count-parts", "count the instances", count, "ctrl+g"),
        EditorAction("add", "add two feet", add, screens=("build",)),
        EditorAction("half", "one good and one bad command", half),
        EditorAction("broken", "a fault after a command", broken),
        EditorAction("endless", "ends too late", endless, deadline=0.2),
        EditorAction("clash", "uses a key of RCK", count, "ctrl+s"),
    ]
"""
OVERLAY = """
import numpy as np
from rck.hooks import (
    LegendEntry, Overlay, OverlayLines, OverlayMesh, OverlayPoints, OverlayShapes, OverlayText, hookimpl,
)

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)

def draw(context):
    if context.robot is None or not context.robot.items:
        return OverlayShapes()
    centres = np.array([item.pose[:3, 3] for item in context.robot.items])
    up = np.stack([centres, centres + (0, 0, 0.3)], axis=1)
    roof = np.array([(-1, -1, 0.5), (1, -1, 0.5), (0, 1, 0.5)], dtype=float)
    return OverlayShapes(
        points=(OverlayPoints(centres, RED, 0.02),),
        lines=(OverlayLines(up, GREEN),),
        meshes=(OverlayMesh(roof, np.array([(0, 1, 2)]), BLUE, 0.4),),
        texts=(OverlayText("ROOF", tuple(centres.mean(axis=0))),),
        item_colours={context.robot.items[0].name: RED},
        legend=(LegendEntry(RED, "origins"), LegendEntry(GREEN, "up")),
    )

def wrong(context):
    return OverlayShapes(meshes=(OverlayMesh(np.zeros((3, 3)), np.array([(0, 1, 7)]), RED),))

def broken(context):
    return OverlayShapes(points=(OverlayPoints(np.full((2, 3), np.nan), RED),))

@hookimpl
def rck_overlays():
    return [
        Overlay("origins", "origins of the items", draw, "ctrl+g"),
        Overlay("wrong", "a wrong mesh", wrong),
        Overlay("broken", "points that are nowhere", broken),
    ]
"""
REST = """
from rck.hooks import EditorScreen, Keymap, PanelButton, PanelTable, StartTemplate, Theme, hookimpl

def masses(context):
    names = tuple(context.document.assembly.parts)
    yield PanelTable(("instance", "part"), tuple((n, context.document.assembly.parts[n].part) for n in names))
    yield PanelButton("Add", lambda context: context.do("create kit/foot second"))

@hookimpl
def rck_editor_screens():
    return [
        EditorScreen("bill-of-parts", "all instances", masses, "f7"),
        EditorScreen("text-only", "no view", lambda context: ["plain"], with_view=False),
        EditorScreen("build", "a name that is taken", masses),
        EditorScreen("faulty", "raises", lambda context: 1 / 0),
    ]

@hookimpl
def rck_themes():
    return [Theme("sea", "blue", {"primary": "#2266aa"}), Theme("odd", "wrong", {"primary": "no colour"})]

@hookimpl
def rck_keymaps():
    return [Keymap("mine", "my keys", {"undo": "ctrl+u", "no-such-action": "x"})]

@hookimpl
def rck_start_templates():
    return [
        StartTemplate("two-feet", "two feet", "create kit/foot a\\ncreate kit/foot b\\n"),
        StartTemplate("bad", "a template with an error", "create no/such"),
    ]
"""


@pytest.fixture
def with_source(editor, tmp_path):
    """Add a plugin to those of RCK."""

    def use(name, source):
        file = tmp_path / f"{name}.py"
        file.write_text(source)
        editor.plugins = Plugins([*(plugin.point for plugin in editor.plugins._plugins.values()), FilePoint(file)])

    return use


async def run_entry(player, title):
    entries = {entry.title: entry.callback for entry in palette_commands(player.app)}
    entries[title]()
    await player.rest()


def test_action_runs_by_its_key_and_by_the_palette_and_is_in_key_bar_and_help(editor, arm, with_source):
    with_source("actions", ACTIONS)

    async def story(player):
        await player.press("escape", "ctrl+g")
        assert player.said == "5 instances on build"
        await player.press("f3", "ctrl+g")
        assert player.said == "5 instances on move"
        await player.press("f2")
        await run_entry(player, "count-parts")
        assert player.said == "5 instances on build"
        bar = player.app.screen.query_one(KeyBar)
        assert ("ctrl+g", "^g", "Count parts") in bar._shown
        await player.press("f1")
        player.paint()
        assert "Count parts" in player.app.export_screenshot().replace("&#160;", " ")

    editor.play(story, commands=arm, size=(200, 90))


def test_commands_of_an_action_run_all_or_none(editor, with_source):
    with_source("actions", ACTIONS)

    async def story(player):
        await run_entry(player, "add")
        assert list(player.bench.assembly.parts) == ["foot", "second", "third"]
        await player.press("ctrl+z", "ctrl+z")
        assert list(player.bench.assembly.parts) == ["foot"]
        for name, said in (("half", "no/such"), ("broken", "editor action broken failed: KeyError: 'lost'")):
            await run_entry(player, name)
            assert said in player.said
            assert list(player.bench.assembly.parts) == ["foot"]
        await run_entry(player, "endless")
        assert "editor action endless failed: TimeoutError: no result after 0.2 s (actions.py, line 2" in player.said
        titles = [entry.title for entry in palette_commands(player.app)]
        assert "endless" not in titles, "it is not called again"

    editor.play(story, commands=["create kit/foot"])


def test_key_that_rck_uses_is_refused_and_reported_and_keys_yaml_sets_another(editor, tmp_path, with_source):
    with_source("actions", ACTIONS)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "keys.yaml").write_text("action-count-parts: ctrl+k\naction-add: ctrl+b\n")

    async def story(player):
        assert any("its key ctrl+s is used for Save" in finding.message for finding in player.bench.findings)
        await player.press("escape", "ctrl+k")
        assert player.said == "1 instances on build"
        await player.press("ctrl+g", "ctrl+b")
        assert len(player.bench.assembly.parts) == 3
        await player.press("ctrl+s")
        assert player.app.screen.query_one("#command").value.startswith("save ")

    editor.play(story, commands=["create kit/foot"])


def test_action_is_not_available_on_other_screens(editor, with_source):
    with_source("actions", ACTIONS)

    async def story(player):
        assert "add" in [entry.title for entry in palette_commands(player.app)]
        await player.press("f3")
        assert "add" not in [entry.title for entry in palette_commands(player.app)]

    editor.play(story)


def test_overlay_is_drawn_in_all_its_shapes_with_a_legend(editor, arm, with_source):
    with_source("overlay", OVERLAY)

    async def story(player):
        view = player.app.screen.query_one("#view", SceneView)
        plain = view._source.scene()
        before = view._draw_frame(80, 30, QUICK)
        await player.press("escape", "ctrl+g")
        scene = view._source.scene()
        assert len(plain.clouds) + 1 == len(scene.clouds)
        assert len(scene.lines) == len(scene.surfaces) == len(scene.labels) == len(scene.item_colours) == 1
        after = view._draw_frame(80, 30, QUICK)
        assert any("ROOF" in strip.text for strip in after.strips)
        assert [strip.text for strip in before.strips] != [strip.text for strip in after.strips]
        view.drawing_style = "wireframe"
        assert any("ROOF" in strip.text for strip in view._draw_frame(80, 30, QUICK).strips)
        legend = player.app.screen.query_one("#legend", Static)
        player.app.screen.query_one("#views").redraw()
        assert legend.display
        assert str(legend.content) == "■ origins  ■ up"
        await player.command("remove hand --with-dependents")
        assert len(view._source.scene().clouds[-1].points) == 6
        await player.press("ctrl+g")
        assert not view._source.scene().clouds
        assert not legend.display

    editor.play(story, commands=arm, size=(120, 40))


@pytest.mark.parametrize(("name", "why"), [("wrong", "names a vertex"), ("broken", "not numbers below 1e+06 m")])
def test_overlay_with_wrong_shapes_is_hidden_and_reported(editor, arm, with_source, name, why):
    with_source("overlay", OVERLAY)

    async def story(player):
        await run_entry(player, f"Show overlay: {name}")
        assert f"overlay {name} failed: ValueError: " in player.said
        assert why in player.said
        assert not player.bench.layers
        await run_entry(player, f"Show overlay: {name}")
        assert "it is off until the editor restarts" in player.said

    editor.play(story, commands=arm)


def test_overlay_is_drawn_on_the_simulate_screen(editor, arm, with_source):
    with_source("overlay", OVERLAY)

    async def story(player):
        await player.press("f4", "ctrl+g")
        assert player.app.screen.player is not None
        assert np.isfinite(player.app.screen.scene().clouds[-1].points).all()

    editor.play(story, commands=arm)


def test_screen_of_a_plugin_has_a_tab_a_key_and_a_palette_entry(editor, arm, with_source):
    with_source("rest", REST)

    async def story(player):
        await player.press("f7")
        assert player.app.current_mode == "bill-of-parts"
        content = player.app.screen.query_one("#plugin-screen", PanelView)
        assert content.plain.splitlines()[1].split() == ["foot", "kit/foot"]
        assert player.app.screen.query(SceneView)
        assert "Bill of parts F7" in str(player.app.screen.query_one(TitleBar).render())
        await player.press("enter")
        assert "second" in player.bench.assembly.parts
        assert "second" in content.plain
        await run_entry(player, "Text only screen")
        assert player.app.screen.query_one("#plugin-screen", PanelView).plain == "plain"
        assert not player.app.screen.query(SceneView)
        await run_entry(player, "Faulty screen")
        assert "ZeroDivisionError" in player.app.screen.query_one("#plugin-screen", PanelView).plain
        await player.press("f2")
        await player.command("create kit/foot third")
        assert "third" in player.bench.assembly.parts
        assert any("RCK has a screen of this name" in finding.message for finding in player.bench.findings)

    editor.play(story, commands=arm, size=(160, 40))


def test_theme_of_a_plugin_can_be_chosen_and_one_with_a_wrong_colour_is_reported(editor, with_source):
    with_source("rest", REST)

    async def story(player):
        assert {"sea", *(theme.name for theme in THEMES)} <= set(player.app.available_themes)
        assert "odd" not in player.app.available_themes
        assert any("theme odd failed" in one.text for one in player.bench.messages)
        player.app.theme = "sea"
        await player.rest()
        assert player.app.current_theme.primary == "#2266aa"

    editor.play(story)


def test_keymap_of_a_plugin_is_a_preset(editor, tmp_path, with_source):
    with_source("rest", REST)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "keys.yaml").write_text("preset: mine\n")

    async def story(player):
        await player.press("escape", "ctrl+u")
        assert not player.bench.assembly.parts
        assert any("keymap mine: unknown action no-such-action" in one.text for one in player.bench.messages)

    session = editor.session()
    session.do("create kit/foot")
    editor.play(story, session=session)


def test_start_page_offers_templates_of_rck_and_of_plugins(editor, with_source):
    with_source("rest", REST)

    async def story(player):
        await player.press("escape", "ctrl+n")
        lines = player.app.screen.query_one(OptionList)
        shown = [str(option.prompt) for option in lines.options]
        assert any("servo-arm" in line for line in shown)
        lines.highlighted = next(n for n, line in enumerate(shown) if "two-feet" in line)
        await player.press("enter")
        assert list(player.bench.assembly.parts) == ["a", "b"]
        assert "started from two-feet" in player.said
        await player.command("create kit/foot c")
        player.app.plugin_features.start_from("two-feet")
        assert "save the assembly first" in player.said
        assert len(player.bench.assembly.parts) == 3

    editor.play(story)


def test_template_with_an_error_changes_nothing(editor, with_source):
    with_source("rest", REST)

    async def story(player):
        player.app.plugin_features.start_from("bad")
        assert "no/such" in player.said
        assert not player.bench.assembly.parts

    editor.play(story)


@pytest.mark.parametrize("name", ["servo-arm", "industrial-arm", "gantry"])
def test_template_of_rck_builds_a_robot_without_errors(real_editor, name):
    async def story(player):
        player.app.plugin_features.start_from(name)
        assert f"started from {name}" in player.said
        robot = player.bench.built.unwrap().robot
        assert robot.free_joints
        assert player.bench.assembly.tools

    real_editor.play(story)


COUNTER = """
from rck.hooks import Command, EditorScreen, hookimpl

FOUND = []

@hookimpl
def rck_commands():
    return [Command("count", "count once more", run=run, edits=False)]

@hookimpl
def rck_editor_screens():
    return [EditorScreen("counts", "what was counted", lambda context: [str(len(FOUND))], key="f7")]

def run(document, arguments):
    FOUND.append(document)
    return document, "counted"
"""


def test_screen_shows_the_report_of_a_command(editor):
    editor.use_plugin("counter", COUNTER)

    async def story(player):
        await player.press("f7")
        assert player.app.screen.query_one("#plugin-screen", PanelView).plain == "0"
        await player.command("count")
        assert player.app.screen.query_one("#plugin-screen", PanelView).plain == "1"

    editor.play(story)


def test_palette_shows_no_key_that_the_editor_uses_itself(editor):
    editor.use_plugin("actions", ACTIONS)

    async def story(player):
        helps = {one.title: one.help for one in player.app.plugin_features.palette()}
        assert helps["clash"] == "uses a key of RCK"
        assert helps["count-parts"] == "count the instances (ctrl+g)"

    editor.play(story)
