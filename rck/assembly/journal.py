"""The journal of an assembly: every completed command since the last save, for recovery after a crash.

Each line is a checksum and a JSON record. The first record holds the document that the commands start from and the
fingerprint of its file. A save first records the fingerprint that the file is about to have: that distinguishes a crash
in the middle of saving from a file that another program has changed.
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
from rck.assembly.native_file import assets_folder, assets_of, fingerprint
from rck.parts.assets import asset_names_in, is_asset_name
from rck.support.files import write_atomically
from rck.support.units import counted
from rck.support.user_folders import data_folder


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

    def __str__(self) -> str:
        text = f"{counted(len(self.entries), 'command')} not saved"
        return f"{text}; {counted(self.damaged, 'damaged record')} cannot be recovered" if self.damaged else text


class Journal:
    """Records the completed commands of one open assembly."""

    def __init__(self, path: Path) -> None:
        self._path = journal_path(path)
        self._of = path

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
        base = {"base": fingerprint(self._of), "document": _text_of(self._of)}
        write_atomically(self._path, b"".join(map(_encode, [base, *map(_record, entries)])))
        return kept

    def _keep_unless_in(self, entries: tuple[JournalEntry, ...]) -> Path | None:
        left = recoverable(self._of)
        if left is None or (not left.damaged and left.entries == entries[: len(left.entries)]):
            return None
        return keep_journal(self._of)

    def record(self, entry: JournalEntry) -> None:
        """Append a completed command; it is on the disk when this returns."""
        self._append(_record(entry))

    def saving(self, new_fingerprint: str) -> None:
        """Record the fingerprint that the file will have; call this just before replacing the file."""
        self._append({"saving": new_fingerprint})

    def end(self) -> None:
        """Delete the journal."""
        self._path.unlink(missing_ok=True)

    def _append(self, record: dict[str, str]) -> None:
        if not self._path.exists():
            self.begin()
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
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _record(entry: JournalEntry) -> dict[str, str]:
    return {"do": entry.command} if entry.state is None else {"do": entry.command, "state": entry.state}


def _encode(record: dict[str, str]) -> bytes:
    text = json.dumps(record).encode()
    return b"%08x %s\n" % (crc32(text), text)


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
    damaged = 0
    for number, line in enumerate(lines):
        record = _decode(line)
        if record is None:
            damaged = len(lines) - number
            break
        if "base" in record:
            base, document = record["base"], record.get("document")
        elif record.get("saving") == now:
            base, document, entries = now, None, []
        elif "do" in record:
            entries.append(JournalEntry(record["do"], record.get("state")))
    if not entries and not damaged:
        return None
    return Recovery(tuple(entries), base == now, damaged, document)


def _complete_lines(content: bytes) -> list[bytes]:
    """Return the lines without a last one that was still being written when the program stopped."""
    *lines, last = content.split(b"\n")
    # A damaged line break leaves one byte too many.
    return lines + [line for line in (last, last[:-1]) if line and _decode(line) is not None][:1]


def _decode(line: bytes) -> dict[str, str] | None:
    """Return the record of a line; None if the line is damaged. Lines without a checksum are from version 0.1."""
    text = line
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
