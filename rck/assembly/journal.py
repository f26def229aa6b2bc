"""The journal beside an assembly's file: every completed command since the last save, for after a crash.

A line of JSON a record. The first names the file's fingerprint that the commands start from; a save writes
down the fingerprint that the file is about to have, so that a crash in the middle of saving is told apart
from a file that somebody else has changed.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rck.assembly.native import fingerprint
from rck.hooks.folders import data_folder
from rck.model.files import write_atomically


def journal_path(path: Path) -> Path:
    """Where the journal of a file is."""
    return path.with_name(f".{path.name}.journal")


def unnamed_path() -> Path:
    """The file that this run's journal stands beside while the assembly has none; it is never written."""
    return data_folder() / "unsaved" / f"untitled-{os.getpid()}.rck"


@dataclass(frozen=True, slots=True)
class Entry:
    """A completed command."""

    command: str
    state: str | None = None
    """The assembly after it, in the native format, where doing the command again might not give the same."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a journal holds beyond the saved file."""

    entries: tuple[Entry, ...]
    """Completed commands that are not in the file, in order."""
    matches: bool
    """Whether the file is still the one that the commands were given for."""


class Journal:
    """Writes down the completed commands of one open assembly."""

    def __init__(self, path: Path) -> None:
        self._path = journal_path(path)
        self._of = path

    def is_of(self, path: Path) -> bool:
        """Whether this is the journal of that file."""
        return path == self._of

    def begin(self, entries: Sequence[Entry] = ()) -> None:
        """Start anew from the file as it is now, with commands that are not in it yet."""
        lines = [{"base": fingerprint(self._of)}, *(_line(entry) for entry in entries)]
        write_atomically(self._path, "".join(json.dumps(line) + "\n" for line in lines).encode())

    def record(self, entry: Entry) -> None:
        """Write a completed command down; it is on the disk when this returns."""
        self._append(_line(entry))

    def saving(self, new_fingerprint: str) -> None:
        """Say what the file is about to be, just before it is replaced."""
        self._append({"saving": new_fingerprint})

    def end(self) -> None:
        """The assembly was closed and nothing is to be recovered."""
        self._path.unlink(missing_ok=True)

    def _append(self, line: dict[str, str]) -> None:
        if not self._path.exists():
            self.begin()
        with self._path.open("ab") as file:
            file.write((json.dumps(line) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())


def _line(entry: Entry) -> dict[str, str]:
    return {"do": entry.command} if entry.state is None else {"do": entry.command, "state": entry.state}


def recoverable(path: Path) -> Recovery | None:
    """The commands that a crash left unsaved; None when there are none."""
    try:
        lines = journal_path(path).read_bytes().split(b"\n")
    except OSError:
        return None
    now = fingerprint(path)
    base: str | None = None
    entries: list[Entry] = []
    # What comes after the last line break was being written when the machine stopped: it had not completed.
    for line in lines[:-1]:
        record = _read(line)
        if record is None:
            break
        if "base" in record:
            base = record["base"]
        elif record.get("saving") == now:
            base, entries = now, []
        elif "do" in record:
            entries.append(Entry(record["do"], record.get("state")))
    return Recovery(tuple(entries), base == now) if entries else None


def _read(line: bytes) -> dict[str, str] | None:
    """A record; None where the disk gave back something else."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not all(isinstance(value, str) for value in record.values()):
        return None
    return record
