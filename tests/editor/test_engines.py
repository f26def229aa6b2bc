"""Solver, collision backend, physics engine and viewer are chosen in the command palette."""

import pytest
from textual.widgets import OptionList, Static

from rck.editor.command_palette import palette_commands
from rck.editor.dialogs.engine import KINDS, EngineOptionsDialog


async def chosen(player, role, name, *keys):
    """Choose from the dialog as a user does; the keys set options."""
    player.app.action_choose(role)
    await player.rest()
    lines = player.app.screen.query_one(OptionList)
    names = [str(one.prompt).removeprefix("● ").split()[0] for one in lines.options]
    lines.highlighted = names.index(name)
    await player.press("enter")
    if isinstance(player.app.screen, EngineOptionsDialog):
        await player.press(*keys, "escape")


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


WITH_OPTIONS = """
from dataclasses import dataclass
from rck.hooks import CollisionBackend, Option, Solver, hookimpl
from rck.model import RckError

HEIGHT = (Option("height", "a length", "length", 0.1), Option("strict", "a flag", "flag", False))

@hookimpl
def rck_solvers():
    return [Solver("telling", "says its options", lambda robot, base, tip, values: tell(values), options=HEIGHT)]

@hookimpl
def rck_collision_backends():
    return [CollisionBackend("showing", "says them", lambda robot, allowed, values: tell(values), options=HEIGHT)]

def tell(values):
    raise RckError(f"height {values['height']:g} m, strict {values['strict']}")
"""


def test_options_of_a_solver_and_a_backend_are_set_in_fields_and_kept(editor, arm):
    editor.use_plugin("telling", WITH_OPTIONS)

    async def story(player):
        await player.press("f3")
        await chosen(player, "solver", "telling", *"20", "enter")
        player.app.screen.query_one("#jog").focus()
        await player.press("right")
        assert "height 0.02 m, strict False" in str(player.app.screen.query_one("#jog").render())
        await chosen(player, "solver", "telling", "down", "space")
        assert player.bench.engines.solver.given == {"height": "20mm", "strict": "yes"}
        await chosen(player, "solver", "telling", "enter", "backspace", "backspace", "backspace", "backspace", "enter")
        assert player.bench.engines.solver.given == {"strict": "yes"}, "an empty value restores the default"
        await chosen(player, "collision", "showing", *"3in", "enter")
        assert "height 0.0762 m, strict False" in player.said

    editor.play(story, commands=arm)


def test_wrong_value_of_an_option_is_refused(editor, arm):
    editor.use_plugin("telling", WITH_OPTIONS)

    async def story(player):
        await player.press("f3")
        await chosen(player, "solver", "telling", *"2kg", "enter", "escape")
        assert player.bench.engines.solver.given == {}

    editor.play(story, commands=arm)
