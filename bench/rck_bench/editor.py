"""Response times of the editor in a terminal: from the start or a key to its output.

There is no peer to compare with, so targets are stated. Times include the terminal in both directions and the update
of all panels. The frame rate of the Simulate screen is per second of processor time, all threads together, so that
other programs on the machine matter little.
"""

import asyncio
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from unittest.mock import patch

from rck.assembly.native_file import write_assembly
from rck.cli.demo import examples_folder
from rck_bench.assembly import PARTS, rows_of_arms
from rck_bench.report import Report, Row
from rck_bench.terminal import Terminal

STARTS = 5
KEYS = 15
MOST_START = 1.5
"""Seconds."""
MOST_KEY = 0.05
LEAST_PICTURES = 25.0
"""Frames per second of processor time."""
SIZE = (160, 45)
PLAYED = 4.0
"""Seconds for which the Simulate screen is measured."""

_DOWN, _RIGHT, _ESCAPE, _F3 = "\x1b[B", "\x1b[C", "\x1b", "\x1bOR"


def run(report: Report) -> None:
    """Add the rows of this area."""
    with TemporaryDirectory() as folder:
        places = {name: str(Path(folder) / name.lower()) for name in ("RCK_CONFIG", "RCK_DATA")}
        file = Path(folder) / "rows-of-arms.rck"
        write_assembly(file, rows_of_arms(PARTS))
        _add(report, "start to first frame", min(_start(places) for _ in range(STARTS)), MOST_START)
        for what, seconds in _keys(file, places).items():
            _add(report, f"key to screen, {PARTS:,} parts: {what}", seconds, MOST_KEY)
        with patch.dict(os.environ, places):
            rate = asyncio.run(_pictures())
    what = "Simulate screen with desk-cell, {} x {} cells: pictures in a second of processor time".format(*SIZE)
    report.rows.append(Row(what, rate, "none", least_rate=LEAST_PICTURES, one_pass=True))


async def _pictures() -> float:
    """Return the frames per second of processor time while a program is played."""
    from rck.editor.app import RckApp
    from rck.editor.screens.simulate_screen import SimulateScreen
    from rck.editor.widgets.scene_view import SceneView
    from rck.hooks import discover
    from rck.language.session import open_session

    examples = examples_folder()
    app = RckApp(open_session(discover(), examples / "desk-cell.rck"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4")
        await app.workers.wait_for_complete()
        screen = app.screen
        assert isinstance(screen, SimulateScreen)
        assert screen.player is not None
        screen.player.load(examples / "desk-pick.rckp")
        screen.action_play()
        # Loading and compilation, which happen once, are not measured.
        await asyncio.sleep(1.0)
        view = screen.query_one("#view", SceneView)
        before, start = view.frames, process_time()
        await asyncio.sleep(PLAYED)
        return (view.frames - before) / (process_time() - start)


def _add(report: Report, what: str, seconds: float, most: float) -> None:
    report.rows.append(Row(f"{what} ({1000 * seconds:.1f} ms)", 1 / seconds, "none", least_rate=1 / most))


def _editor(file: Path | None, places: dict[str, str]) -> Terminal:
    command = [sys.executable, "-c", "from rck.cli.main import main; main()", "edit"]
    command += [str(file)] if file is not None else []
    return Terminal(command, environment=places)


def _start(places: dict[str, str]) -> float:
    """Return the seconds from the command to the first frame."""
    with _editor(None, places) as editor:
        return editor.wait_for("Catalogue") - editor.started


def _keys(file: Path, places: dict[str, str]) -> dict[str, float]:
    """Yield the effect of a key, and the seconds from the key to the screen, the best of several."""
    times: dict[str, float] = {}
    with _editor(file, places) as editor:
        editor.wait_for("grid ")
        editor.settle()
        editor.send("2")
        editor.wait_for("Select several")
        editor.settle()
        names = _first_names()
        times["down in the assembly, selected everywhere"] = min(
            editor.time_of(_DOWN, f"Inspector: {name}") for name in names[:KEYS]
        )
        editor.settle()
        editor.send(_ESCAPE)
        editor.settle()
        editor.send(":")
        editor.settle()
        times["a letter in the command line"] = min(editor.time_of(letter, letter) for letter in "QZJWXKVUYG")
        editor.send(_ESCAPE)
        editor.settle()
        editor.send(_F3)
        editor.wait_for("Joints")
        editor.settle(1.0)
        times["a joint on its slider"] = min(editor.time_of(_RIGHT, f"{step}.0°") for step in range(1, KEYS))
    return times


def _first_names() -> list[str]:
    """Return the instances in the order of the assembly panel."""
    from rck.editor.widgets.assembly_tree import mounting_order

    return [name for name, _ in mounting_order(rows_of_arms(PARTS))]
