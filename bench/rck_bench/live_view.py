"""Latency of a live page: the time from an edit to the updated page."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy
from signal import SIGTERM
from tempfile import TemporaryDirectory
from time import perf_counter

from websockets.asyncio.client import connect

from rck.cli.demo import examples_folder
from rck.hooks import discover
from rck.language.session import open_session
from rck_bench.report import Report, Row

EDITS = 30
MOST_SECONDS = 0.2
"""Target for the longest time from a command in an editor to the page, in seconds."""
_ARM = examples_folder() / "desk-arm.rck"


def add_live_view(report: Report) -> None:
    """Add the row: an editor changes an arm, and a page shows the unsaved changes."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / _ARM.name
        copy(_ARM, file)
        with rck_process("view", str(file), "--no-open") as address:
            seconds = sorted(asyncio.run(_edit(file, address)))
    typical, worst = 1000 * seconds[len(seconds) // 2], 1000 * seconds[-1]
    what = f"an edit of the desk arm reaches a page that shows its file: the slowest of {EDITS} ({worst:.0f} ms; half"
    report.rows.append(Row(f"{what} in {typical:.0f} ms)", 1 / seconds[-1], "none", least_rate=1 / MOST_SECONDS))


async def _edit(file: Path, address: str) -> list[float]:
    """Change the arm as the editor does; return the times from each command to its scene, in seconds."""
    session = open_session(discover(), file)
    session.begin_journal()
    seconds = []
    async with connect(f"ws://{address}", compression=None, max_size=None) as line:
        await line.send(json.dumps({"op": "subscribe", "topic": "/scene"}))
        await line.recv()
        for number in range(EDITS + 1):
            begun = perf_counter()
            session.do(f"set upper length={200 + number % 2}")
            await line.recv()
            seconds.append(perf_counter() - begun)
    # The first command loads the modules.
    return seconds[1:]


@contextmanager
def rck_process(*words: str) -> Iterator[str]:
    """Run a serving `rck` command in a child process; yield the address that it prints, without the scheme."""
    command = [sys.executable, "-c", "from rck.cli.main import main; main()", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield line.partition("://")[2].split()[0]
        finally:
            process.send_signal(SIGTERM)
