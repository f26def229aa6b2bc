"""Contract of importers: run :func:`check_importer` on yours, with a valid file."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rck.hooks import Cancelled, Job
from rck.hooks.file_exchange import FileContents, compile_imported, import_values
from rck.hooks.kinds import PROBE_BYTES, Imported, Importer
from rck.support.finding import errors_of
from rck.testing.assertions import allow_refusal, assert_type

_OTHER_FORMATS = (
    b"",
    b"\x00" * 64,
    b"PK\x03\x04 not yours",
    b"<html><body>404</body></html>",
    "Grüße\n".encode("latin-1"),
)


def check_importer(
    importer: Importer, good: Path, folder: Path, *, given: Mapping[str, str] | None = None, damages: int = 40
) -> None:
    """Run all checks below; `folder` is an empty folder for test files."""
    check_good_file(importer, good, given or {})
    check_other_formats(importer, folder)
    check_cancel(importer, good, given or {})
    check_damaged_files(importer, good, folder, given or {}, damages)


def check_good_file(importer: Importer, good: Path, given: Mapping[str, str]) -> None:
    """Require that it recognises and reads the file without errors, deterministically, with increasing progress."""
    head = good.read_bytes()[:PROBE_BYTES]
    assert importer.probe(good, head), f"it does not recognise {good.name}"
    fractions: list[float] = []
    values = import_values(importer, good, given)
    first = importer.read(good, values, Job(lambda fraction, _: fractions.append(fraction)))
    assert_type(first, Imported, good.name)
    contents = compile_imported(first, good)
    assert contents.robot is not None or contents.events is not None, f"nothing was imported: {contents.findings}"
    errors = errors_of(contents.findings)
    assert not errors, f"{good.name} is reported as wrong: {errors[0]}"
    assert fractions == sorted(fractions), f"the progress decreases: {fractions}"
    again = compile_imported(importer.read(good, values, Job()), good)
    assert _comparable(again) == _comparable(contents), "the second result is different"


def check_other_formats(importer: Importer, folder: Path) -> None:
    """Require that files of other formats are not recognised, even if they have the right ending."""
    for number, content in enumerate(_OTHER_FORMATS):
        path = folder / f"other-{number}{importer.endings[0]}"
        path.write_bytes(content)
        assert not importer.probe(path, content[:PROBE_BYTES]), f"it recognises {content[:20]!r}"


def check_cancel(importer: Importer, good: Path, given: Mapping[str, str]) -> None:
    """Require that a cancelled job raises :class:`Cancelled`, or returns if it never reports progress."""
    job = Job()
    job.cancel()
    with suppress(Cancelled):
        importer.read(good, import_values(importer, good, given), job)


def check_damaged_files(
    importer: Importer, good: Path, folder: Path, given: Mapping[str, str], damages: int, seed: int = 1
) -> None:
    """Require that truncated files and files with changed bytes are read or refused with a reason."""
    content = good.read_bytes()
    random = np.random.default_rng(seed)
    for number in range(damages):
        damaged = bytearray(content[: random.integers(len(content))] if number % 2 else content)
        for place in random.integers(max(len(damaged), 1), size=number % 7) if damaged else ():
            damaged[place] = random.integers(256)
        path = folder / f"damaged-{number}{good.suffix}"
        path.write_bytes(bytes(damaged))
        with allow_refusal():
            contents = compile_imported(importer.read(path, import_values(importer, path, given), Job()), path)
            has_content = contents.robot is not None or contents.events is not None
            assert has_content or errors_of(contents.findings), "nothing was imported, and no error says why"


def _comparable(contents: FileContents) -> Any:
    """Return the imported content in a form that compares."""
    robot = contents.robot
    if robot is None:
        return contents.events
    shapes = [[subitem.shape.vertices.tobytes() for subitem in item.subitems] for item in robot.items]
    return robot.name, [item.name for item in robot.items], [item.pose.tobytes() for item in robot.items], shapes
