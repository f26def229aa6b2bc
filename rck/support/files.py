"""File paths, change detection, and atomic writing: after a crash, a file has its old or its new content."""

import errno
import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from socket import gethostname
from time import time
from zlib import crc32

from rck.support.finding import RckError

_STAGED = ".part"
"""Ending of files that are not complete; the machine and the process that write one are in its name."""
_PENDING = ".pending"
"""Ending of lists of files that are being renamed."""
_OLD = 86_400.0
"""Seconds after which an incomplete file of another machine is deleted."""

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
    """Write all files or none, also if the process is killed.

    Each is written next to its target and flushed. A list of all files, in the folder that holds them all, then makes
    the write final, and all are renamed. If the process is killed in between, the next :func:`finish_write` of a file
    in that folder, or the next write to it, renames the others. Missing folders are made, and removed again if a file
    cannot be written.
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
            _remove_leftovers(folder)
        # A disk flushes eight files in hardly more time than one, and some robots have a thousand meshes.
        if len(files) > 1:
            with ThreadPoolExecutor(max_workers=8) as pool:
                list(pool.map(stage, files))
            _rename_all(staged)
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


def finish_write(path: Path) -> None:
    """Complete the writes of several files in the folder of a file that were killed while they renamed them."""
    with suppress(OSError):
        for pending in path.resolve().parent.glob(f".*{_PENDING}"):
            _finish(pending)


def _rename_all(staged: list[tuple[Path, Path]]) -> None:
    """Rename staged files; from the moment when the list of them is in place, all will be renamed."""
    targets = [target for _, target in staged]
    home = next((one.parent for one in targets if all(other.is_relative_to(one.parent) for other in targets)), None)
    if home is None:
        for fresh, target in staged:
            fresh.replace(target)
        return
    pending = home / f".{token_hex(8)}{_PENDING}"
    names = [[str(fresh.relative_to(home)), str(target.relative_to(home))] for fresh, target in staged]
    for folder in {fresh.parent for fresh, _ in staged}:
        _flush_folder(folder)
    listing = _stage(targets[0], pending, json.dumps(names).encode())
    try:
        listing.replace(pending)
        _flush_folder(home)
    except BaseException:
        listing.unlink(missing_ok=True)
        pending.unlink(missing_ok=True)
        raise
    _finish(pending)


def _finish(pending: Path) -> None:
    """Rename the files of a list and delete the list."""
    try:
        for fresh, target in _listed_files(pending):
            # Another process may have found the list and renamed it already.
            with suppress(FileNotFoundError):
                fresh.replace(target)
    finally:
        pending.unlink(missing_ok=True)


def _listed_files(pending: Path) -> list[tuple[Path, Path]]:
    """Return staged files and their targets; none if the list does not come from :func:`write_files`."""
    home = pending.parent.resolve()
    try:
        names = [(home / fresh, home / target) for fresh, target in json.loads(pending.read_bytes())]
    except (FileNotFoundError, ValueError, TypeError):
        return []
    # A folder that was downloaded must not name files elsewhere.
    inside = all(
        fresh.name.endswith(_STAGED) and fresh.parent == target.parent and fresh.parent.resolve().is_relative_to(home)
        for fresh, target in names
    )
    return names if inside else []


@cache
def _remove_leftovers(folder: Path) -> None:
    """Complete and clean up the writes of killed processes in a folder, once for each folder."""
    with suppress(OSError):
        # A list may name files in the folders below its own.
        for pending in (*folder.parent.glob(f".*{_PENDING}"), *folder.glob(f".*{_PENDING}")):
            _finish(pending)
        for fresh in folder.glob(f".*{_STAGED}"):
            host, _, process = fresh.name.removesuffix(_STAGED).rpartition(".")[2].partition("-")
            own = host == _host() and process.partition("-")[0].isdigit()
            dead = own and not is_running(int(process.partition("-")[0]))
            if dead or time() - fresh.stat().st_mtime > _OLD:
                fresh.unlink(missing_ok=True)


@cache
def _host() -> str:
    return f"{crc32(gethostname().encode()):08x}"


def is_running(process: int) -> bool:
    """Return True if there is a process of that number on this machine."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _stage(path: Path, target: Path, content: bytes) -> Path:
    """Write the content next to its target, with the permissions of the file that it will replace; return the path."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    fresh = target.with_name(f".{target.name}.{_host()}-{os.getpid()}-{token_hex(4)}{_STAGED}")
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
    except OSError as error:
        fresh.unlink(missing_ok=True)
        error.filename = error.filename or str(path)
        raise
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
