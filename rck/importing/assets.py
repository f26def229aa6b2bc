"""Files that a file names: where to look for them, and which ones it may have."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from rck.importing.settings import Limits
from rck.model.finding import Finding, RckError, Severity

_PACKAGE_MARKS = ("package.xml", "model.config")
_NAME_IN_MARK = re.compile(rb"<name>\s*([^<\s][^<]*?)\s*</name>")
_SEARCHED = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")
"""Variables by which the user says where packages and models are."""
_ALLOW_OUTSIDE = "allow it with the option allow-outside"


class Unavailable(RckError):
    """A file that another names cannot be had; the message says why."""

    def __init__(self, message: str, fix: str = "", *, code: int = 508) -> None:
        self.code, self.message, self.fix = code, message, fix
        super().__init__(message)

    def finding(self, where: str, severity: Severity) -> Finding:
        """As a finding of the file that names it."""
        return Finding(self.code, severity, where, self.message.removeprefix(f"{where} "), self.fix)


def enclosing_package(path: Path) -> Path | None:
    """The nearest folder above the file that says it is a package or a model."""
    for folder in path.resolve().parents:
        if _is_marked(folder):
            return folder
    return None


@dataclass(frozen=True, slots=True)
class Assets:
    """The files that one main file may name: those in its folder, and in packages."""

    main: Path
    limits: Limits = field(default_factory=Limits)

    @property
    def home(self) -> Path:
        """The folder that names without a scheme may not leave: the package, else the main file's own folder."""
        return enclosing_package(self.main) or self.main.resolve().parent

    def find(self, name: str, *folders: Path) -> Path:
        """The file of that name, looked for beside the main file and before that in the folders."""
        wanted = name.strip().replace("\\", "/")
        scheme, mark, rest = wanted.partition("://")
        if not mark:
            return self._relative(name, wanted, folders)
        if scheme in ("package", "model"):
            return self._in_package(name, rest)
        if scheme == "file":
            return self._relative(name, rest, folders)
        raise Unavailable(f"{name} is not fetched: only files are read", "put it beside the file")

    def package(self, name: str) -> Path:
        """The folder of the package of that name."""
        found = self._packages(name)
        if not found:
            barred = any((folder / name).is_dir() for folder in self._upward())
            fix = _ALLOW_OUTSIDE if barred else "name its folder in ROS_PACKAGE_PATH"
            raise Unavailable(f"package {name} {'lies outside' if barred else 'was not found'}", fix)
        return found[0]

    def read(self, path: Path) -> bytes:
        """The content of a file that was found; one beyond the limit is not read."""
        return read_within(path, self.limits)

    def _relative(self, name: str, wanted: str, folders: tuple[Path, ...]) -> Path:
        home = self.home
        places = ((folder, home) for folder in (*folders, self.main.parent))
        found = self._first(wanted, places, f"{name} lies outside {home.name}")
        if found is None:
            raise Unavailable(f"{name} does not exist")
        return found

    def _in_package(self, name: str, rest: str) -> Path:
        package, _, inner = rest.partition("/")
        places = ((folder, folder) for folder in self._packages(package))
        found = self._first(inner, places, f"{name} leads out of {package}")
        if found is not None:
            return found
        # A description taken out of its package keeps its folders as often as not.
        for folder in self._upward():
            path = folder / inner
            if _is_file(path) and self._may_have(path, self.home):
                return path
        raise Unavailable(f"{name} does not exist", f"name the folder of {package} in ROS_PACKAGE_PATH")

    def _first(self, name: str, places: Iterable[tuple[Path, Path]], barred: str) -> Path | None:
        """The file in the first of the folders that may be had, each with the folder that it may not lie outside of."""
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
        """The folders that go by the name of the package and that the file may look into, the nearest first."""
        found = []
        for folder in self._upward():
            if _goes_by(folder, package) and (_is_marked(folder) or self.limits.anywhere or not _is_common(folder)):
                found.append(folder)
            beside = folder / package
            if beside.is_dir() and (_is_marked(beside) or self._may_have(beside, self.home)):
                found.append(beside)
        for variable in _SEARCHED:
            for place in os.environ.get(variable, "").split(os.pathsep):
                if place and _goes_by(Path(place), package):
                    found.append(Path(place))
                if place and (Path(place) / package).is_dir():
                    found.append(Path(place) / package)
        return found

    def _upward(self) -> tuple[Path, ...]:
        return tuple(self.main.resolve().parents)

    def _may_have(self, path: Path, folder: Path) -> bool:
        # A link may lead anywhere: what counts is where it ends.
        return self.limits.anywhere or path.resolve().is_relative_to(folder.resolve())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with a zero in it
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
    """Whether the folder holds more than one project: the root, its children, and what holds the user's home."""
    return len(folder.parts) <= 2 or Path.home().is_relative_to(folder)


def refuse_more_triangles(count: int, name: str, limits: Limits) -> None:
    """Refuse a file of more triangles than the limit."""
    if count > limits.triangles:
        message = f"{name} has more than {limits.triangles} triangles"
        raise Unavailable(message, "raise the limit with the option most-triangles", code=509)


def read_within(path: Path, limits: Limits) -> bytes:
    """The content of a file of no more than the limit."""
    try:
        size = path.stat().st_size
        if size > limits.bytes:
            message = f"{path.name} has {size / 1e6:.1f} MB, more than the limit of {limits.bytes / 1e6:g} MB"
            raise Unavailable(message, "raise it with the option most-megabytes", code=509)
        return path.read_bytes()
    except OSError as error:
        raise Unavailable(f"{path.name} cannot be read: {error.strerror}") from error
