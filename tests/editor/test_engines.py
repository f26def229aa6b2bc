"""Solver, collision backend, physics engine and viewer are chosen in the command palette."""

import pytest
from textual.widgets import OptionList, Static

from rck.editor.command_palette import palette_commands
from rck.editor.dialogs.engine import KINDS


async def chosen(player, role, name):
    """Choose from the dialog as a user does."""
    player.app.action_choose(role)
    await player.rest()
    lines = player.app.screen.query_one(OptionList)
    names = [str(one.prompt).removeprefix("● ").split()[0] for one in lines.options]
    lines.highlighted = names.index(name)
    await player.press("enter")


def figures(player):
    return str(player.app.screen.query_one("#numbers-text", Static).content)


def test_every_engine_choice_is_in_the_palette(editor, arm):
    async def story(player):
        titles = {one.title.lower() for one in palette_commands(player.app)}
        assert set(KINDS) <= titles

    editor.play(story, commands=arm)


def test_move_screen_uses_the_chosen_solver_and_collision_backend(editor, arm):
    async def story(player):
        await player.press("f3")
        await chosen(player, "solver", "sliding")
        player.app.screen.query_one("#jog").focus()
        await player.press("right")
        assert "solver sliding does not support" in str(player.app.screen.query_one("#jog").render())
        await chosen(player, "solver", "-")
        await player.command("drive shoulder/axis 90 elbow/axis 150")
        await player.command("create kit/foot other")
        assert "other/plate collides" in figures(player) or "collides with other" in figures(player)
        assert "mm deep" in figures(player)
        await chosen(player, "collision", "pocoda")
        assert "collides" in figures(player)
        assert "mm deep" not in figures(player)

    editor.play(story, commands=arm, size=(140, 48))


def test_simulate_screen_uses_the_chosen_physics_engine(editor, arm):
    pytest.importorskip("mujoco")

    async def story(player):
        await player.press("f4")
        assert player.app.screen.player.simulation.forces is None
        await chosen(player, "physics", "mujoco")
        assert player.app.screen.player.simulation.forces is not None
        await player.press("s")
        assert "mujoco" in str(player.app.screen.query_one("#clock", Static).content)
        await chosen(player, "physics", "-")
        assert player.app.screen.player.simulation.forces is None

    editor.play(story, commands=arm)


def test_viewer_needs_a_saved_file(editor, arm):
    async def story(player):
        await chosen(player, "viewer", "browser")
        assert "save the assembly first" in player.said

    editor.play(story, commands=arm)
