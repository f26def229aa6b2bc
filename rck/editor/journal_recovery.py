"""Unsaved work of an editor that crashed, found through its journal."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from itertools import count
from pathlib import Path

from rck.assembly.document import Assembly
from rck.assembly.journal import Recovery, journal_path, recoverable, unnamed_path
from rck.assembly.native_file import format_assembly, parse_assembly, write_assembly
from rck.language.session import Session
from rck.model import RckError
from rck.support.file_lock import FileLock, lock_file
from rck.support.user_folders import data_folder


@dataclass(frozen=True, slots=True)
class RecoverableWork:
    """Commands that a crashed editor did not save."""

    recovery: Recovery
    lock: FileLock | None = None
    """The lock on the unnamed assembly of the crashed editor; None if the journal belongs to this session."""
    path: Path | None = None
    """The file of the journal; None for the unnamed assembly of this process."""

    def forget(self) -> None:
        """Delete the journal: the work was recovered or discarded."""
        if self.path is not None:
            journal_path(self.path).unlink(missing_ok=True)
        if self.lock is not None:
            self.lock.release()


def recovered_assembly(session: Session, recovery: Recovery) -> Assembly:
    """Return the assembly of a crashed editor: the document that its journal holds, with the unsaved commands."""
    if recovery.document is None:
        raise RckError("the journal does not hold the document that its commands start from")
    scratch = Session(session.plugins, session.catalogue, session.folder)
    scratch.begin(
        parse_assembly(recovery.document, "journal", session.path) if recovery.document else Assembly("untitled")
    )
    scratch.recover_from(recovery)
    return scratch.assembly


def save_separately(session: Session, recovery: Recovery) -> Path:
    """Save the assembly of a crashed editor next to the file of the session; return the path."""
    assert session.path is not None
    assembly = recovered_assembly(session, recovery)
    names = (f"{session.path.stem}-recovered{number or ''}.rck" for number in count())
    path = next(path for name in names if not (path := session.path.with_name(name)).exists())
    write_assembly(path, assembly)
    return path


def differences(session: Session, recovery: Recovery) -> str:
    """Return a unified diff from the present file to the assembly of a crashed editor."""
    assert session.path is not None
    present = format_assembly(session.assembly).splitlines()
    recovered = format_assembly(recovered_assembly(session, recovery)).splitlines()
    name = session.path.name
    return "\n".join(unified_diff(present, recovered, f"{name} now", f"{name} with the unsaved commands", lineterm=""))


def find_recoverable_work(session: Session) -> RecoverableWork | None:
    """Return the unsaved commands of the session's file, or of the newest unnamed assembly whose editor crashed."""
    if session.path is not None:
        recovery = recoverable(session.path)
        return RecoverableWork(recovery, path=session.path) if recovery is not None else None
    # An earlier process may have had the id of this one, and so the same name; this is common in containers.
    recovery = recoverable(unnamed_path())
    if recovery is not None:
        return RecoverableWork(recovery)
    for path in _unnamed_assemblies():
        lock = lock_file(path)
        if lock is None:
            continue
        recovery = recoverable(path)
        if recovery is not None:
            return RecoverableWork(recovery, lock, path)
        journal_path(path).unlink(missing_ok=True)
        lock.release()
    return None


def _unnamed_assemblies() -> Iterator[Path]:
    """Yield the unnamed assemblies that have a journal, newest first, except that of this process."""
    journals = []
    for journal in (data_folder() / "unsaved").glob(".untitled-*.rck.journal"):
        try:
            journals.append((journal.stat().st_mtime, journal))
        except OSError:
            continue
    for _, journal in sorted(journals, reverse=True):
        path = journal.with_name(journal.name[1:].removesuffix(".journal"))
        if path != unnamed_path():
            yield path
