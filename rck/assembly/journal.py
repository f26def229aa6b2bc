"""The journal of an assembly: every completed command since the last save, for recovery after a crash.

Each line is a checksum and a JSON record. The first record holds the fingerprint of the file that the commands start
from, the second its document: if one is damaged, the other is enough. The commands have numbers, so that a missing one
is noticed. An empty line after each record keeps a damaged line break from spoiling two of them. A save first records
the fingerprint that the file is about to have: that distinguishes a crash in the middle of saving from a file that
another program has changed.
"""

import glob
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from rck.assembly.document import Assembly
from rck.assembly.native_file import assets_folder, assets_of, fingerprint, fingerprint_of
from rck.parts.assets import asset_names_in, is_asset_name
from rck.support.files import write_atomically
from rck.support.units import counted
from rck.support.user_folders import data_folder

_HEADER = 2
"""Records before the first command."""


def journal_path(path: Path) -> Path:
    """Return the path of the journal of an assembly file."""
    return path.with_name(f".{path.name}.journal")


def unnamed_path() -> Path:
    """Return the path that stands for an assembly without a file; only its journal is written."""
    return data_folder() / "unsaved" / f"untitled-{os.getpid()}.rck"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A completed command."""

    command: str
    state: str | None = None
    """The assembly after the command, in the native format, if running the command again might give another one."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The commands of a journal that are not in the saved file."""

    entries: tuple[JournalEntry, ...]
    """The commands up to the first damaged record, in order."""
    matches: bool
    """True if the file is still the one that the commands start from."""
    damaged: int = 0
    """The number of records that cannot be used: the first damaged one and all after it."""
    document: str | None = None
    """The document that the commands start from, in the native format; None if the journal does not hold it."""
    is_base_damaged: bool = False
    """True if the records before the first command are damaged, so that `matches` is not known."""

    def __str__(self) -> str:
        text = f"{counted(len(self.entries), 'command')} not saved"
        return f"{text}; {counted(self.damaged, 'damaged record')} cannot be recovered" if self.damaged else text

    @property
    def doubt(self) -> str:
        """Why the commands may not fit the file; empty if they do."""
        if self.is_base_damaged:
            return "the journal is damaged at its start, so the file may have changed since then"
        return "" if self.matches else "another program has changed the file since then"


class Journal:
    """Records the completed commands of one open assembly."""

    def __init__(self, path: Path) -> None:
        self._path = journal_path(path)
        self._of = path
        self._count = 0

    @property
    def of(self) -> Path:
        """The file of the assembly."""
        return self._of

    def is_of(self, path: Path) -> bool:
        """Return True if this is the journal of that file."""
        return path == self._of

    def begin(self, entries: Sequence[JournalEntry] = ()) -> Path | None:
        """Start a journal from the present file, with commands that are not in the file.

        A journal of an earlier run that holds other commands is kept under another name, which is returned.
        """
        kept = self._keep_unless_in(tuple(entries))
        header = {"base": fingerprint(self._of)}, {"document": _text_of(self._of)}
        commands = (_record(entry, number) for number, entry in enumerate(entries, 1))
        write_atomically(self._path, b"".join(map(_encode, [*header, *commands])))
        self._count = len(entries)
        return kept

    def _keep_unless_in(self, entries: tuple[JournalEntry, ...]) -> Path | None:
        left = recoverable(self._of)
        if left is None or (not left.damaged and left.entries == entries[: len(left.entries)]):
            return None
        return keep_journal(self._of)

    def record(self, entry: JournalEntry) -> None:
        """Append a completed command; it is on the disk when this returns."""
        if not self._path.exists():
            self.begin()
        self._append(_record(entry, self._count + 1))
        self._count += 1

    def saving(self, new_fingerprint: str) -> None:
        """Record the fingerprint that the file will have; call this just before replacing the file."""
        if not self._path.exists():
            self.begin()
        self._append({"saving": new_fingerprint})

    def end(self) -> None:
        """Delete the journal."""
        self._path.unlink(missing_ok=True)

    def _append(self, record: dict[str, str]) -> None:
        with self._path.open("ab") as file:
            file.write(_encode(record))
            file.flush()
            os.fsync(file.fileno())


def remove_unneeded_assets(path: Path, assemblies: Iterable[Assembly]) -> None:
    """Remove the assets of a file that none of the assemblies and no journal of the file needs."""
    folder = assets_folder(path)
    if not folder.is_dir():
        return
    needed = {name for assembly in assemblies for name in assets_of(assembly)}
    for journal in path.parent.glob(f"{glob.escape(journal_path(path).name)}*"):
        needed |= asset_names_in(journal.read_bytes())
    for file in folder.iterdir():
        if is_asset_name(file.name) and file.name not in needed:
            file.unlink(missing_ok=True)
    with suppress(OSError):
        # Only an empty folder is removed.
        folder.rmdir()


def keep_journal(path: Path) -> Path:
    """Rename the journal of a file, so that a new one does not replace it; return the new path."""
    journal = journal_path(path)
    number = 1
    while (kept := journal.with_name(f"{journal.name}-{number}")).exists():
        number += 1
    return journal.rename(kept)


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return ""


def _record(entry: JournalEntry, number: int) -> dict[str, str]:
    record = {"number": str(number), "do": entry.command}
    return record if entry.state is None else {**record, "state": entry.state}


def _encode(record: dict[str, str]) -> bytes:
    text = json.dumps(record).encode()
    return b"%08x %s\n\n" % (crc32(text), text)


def recoverable(path: Path) -> Recovery | None:
    """Return the commands that a crash left unsaved; None if there are none."""
    try:
        lines = _complete_lines(journal_path(path).read_bytes())
    except OSError:
        return None
    now = fingerprint(path)
    base: str | None = None
    document: str | None = None
    entries: list[JournalEntry] = []
    count, damaged, damaged_header = 0, 0, 0
    for index, line in enumerate(lines):
        record = _decode(line)
        if record is None and index < _HEADER:
            damaged_header += 1
            continue
        if record is None or ("do" in record and not _follows(record, count, damaged_header)):
            damaged = len(lines) - index
            break
        base, document = record.get("base", base), record.get("document", document)
        if record.get("saving") == now:
            base, document, entries = now, None, []
        elif "do" in record:
            count += 1
            entries.append(JournalEntry(record["do"], record.get("state")))
    if not entries:
        damaged += damaged_header
        return Recovery((), False, damaged) if damaged else None
    if base is None and document:
        base = fingerprint_of(document)
    return Recovery(tuple(entries), base == now, damaged, document, is_base_damaged=base is None)


def _follows(record: dict[str, str], count: int, damaged_header: int) -> bool:
    """Return True if no command is missing before this one. Commands of earlier versions have no number."""
    return record["number"] == str(count + 1) if "number" in record else not damaged_header


def _complete_lines(content: bytes) -> list[bytes]:
    """Return the lines without empty ones and a last one that was still being written when the program stopped."""
    *lines, last = content.split(b"\n")
    return [line for line in lines if line] + [last] * (_decode(last) is not None)


def _decode(line: bytes) -> dict[str, str] | None:
    """Return the record of a line; None if it is damaged. A damaged line break leaves one byte at an end."""
    whole = (_decode_exactly(text) for text in (line, line[:-1], line[1:]))
    return next((record for record in whole if record is not None), None)


def _decode_exactly(line: bytes) -> dict[str, str] | None:
    text = line
    # Lines of version 0.1 have no checksum.
    if not line.startswith(b"{"):
        checksum, _, text = line.partition(b" ")
        if checksum != b"%08x" % crc32(text):
            return None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not all(isinstance(value, str) for value in record.values()):
        return None
    return record
