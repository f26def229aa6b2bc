"""The view: drawing styles, cameras, split views, saved views, mouse, terminal graphics."""

import pytest
from textual import events
from textual.widgets import Button, Input

from rck.editor.dialogs.basic import PromptDialog
from rck.editor.dialogs.camera import CameraDialog
from rck.editor.widgets import scene_view
from rck.editor.widgets.scene_view import SceneView
from rck.rendering.picture import QUICK, SCREEN, draw
from rck.rendering.terminal_pixels import Protocol, clear_overlay, overlay


def view_of(player):
    return player.app.screen.query_one("#view", SceneView)


def test_drawing_styles_standard_views_and_split_views_are_drawn(editor, arm):
    async def story(player):
        view = view_of(player)
        await player.press("escape")
        solid = [strip.text for strip in view._last.strips]
        assert any("▀" in line or "▄" in line or "█" in line or "▌" in line for line in solid)
        await player.press("w")
        assert view.drawing_style == "wireframe"
        assert any("⠀" < letter <= "⣿" for strip in view._last.strips for letter in strip.text)
        await player.press("w", "w", "e")
        assert (view.drawing_style, view.camera.parallel) == ("solid", True)
        assert "parallel" in str(view.border_title)
        await player.press("v")
        assert view.view_name == "front"
        await player.press("vertical_line", "vertical_line")
        views = list(player.app.screen.query(SceneView))
        assert [one.view_name for one in views] == ["front", "top", "front", "right"]
        assert all(one._last is not None for one in views)
        await player.press("vertical_line")
        assert len(player.app.screen.query(SceneView)) == 1

    editor.play(story, commands=arm, size=(120, 36), drawing=True)


def test_slow_view_is_drawn_with_fewer_details_while_it_moves(editor, arm, monkeypatch):
    finishes = []

    def drawn(*arguments, **options):
        finishes.append(options["finish"])
        return draw(*arguments, **options)

    monkeypatch.setattr(scene_view, "_FRAME", 0.0)
    monkeypatch.setattr(scene_view, "draw", drawn)

    async def story(player):
        assert finishes[-1] is SCREEN
        finishes.clear()
        await player.press("escape", "left", "left")
        assert finishes[0] is QUICK
        assert finishes[-1] is SCREEN

    editor.play(story, commands=arm, drawing=True)


def test_view_is_saved_in_the_assembly_and_restored(editor, arm):
    async def story(player):
        view = view_of(player)
        await player.press("escape", "left", "plus", "V")
        assert isinstance(player.app.screen, PromptDialog)
        await player.press("ctrl+u")
        await player.type("from-the-left\r")
        saved = player.bench.assembly.views
        assert list(saved) == ["from-the-left"]
        assert view.view_name == "from-the-left"
        eye = view.camera.eye
        await player.press("z", "v")
        assert view.camera.eye != pytest.approx(eye)
        view.show_view("from-the-left")
        assert view.camera.eye == pytest.approx(eye, abs=1e-5)

    editor.play(story, commands=arm)


def test_eye_and_target_are_typed_applied_and_reverted(editor, arm):
    async def story(player):
        view = view_of(player)
        before = view.camera
        await player.press("escape", "k")
        dialog = player.app.screen
        assert isinstance(dialog, CameraDialog)
        field = dialog.query_one("#eye-x", Input)
        shown = field.value
        field.value = "far"
        await player.click(dialog.query_one("#change", Button))
        assert player.app.screen is dialog
        assert "far" in str(dialog.query_one("#camera-reason").render())
        await player.click(dialog.query_one("#revert", Button))
        assert field.value == shown
        field.value = "12in"
        await player.click(dialog.query_one("#change", Button))
        assert view.camera.eye[0] == pytest.approx(0.3048)
        assert view.camera.eye[1:] == pytest.approx(before.eye[1:], abs=1e-4)
        await player.press("k", "escape")
        assert view.camera.eye[0] == pytest.approx(0.3048)

    editor.play(story, commands=arm)


def test_eye_and_target_are_in_the_units_of_the_assembly(editor, arm):
    async def story(player):
        view = view_of(player)
        await player.press("escape", "k")
        field = player.app.screen.query_one("#eye-x", Input)
        assert float(field.value) * 0.0254 == pytest.approx(view.camera.eye[0], abs=1e-4)
        field.value = "12"
        await player.click(player.app.screen.query_one("#change", Button))
        assert view.camera.eye[0] == pytest.approx(0.3048)

    editor.play(story, commands=(*arm, "set units length=in"))


def test_mouse_orbits_pans_zooms_and_picks(editor, arm):
    async def story(player):
        view = view_of(player)
        start = view.camera
        await player.pilot.mouse_down(view, offset=(20, 8))
        view.post_message(events.MouseMove(view, 26, 8, 6, 0, 1, False, False, False))
        await player.pilot.mouse_up(view, offset=(26, 8))
        assert view.view_name == "free"
        assert view.camera.eye != start.eye
        turned = view.camera
        view.post_message(events.MouseScrollUp(view, 20, 8, 0, 0, 0, False, False, False))
        await player.rest()
        assert view.camera.target == turned.target
        assert view.camera.eye != turned.eye
        await player.press("z")
        place = next(
            (x, y)
            for y in range(view.size.height)
            for x in range(view.size.width)
            if (thing := view.thing_at(x + 1, y + 1)) is not None and thing.name == "foot"
        )
        await player.click(view, (place[0] + 1, place[1] + 1))
        assert player.bench.selected_instances == ["foot"]

    editor.play(story, commands=arm, size=(120, 36), drawing=True)


@pytest.mark.parametrize(
    ("environment", "protocol", "sign"),
    [({"KITTY_WINDOW_ID": "1"}, Protocol.KITTY, "\x1b_G"), ({"TERM": "foot"}, Protocol.SIXEL, "\x1bP")],
)
def test_terminal_with_graphics_shows_pixels(editor, arm, monkeypatch, environment, protocol, sign):
    for name in ("KITTY_WINDOW_ID", "TMUX", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    async def story(player):
        view = view_of(player)
        assert view.protocol is protocol
        rgb = view._last.rgb
        assert rgb.shape[1] // view.size.width == rgb.shape[1] / view.size.width
        written = overlay(protocol, rgb, view.content_region.offset, view.content_region.size, 1)
        assert sign in written
        assert written.startswith("\x1b7")
        assert written.endswith("\x1b8")
        assert bool(clear_overlay(protocol, 1)) == (protocol is Protocol.KITTY)

    editor.play(story, commands=arm[:2], drawing=True)


def test_view_layout_is_restored_at_the_next_start(editor, arm):
    async def split(player):
        await player.press("escape", "vertical_line")
        assert len(player.app.screen.query(SceneView)) == 2

    async def look(player):
        assert len(player.app.screen.query(SceneView)) == 2
        await player.press("f3")
        assert len(player.app.screen.query(SceneView)) == 2

    editor.play(split, commands=arm)
    editor.play(look, commands=arm)
