"""Viewers in processes of their own: a crash of a viewer cannot harm the editor."""

import asyncio
import sys
from pathlib import Path

from rck.editor.engines import Engine

_MAX_OUTPUT = 20_000
"""Bytes of a viewer's output that are kept."""


class ViewerProcesses:
    """The running `rck view` processes."""

    def __init__(self) -> None:
        self._running: set[asyncio.subprocess.Process] = set()

    async def show(self, file: Path, viewer: Engine) -> tuple[bool, str]:
        """Run a viewer until it ends; return True if it succeeded, and its output."""
        options = [word for name, value in viewer.settings for word in ("--option", f"{name}={value}")]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "rck.cli", "view", str(file), "--with", viewer.name, *options),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._running.add(process)
        output = b""
        try:
            assert process.stdout is not None
            while chunk := await process.stdout.read(_MAX_OUTPUT):
                output = (output + chunk)[:_MAX_OUTPUT]
            status = await process.wait()
        finally:
            self._running.discard(process)
        return status == 0, output.decode(errors="replace").strip()

    def end(self) -> None:
        """Terminate the viewers that still run."""
        for process in self._running:
            process.terminate()
