"""What works behind the screens is chosen in the palette: solver, collision back end, physics; and viewers."""

import pytest
from textual.widgets import OptionList, Static

from rck.editor.engine_dialog import KINDS
from rck.editor.palette import palette_commands


async def chosen(player, role, name):
    """Choose from the dialog as a user does."""
    player.app.action_choose(role)
    await player.rest()
    lines = player.app.screen.query_one(OptionList)
    names = [str(one.prompt).removeprefix("● ").split()[0] for one in lines.options]
    lines.highlighted = names.index(name)
    await player.press("enter")


def numbers(player):
    return str(player.app.screen.query_one("#numbers-text", Static).content)


def test_every_choice_is_in_the_palette(editor, arm):
    async def story(player):
        titles = {one.title.lower() for one in palette_commands(player.app)}
        assert set(KINDS) <= titles

    editor.play(story, commands=arm)


def test_the_move_screen_asks_the_solver_and_the_back_end_that_were_chosen(editor, arm):
    async def story(player):
        await player.press("f3")
        await chosen(player, "solver", "sliding")
        player.app.screen.query_one("#jog").focus()
        await player.press("right")
        assert "solver sliding cannot serve" in str(player.app.screen.query_one("#jog").render())
        await chosen(player, "solver", "-")
        await player.command("drive shoulder/axis 90 elbow/axis 150")
        await player.command("create kit/foot other")
        assert "other/plate touches" in numbers(player) or "touches other" in numbers(player)
        assert "mm deep" in numbers(player)
        await chosen(player, "collision", "pocoda")
        assert "touches" in numbers(player)
        assert "mm deep" not in numbers(player)

    editor.play(story, commands=arm, size=(140, 48))


def test_the_simulate_screen_runs_under_the_physics_that_were_chosen(editor, arm):
    pytest.importorskip("mujoco")

    async def story(player):
        await player.press("f4")
        assert player.app.screen.theatre.simulation.forces is None
        await chosen(player, "physics", "mujoco")
        assert player.app.screen.theatre.simulation.forces is not None
        await player.press("s")
        assert "mujoco" in str(player.app.screen.query_one("#clock", Static).content)
        await chosen(player, "physics", "-")
        assert player.app.screen.theatre.simulation.forces is None

    editor.play(story, commands=arm)


def test_a_viewer_needs_a_file(editor, arm):
    async def story(player):
        await chosen(player, "viewer", "browser")
        assert "save the assembly first" in player.said

    editor.play(story, commands=arm)
