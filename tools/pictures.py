"""Make the pictures of the documentation: `python tools/pictures.py`, or `make pictures`.

The editor runs without a terminal, and its screens are written as SVG. Robots, workspaces and plots are drawn by `rck`
as PNG.
"""

import asyncio
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner
from textual import events
from textual.app import App
from textual.keys import _character_to_key
from textual.pilot import Pilot


def _at(**joints: float) -> tuple[str, ...]:
    return tuple(word for name, angle in joints.items() for word in ("--pose", f"{name}/axis={angle}"))


ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
ARM = ROOT / "examples" / "desk-arm.rck"
SIZE = (132, 38)
EDITOR = {
    "build": (ARM, (":", *"go reach", "enter", "escape", "/", *"xm430", "escape", *"2", *("down",) * 6, "escape")),
    "first-part": (None, tuple("round base")),
    "placing": (None, (*"round base", "enter", "/", *"xm540-w270", "enter", "t")),
    "move": (ARM, ("f3", "down", *("shift+right",) * 3, "down", *("shift+left",) * 5)),
    "simulate": (
        ROOT / "examples" / "desk-cell.rck",
        ("f4", "l", "ctrl+u", *"desk-pick.rckp", "enter", *("down",) * 6, "b", *"]]", "space"),
    ),
    "import": (ARM, ("f5", *"side.dxf", "enter", *"4mm", "enter", "escape", *("down",) * 2)),
    "plugins": (ARM, ("f6",)),
}
"""By picture name: the open file, and the keys to press."""
CELL = ROOT / "examples" / "desk-cell.rck"
SIZED = ("--size", "960x600", "-o")
DRAWN: dict[str, tuple[str | Path, ...]] = {
    "two-arm-cell": ("render", ROOT / "examples" / "two-arm-cell.rck", *SIZED),
    "joints": ("render", ARM, "--joints", "--frames", *_at(shoulder=-30, elbow=60, wrist=60), *SIZED),
    "reach": ("reach", ARM, "--samples", "4000", "--turns", "0", "-o"),
    "touching": (
        "render", ARM, "--select", "base/base", "--select", "hand/left",
        *_at(shoulder=100, elbow=120, wrist=100), *SIZED,
    ),
    "cell": ("render", CELL, *SIZED),
    "run": ("simulate", CELL, ROOT / "examples" / "desk-pick.rckp", "--plot"),
}  # fmt: skip
"""By picture name: the `rck` command that makes it, without the output file."""
Lines = tuple[tuple[str, ...], ...]
BUILT: dict[str, tuple[str, Lines]] = {
    "first-arm": (
        "first-arm.md",
        (("run", "arm.rcks", "arm.rck"), ("render", "arm.rck", *_at(shoulder=30, elbow=60), *SIZED)),
    ),
    "model": (
        "model.md",
        (
            ("run", "pointer.rcks", "pointer.rck"),
            ("run", "pair.rcks", "pair.rck"),
            ("render", "pair.rck", "--pose", "apart", "--joints", "--frames", "--ports", *SIZED),
        ),
    ),
    "plates": (
        "import-dxf.md",
        (
            ("import", "side.dxf", "--thickness", "4mm"),
            ("run", "plates.rcks", "plates.rck"),
            ("render", "plates.rck", "--ports", *SIZED),
        ),
    ),
}
"""By picture name: the page with its input files, and the `rck` commands that make it."""


async def rest(pilot: Pilot[None]) -> None:
    """Wait until the editor has drawn everything."""
    for _ in range(3):
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
    await pilot.pause(0.3)


async def picture(file: Path | None, keys: Sequence[str], folder: Path) -> str:
    """Return the screen of the editor after some keys, as SVG."""
    from rck.editor.app import RckApp
    from rck.hooks import discover
    from rck.language.session import new_session, open_session

    with TemporaryDirectory(dir=folder) as own:
        # Work on a copy, so that no journal is written next to the examples.
        examples = shutil.copytree(ROOT / "examples", Path(own) / "examples")
        session = new_session(discover(), folder) if file is None else open_session(discover(), examples / file.name)
        return await shown(RckApp(session), keys)


async def shown(app: App[None], keys: Sequence[str]) -> str:
    """Return the screen of an application after some keys, as SVG."""
    async with app.run_test(size=SIZE) as pilot:
        await rest(pilot)
        for key in keys:
            app.post_message(events.Key(_character_to_key(key), key) if len(key) == 1 else events.Key(key, None))
            await pilot.pause()
        await rest(pilot)
        return app.export_screenshot(title="rck edit", simplify=True)


def files_of(page: str) -> dict[str, str]:
    """Return the files that a page writes with `cat > FILE`."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return dict(re.findall(r"^cat > (\S+) <<'END'\n(.*?)^END$", text, re.MULTILINE | re.DOTALL))


def rck(*words: str | Path) -> None:
    """Run `rck`, which must succeed."""
    from rck.cli.main import cli

    done = CliRunner().invoke(cli, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        places: dict[str, Any] = {name: str(Path(folder) / name.lower()) for name in ("RCK_CONFIG", "RCK_DATA")}
        os.environ.update(places, COLORTERM="truecolor", TERM="xterm-256color")
        for variable in ("NO_COLOR", "KITTY_WINDOW_ID", "TERM_PROGRAM"):
            os.environ.pop(variable, None)
        for name, (file, keys) in EDITOR.items():
            svg = asyncio.run(picture(file, keys, Path(folder)))
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
    for name, words in DRAWN.items():
        rck(*words, FOLDER / f"{name}.png")
    for name, (page, lines) in BUILT.items():
        with TemporaryDirectory() as folder, chdir(folder):
            shutil.copy(ROOT / "examples" / "side.dxf", folder)
            for file, text in files_of(page).items():
                Path(file).write_text(text, encoding="utf-8")
            for words in lines[:-1]:
                rck(*words)
            rck(*lines[-1], FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
