"""Locks for assembly files: lock files next to them, which the system releases when their process ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import gethostname
from time import monotonic, sleep

from rck.support.finding import RckError

_WAIT = 30.0
"""The longest time to wait for another process that saves, in seconds."""


@dataclass(frozen=True, slots=True)
class FileLock:
    """A lock that this process holds. Make one with :func:`lock_file`."""

    _path: Path
    _handle: int

    def release(self) -> None:
        """Release the lock."""
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def _lock_path(path: Path, purpose: str) -> Path:
    target = path.resolve()
    return target.with_name(f".{target.name}.{purpose}-lock")


def lock_file(path: Path, purpose: str = "open") -> FileLock | None:
    """Lock a file for a purpose; return None if another process holds that lock.

    The lock is next to the file, so that users who share a folder respect it. Where no lock file can be written, every
    process gets the lock: then the file cannot be saved there either.
    """
    lock = _lock_path(path, purpose)
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        while True:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return None
            if _is_file(handle, lock):
                os.ftruncate(handle, 0)
                os.write(handle, f"process {os.getpid()} on {gethostname()}\n".encode())
                return FileLock(lock, handle)
            # The previous holder deleted the file after we opened it.
            os.close(handle)
    except OSError:
        return FileLock(lock, os.open(os.devnull, os.O_RDONLY))


@contextmanager
def locked(path: Path, purpose: str) -> Iterator[None]:
    """Hold a lock for the time of a block; wait for another process that holds it, then raise RckError."""
    deadline = monotonic() + _WAIT
    while (lock := lock_file(path, purpose)) is None:
        if monotonic() > deadline:
            raise RckError(f"{path.name} is in use by {lock_holder(path, purpose)}; try again when it has finished")
        sleep(0.05)
    try:
        yield
    finally:
        lock.release()


def lock_holder(path: Path, purpose: str = "open") -> str:
    """Return the process that holds a lock, such as `process 123 on lab-pc`."""
    try:
        return _lock_path(path, purpose).read_text(encoding="utf-8").strip() or "another process"
    except (OSError, UnicodeDecodeError):
        return "another process"


def _is_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
