"""File paths, change detection, and atomic writing: after a crash, a file has its old or its new content."""

import errno
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from rck.support.finding import RckError

Stamp = tuple[int, int]
"""Modification time and size of a file; zeros if it cannot be accessed."""


def path_in(folder: Path, text: str) -> Path:
    """Return the path that a user typed, relative to a folder."""
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        raise RckError(f"{text}: {error}") from None
    return path if path.is_absolute() else folder / path


def stamp_of(path: Path) -> Stamp:
    """Return the present stamp of a file."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file in one step: write a new file next to it, flush it to the disk, rename it.

    The permissions stay; if the path is a link, the file that it points to is replaced and the link stays.
    """
    write_files({path: content})


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write all files or none: each is written next to its target and flushed, then all are renamed.

    Missing folders are made, and removed again if a file cannot be written.
    """
    targets = {path: path.resolve() for path in files}
    folders = sorted({target.parent for target in targets.values()})
    made: list[Path] = []
    staged: list[tuple[Path, Path]] = []

    def stage(path: Path) -> None:
        staged.append((_stage(path, targets[path], files[path]), targets[path]))

    try:
        for folder in folders:
            missing = [one for one in (folder, *folder.parents) if not one.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            made += reversed(missing)
        # A disk flushes eight files in hardly more time than one, and some robots have a thousand meshes.
        if len(files) > 1:
            with ThreadPoolExecutor(max_workers=8) as pool:
                list(pool.map(stage, files))
        else:
            for path in files:
                stage(path)
        for fresh, target in staged:
            fresh.replace(target)
    except BaseException:
        for fresh, _ in staged:
            fresh.unlink(missing_ok=True)
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise
    for folder in folders:
        _flush_folder(folder)


def _stage(path: Path, target: Path, content: bytes) -> Path:
    """Write the content next to its target, with the permissions of the file that it will replace; return the path."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    fresh = target.with_name(f".{target.name}.{token_hex(4)}")
    # The umask of the user applies to the mode of new files.
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except FileNotFoundError:
        # Some system folders exist but cannot hold files of users.
        raise PermissionError(errno.EACCES, "cannot create a file there", str(path)) from None
    except OSError as error:
        # Name the file that the user asked for, not the temporary one.
        error.filename = str(path)
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o777)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return fresh


def in_words(error: Exception) -> str:
    """Describe an error about a file for the user: the file, the problem and, if known, the remedy."""
    if not isinstance(error, OSError) or error.filename is None:
        return str(error)
    if isinstance(error, FileNotFoundError):
        return f"there is no file {error.filename}"
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{error.filename}: a file is where a folder should be; choose another location"
    if isinstance(error, PermissionError):
        return f"{error.filename}: {error.strerror}; choose another location, or change the permissions"
    return f"{error.filename}: {error.strerror}"


def refuse_unwritable(path: Path) -> None:
    """Refuse an output file if its folder does not exist or is not writable. Mistyped folders are not created."""
    folder = path.resolve().parent
    if not folder.exists():
        raise RckError(f"there is no folder {path.parent}; create it, or choose another location")
    if not os.access(folder, os.W_OK):
        raise RckError(f"the folder {path.parent} is not writable; choose another location")


def _flush_folder(folder: Path) -> None:
    """Flush the rename to disk, on systems that support it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
