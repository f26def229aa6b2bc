"""Opening a drawing: strictly first, then with ezdxf's recovery; what had to be repaired is told."""

import io
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rck.hooks import Job
from rck.importing.refusals import refused
from rck.model import Finding, Severity
from rck.model.units import si_from
from rck_dxf.blocks import Bulk
from rck_dxf.bulk_binary import SIGNATURE, as_text, split_binary
from rck_dxf.bulk_text import split_text
from rck_dxf.names import readable
from rck_dxf.plain_faces import Split
from rck_dxf.plugin import looks_like_dxf

if TYPE_CHECKING:
    from ezdxf.document import Drawing

WORTHWHILE = 2_000
"""From so many 3DFACEs on, they are read apart from the rest of the file."""

_METRES = {
    1: 0.0254, 2: 0.3048, 3: 1609.344, 4: 0.001, 5: 0.01, 6: 1.0, 7: 1000.0, 8: 2.54e-8, 9: 2.54e-5, 10: 0.9144,
    11: 1e-10, 12: 1e-9, 13: 1e-6, 14: 0.1, 15: 10.0, 16: 100.0, 21: 1200 / 3937,
}  # fmt: skip
"""Metres for each value of $INSUNITS (Autodesk, DXF Reference)."""

_LISTED = 40
"""So many repairs are told one by one; the others are counted."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A drawing, ready to be looked at."""

    document: "Drawing"
    bulk: Bulk
    findings: tuple[Finding, ...]


def open_drawing(path: Path, largest: float, partly: bool, job: Job) -> Opened:
    """The document in a file of at most `largest` bytes; one that cannot be read at all is refused.

    One that breaks off is refused too, unless it may be taken `partly`: what comes before.
    """
    try:
        size = path.stat().st_size
        if size > largest:
            message = f"{size / 1e6:.4g} MB are more than the {largest / 1e6:.4g} MB allowed"
            raise refused(path.name, message, code=509, fix="raise the option most-megabytes if you trust the file")
        job.progress(0.0, "reading")
        data = path.read_bytes()
    except OSError as error:
        raise refused(path.name, f"cannot be read: {error.strerror}") from error
    if not data.strip():
        raise refused(path.name, "it is empty")
    opened = _opened_fast(path, data) if data.count(b"3DFACE") >= WORTHWHILE else None
    if opened is None:
        opened = _opened_strictly(path, data, {})
    if opened is None:
        return _recovered(path, data, partly, job)
    job.progress(0.3, "reading")
    return opened


def is_binary(data: bytes) -> bool:
    """Whether a file that begins so is a binary DXF file."""
    return data.startswith(SIGNATURE)


def _opened_fast(path: Path, data: bytes) -> Opened | None:
    """The drawing, its plain faces read apart; None if that does not work out."""
    split = split_binary(data) if is_binary(data) else split_text(data)
    if split is None:
        return None
    opened = _opened_strictly(path, split.rest, split.faces)
    if opened is None or _is_of_consequence(opened.document, split):
        return None
    return opened


def _is_of_consequence(document: "Drawing", split: Split) -> bool:
    """Whether the handles of the faces matter: something else has the same, or the faces lie in the paper space."""
    paper = document.block_records.get("*Paper_Space").dxf.handle
    return paper in split.owners or any(handle in document.entitydb for handle in split.handles)


def _opened_strictly(path: Path, data: bytes, bulk: Bulk) -> Opened | None:
    complete = data[-64:].rstrip(b"\r\n\t \0\x1a").endswith(b"EOF")
    with _listening() as heard:
        document = _loaded(data) if complete else None
    return None if document is None else Opened(document, bulk, tuple(_repairs(path, heard)))


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Gathers what ezdxf has to say, which it tells its log only; nobody else hears it."""
    heard: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    log = logging.getLogger("ezdxf")
    listener, passes_on = Listener(logging.WARNING), log.propagate
    log.addHandler(listener)
    log.propagate = False
    try:
        yield heard
    finally:
        log.removeHandler(listener)
        log.propagate = passes_on


def _loaded(data: bytes) -> "Drawing | None":
    """The document in the bytes of a whole file; None if ezdxf does not take it."""
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
    except Exception:  # damaged files make ezdxf fail in many ways; recovery says what is wrong
        return None


def _text(data: bytes, encoding: str, errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors=errors)


def _recovered(path: Path, data: bytes, partly: bool, job: Job) -> Opened:
    """The drawing as far as it can be recovered, and every repair."""
    from ezdxf import recover

    job.progress(0.1, "repairing")
    breaks_off = b"EOF" not in data[-64:]
    if breaks_off and not partly and looks_like_dxf(path, data):
        fix = "fetch or export it anew; or take what comes before: skip=refused"
        raise refused(_end_of(path, data), "the file breaks off", fix=fix)
    text = as_text(data) if is_binary(data) else data
    try:
        with _listening() as heard:
            document, auditor = recover.read(io.BytesIO(_ended(text) if breaks_off else text))
    except (KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:  # see above
        why = readable(" ".join(str(error).split())) or type(error).__name__
        fix = "open it in a CAD program with RECOVER and save it as DXF again"
        raise refused(path.name, f"this is no DXF file that can be read: {why[:200]}", fix=fix) from error
    findings = [_broken_off(path, data)] if breaks_off else []
    findings += _repairs(path, [*heard, *(entry.message for entry in (*auditor.fixes, *auditor.errors))])
    if not findings:
        message = "it was damaged and has been recovered"
        findings = [Finding(502, Severity.WARNING, path.name, message, "compare the result with the drawing")]
    return Opened(document, {}, tuple(findings))


def _ended(text: bytes) -> bytes:
    """A file that breaks off, ended before the entity in which it does; ezdxf would leave out the whole section."""
    lines = text.split(b"\n")
    codes = [code.strip() for code in lines[::2]]
    heads = [number for number, code in enumerate(codes) if code == b"0"]
    if not heads or not all(code.isdigit() for code in codes[:-1]):
        return text
    return b"\n".join([*lines[: 2 * heads[-1]], b"0", b"ENDSEC", b"0", b"EOF", b""])


def _broken_off(path: Path, data: bytes) -> Finding:
    message = "the file breaks off; what comes before was taken"
    return Finding(502, Severity.WARNING, _end_of(path, data), message, "fetch or export the file anew")


def _end_of(path: Path, data: bytes) -> str:
    return f"{path.name}: byte {len(data)}" if is_binary(data) else f"{path.name}:{data.count(10) + 1}"


def _repairs(path: Path, messages: Iterable[str]) -> list[Finding]:
    told = Counter(readable(" ".join(message.split())) for message in messages)
    findings = [
        Finding(502, Severity.WARNING, path.name, f"repaired: {message}" + (f" ({count} times)" if count > 1 else ""))
        for message, count in list(told.items())[:_LISTED]
    ]
    others = list(told.values())[_LISTED:]
    if others:
        findings.append(Finding(502, Severity.WARNING, path.name, f"repaired {sum(others)} other things of such kinds"))
    return findings


def metres_per_unit(document: "Drawing", chosen: str, where: str) -> tuple[float, Finding | None]:
    """How long a drawing unit is: what the user chose, else what the drawing says; and what had to be assumed."""
    if chosen != "auto":
        return si_from(1.0, "length", chosen), None
    unit = _METRES.get(_integer(document.header.get("$INSUNITS", 0)))
    if unit is not None:
        return unit, None
    measurement = document.header.get("$MEASUREMENT", None)
    name, why = ("mm", "the drawing does not say its unit")
    if measurement is not None:
        name = "mm" if _integer(measurement) == 1 else "in"
        why = f"$MEASUREMENT is {measurement} and $INSUNITS says nothing"
    message = f"lengths were taken as {name}: {why}"
    note = Finding(504, Severity.NOTE, where, message, "say it with the option length-unit")
    return si_from(1.0, "length", name), note


def _integer(value: object) -> int:
    try:
        return int(value)  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError):
        return 0
