"""Which assemblies are open in a running editor: each holds a lock that the system releases when it ends."""

import fcntl
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from rck.hooks.folders import data_folder


@dataclass(frozen=True, slots=True)
class Claim:
    """An assembly that this process has open."""

    _lock: Path
    _handle: int

    def release(self) -> None:
        """Let others open it."""
        self._lock.unlink(missing_ok=True)
        os.close(self._handle)


def claim(path: Path) -> Claim | None:
    """Take an assembly's file for this process; None when a running editor has it."""
    lock = data_folder() / "open" / f"{sha256(str(path.resolve()).encode()).hexdigest()[:24]}.lock"
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        while True:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return None
            if _is_file(handle, lock):
                return Claim(lock, handle)
            # Whoever had it removed the file between our opening and locking it.
            os.close(handle)
    except OSError:
        # A folder without locks, or one that cannot be written: then nobody can be told apart.
        return Claim(lock, os.open(os.devnull, os.O_RDONLY))


def _is_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
