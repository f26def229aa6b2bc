"""Slow commands show their progress, do not block the interface, and can be stopped."""

import asyncio

import pytest

ENDLESS = """
import threading
import time
from rck.hooks import Importer, hookimpl

def read(path, values, job):
    in_background = threading.current_thread() is not threading.main_thread()
    path.with_suffix(".thread").write_text("background" if in_background else "main")
    for share in range(100_000):
        job.progress(min(share / 1000, 0.42), "counting")
        time.sleep(0.001)

@hookimpl
def rck_importers():
    return [Importer("endless", "never done", (".endless",), lambda path, head: head == b"endless", read)]
"""


@pytest.mark.parametrize("from_the_view", [True, False])
def test_endless_import_is_stopped_by_escape_and_changes_nothing(editor, arm, from_the_view):
    editor.use_plugin("endless_plugin", ENDLESS)
    (editor.folder / "far.endless").write_text("endless")

    async def story(player):
        before = player.bench.assembly
        await player.press("escape", "colon")
        await player.paste("import far.endless")
        await player.pilot.press("enter")
        expected = "import far.endless … 42% counting (Escape: stop)"
        async with asyncio.timeout(60):
            while not str(player.app.screen.query_one("#message").content).startswith(expected):
                await asyncio.sleep(0.01)
        assert (editor.folder / "far.thread").read_text() == "background"
        if from_the_view:
            player.app.screen.focus_view()
        await player.pilot.press("escape")
        await player.rest()
        assert player.bench.busy == ""
        assert "stopped" in player.said
        assert player.bench.assembly == before
        await player.command("create kit/foot second")
        assert "second" in player.bench.assembly.parts

    editor.play(story, commands=arm)
