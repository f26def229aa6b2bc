"""What every importer must do: run :func:`check_importer` on yours, with a file that it can read."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rck.hooks import Cancelled, Job
from rck.hooks.exchange import import_values
from rck.hooks.kinds import PROBE_BYTES, Imported, Importer
from rck.model.finding import RckError, errors_of

_OTHERS = (b"", b"\x00" * 64, b"PK\x03\x04 not yours", b"<html><body>404</body></html>", "Grüße\n".encode("latin-1"))


def check_importer(
    importer: Importer, good: Path, folder: Path, *, given: Mapping[str, str] | None = None, damages: int = 40
) -> None:
    """All checks below; `folder` is an empty one to write to. The first that fails raises :class:`AssertionError`."""
    check_good_file(importer, good, given or {})
    check_other_files(importer, folder)
    check_stop(importer, good, given or {})
    check_damaged_files(importer, good, folder, given or {}, damages)


def check_good_file(importer: Importer, good: Path, given: Mapping[str, str]) -> None:
    """It recognises the file by its content, reads it without an error, the same each time, and tells its progress."""
    head = good.read_bytes()[:PROBE_BYTES]
    assert importer.probe(good, head), f"it does not recognise {good.name}"
    shares: list[float] = []
    values = import_values(importer, good, given)
    first = importer.read(good, values, Job(lambda share, what: shares.append(share)))
    assert isinstance(first, Imported), f"it returned {type(first).__name__}, not Imported"
    assert first.robot is not None or first.events is not None, f"nothing came in: {first.findings}"
    errors = errors_of(first.findings)
    assert not errors, f"{good.name} is said to be wrong: {errors[0]}"
    assert shares == sorted(shares), f"progress went back: {shares}"
    assert _told(importer.read(good, values, Job())) == _told(first), "the second time something else came in"


def check_other_files(importer: Importer, folder: Path) -> None:
    """Files of other kinds are not recognised, whatever their ending says."""
    for number, content in enumerate(_OTHERS):
        path = folder / f"other-{number}{importer.endings[0]}"
        path.write_bytes(content)
        assert not importer.probe(path, content[:PROBE_BYTES]), f"it takes {content[:20]!r} for its own"


def check_stop(importer: Importer, good: Path, given: Mapping[str, str]) -> None:
    """A user who stops it gets :class:`Cancelled`, or the robot where it was too quick to be stopped."""
    job = Job()
    job.cancel()
    with suppress(Cancelled):
        importer.read(good, import_values(importer, good, given), job)


def check_damaged_files(
    importer: Importer, good: Path, folder: Path, given: Mapping[str, str], damages: int, seed: int = 1
) -> None:
    """A file that is cut off or has bytes changed is read or refused with a reason; nothing else is raised."""
    content = good.read_bytes()
    random = np.random.default_rng(seed)
    for number in range(damages):
        damaged = bytearray(content[: random.integers(len(content))] if number % 2 else content)
        for place in random.integers(max(len(damaged), 1), size=number % 7) if damaged else ():
            damaged[place] = random.integers(256)
        path = folder / f"damaged-{number}{good.suffix}"
        path.write_bytes(bytes(damaged))
        try:
            imported = importer.read(path, import_values(importer, path, given), Job())
        except (RckError, OSError):
            continue
        came_in = imported.robot is not None or imported.events is not None
        assert came_in or errors_of(imported.findings), "nothing came in, and no reason"


def _told(imported: Imported) -> Any:
    """What came in, in a form that compares."""
    robot = imported.robot
    if robot is None:
        return imported.events
    shapes = [[subitem.shape.vertices.tobytes() for subitem in item.subitems] for item in robot.items]
    return robot.name, [item.name for item in robot.items], [item.pose.tobytes() for item in robot.items], shapes
