"""Reload of a served file when it changes."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from rck.control.hub import Hub
from rck.control.served_world import ServedWorld
from rck.model.robot import Robot
from rck.support.finding import RckError

_POLL_INTERVAL = 0.03
"""Time between checks of the files, in seconds."""


async def watch(hub: Hub, files: Sequence[Path], load: Callable[[], Robot], report: Callable[[str], None]) -> None:
    """Load and serve the robot again whenever one of its files changes.

    If loading fails, `report` gets the reason and the old robot stays. A robot that has not changed is ignored.
    """
    old = _file_stamps(files)
    served: Robot | None = None
    while True:
        await asyncio.sleep(_POLL_INTERVAL)
        new = _file_stamps(files)
        if new == old:
            continue
        old = new
        try:
            robot = await asyncio.to_thread(load)
            if robot is served:
                continue
            world = await asyncio.to_thread(ServedWorld.of, robot, hub.world.plugins)
        except (RckError, OSError) as error:
            report(str(error))
            continue
        hub.replace_world(world)
        served = robot


def _file_stamps(files: Sequence[Path]) -> list[tuple[int, int] | None]:
    """Return time of modification and size of each file; None for a missing one."""
    stamps: list[tuple[int, int] | None] = []
    for file in files:
        try:
            status = file.stat()
        except OSError:
            stamps.append(None)
        else:
            stamps.append((status.st_mtime_ns, status.st_size))
    return stamps
