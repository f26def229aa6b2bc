"""Snapshots of every screen at two sizes.

`pytest tests/editor/test_screens.py --snapshot-update` accepts the current look of the screens; check the differences
first. The views and the pictures of parts are left blank: other tests cover them, and their colours may differ slightly
between machines.
"""

import os
import shutil
from importlib.metadata import EntryPoint, version
from pathlib import Path

import pytest
from rich.text import Text

from rck.editor.widgets.joint_sliders import JointSliders
from rck.editor.widgets.part_card import PartPictures
from rck.hooks import Plugins

ROBOT = Path(__file__).parent.parent / "formats" / "data" / "simple.robot"
DRAWING = Path(__file__).parents[2] / "examples" / "side.dxf"
NOON = 1_767_009_600
"""29 December 2025, the time of the files."""
PICTURES_OF = "8.2"
"""The version of Textual that the pictures were made with; another one may round a corner otherwise."""

pytestmark = pytest.mark.skipif(
    not version("textual").startswith(f"{PICTURES_OF}."), reason=f"the pictures are of Textual {PICTURES_OF}"
)


async def build(player):
    await player.press("escape", "2", "down", "down", "right")


async def placing(player):
    await player.press("slash")
    await player.type("link\r")


async def move(player):
    await player.press("f3", "right", "right")
    player.app.screen.query_one(JointSliders).settle()


async def simulate(player):
    await player.press("f4", "a")
    await player.type("shoulder/axis 30 0 1\r")
    await player.press("a")
    await player.type("say 0.01 begun\r")
    await player.press("s", "s")


async def look_at_a_file(player):
    await player.press("f5")
    await player.type("simple.robot\r")


async def choose_a_file(player):
    await player.press("f5")


async def look_at_a_drawing(player):
    await player.press("f5")
    await player.type("side.dxf\r")
    await player.press("4")
    await player.type("mm\r")
    await player.press("escape", "down")


async def plugins(player):
    await player.press("f6", "down")


async def tutorial(player):
    await player.press("escape", "question_mark")


async def camera(player):
    await player.press("escape", "k")


SMALL, LARGE = (80, 24), (160, 48)
SHOWN = [
    (story, size)
    for story in (build, placing, move, simulate, choose_a_file, look_at_a_file, look_at_a_drawing, plugins)
    for size in (SMALL, LARGE)
]
SHOWN += [(tutorial, SMALL), (camera, SMALL)]


@pytest.mark.parametrize(
    ("story", "size"), SHOWN, ids=[f"{story.__name__}-{width}x{height}" for story, (width, height) in SHOWN]
)
def test_screen(editor, arm, snap_compare, monkeypatch, size, story):
    monkeypatch.setattr(PartPictures, "draw", lambda *_, **__: Text())
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    for file in (ROBOT, DRAWING):
        copy = shutil.copy(file, editor.folder)
        os.utime(copy, (NOON, NOON))
    names = {
        "format-robot-file": "rck_importers.robot_file",
        "solver-numeric": "rck_plugins.solvers.numeric",
        "lost": "no_such_module",
    }
    if story in (choose_a_file, look_at_a_drawing):
        names["importer-dxf"] = "rck_importers.dxf"
    editor.plugins = Plugins(EntryPoint(name, value, "rck") for name, value in names.items())
    editor.plugins.load_all()

    async def play(pilot):
        player = editor.player(pilot)
        await player.rest()
        player.still()
        await story(player)
        player.still()
        await player.rest()

    assert snap_compare(editor.app(commands=arm), terminal_size=size, run_before=play)
