"""After a crash: what the journal of the last run holds, for saved and for unnamed assemblies."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rck.assembly.journal import Recovery, journal_path, recoverable, unnamed_path
from rck.editor.claims import Claim, claim
from rck.hooks.folders import data_folder
from rck.language.session import Session


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """What a run that ended badly did not save."""

    recovery: Recovery
    claim: Claim | None = None
    """On the unnamed assembly that it was; None where it is that of this session."""
    path: Path | None = None

    @property
    def count(self) -> int:
        """How many commands."""
        return len(self.recovery.entries)

    def forget(self) -> None:
        """It is recovered, or not wanted."""
        if self.path is not None:
            journal_path(self.path).unlink(missing_ok=True)
        if self.claim is not None:
            self.claim.release()


def left_behind(session: Session) -> LeftBehind | None:
    """The commands that were not saved; for an unnamed assembly, those of the newest run that ended badly."""
    if session.path is not None:
        left = recoverable(session.path)
        return LeftBehind(left) if left is not None and left.matches else None
    # A run before had the number of this process if it left a journal under its name, as happens in containers.
    left = recoverable(unnamed_path())
    if left is not None:
        return LeftBehind(left)
    for path in _unnamed():
        held = claim(path)
        if held is None:
            continue
        left = recoverable(path)
        if left is not None:
            return LeftBehind(left, held, path)
        journal_path(path).unlink(missing_ok=True)
        held.release()
    return None


def _unnamed() -> Iterator[Path]:
    """The unnamed assemblies that a journal exists for, the newest first."""
    found = []
    for journal in (data_folder() / "unsaved").glob(".untitled-*.rck.journal"):
        try:
            found.append((journal.stat().st_mtime, journal))
        except OSError:
            continue
    own = unnamed_path()
    for _, journal in sorted(found, reverse=True):
        path = journal.with_name(journal.name[1:].removesuffix(".journal"))
        if path != own:
            yield path
