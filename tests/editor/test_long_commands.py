"""Commands that take long show how far they are, leave the interface free, and can be stopped."""

import asyncio
import threading

import pytest

from rck.hooks import Plugins
from rck.hooks.project import FilePoint

ENDLESS = """
import time
from rck.hooks import Importer, hookimpl

def read(path, values, job):
    for share in range(100_000):
        job.progress(min(share / 1000, 0.42), "counting")
        time.sleep(0.001)

@hookimpl
def rck_importers():
    return [Importer("endless", "never done", (".endless",), lambda path, head: head == b"endless", read)]
"""


@pytest.mark.parametrize("from_the_view", [True, False])
def test_an_import_without_end_is_stopped_by_escape_and_changes_nothing(editor, arm, tmp_path, from_the_view):
    file = tmp_path / "endless_plugin.py"
    file.write_text(ENDLESS)
    editor.plugins = Plugins([FilePoint(file)])
    (editor.folder / "far.endless").write_text("endless")

    async def story(player):
        before = player.bench.assembly
        await player.press("escape", "colon")
        await player.paste("import far.endless")
        await player.pilot.press("enter")
        while player.bench.progress[0] < 0.42:
            await asyncio.sleep(0.01)
        assert threading.current_thread() is threading.main_thread()
        await asyncio.sleep(0.6)
        shown = str(player.app.screen.query_one("#message").content)
        assert shown.startswith("import far.endless … 42% counting (Escape stops it)")
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
