"""After a crash: what the journal of the last run holds, for saved and for unnamed assemblies."""

import os
from pathlib import Path

from rck.assembly.journal import Journal, Recovery, journal_path, recoverable
from rck.hooks.folders import data_folder
from rck.language.session import Session


def _unnamed_folder() -> Path:
    return data_folder() / "unsaved"


def _journalled() -> list[Path]:
    """The unnamed assemblies that a journal exists for."""
    found = _unnamed_folder().glob(".untitled-*.rck.journal")
    return [path.with_name(path.name[1:].removesuffix(".journal")) for path in found]


def left_behind(session: Session) -> Recovery | None:
    """The commands that were not saved; for an unnamed assembly, those of the newest run that ended badly."""
    if session.path is not None:
        left = recoverable(session.path)
        return left if left is not None and left.matches else None
    for path in sorted(_journalled(), key=lambda one: -_age(one)):
        if not _alive(path):
            left = recoverable(path)
            if left is not None:
                return left
    return None


def begin_journal(session: Session, recovered: Recovery | None = None) -> None:
    """Write every completed command down from now on; what was recovered stays written down."""
    path = session.path
    if path is None:
        _forget_dead_runs()
        path = _unnamed_folder() / f"untitled-{os.getpid()}.rck"
    session.journal = Journal(path)
    try:
        session.journal.begin(recovered.entries if recovered is not None else ())
    except OSError:
        session.journal = None


def _age(path: Path) -> float:
    try:
        return journal_path(path).stat().st_mtime
    except OSError:
        return 0.0


def _alive(path: Path) -> bool:
    """Whether the run that writes this journal still goes on."""
    number = path.stem.rpartition("-")[2]
    if not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _forget_dead_runs() -> None:
    for path in _journalled():
        if not _alive(path):
            journal_path(path).unlink(missing_ok=True)
