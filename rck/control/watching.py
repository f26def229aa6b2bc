"""A file that others change is served as it is now."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from rck.control.hub import Hub
from rck.control.world import ServedWorld
from rck.model.finding import RckError
from rck.model.robot import Robot

_LOOK_EVERY = 0.03
"""How often files are looked at, in seconds."""


async def watch(hub: Hub, files: Sequence[Path], load: Callable[[], Robot], complain: Callable[[str], None]) -> None:
    """Load the robot again whenever one of its files changes; one that cannot be loaded leaves the old one there.

    What `load` gives twice is shown once.
    """
    seen = _stamps(files)
    shown: Robot | None = None
    while True:
        await asyncio.sleep(_LOOK_EVERY)
        now = _stamps(files)
        if now == seen:
            continue
        seen = now
        try:
            robot = await asyncio.to_thread(load)
            if robot is shown:
                continue
            fresh = await asyncio.to_thread(ServedWorld.of, robot, hub.world.plugins)
        except (RckError, OSError) as error:
            complain(str(error))
            continue
        hub.show(fresh)
        shown = robot


def _stamps(files: Sequence[Path]) -> list[tuple[int, int] | None]:
    """What tells a changed file from an unchanged one."""
    found: list[tuple[int, int] | None] = []
    for file in files:
        try:
            facts = file.stat()
        except OSError:
            found.append(None)
        else:
            found.append((facts.st_mtime_ns, facts.st_size))
    return found
