"""Looking at the robot with a viewer, in a process of its own."""

import asyncio
import sys
from pathlib import Path

_MOST_SAID = 20_000
"""Letters of a viewer that are shown."""


class ViewerProcess:
    """`rck view` in a process of its own: it cannot harm the editor, and shows what is not saved yet as well."""

    def __init__(self) -> None:
        self._running: set[asyncio.subprocess.Process] = set()

    async def show(self, file: Path, viewer: str) -> tuple[bool, str]:
        """Wait until the viewer has ended; whether it ended well, and what it printed."""
        words = ("-m", "rck.cli", "view", str(file), "--with", viewer)
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=asyncio.subprocess.STDOUT
        )
        self._running.add(process)
        said = b""
        try:
            assert process.stdout is not None
            while piece := await process.stdout.read(_MOST_SAID):
                said = (said + piece)[:_MOST_SAID]
            status = await process.wait()
        finally:
            self._running.discard(process)
        return status == 0, said.decode(errors="replace").strip()

    def end(self) -> None:
        """End what still runs."""
        for process in self._running:
            process.terminate()
