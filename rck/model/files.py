"""Files: paths that users type, noticing changes, and writing: a crash leaves the old or the new, never half of one."""

import errno
import os
from pathlib import Path
from secrets import token_hex

from rck.model.finding import RckError

Stamp = tuple[int, int]
"""Time and size of a file, by which a change is noticed; zeros where it cannot be looked at."""


def path_in(folder: Path, text: str) -> Path:
    """A path that a user typed, seen from a folder."""
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        raise RckError(f"{text}: {error}") from None
    return path if path.is_absolute() else folder / path


def stamp_of(path: Path) -> Stamp:
    """The stamp of a file as it is now."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file in one step: write beside it, flush to the disk, rename.

    Its permissions stay; where the path is a link, the file that it leads to is replaced and the link stays.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.{token_hex(4)}")
    # A new file gets what the user's umask leaves of 0666.
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except FileNotFoundError:
        # Some folders of the system are there and hold no files of users.
        raise PermissionError(errno.EACCES, "no file can be made there", str(path)) from None
    except OSError as error:
        # Users know the file that they named, not the one beside it.
        error.filename = str(path)
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o777)
        fresh.replace(target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def in_words(error: Exception) -> str:
    """An error about a file as users can use it: which file, what is wrong, and what to do where that is known."""
    if not isinstance(error, OSError) or error.filename is None:
        return str(error)
    if isinstance(error, FileNotFoundError):
        return f"there is no file {error.filename}"
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{error.filename}: a file is where a folder should be; choose another place"
    if isinstance(error, PermissionError):
        return f"{error.filename}: {error.strerror}; choose another place, or ask for the right to use this one"
    return f"{error.filename}: {error.strerror}"


def refuse_unwritable(path: Path) -> None:
    """Refuse a file that a user named, before any work for it, where its folder is missing or closed to writing.

    A mistyped path makes no folders.
    """
    folder = path.resolve().parent
    if not folder.exists():
        raise RckError(f"there is no folder {path.parent}; make it, or choose another place")
    if not os.access(folder, os.W_OK):
        raise RckError(f"nothing can be written to the folder {path.parent}; choose another place")


def _flush_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
