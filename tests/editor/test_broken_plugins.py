"""Plugins that fail in a hook or in a contribution are reported, and the editor keeps running."""

from pathlib import Path

import pytest
from textual.widgets import DataTable, Static

from rck.hooks import HOOK_OF_KIND, Plugins
from rck.hooks.project_plugins import FilePoint
from rck.parts.library import read_catalogue

FAULTS = {
    "raises": ("raise RuntimeError('worn out')", "RuntimeError: worn out"),
    "returns something else": ("return 7", "must return a list"),
}
HOOK = "from rck.hooks import hookimpl\n\n@hookimpl\ndef {hook}():\n    {body}\n"
FAULTY = """
from rck.hooks import Check, Command, Exporter, Importer, Sensor, Solver, hookimpl

def fail(*arguments, **named):
    raise IndexError("slipped")

class Reader:
    read = staticmethod(fail)

@hookimpl
def HOOK():
    return [WHAT]
"""
EYE = """
part: kit/eye
name: Eye
category: sensors
summary: Looks
source: made for tests
items:
  body: {mass: 0.1, shapes: [{box: [20, 20, 10], at: [0, 0, 5]}]}
ports:
  mount: {at: [0, 0, 0], z: -z, x: x}
  lens: {at: [0, 0, 10], z: z, x: x}
devices:
  eye: {sensor: bad, port: lens}
"""
LIBRARY = Path(__file__).with_name("library")
CONTRIBUTIONS = {
    "check": ("rck_checks", 'Check("bad", "bad", fail)'),
    "command": ("rck_commands", 'Command("bad", "bad", run=fail)'),
    "exporter": ("rck_exporters", 'Exporter("bad", "bad", (".bad",), fail)'),
    "importer": ("rck_importers", 'Importer("bad", "bad", (".bad",), lambda path, head: True, fail)'),
    "sensor": ("rck_sensors", 'Sensor("bad", "bad", lambda *all: Reader())'),
    "solver": ("rck_solvers", 'Solver("bad", "bad", fail, finds_all=True)'),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_plugins_screen_names_plugins_whose_hooks_fail_and_the_editor_keeps_running(editor, arm, tmp_path, fault):
    body, reason = FAULTS[fault]
    files = {hook: tmp_path / f"{hook}.py" for hook in HOOK_OF_KIND.values()}
    for hook, file in files.items():
        file.write_text(HOOK.format(hook=hook, body=body))
    editor.plugins = Plugins(map(FilePoint, files.values()))
    editor.plugins.load_all()

    async def story(player):
        await player.press("f2", "f3", "f4", "f5", "f6")
        table = player.app.screen.query_one(DataTable)
        assert table.row_count == len(files)
        for row, hook in enumerate(sorted(files)):
            table.move_cursor(row=row)
            await player.rest()
            card = str(player.app.screen.query_one("#plugin-card", Static).content)
            assert reason in card, f"{hook}: {card}"
        await player.press("escape")
        named = {finding.where for finding in player.bench.findings}
        assert {f"plugin {hook.replace('_', '-')}" for hook in files} <= named
        await player.command("create kit/foot second")
        assert "second" in player.bench.assembly.parts

    editor.play(story, commands=arm, size=(120, 40))


def test_contributions_that_fail_are_reported_and_the_editor_keeps_running(editor, arm, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "eye.yaml").write_text(EYE)
    editor.catalogue = read_catalogue([LIBRARY, tmp_path / "parts"])
    files = []
    for name, (hook, what) in CONTRIBUTIONS.items():
        files.append(tmp_path / f"bad_{name}.py")
        files[-1].write_text(FAULTY.replace("HOOK", hook).replace("WHAT", what))
    editor.plugins = Plugins(map(FilePoint, files))
    (editor.folder / "some.bad").write_text("anything")

    async def story(player):
        await player.command("bad")
        await player.press("f3")
        player.app.screen.query_one("#jog").focus()
        await player.press("right")
        await player.press("f4", "space")
        await player.press("f5")
        await player.paste("some.bad")
        await player.press("enter", "escape")
        await player.press("ctrl+e")
        await player.press("escape")
        await player.press("f2")
        await player.command("create kit/foot second")
        assert "second" in player.bench.assembly.parts
        reported = {finding.where for finding in editor.plugins.findings}
        assert reported == {f"plugin {file.stem.replace('_', '-')}" for file in files}

    editor.play(story, commands=[*arm, "create kit/eye --at hand.tip --by mount"], size=(120, 40))
