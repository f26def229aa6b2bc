"""Opening of drawings: strictly first, then with ezdxf's recovery; each repair becomes a finding."""

import io
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rck.hooks import Job
from rck.importing.file_errors import refused
from rck.model import Finding, Severity
from rck.support.units import UNITS, si_from
from rck_importers.dxf import looks_like_dxf
from rck_importers.dxf.blocks import Bulk
from rck_importers.dxf.bulk_binary import SIGNATURE, as_text, split_binary
from rck_importers.dxf.bulk_text import split_text
from rck_importers.dxf.names import readable
from rck_importers.dxf.plain_faces import Split
from rck_importers.dxf.subclass_markers import add_markers, lacks_markers

if TYPE_CHECKING:
    from ezdxf.document import Drawing

WORTHWHILE = 2_000
"""Minimum number of 3DFACEs for reading them separately from the rest of the file."""

_METRES = {
    1: 0.0254, 2: 0.3048, 3: 1609.344, 4: 0.001, 5: 0.01, 6: 1.0, 7: 1000.0, 8: 2.54e-8, 9: 2.54e-5, 10: 0.9144,
    11: 1e-10, 12: 1e-9, 13: 1e-6, 14: 0.1, 15: 10.0, 16: 100.0, 21: 1200 / 3937,
}  # fmt: skip
"""Metres for each value of $INSUNITS (Autodesk, DXF Reference)."""

_UNIT, _MEASUREMENT = b"$INSUNITS", b"$MEASUREMENT"
_LARGEST_IN_INCHES = 1.5
"""Size of a drawing in metres above which inches are not assumed without a stated unit."""
_MAX_LISTED = 40
"""Maximum number of repairs reported individually; the others are counted."""


@dataclass(frozen=True, eq=False)
class Opened:
    """An opened drawing with its bulk faces and the findings of opening it."""

    document: "Drawing"
    bulk: Bulk
    findings: tuple[Finding, ...]
    states_unit: bool = True
    """True if the file has a value for $INSUNITS: ezdxf adds metres to a file without a header."""
    states_measurement: bool = True
    """True if the file has a value for $MEASUREMENT."""


def open_drawing(path: Path, largest: float, partly: bool, job: Job) -> Opened:
    """Open the drawing in a file of at most `largest` bytes; raise an error if it cannot be read.

    A truncated file is an error too, unless `partly` allows reading the part before the end.
    """
    try:
        size = path.stat().st_size
        if size > largest:
            message = f"{size / 1e6:.4g} MB exceed the limit of {largest / 1e6:.4g} MB"
            raise refused(path.name, message, code=509, fix="raise the option most-megabytes if you trust the file")
        job.progress(0.0, "reading")
        data = path.read_bytes()
    except OSError as error:
        raise refused(path.name, f"cannot be read: {error.strerror}") from error
    if not data.strip():
        raise refused(path.name, "the file is empty")
    if not is_binary(data) and lacks_markers(data):
        data = add_markers(data)
    opened = _open_in_bulk(path, data) if data.count(b"3DFACE") >= WORTHWHILE else None
    if opened is None:
        opened = _open_strictly(path, data, {})
    if opened is None:
        return _recover(path, data, partly, job)
    job.progress(0.3, "reading")
    return opened


def is_binary(data: bytes) -> bool:
    """Return True if the data starts like a binary DXF file."""
    return data.startswith(SIGNATURE)


def _open_in_bulk(path: Path, data: bytes) -> Opened | None:
    """Open the drawing with its plain faces read in bulk; return None if that is not possible."""
    split = split_binary(data) if is_binary(data) else split_text(data)
    if split is None:
        return None
    opened = _open_strictly(path, split.rest, split.faces)
    if opened is None or _needs_handles(opened.document, split):
        return None
    return opened


def _needs_handles(document: "Drawing", split: Split) -> bool:
    """Return True if another entity has a handle of the faces, or if the faces lie in the paper space."""
    paper = document.block_records.get("*Paper_Space").dxf.handle
    return paper in split.owners or any(handle in document.entitydb for handle in split.handles)


def _open_strictly(path: Path, data: bytes, bulk: Bulk) -> Opened | None:
    complete = data[-64:].rstrip(b"\r\n\t \0\x1a").endswith(b"EOF")
    with _capture_log() as logged:
        document = _load(data) if complete else None
    return (
        None
        if document is None
        else Opened(document, bulk, tuple(_repairs(path, logged)), _UNIT in data, _MEASUREMENT in data)
    )


@contextmanager
def _capture_log() -> Iterator[list[str]]:
    """Capture the warnings that ezdxf logs, without passing them on to other handlers."""
    logged: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            logged.append(record.getMessage())

    log = logging.getLogger("ezdxf")
    listener, propagate = Listener(logging.WARNING), log.propagate
    log.addHandler(listener)
    log.propagate = False
    try:
        yield logged
    finally:
        log.removeHandler(listener)
        log.propagate = propagate


def _load(data: bytes) -> "Drawing | None":
    """Load the document from a complete file; return None if ezdxf fails."""
    from ezdxf.document import Drawing
    from ezdxf.filemanagement import dxf_stream_info
    from ezdxf.lldxf.tagger import binary_tags_loader

    try:
        if is_binary(data):
            return Drawing.load(binary_tags_loader(data))
        encoding = dxf_stream_info(_text(data, "utf-8", "ignore")).encoding
        return Drawing.read(_text(data, encoding, "surrogateescape"))
    except (KeyboardInterrupt, MemoryError):
        raise
    except Exception:  # damaged files make ezdxf raise errors of any type; recovery reports the cause
        return None


def _text(data: bytes, encoding: str, errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors=errors)


def _recover(path: Path, data: bytes, partly: bool, job: Job) -> Opened:
    """Open a damaged drawing with ezdxf's recovery, and report each repair."""
    from ezdxf import recover

    job.progress(0.1, "repairing")
    is_truncated = b"EOF" not in data[-64:]
    if is_truncated and not partly and looks_like_dxf(path, data):
        fix = "download or export it again; or import the part before the end with skip=refused"
        raise refused(_end_of(path, data), "the file is truncated", fix=fix)
    text = as_text(data) if is_binary(data) else data
    try:
        with _capture_log() as logged:
            document, auditor = recover.read(io.BytesIO(_close_truncated(text) if is_truncated else text))
    except (KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:  # of any type, as in _load
        why = readable(" ".join(str(error).split())) or type(error).__name__
        fix = "open it in a CAD program with RECOVER and save it as DXF again"
        raise refused(path.name, f"this is not a readable DXF file: {why[:200]}", fix=fix) from error
    findings = [_truncation_finding(path, data)] if is_truncated else []
    findings += _repairs(path, [*logged, *(entry.message for entry in (*auditor.fixes, *auditor.errors))])
    if not findings:
        message = "the file was damaged and has been recovered"
        findings = [Finding(502, Severity.WARNING, path.name, message, "compare the result with the drawing")]
    return Opened(document, {}, tuple(findings), _UNIT in data, _MEASUREMENT in data)


def _close_truncated(text: bytes) -> bytes:
    """Close a truncated file before its last entity; otherwise ezdxf would discard the whole section."""
    lines = text.split(b"\n")
    codes = [code.strip() for code in lines[::2]]
    heads = [number for number, code in enumerate(codes) if code == b"0"]
    if not heads or not all(code.isdigit() for code in codes[:-1]):
        return text
    return b"\n".join([*lines[: 2 * heads[-1]], b"0", b"ENDSEC", b"0", b"EOF", b""])


def _truncation_finding(path: Path, data: bytes) -> Finding:
    message = "the file is truncated; the part before the end was imported"
    return Finding(502, Severity.WARNING, _end_of(path, data), message, "download or export the file again")


def _end_of(path: Path, data: bytes) -> str:
    return f"{path.name}: byte {len(data)}" if is_binary(data) else f"{path.name}:{data.count(10) + 1}"


def _repairs(path: Path, messages: Iterable[str]) -> list[Finding]:
    counts = Counter(readable(" ".join(message.split())) for message in messages)
    findings = [
        Finding(502, Severity.WARNING, path.name, f"repaired: {message}" + (f" ({count} times)" if count > 1 else ""))
        for message, count in list(counts.items())[:_MAX_LISTED]
    ]
    others = list(counts.values())[_MAX_LISTED:]
    if others:
        findings.append(Finding(502, Severity.WARNING, path.name, f"repaired {sum(others)} other problems"))
    return findings


def metres_per_unit(opened: Opened, chosen: str, where: str) -> tuple[float, Finding | None]:
    """Return the drawing unit in metres, as chosen or as stated in the drawing; and a finding if it was assumed."""
    if chosen != "auto":
        return si_from(1.0, "length", chosen), None
    header = opened.document.header
    unit = _METRES.get(_integer(header.get("$INSUNITS", 0))) if opened.states_unit else None
    if unit is not None:
        return unit, None
    measurement = header.get("$MEASUREMENT", None) if opened.states_measurement else None
    name, why = ("mm", "the drawing does not state its unit")
    if measurement is not None:
        name = "mm" if _integer(measurement) == 1 else "in"
        why = f"$MEASUREMENT is {measurement} and $INSUNITS states no unit"
    return si_from(1.0, "length", name), _assumed(name, why, where)


def unit_name(metres: float) -> str:
    """Return the name of a drawing unit; its length in metres if it has none."""
    return next((name for name in UNITS["length"] if si_from(1.0, "length", name) == metres), f"{metres:g} m")


def millimetres_if_large(size: float, unit: float, assumed: Finding | None, where: str) -> tuple[float, Finding | None]:
    """Return millimetres instead of assumed inches if the drawing, `size` metres large, is too large for inches."""
    if assumed is None or unit == si_from(1.0, "length", "mm") or size <= _LARGEST_IN_INCHES:
        return unit, assumed
    why = f"$INSUNITS states no unit, and in inches the drawing would be {size:.4g} m large"
    return si_from(1.0, "length", "mm"), _assumed("mm", why, where)


def _assumed(name: str, why: str, where: str) -> Finding:
    message = f"length unit assumed to be {name}: {why}"
    return Finding(504, Severity.NOTE, where, message, "set it with the option length-unit")


def _integer(value: object) -> int:
    try:
        return int(value)  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError):
        return 0
