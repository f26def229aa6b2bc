"""Files that an imported file refers to: search paths and access rules."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from rck.importing.import_options import ImportLimits
from rck.support.finding import Finding, RckError, Severity

_PACKAGE_MARKS = ("package.xml", "model.config")
_NAME_IN_MARK = re.compile(rb"<name>\s*([^<\s][^<]*?)\s*</name>")
_SEARCHED = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")
"""Environment variables that list folders of packages and models."""
_USUAL_FOLDERS = {
    "config", "description", "launch", "mjcf", "model", "models", "robot", "robots", "sdf", "srdf", "urdf", "urdfs",
    "worlds", "xacro", "xml",
}  # fmt: skip
"""Folders of a package in which descriptions of robots are."""
_ALLOW_OUTSIDE = "allow it with the option allow-outside"


class Unavailable(RckError):
    """Error for a referenced file that is missing, unreadable or not allowed; the message gives the reason."""

    def __init__(self, message: str, fix: str = "", *, code: int | str = 508) -> None:
        self.code, self.message, self.fix = code, message, fix
        super().__init__(message)

    def finding(self, where: str, severity: Severity) -> Finding:
        """Return the error as a finding of the file that contains the reference."""
        return Finding(self.code, severity, where, self.message.removeprefix(f"{where} "), self.fix)


def enclosing_package(path: Path) -> Path | None:
    """Return the nearest parent folder that is a package or a model."""
    for folder in path.resolve().parents:
        if _is_marked(folder):
            return folder
    return None


@dataclass(frozen=True, slots=True)
class Assets:
    """Files that one main file may refer to: those in its folder, and in packages."""

    main: Path
    limits: ImportLimits = field(default_factory=ImportLimits)

    @property
    def home(self) -> Path:
        """Folder that must contain files named without a scheme: the package, or the folder of the main file."""
        return enclosing_package(self.main) or self.main.resolve().parent

    def find(self, name: str, *folders: Path) -> Path:
        """Return the file with that name; search the folders, then the folder of the main file."""
        wanted = name.strip().replace("\\", "/")
        scheme, mark, rest = wanted.partition("://")
        if not mark:
            return self._relative(name, wanted, folders)
        if scheme in ("package", "model"):
            return self._in_package(name, rest)
        if scheme == "file":
            return self._relative(name, rest, folders)
        raise Unavailable(f"{name} is not downloaded: only local files are read", "copy it to the folder of the file")

    def package(self, name: str) -> Path:
        """Return the folder of the package with that name."""
        found = self._packages(name)
        if not found:
            barred = any(folder.name == name or (folder / name).is_dir() for folder in self._upward())
            fix = _ALLOW_OUTSIDE if barred else "add its folder to ROS_PACKAGE_PATH"
            raise Unavailable(f"package {name} {'is outside the allowed folders' if barred else 'was not found'}", fix)
        return found[0]

    def read(self, path: Path) -> bytes:
        """Return the content of a file; refuse a file larger than the limit."""
        return read_within(path, self.limits)

    def _relative(self, name: str, wanted: str, folders: tuple[Path, ...]) -> Path:
        home = self.home
        places = ((folder, home) for folder in (*folders, self.main.parent))
        found = self._first(wanted, places, f"{name} is outside {home.name}")
        if found is None:
            raise Unavailable(f"{name} does not exist")
        return found

    def _in_package(self, name: str, rest: str) -> Path:
        package, _, inner = rest.partition("/")
        places = ((folder, folder) for folder in self._packages(package))
        found = self._first(inner, places, f"{name} is outside {package}")
        if found is not None:
            return found
        # A description copied out of its package often keeps the folder structure.
        for folder in self._upward():
            path = folder / inner
            if _is_file(path) and self._may_have(path, self.home):
                return path
        raise Unavailable(f"{name} does not exist", f"add the folder of {package} to ROS_PACKAGE_PATH")

    def _first(self, name: str, places: Iterable[tuple[Path, Path]], barred: str) -> Path | None:
        """Return the first permitted file; each place is a folder to search and a folder that must contain it."""
        outside = False
        for folder, bounds in places:
            for spelling in dict.fromkeys((name, unquote(name))):
                path = folder / spelling
                if not _is_file(path):
                    continue
                if self._may_have(path, bounds):
                    return path
                outside = True
        if outside:
            raise Unavailable(barred, _ALLOW_OUTSIDE)
        return None

    def _packages(self, package: str) -> list[Path]:
        """Return the permitted folders of the package, the nearest first."""
        found = []
        for folder in self._upward():
            if _goes_by(folder, package) and (
                _is_marked(folder) or self.limits.anywhere or self._may_be_package(folder)
            ):
                found.append(folder)
            inner = folder / package
            if inner.is_dir() and (_is_marked(inner) or self._may_have(inner, self.home)):
                found.append(inner)
        for variable in _SEARCHED:
            for place in os.environ.get(variable, "").split(os.pathsep):
                if place and _goes_by(Path(place), package):
                    found.append(Path(place))
                if place and (Path(place) / package).is_dir():
                    found.append(Path(place) / package)
        return found

    def _may_be_package(self, folder: Path) -> bool:
        """Return True for the folder of the main file, and for the one above if it is where packages keep such files.

        Any other folder above it may hold files that do not belong to the robot, unless it has the mark of a package.
        """
        here = self.main.resolve().parent
        return not _is_common(folder) and (folder == here or (folder == here.parent and here.name in _USUAL_FOLDERS))

    def _upward(self) -> tuple[Path, ...]:
        return tuple(self.main.resolve().parents)

    def _may_have(self, path: Path, folder: Path) -> bool:
        # Resolve symbolic links: the target must be inside the folder.
        return self.limits.anywhere or path.resolve().is_relative_to(folder.resolve())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # the name is too long or contains a null character
        return False


def _is_marked(folder: Path) -> bool:
    return any((folder / mark).is_file() for mark in _PACKAGE_MARKS)


def _goes_by(folder: Path, package: str) -> bool:
    if folder.name == package:
        return True
    mark = folder / "package.xml"
    if not mark.is_file() or mark.stat().st_size > 1_000_000:
        return False
    said = _NAME_IN_MARK.search(mark.read_bytes())
    return said is not None and said[1].decode("utf-8", "replace") == package


def _is_common(folder: Path) -> bool:
    """Return True for the root, its children, and folders that contain the user's home: they hold several projects."""
    return len(folder.parts) <= 2 or Path.home().is_relative_to(folder)


def refuse_more_triangles(count: int, name: str, limits: ImportLimits) -> None:
    """Refuse a file with more triangles than the limit."""
    if count > limits.triangles:
        message = f"{name} has more than {limits.triangles} triangles"
        raise Unavailable(message, "raise the limit with the option most-triangles", code=509)


def read_within(path: Path, limits: ImportLimits) -> bytes:
    """Return the content of a file; refuse a file larger than the limit."""
    try:
        size = path.stat().st_size
        if size > limits.bytes:
            message = f"{path.name} has {size / 1e6:.1f} MB, more than the limit of {limits.bytes / 1e6:g} MB"
            raise Unavailable(message, "raise it with the option most-megabytes", code=509)
        return path.read_bytes()
    except OSError as error:
        raise Unavailable(f"{path.name} cannot be read: {error.strerror}") from error
