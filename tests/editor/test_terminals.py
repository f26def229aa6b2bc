"""Terminals of any size and number of colours, themes, and random keys."""

from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rck.assembly.journal import journal_path, recoverable, unnamed_path
from rck.editor.settings import read_settings
from rck.editor.themes import choose_theme
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.rich_text import shorten_name
from rck.editor.widgets.scene_view import SceneView

SCREENS = ("f3", "f5", "f6", "f2")


@pytest.mark.parametrize("size", [(20, 5), (1, 1)])
def test_every_terminal_size_is_supported(editor, arm, size):
    async def story(player):
        for key in (
            *SCREENS,
            "2",
            "3",
            "slash",
            "escape",
            "colon",
            "escape",
            "k",
            "escape",
            "f1",
            "f1",
            "question_mark",
        ):
            await player.press(key)
        await player.pilot.resize_terminal(100, 30)
        await player.pilot.resize_terminal(*size)
        await player.place("link")
        assert "link" in player.bench.assembly.parts

    editor.play(story, commands=arm, size=size, drawing=size == (20, 5))


def test_keys_that_do_not_fit_are_omitted(editor, arm):
    async def story(player):
        bar = player.app.screen.query_one(KeyBar)
        await player.press("escape")
        whole = {f"{written} {what}" for _, written, what in bar._shown}
        line = bar.render().plain
        assert len(line.rstrip()) <= 50
        assert ": Command" in line
        assert line.rstrip().endswith("f1 Help")
        assert set(filter(None, line.strip().split("  "))) < whole

    editor.play(story, commands=arm, size=(50, 24))


@pytest.mark.parametrize(
    ("name", "width", "short"),
    [
        ("elbow/axis", 10, "elbow/axis"),
        ("xm540-w270-2/axis", 16, "xm540-w270…/axis"),
        ("arm/xm540-w270/axis", 12, "arm/xm…/axis"),
        ("arm/a-long-joint", 8, "…g-joint"),
        ("gripper-opening", 8, "gri…ning"),
    ],
)
def test_shortened_name_keeps_its_last_part(name, width, short):
    assert shorten_name(name, width) == short


def test_16_colour_terminal_uses_its_own_colours(editor, arm, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLORTERM", "")

    async def story(player):
        assert player.app.theme == "rck-16"
        for key in SCREENS:
            await player.press(key)

    editor.play(story, commands=arm, drawing=True)
    assert choose_theme("rck-light", {"rck-light"}, few_colours=True) == "rck-16"
    assert read_settings().theme == "rck-dark"


def test_brightness_is_shown_by_characters_without_colours(editor, arm, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    async def story(player):
        strips = player.app.screen.query_one("#view", SceneView)._last.strips
        colours = {
            colour
            for strip in strips
            for segment in strip
            if segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor)
        }
        assert {colour for colour in colours if colour is not None and not colour.is_default} == set()
        assert len({letter for strip in strips for letter in strip.text}) > 3

    editor.play(story, commands=arm, size=(120, 36), drawing=True)


def test_chosen_theme_is_stored(editor, monkeypatch):
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")

    async def story(player):
        assert player.app.theme == "rck-dark"
        player.app.theme = "rck-light"
        await player.press("ctrl+q")

    editor.play(story)
    assert read_settings().theme == "rck-light"
    assert choose_theme("gone", {"rck-dark"}, few_colours=False) == "rck-dark"


NAMED = (
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape", "tab", "shift+tab",
    "delete", "backspace", "ctrl+z", "ctrl+y", "ctrl+o", "ctrl+p", "shift+left", "f1", "f2", "f3", "f5", "f6",
)  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyzNTV0123456789/:?|+-=. "
MEANT = (
    ("escape", *"/servo", "enter", "t", "enter"),
    ("escape", *":create kit/foot", "enter", "escape"),
    ("escape", *"2", "down", "c", "enter", "escape"),
    ("escape", *"2", "down", *"3", *"200", "enter"),
    ("f3", "right", "right", "down", "left", "f2"),
    ("ctrl+z", "ctrl+y", "ctrl+z"),
)
"""Typical key sequences among the random keys."""
KEYS = st.one_of(st.sampled_from(NAMED).map(lambda key: (key,)), st.sampled_from(LETTERS), st.sampled_from(MEANT))


@settings(max_examples=1, suppress_health_check=list(HealthCheck), database=None)
@given(keys=st.lists(KEYS, min_size=400, max_size=400).map(lambda some: [*chain.from_iterable(some)][:500]))
def test_500_random_keys_never_raise_and_work_is_recovered_after_a_crash(editor, arm, keys):
    async def story(player):
        for number, key in enumerate(keys):
            player.send(key)
            if number % 20 == 19:
                await player.rest()
        await player.rest()

    journal_path(unnamed_path()).unlink(missing_ok=True)
    app = editor.play(story, session=editor.session())
    left = recoverable(unnamed_path())
    again = editor.session()
    if left is not None:
        again.recover_from(left)
    assert again.assembly == app.workbench.assembly
